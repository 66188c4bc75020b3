//! The contents of a page about one result, or about several.

use results::Document;

use crate::compare;
use crate::congestion;
use crate::figures::figures;
use crate::meaning::meaning;
use crate::page::{Page, PageTable};
use crate::scene::{Run, Scene};
use crate::setting;
use crate::summary::{cut, facts, title};
use crate::text::printable;
use crate::validity::validity;
use crate::verdict::{self, verdict};
use crate::{flows, links};

/// The plots of a comparison that stand before its tables.
const FIRST: [&str; 2] = ["users", "delay"];

/// A page about these results, each with a label: about one result, what it shows; about several,
/// their comparison.
///
/// The labels of several results state their difference: the queue, for runs that differ in a
/// queue.
pub fn page(runs: &[(String, Document)]) -> Page {
    let scene = Scene::of(runs);
    let (title, verdict, tables) = match runs {
        [] => ("No results".into(), vec!["There is nothing to show.".into()], Vec::new()),
        [(_, document)] => (title(document), one(document, &scene), tables(document)),
        _ => several(&scene),
    };
    let (figures, notes) = (figures(runs), notes(&scene));
    let first_figures = figures.iter().take_while(|it| FIRST.contains(&it.id.as_str())).count();
    Page {
        title,
        verdict,
        cards: compare::cards(&scene.runs),
        strip: compare::strip(&scene.runs),
        tables,
        first_figures: if scene.is_comparison() { first_figures } else { 0 },
        figures,
        one_clock: true,
        notes,
        ..Page::default()
    }
}

/// Sentences about one run: the verdict, its meaning, the setting, and whether it can be believed.
fn one(document: &Document, scene: &Scene<'_>) -> Vec<String> {
    let place = scene.runs.iter().find_map(|run| run.place);
    let setting = place.and_then(|place| setting::sentence(document, &place));
    let mut said = verdict::sentences(document);
    let headline = said.remove(0);
    let rest = Some(said.join(" ")).filter(|rest| !rest.is_empty());
    let said = [headline].into_iter().chain(meaning(document)).chain(rest).chain(setting);
    said.chain(validity(document)).collect()
}

fn tables(document: &Document) -> Vec<PageTable> {
    const LINKS: &str = "One row for each direction. Sojourn is how long packets waited in the \
         queue: half of them less than p50, 95 of 100 less than p95. Others wait is the longest \
         wait of other packets in 95 % of the time in which the direction was full; the grade is \
         for this wait. Packets were dropped because the queue was full, dropped by its algorithm \
         (aqm), or lost on the wire.";
    const ACKS: &str = " The column acks counts acknowledgements that the queue's filter dropped \
         because later ones make them redundant: no data is lost.";
    const FLOWS: &str = "The results of each flow. Goodput is the data that the receiver got; data \
         that was sent again counts once.";
    let filters = congestion::places(document).any(|place| place.direction.drops.ack_filter > 0);
    let explanation = format!("{LINKS}{}", if filters { ACKS } else { "" });
    let links = links::grid(document).table("Links", &explanation);
    let flows = flows::grid(document).table("Flows", FLOWS);
    [links, flows].into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn several(scene: &Scene<'_>) -> (String, Vec<String>, Vec<PageTable>) {
    const TABLE: &str = "One row for each run, about the queue that matters. Goodput is that of \
         the flows whose data passes this queue. Others wait is the longest wait of other packets \
         in 95 % of the time in which the direction was full. Sojourn is how long packets waited \
         in the queue: half of them less than p50, 95 of 100 less than p95.";
    const COMPLETIONS: &str = "How long each flow took to complete its transfers.";
    let titles: Vec<String> = scene.runs.iter().map(|run| title(run.document)).collect();
    let title = match titles.iter().all(|title| *title == titles[0]) {
        true => format!("{}: {} runs compared", titles[0], titles.len()),
        false => format!("{} runs compared", titles.len()),
    };
    let mut verdict = compare::remarks(&scene.runs, &[]);
    if verdict.is_empty() {
        let each =
            |(label, document): (&str, &Document)| format!("{label}: {}", self::verdict(document));
        let runs = scene.runs.iter().map(|run| (run.label.as_str(), run.document));
        verdict.extend(runs.map(each));
    }
    match scene.alike {
        true => verdict.extend(shared_setting(scene)),
        false => verdict.push(places(scene)),
    }
    let believed = |run: &Run<'_>| Some(format!("{}: {}", run.label, validity(run.document)?));
    verdict.extend(scene.runs.iter().filter_map(believed));
    let table = compare::grid(&scene.runs).table("Side by side", TABLE);
    let completions = compare::completions(&scene.runs);
    let completions = completions.map(|grid| grid.table("Completions", COMPLETIONS));
    (title, verdict, [table].into_iter().chain(completions).collect())
}

/// Notes: how the results were made, and which parts are not shown.
fn notes(scene: &Scene<'_>) -> Vec<String> {
    let mut notes = made(scene);
    let of = |wanted: &dyn Fn(&Document) -> bool| {
        let runs = scene.runs.iter().filter(|run| wanted(run.document));
        runs.map(|run| run.label.clone()).collect::<Vec<_>>()
    };
    let which = |labels: &[String]| match scene.is_comparison() {
        true => format!(" ({})", labels.join(", ")),
        false => String::new(),
    };
    let plain = of(&|document| document.timeline.is_none());
    if !plain.is_empty() {
        notes.push(format!(
            "Values over time were not recorded{}, so their plots are missing. To get them, run \
             `unbloat sim --json` or `unbloat sim --report` again with this version.",
            which(&plain)
        ));
    }
    let crowded = of(&|document| document.timeline.as_ref().is_some_and(|t| t.omitted_flows > 0));
    if !crowded.is_empty() {
        notes.push(format!(
            "There were too many flows to record all of them over time{}: plots over time show \
             some flows, tables count all.",
            which(&crowded)
        ));
    }
    if scene.runs.iter().any(|run| setting::warmup(run.document).is_some()) {
        notes.push(
            "Plots over time show the whole run; tables, distributions and dots leave out the \
             warm-up."
                .into(),
        );
    }
    notes.push(format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION")));
    notes
}

/// The link that matters, in a sentence; `None` if it is not the same for all runs, or not known.
fn shared_setting(scene: &Scene<'_>) -> Option<String> {
    let of = |run: &Run<'_>| run.place.and_then(|place| setting::sentence(run.document, &place));
    let mut all = scene.runs.iter().map(of);
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// Title, duration, warm-up and seed: once if they are the same for all runs.
fn made(scene: &Scene<'_>) -> Vec<String> {
    let fact = |document: &Document| {
        let facts = facts(document, cut(document));
        if facts.is_empty() { title(document) } else { format!("{}: {facts}", title(document)) }
    };
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for run in &scene.runs {
        let fact = fact(run.document);
        match all.iter_mut().find(|(known, _)| *known == fact) {
            Some((_, labels)) => labels.push(&run.label),
            None => all.push((fact, vec![&run.label])),
        }
    }
    let alone = all.len() == 1;
    let note = |(fact, labels): (String, Vec<&str>)| match alone {
        true => format!("{fact}."),
        false => format!("{}: {fact}.", labels.join(", ")),
    };
    all.into_iter().map(note).collect()
}

/// The sentence that names the queue that matters for each run, where they differ.
fn places(scene: &Scene<'_>) -> String {
    let place = |run: &Run<'_>| match run.place {
        Some(place) => format!("{}: the queue of {}", run.label, place.words()),
        None => format!("{}: none, because no packet was sent", run.label),
    };
    let places: Vec<String> = scene.runs.iter().map(place).collect();
    printable(&format!("Each run is judged by the queue that matters most: {}.", places.join("; ")))
}

#[cfg(test)]
mod tests;
