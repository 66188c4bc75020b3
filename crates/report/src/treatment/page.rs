//! A treatment as a page: the line before and after, side by side.

use results::{Measurement, Step, Treatment};

use super::figures::figures;
use super::{grid, sentences, shaped};
use crate::measurement::card;
use crate::page::{Card, Page};
use crate::plan::list;
use crate::text::printable;

/// A page about a treatment: the verdict, the grades before and after, what was changed, how to
/// take it back, and the delays in plots.
pub fn treatment_page(treatment: &Treatment) -> Page {
    const LINE: &str = "Added delay is how much longer packets of others waited than on the idle \
         line, in 95 % of the time in which the direction was full and the load had settled. The \
         rate is that of IP packets.";
    let machine = treatment.machine.as_deref().map_or_else(|| "this machine".into(), printable);
    let plan = &treatment.plan;
    let changed = list("What was changed", &plan.steps, true);
    let check = list("To see that it is in force", &plan.check, true);
    let back = list("To take it back", &[Step::new(UNDO, "unbloat fix --undo")], true);
    // What was taken back is no longer in force.
    let lists = [changed, check.filter(|_| treatment.kept), back.filter(|_| treatment.kept)];
    let shaped: Vec<&str> = shaped(treatment).map(|heading| heading.in_words()).collect();
    Page {
        title: format!("Treatment of {machine}: the {}", shaped.join(" and the ")),
        verdict: sentences(treatment).iter().map(|sentence| printable(sentence)).collect(),
        cards: cards(treatment),
        commands: lists.into_iter().flatten().collect(),
        tables: vec![grid(treatment).table("The line", LINE)],
        figures: figures(treatment),
        notes: notes(treatment),
        ..Page::default()
    }
}

/// The sentence before the command that takes a treatment back.
const UNDO: &str =
    "On this computer, with the same --over if the change was made on another machine:";

/// The grades before and after.
fn cards(treatment: &Treatment) -> Vec<Card> {
    let before = card("Before", &treatment.before);
    let after = treatment.after.as_ref().map(|after| card("After", after));
    [before].into_iter().chain(after).collect()
}

/// Notes: to which server, and when.
fn notes(treatment: &Treatment) -> Vec<String> {
    let of = |name: &str, measurement: &Measurement| {
        let (server, started) = (printable(&measurement.server), printable(&measurement.started));
        format!("{name}: a test to {server}, {started}.")
    };
    let after = treatment.after.as_ref().map(|after| of("After", after));
    let drawn = format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION"));
    [of("Before", &treatment.before)].into_iter().chain(after).chain([drawn]).collect()
}
