//! A treatment as a page, and any other change of a line: before and after, side by side.

use observation::Heading;
use results::{Measurement, Step, Treatment};

use super::figures::{FIRST_FIGURE, figures};
use super::{Times, WITH, direction, rows, sentences, shaped};
use crate::measurement::{card, wait};
use crate::number::duration;
use crate::page::{Card, Page};
use crate::plan::list;
use crate::text::printable;

/// A page about a treatment: the verdict, the grades before and after, what was changed, how to
/// take it back, and the delays in plots.
pub fn treatment_page(treatment: &Treatment) -> Page {
    let times = Times::of(treatment);
    let machine = treatment.machine.as_deref().map_or_else(|| "this machine".into(), printable);
    let plan = &treatment.plan;
    let changed =
        if treatment.kept { "What was changed" } else { "What was changed and taken back" };
    let changed = list(changed, &plan.steps, true);
    let check = list("To see that it is in force", &plan.check, true);
    let back = list("To take it back", &[Step::new(UNDO, "unbloat fix --undo")], true);
    // What was taken back is no longer in force.
    let lists = [changed, check.filter(|_| treatment.kept), back.filter(|_| treatment.kept)];
    let names: Vec<&str> = shaped(treatment).map(|heading| heading.in_words()).collect();
    Page {
        title: format!("Treatment of {machine}: the {}", names.join(" and the ")),
        verdict: sentences(treatment).iter().map(|sentence| printable(sentence)).collect(),
        commands: lists.into_iter().flatten().collect(),
        ..compared(&times, shaped(treatment))
    }
}

/// A page about a line that was measured before and after a change.
pub fn before_and_after_page(before: &Measurement, after: &Measurement) -> Page {
    let times = Times { before, after: Some(after), is_kept: true };
    let headings = || [Heading::Down, Heading::Up].into_iter();
    Page {
        title: "Before and after".into(),
        verdict: headings().filter_map(|heading| change(before, after, heading)).collect(),
        ..compared(&times, headings())
    }
}

/// What others wait in a direction before and after; `None` if the direction was not loaded both times.
fn change(before: &Measurement, after: &Measurement, heading: Heading) -> Option<String> {
    let (before, after) = (direction(before, heading)?, direction(after, heading)?);
    let name = heading.in_words();
    Some(match (wait(before, duration), wait(after, duration)) {
        (Some(before), Some(after)) => {
            format!("Others wait {after} in the {name}; before, they waited {before}.")
        }
        (Some(before), None) => format!(
            "How long others wait in the {name} is not known; before, they waited {before}."
        ),
        (None, after) => {
            let after =
                after.map_or_else(|| "is not known either".to_owned(), |it| format!("is {it}"));
            format!(
                "How long others waited in the {name} before is not known; after the change, it {after}."
            )
        }
    })
}

/// The cards, the table, the plots and the notes of a line before and after.
fn compared(times: &Times<'_>, headings: impl Iterator<Item = Heading>) -> Page {
    const LINE: &str = "Added delay is how much longer packets of others waited than on the idle \
         line, in 95 % of the time in which the direction was full and the load had settled. The \
         rate is that of IP packets.";
    let figures = figures(times, headings);
    Page {
        cards: cards(times),
        tables: vec![rows(times).table("The line", LINE)],
        first_figures: figures.iter().take_while(|it| it.id == FIRST_FIGURE).count(),
        is_rest_folded: true,
        figures,
        notes: notes(times),
        ..Page::default()
    }
}

/// The sentence before the command that takes a treatment back.
const UNDO: &str =
    "On this computer, with the same `--over` if the change was made on another machine:";

/// The grades before and after.
fn cards(times: &Times<'_>) -> Vec<Card> {
    times.iter().map(|(name, measurement)| card(title(name), measurement)).collect()
}

/// The name of a measurement as a title.
fn title(name: &str) -> &'static str {
    match name {
        "before" => "Before",
        WITH => "With the change",
        _ => "After",
    }
}

/// Notes: to which server, and when.
fn notes(times: &Times<'_>) -> Vec<String> {
    let of = |name: &str, measurement: &Measurement| {
        let (server, started) = (printable(&measurement.server), printable(&measurement.started));
        format!("{name}: a test to {server}, {started}.")
    };
    let drawn = format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION"));
    let tests = times.iter().map(|(name, measurement)| of(title(name), measurement));
    tests.chain([drawn]).collect()
}
