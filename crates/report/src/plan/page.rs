//! A plan as a page, whose commands have buttons that copy them.

use results::{Plan, Step};

use super::{NOTHING, THEN, sentences, tested};
use crate::page::{CommandList, Page};
use crate::text::printable;

/// A page about a plan: what it does, and the commands.
pub fn plan_page(plan: &Plan) -> Page {
    let mut verdict: Vec<String> =
        sentences(plan).into_iter().map(|(sentence, _)| printable(&sentence)).collect();
    verdict.push(tested(plan).unwrap_or_else(|| NOTHING.to_owned()));
    let mut apply = list("To apply it", &plan.steps, false);
    if let Some(apply) = &mut apply {
        apply.steps.push(Step::new(THEN, ""));
    }
    let check = list("To see that it is in force", &plan.check, false);
    let back = list("To take it back", &plan.undo, false);
    Page {
        title: format!("A plan for {}", printable(&plan.system)),
        verdict,
        commands: [apply, check, back].into_iter().flatten().collect(),
        notes: vec![format!("Written by unbloat {}.", env!("CARGO_PKG_VERSION"))],
        ..Page::default()
    }
}

/// Commands of a plan under a title; `None` if there are none.
pub(crate) fn list(title: &str, steps: &[Step], folded: bool) -> Option<CommandList> {
    let list = CommandList { title: title.to_owned(), folded, steps: steps.to_vec() };
    (!steps.is_empty()).then_some(list)
}
