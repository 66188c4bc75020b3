//! The contents of the page about a measurement.

use results::{LoadedDirection, Measurement, Remark, Step};

use super::beside;
use super::certainty::{HEADING, certainty_lines};
use super::directions::directions;
use super::evidence::evidence;
use super::figures::figures;
use super::limits::measurement_limits;
use super::remarks::{advice, paragraphs, verdict};
use super::table::{directions_grid, facts, hops_grid, title};
use crate::page::{CommandList, Page, PageTable};
use crate::text::printable;

/// A page about a measurement: sentences, advice, tables and plots.
pub fn measurement_page(measurement: &Measurement) -> Page {
    let limits = measurement_limits(measurement).into_iter().map(|limit| printable(&limit.text));
    Page {
        title: title(measurement),
        verdict: paragraphs(&verdict(measurement)).into_iter().chain(limits).collect(),
        commands: to_do(measurement).into_iter().collect(),
        tables: tables(measurement),
        figures: figures(measurement),
        one_clock: true,
        notes: notes(measurement),
        ..Page::default()
    }
}

/// The advice, with its commands; `None` if there is none.
fn to_do(measurement: &Measurement) -> Option<CommandList> {
    let step = |remark: Remark| Step { text: remark.text, commands: remark.commands };
    let steps: Vec<Step> = advice(measurement).into_iter().map(step).collect();
    let list = CommandList { title: "What to do".into(), folded: false, steps };
    (!list.steps.is_empty()).then_some(list)
}

fn tables(measurement: &Measurement) -> Vec<PageTable> {
    const DIRECTIONS: &str = "One row a load. Added delay is what packets of someone else waited \
         while the line was loaded, beyond the least that the way takes: half of them less than p50, \
         95 of 100 less than p95. The buffer is what the queue holds when it is full. RPM is \
         round trips a minute, as the IETF counts responsiveness.";
    const HOPS: &str = "Who answers on the way to the server, and how soon: at its best, and at the \
         median while one direction was loaded. The queue stands where the round trip grows and \
         stays long from there on; an answer that is slow alone is only a busy router.";
    let directions = directions_grid(measurement).table("Directions", DIRECTIONS);
    let hops = hops_grid(measurement).table("Hops", HOPS);
    let filled = |table: &PageTable| !table.rows.is_empty();
    let beside = beside::tables(measurement);
    [directions].into_iter().chain(beside).chain([hops]).filter(filled).collect()
}

/// Notes: how the measurement was made, and the evidence for the queues' places.
fn notes(measurement: &Measurement) -> Vec<String> {
    let facts = match facts(measurement).as_str() {
        "" => title(measurement),
        facts => format!("{}: {facts}", title(measurement)),
    };
    let mut notes = vec![format!("{facts}.")];
    let placed = directions(measurement)
        .filter_map(|(name, LoadedDirection { offender, .. })| Some((name, offender.as_ref()?)));
    let evident = placed.map(|(name, offender)| (name, evidence(offender)));
    let evident = evident.filter(|(_, evidence)| !evidence.is_empty());
    notes
        .extend(evident.map(|(name, why)| printable(&format!("Where the {name} queue is: {why}"))));
    let lines = certainty_lines(measurement);
    if !lines.is_empty() {
        notes.push(format!("{HEADING} {}.", lines.join("; ")));
    }
    if measurement.series.is_none() {
        notes.push("How it went over time was not kept, so most plots are missing.".into());
    }
    notes.push(format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION")));
    notes
}
