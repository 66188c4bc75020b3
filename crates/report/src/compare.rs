//! The report of a comparison: several queues side by side.

mod cards;
mod lacking;
mod purpose;
mod shares;
mod strip;
mod winner;

use results::Document;

pub(crate) use cards::cards;
pub use lacking::{compared_link, queues_alone};
pub(crate) use purpose::{Purpose, goodput};
use purpose::{opinion, ping};

use crate::congestion::{bottleneck, same_place};
use crate::flows::family;
use crate::grid::{Cell, Column, Grid};
use crate::labels::distinct;
use crate::links::used_of_shaper;
use crate::number::{count, duration, millis, percent, significant};
use crate::page::Strip;
use crate::scene::Run;
use crate::setting::{is_shaped, nothing};
use crate::style::Style;
use crate::summary::{facts, heading, title};
use crate::text::{printable, room, truncate, wrap};

const COLUMNS: [Column; 12] = [
    Column::name("queue"),
    Column::number("goodput", "Mbit/s"),
    Column::number("used", "%"),
    Column::optional("", "grade"),
    Column::optional("others", "wait ms"),
    Column::number("sojourn ms", "p50"),
    Column::number("sojourn ms", "p95"),
    Column::number("", "drops"),
    Column::optional("", "marks"),
    Column::optional("ping ms", "p50"),
    Column::optional("ping ms", "p95"),
    Column::optional("worst", "MOS"),
];

const COMPLETIONS: [Column; 6] = [
    Column::name("flow"),
    Column::name("queue"),
    Column::number("", "done"),
    Column::number("completion s", "p50"),
    Column::number("completion s", "p95"),
    Column::number("completion s", "max"),
];

/// The comparison as text: one row a queue, about the direction that matters, which is the filled
/// one with the longest waits or, if none was filled, the busiest. Then one row for each flow that
/// completes something, and what the comparison shows. The documents must be runs of one scenario
/// that differ in their queues; each label names the queue. `not_run` are the labels of the runs
/// that an interrupt left out. Runs that were cut short are named but not compared, because they
/// ended at different times.
///
/// "Goodput" is that of the flows whose data crosses the direction, "others wait" the 95th
/// percentile over time of the delay of a packet of a new flow, "worst MOS" the lowest opinion
/// score of all calls.
pub fn comparison(runs: &[(String, Document)], not_run: &[String]) -> String {
    let Some(place) = bottleneck(runs.iter().map(|(_, document)| document)) else {
        let left_out = interruption(false, not_run).map(|left_out| left_out + "\n");
        let left_out = left_out.unwrap_or_default();
        let nothing = nothing(runs.iter().map(|(_, document)| document));
        return format!("Nothing to compare: {nothing}.\n{left_out}");
    };
    let labels: Vec<&str> = runs.iter().map(|(label, _)| label.as_str()).collect();
    let run = |(label, document)| Run { label, document, place: same_place(document, &place) };
    let documents = runs.iter().map(|(_, document)| document);
    let runs: Vec<Run<'_>> = distinct(&labels).into_iter().zip(documents).map(run).collect();
    let interrupted = (cut(&runs) || !not_run.is_empty()).then(|| "interrupted".into());
    let mut text = headings(&runs, interrupted);
    text += &format!("the queue of {}\n\n", place.words());
    text += &grid(&runs).render(Style::Plain);
    if let Some(completions) = completions(&runs) {
        text += &format!("\n{}", completions.render(Style::Plain));
    }
    for remark in lacking::remarks(&runs, &place).into_iter().chain(remarks(&runs, not_run)) {
        text += &format!("\n{}\n", wrap(&remark));
    }
    text
}

/// Title, duration, warm-up and seed: once if they are the same for all runs, otherwise a line for each run.
fn headings(runs: &[Run<'_>], interrupted: Option<String>) -> String {
    let of = |run: &Run<'_>| (title(run.document), facts(run.document, interrupted.clone()));
    let all: Vec<_> = runs.iter().map(of).collect();
    if all.iter().all(|other| *other == all[0]) {
        return heading(runs[0].document, interrupted, Style::Plain);
    }
    let line = |(run, (title, facts)): (&Run<'_>, &(String, String))| {
        let parts = [run.label.as_str(), title, facts];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        truncate(&parts.collect::<Vec<_>>().join(": "), room()) + "\n"
    };
    runs.iter().zip(&all).map(line).collect()
}

/// The table: one row a run.
pub(crate) fn grid(runs: &[Run<'_>]) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    runs.iter().for_each(|run| grid.row(row(run)));
    let is_of_shaper =
        |run: &&Run<'_>| run.place.is_some_and(|place| is_shaped(run.document, &place));
    let shaped = runs.iter().filter(is_of_shaper).map(|run| printable(&run.label)).collect();
    if let Some(note) = used_of_shaper(shaped) {
        grid.note(note);
    }
    grid
}

/// The table of completions: one row for each run of each flow that completes something; of the
/// members of a `count` only the first. `None` if no flow completes anything.
pub(crate) fn completions(runs: &[Run<'_>]) -> Option<Grid> {
    /// Largest number of rows: few readers would read more.
    const MOST: usize = 24;
    let mut grid = Grid::new(&COMPLETIONS);
    let names = runs.first()?.document.flows.keys();
    let is_first = |name: &&String| family(name).is_none() || name.ends_with("[0]");
    let mut rows = names.filter(is_first).flat_map(|name| {
        runs.iter().filter_map(move |run| {
            let completion = run.document.flows.get(name)?.completion_s?;
            Some(vec![
                Cell::text(name),
                Cell::text(&run.label),
                Cell::number(Some(completion.count), count),
                Cell::number(completion.p50, significant),
                Cell::number(completion.p95, significant),
                Cell::number(completion.max, significant),
            ])
        })
    });
    let shown: Vec<_> = rows.by_ref().take(MOST).collect();
    if shown.is_empty() {
        return None;
    }
    shown.into_iter().for_each(|row| grid.row(row));
    match rows.count() {
        0 => {}
        more => grid.note(format!("… and {} more", count(more as u64))),
    }
    Some(grid)
}

/// The conclusions, or the reason why the runs cannot be compared.
pub(crate) fn remarks(runs: &[Run<'_>], not_run: &[String]) -> Vec<String> {
    let cut = cut(runs);
    let findings = if cut { Vec::new() } else { winner::findings(runs) };
    let shares = if cut { None } else { shares::sentence(runs) };
    findings.into_iter().chain(shares).chain(interruption(cut && runs.len() > 1, not_run)).collect()
}

/// The delay by which the runs are compared, side by side; `None` if they cannot be compared.
pub(crate) fn strip(runs: &[Run<'_>]) -> Option<Strip> {
    let purpose = winner::purpose(runs).filter(|_| !cut(runs))?;
    strip::strip(runs, purpose)
}

/// True if one of these runs was interrupted.
fn cut(runs: &[Run<'_>]) -> bool {
    runs.iter().any(|run| run.document.interrupted_s.is_some())
}

/// The effects of an interrupt, in a sentence: runs of unequal lengths, and runs that were left
/// out. `None` if there are none.
fn interruption(unequal: bool, not_run: &[String]) -> Option<String> {
    const UNEQUAL: &str =
        "the runs ended at different times, so they are not compared with each other";
    let labels: Vec<String> = not_run.iter().map(|label| printable(label)).collect();
    let left_out = (!labels.is_empty()).then(|| format!("not run: {}", labels.join(", ")));
    let effects: Vec<String> =
        unequal.then(|| UNEQUAL.into()).into_iter().chain(left_out).collect();
    (!effects.is_empty()).then(|| format!("Interrupted: {}.", effects.join("; ")))
}

/// The label, with the time of the interrupt if the run was cut short.
fn named(label: &str, document: &Document) -> String {
    match document.interrupted_s {
        Some(at) => format!("{label} (until {})", duration(at * 1e3)),
        None => label.into(),
    }
}

fn row(run: &Run<'_>) -> Vec<Cell> {
    let document = run.document;
    let direction = run.place.map(|place| place.direction);
    let sojourn = direction.map(|direction| direction.sojourn_ms).unwrap_or_default();
    let marks = direction.map(|direction| direction.marks);
    let ping = ping(document).and_then(|ping| ping.rtt_ms).unwrap_or_default();
    vec![
        Cell::text(&named(&run.label, document)),
        Cell::number(goodput(run), significant),
        Cell::number(direction.and_then(|direction| direction.utilisation), percent),
        Cell::number(direction.and_then(|direction| direction.grade), |grade| grade.to_string()),
        Cell::number(direction.and_then(|direction| direction.others_wait_ms.p95), millis),
        Cell::number(sojourn.p50, millis),
        Cell::number(sojourn.p95, millis),
        Cell::number(direction.map(|direction| direction.drops.without_ack_filter()), count),
        Cell::number(marks.filter(|&marks| marks > 0), count),
        Cell::number(ping.p50, millis),
        Cell::number(ping.p95, millis),
        Cell::number(opinion(document), significant),
    ]
}

#[cfg(test)]
mod tests;
