//! A treatment: what became of the line, and whether the change was kept.

mod figures;
mod kept;
mod page;
mod tuning;

use observation::Heading;
use results::{
    Grade, LoadedDirection, Measurement, PlannedDirection, TakenBack, Treatment, UndoReason,
};

use crate::grade::tone;
use crate::grid::{Cell, Column, Grid};
use crate::measurement::{rate_in_words, wait};
use crate::number::{duration, millis, significant};
use crate::style::{Style, Tone};
use crate::text::{printable, wrap};

pub use page::{before_and_after_page, treatment_page};

/// The name of a test of a change that was taken back.
const WITH: &str = "with the change";

/// The grade from which a direction counts as cured.
const CURED: Grade = Grade::A;

/// The treatment for people: the verdict, the line before and after, and the way back.
pub fn treatment_text(treatment: &Treatment, style: Style) -> String {
    let sentences = sentences(treatment);
    let tones = std::iter::once(Tone::Title).chain(std::iter::repeat(Tone::Plain));
    let mut text: String = sentences
        .iter()
        .zip(tones)
        .map(|(sentence, tone)| style.paint(&wrap(sentence), tone) + "\n")
        .collect();
    text += &format!("\n{}", grid(treatment).render(style));
    if treatment.kept {
        let over = if treatment.machine.is_some() { ", with the same --over" } else { "" };
        text += &format!("\nTo take it back{over}:\n  unbloat fix --undo\n");
    }
    text
}

/// The verdict, and the reasons for it.
pub(crate) fn sentences(treatment: &Treatment) -> Vec<String> {
    let machine = treatment.machine.as_deref().map_or_else(|| "this machine".into(), printable);
    let first = match (treatment.kept, is_cured(treatment)) {
        (true, true) => cured_in_words(treatment, &machine),
        (true, false) => format!("Better: {machine} keeps the change."),
        (false, _) => taken_back_in_words(treatment.taken_back, &machine),
    };
    let reasons = treatment.reasons.iter().map(reason_in_words);
    let tuned = treatment.tuning.iter().flat_map(tuning::sentences);
    let kept = treatment.kept.then(|| kept::sentences(treatment)).into_iter().flatten();
    std::iter::once(first).chain(reasons).chain(kept).chain(tuned).collect()
}

/// The verdict of a treatment that has cured what it shaped. It names a direction that still waits.
fn cured_in_words(treatment: &Treatment, machine: &str) -> String {
    let names: Vec<&str> = shaped(treatment).map(Heading::in_words).collect();
    match kept::waits(treatment) {
        None => format!("Cured: {machine} keeps the change."),
        Some((heading, p95)) => format!(
            "The {} is cured, and in the {} others still wait {}: {machine} keeps the change.",
            names.join(" and the "),
            heading.in_words(),
            duration(p95)
        ),
    }
}

fn taken_back_in_words(seen: Option<TakenBack>, machine: &str) -> String {
    match seen {
        None => "The change was taken back.".to_owned(),
        Some(TakenBack::AsBefore) => {
            format!("The change was taken back: {machine} is as it was.")
        }
        Some(TakenBack::Differs) => format!(
            "The change was taken back, but {machine} is not as it was: the queues or the \
             redirection of the interface differ from before. Look at them with `tc qdisc show`."
        ),
        Some(TakenBack::NotSeen) => format!(
            "The timer on {machine} takes the change back: {machine} could not be reached any \
             more."
        ),
    }
}

/// True if each direction that was shaped has a short queue now.
fn is_cured(treatment: &Treatment) -> bool {
    shaped(treatment).all(|heading| {
        let after = treatment.after.as_ref().and_then(|after| direction(after, heading));
        let p95 = after.and_then(LoadedDirection::added_p95_at_most_ms);
        p95.is_some_and(|p95| Grade::of(p95) <= CURED)
    })
}

fn shaped(treatment: &Treatment) -> impl Iterator<Item = Heading> {
    let rates = &treatment.plan.rates;
    [(Heading::Up, rates.upload), (Heading::Down, rates.download)]
        .into_iter()
        .filter(|(_, planned)| matches!(planned, PlannedDirection::Shaped(_)))
        .map(|(heading, _)| heading)
}

fn direction(measurement: &Measurement, heading: Heading) -> Option<&LoadedDirection> {
    measurement.judged().find(|(one, _)| *one == heading).map(|(_, direction)| direction)
}

const COLUMNS: [Column; 5] = [
    Column::name("direction"),
    Column::name("when"),
    Column::number("rate", "Mbit/s"),
    Column::number("others wait", "p95 ms"),
    Column::number("grade", ""),
];

/// The line before and after a change.
struct Times<'a> {
    before: &'a Measurement,
    after: Option<&'a Measurement>,
    /// False if the change was taken back: the line is then no longer as in the second test.
    is_kept: bool,
}

impl<'a> Times<'a> {
    fn of(treatment: &'a Treatment) -> Self {
        let Treatment { before, after, kept, .. } = treatment;
        Self { before, after: after.as_ref(), is_kept: *kept }
    }

    /// The measurements with their names.
    fn iter(&self) -> impl Iterator<Item = (&'static str, &'a Measurement)> {
        let after = self.after.map(|after| (if self.is_kept { "after" } else { WITH }, after));
        std::iter::once(("before", self.before)).chain(after)
    }

    /// The times in a title.
    fn in_words(&self) -> &'static str {
        match (self.after, self.is_kept) {
            (None, _) => "before the change",
            (Some(_), true) => "before and after",
            (Some(_), false) => "before and with the change",
        }
    }

    /// The name of a measurement as a part of a sentence.
    fn of_the_change(&self, name: &str) -> String {
        if name == WITH { name.to_owned() } else { format!("{name} the change") }
    }
}

/// The line before and after, a row each.
pub(crate) fn grid(treatment: &Treatment) -> Grid {
    rows(&Times::of(treatment))
}

fn rows(times: &Times<'_>) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    for heading in [Heading::Down, Heading::Up] {
        for (when, measurement) in times.iter() {
            if let Some(found) = direction(measurement, heading) {
                grid.row(row(heading, when, found));
            }
        }
    }
    grid
}

fn row(heading: Heading, when: &str, direction: &LoadedDirection) -> Vec<Cell> {
    let wait = wait(direction, millis);
    let grade = direction.added_p95_at_most_ms().map(Grade::of).filter(|_| wait.is_some());
    let tone = grade.map(tone).unwrap_or_default();
    vec![
        Cell::text(heading.in_words()),
        Cell::text(when),
        Cell::number(direction.rate_mbit, significant),
        Cell::number(wait, |wait| wait).tone(tone),
        Cell::number(grade, |grade| grade.to_string()).tone(tone),
    ]
}

fn reason_in_words(reason: &UndoReason) -> String {
    match reason {
        UndoReason::Interrupted => "It was interrupted.".to_owned(),
        UndoReason::Failed { said } => format!("A command failed: {}", printable(said)),
        UndoReason::NotInForce { device, missing } if missing.is_empty() => {
            format!("{} has no CAKE, though no command failed.", printable(device))
        }
        UndoReason::NotInForce { device, missing } => format!(
            "CAKE of {} is not as asked; it lacks: {}.",
            printable(device),
            printable(&missing.join(", "))
        ),
        UndoReason::CountersStill { device, heading } => format!(
            "The {} of the test did not pass through the queue of {}: look for flow offload, or \
             for another interface to the provider.",
            heading.map_or("traffic", Heading::in_words),
            printable(device)
        ),
        UndoReason::ShaperEnded { device, heading } => format!(
            "The shaper of the {} ended during the test: {} has no CAKE any more.",
            heading.in_words(),
            printable(device)
        ),
        UndoReason::NotMeasured { heading: None } => {
            "The line could not be measured again.".to_owned()
        }
        UndoReason::NotMeasured { heading: Some(heading) } => {
            format!("The {} could not be measured again.", heading.in_words())
        }
        UndoReason::StillLong { heading, before_ms, after_ms } => format!(
            "In the {} others wait {} longer than on the idle line; before the change it was {}.",
            heading.in_words(),
            duration(*after_ms),
            duration(*before_ms)
        ),
        UndoReason::RateLost { heading, expected_mbit, after_mbit } => format!(
            "The {} carries {} instead of the expected {}.",
            heading.in_words(),
            rate_in_words(*after_mbit),
            rate_in_words(*expected_mbit)
        ),
    }
}

#[cfg(test)]
mod tests;
