//! The contents of the page about a measurement.

use results::{Claim, LoadedDirection, Measurement, Remark, Step};

use super::beside;
use super::card::card;
use super::certainty::{HEADING, certainty_lines, hops_line};
use super::directions::directions;
use super::evidence::evidence;
use super::figures::{FIRST_FIGURE, figures};
use super::limits::{LIMITS, measurement_limits};
use super::path::path;
use super::remarks::{advice, paragraphs, verdict};
use super::table::{directions_grid, facts, hops_grid, title};
use crate::page::{CommandList, Page, PageTable, Prose};
use crate::text::printable;

/// A page about a measurement: what everybody wants to know, the advice, the delay in each direction, and the rest
/// for experts.
pub fn measurement_page(measurement: &Measurement) -> Page {
    let mut said = paragraphs(&verdict(measurement)).into_iter();
    let figures = figures(measurement);
    let has_grade = measurement.judged().next().is_some();
    Page {
        title: title(measurement),
        verdict: said.next().into_iter().collect(),
        cards: has_grade.then(|| card("Grade", measurement)).into_iter().collect(),
        path: path(measurement),
        advice: to_do(measurement),
        findings: findings(said.collect(), measurement),
        tables: tables(measurement),
        first_figures: figures.iter().take_while(|it| it.id == FIRST_FIGURE).count(),
        is_rest_folded: true,
        figures,
        one_clock: true,
        notes: notes(measurement),
        ..Page::default()
    }
}

/// The other findings, and what may distort the test.
fn findings(said: Vec<String>, measurement: &Measurement) -> Vec<Prose> {
    let limits = measurement_limits(measurement).into_iter().map(|limit| printable(&limit.text));
    let prose = |title: &str, paragraphs| Prose { title: title.into(), paragraphs };
    let all = [prose("Details", said), prose(LIMITS, limits.collect())];
    all.into_iter().filter(|it| !it.paragraphs.is_empty()).collect()
}

/// The advice: first one command to copy, the sentences, and the command that repeats the test; then, folded, the
/// other commands.
fn to_do(measurement: &Measurement) -> Vec<CommandList> {
    let (commands, mut sentences): (Vec<Remark>, Vec<Remark>) =
        advice(measurement).into_iter().partition(|remark| !remark.commands.is_empty());
    let then = sentences.pop_if(|remark| remark.name == Claim::TestAgain);
    let (fixes, others): (Vec<Remark>, Vec<Remark>) =
        commands.into_iter().partition(|remark| remark.name == Claim::Plan);
    let mut commands = fixes.into_iter().chain(others);
    let step = |remark: Remark| Step { text: remark.text, commands: remark.commands };
    let first = commands.next().into_iter().chain(sentences).map(step);
    let first = first.chain(again(measurement, then.map(|remark| remark.text))).collect();
    let list = |title: &str, folded, steps| CommandList { title: title.into(), folded, steps };
    let lists = [
        list("What to do", false, first),
        list("Other commands", true, commands.map(step).collect()),
    ];
    lists.into_iter().filter(|list| !list.steps.is_empty()).collect()
}

/// The advice to test again, and the command for it, if the server is known by a name that a shell leaves alone;
/// `None` if there is neither.
fn again(measurement: &Measurement, advice: Option<String>) -> Option<Step> {
    let Measurement { test, server, .. } = measurement;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || ".-:[]_".contains(it);
    let is_ours = test == "test" && !server.is_empty() && server.chars().all(is_plain);
    let command = is_ours.then(|| format!("unbloat test {server}{}", only(measurement)));
    let text = advice.or_else(|| command.is_some().then(|| "To run this test again:".into()))?;
    Some(Step { text, commands: command.into_iter().collect() })
}

/// The option for a test of one direction, after a space; empty if both were to be tested, or if
/// this is not known.
fn only(measurement: &Measurement) -> &'static str {
    let stages = measurement.series.iter().flat_map(|series| &series.stages);
    let names: Vec<&str> = stages.map(|stage| stage.name.as_str()).collect();
    let has = |name: &str| names.iter().any(|it| it.starts_with(name));
    match (has("upload"), has("download")) {
        _ if measurement.is_partial() || has("both") => "",
        (true, false) => " --up",
        (false, true) => " --down",
        _ => "",
    }
}

fn tables(measurement: &Measurement) -> Vec<PageTable> {
    const DIRECTIONS: &str = "One row for each load. Added delay is how long other packets waited \
         while the line was loaded: half of them less than p50, 95 of 100 less than p95. The \
         buffer is what the queue holds when it is full. RPM is round trips a minute, the IETF's \
         measure of responsiveness. A – stands for what is not known. While both directions are \
         loaded, acknowledgements of one direction wait in the queue of the other, so the kind, \
         the buffer and the hop of a queue are only in the row of its direction alone.";
    const HOPS: &str = "The routers on the path to the server, and how long each takes to answer: \
         at best, and at the median while one direction was loaded. The queue is at the hop where \
         round trips become longer and stay longer. A single slow hop is just a router that is \
         slow to answer.";
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
    notes.extend(hops_line(measurement));
    if measurement.series.is_none() {
        notes.push("Values over time were not kept, so most plots are missing.".into());
    }
    notes.push(format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION")));
    notes
}

#[cfg(test)]
mod tests {
    use super::super::example::bloated;
    use super::*;

    #[test]
    fn the_test_is_repeated_in_the_directions_that_it_had() {
        let command = |left_out: &[&str]| {
            let mut measurement = bloated();
            let stages = &mut measurement.series.as_mut().unwrap().stages;
            stages.retain(|stage| !left_out.contains(&&*stage.name));
            again(&measurement, None).unwrap().commands.remove(0)
        };
        assert_eq!(command(&[]), "unbloat test server.example");
        assert_eq!(command(&["both", "download"]), "unbloat test server.example --up");
        assert_eq!(command(&["both", "upload"]), "unbloat test server.example --down");
    }

    /// Two queues in two places need two plans: one is enough to begin with.
    #[test]
    fn one_command_that_fixes_stands_first() {
        let mut measurement = bloated();
        let remark = |claim, command: &str| Remark {
            commands: vec![command.into()],
            ..Remark::new(claim, "Do this:")
        };
        measurement.advice = vec![
            Remark::new(Claim::Shape, "Shape it."),
            remark(Claim::FairQueue, "tc qdisc add"),
            remark(Claim::Plan, "unbloat fix --down 20mbit"),
            remark(Claim::Plan, "unbloat fix --up 5mbit"),
            Remark::new(Claim::TestAgain, "Then test again."),
        ];
        let lists = to_do(&measurement);
        let steps = |list: &CommandList| -> Vec<String> {
            list.steps
                .iter()
                .map(|step| format!("{} {}", step.text, step.commands.join(";")))
                .collect()
        };
        let first = [
            "Do this: unbloat fix --down 20mbit",
            "Shape it. ",
            "Then test again. unbloat test server.example",
        ];
        assert_eq!(steps(&lists[0]), first);
        assert_eq!(steps(&lists[1]), ["Do this: unbloat fix --up 5mbit", "Do this: tc qdisc add"]);
        assert_eq!([lists[0].folded, lists[1].folded], [false, true]);
    }

    #[test]
    fn the_table_explains_what_is_missing_while_both_directions_are_loaded() {
        let explanation = &tables(&bloated())[0].explanation;
        assert!(explanation.contains("only in the row of its direction alone"), "{explanation}");
    }
}
