//! Several queues side by side.

use results::{Completion, Document, FlowResult};

use crate::congestion::{bottleneck, same_place};
use crate::figures::Run;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, duration, millis, percent, rough, share, significant};
use crate::style::Style;
use crate::summary::heading;
use crate::text::{printable, wrap};

const COLUMNS: [Column; 14] = [
    Column::name("queue"),
    Column::number("goodput", "Mbit/s"),
    Column::number("used", "%"),
    Column::number("sojourn ms", "p50"),
    Column::number("sojourn ms", "p95"),
    Column::number("sojourn ms", "max"),
    Column::number("", "drops"),
    Column::optional("", "marks"),
    Column::optional("ping ms", "p50"),
    Column::optional("ping ms", "p95"),
    Column::optional("slowest", "flow ms"),
    Column::optional("completion s", "p50"),
    Column::optional("completion s", "max"),
    Column::optional("worst", "MOS"),
];

/// One row a queue, about the direction of the link where the worst queue of all stood, and a
/// sentence on the best against the worst. The documents must be runs of one scenario that differ
/// in their queues; a label says which queue. `not_run` are the labels of those that an interrupt
/// left out. Runs that were cut short are named, and not compared, since each ended at a time of
/// its own.
///
/// "Goodput" is that of all flows together, "slowest flow" the largest 95th percentile of the round
/// trips that TCP flows measured, "completion" that of the flow whose work took longest, "worst MOS"
/// the lowest opinion score of all calls.
pub fn comparison(runs: &[(String, Document)], not_run: &[String]) -> String {
    let Some(place) = bottleneck(runs.iter().map(|(_, document)| document)) else {
        let left_out = interruption(false, not_run).map(|left_out| left_out + "\n");
        let left_out = left_out.unwrap_or_default();
        return format!("Nothing to compare: no link carried a packet.\n{left_out}");
    };
    let runs = runs.iter().map(|(label, document)| {
        let place = same_place(document, &place);
        Run { label: label.clone(), document, place }
    });
    let runs: Vec<Run<'_>> = runs.collect();
    let interrupted = (cut(&runs) || !not_run.is_empty()).then(|| "interrupted".into());
    let mut text = heading(runs[0].document, interrupted, Style::Plain);
    text += &format!("the queue of {}\n\n", place.words());
    text += &grid(&runs).render(Style::Plain);
    for remark in remarks(&runs, not_run) {
        text += &format!("\n{}\n", wrap(&remark));
    }
    text
}

/// One row a run.
pub(crate) fn grid(runs: &[Run<'_>]) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    runs.iter().for_each(|run| grid.row(row(run)));
    grid
}

/// What the runs show, if they show anything and can be compared; else why not.
pub(crate) fn remarks(runs: &[Run<'_>], not_run: &[String]) -> Vec<String> {
    let cut = cut(runs);
    let finding = if cut { None } else { finding(runs) };
    finding.into_iter().chain(interruption(cut && runs.len() > 1, not_run)).collect()
}

/// Was any of them interrupted?
fn cut(runs: &[Run<'_>]) -> bool {
    runs.iter().any(|run| run.document.interrupted_s.is_some())
}

/// What an interrupt did: to runs of unequal lengths, and to those that it left out.
fn interruption(unequal: bool, not_run: &[String]) -> Option<String> {
    const UNEQUAL: &str =
        "the runs ended at different times, so they are not compared with each other";
    let labels: Vec<String> = not_run.iter().map(|label| printable(label)).collect();
    let left_out = (!labels.is_empty()).then(|| format!("not run at all: {}", labels.join(", ")));
    let effects: Vec<String> =
        unequal.then(|| UNEQUAL.into()).into_iter().chain(left_out).collect();
    (!effects.is_empty()).then(|| format!("Interrupted: {}.", effects.join("; ")))
}

/// The label, and if the run was cut short, when.
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
    let completion = longest(document).unwrap_or_default();
    vec![
        Cell::text(&named(&run.label, document)),
        Cell::number(goodput(document), significant),
        Cell::number(direction.and_then(|direction| direction.utilisation), percent),
        Cell::number(sojourn.p50, millis),
        Cell::number(sojourn.p95, millis),
        Cell::number(sojourn.max, millis),
        Cell::number(direction.map(|direction| direction.drops.total()), count),
        Cell::number(marks.filter(|&marks| marks > 0), count),
        Cell::number(ping.p50, millis),
        Cell::number(ping.p95, millis),
        Cell::number(slowest(document), millis),
        Cell::number(completion.p50, significant),
        Cell::number(completion.max, significant),
        Cell::number(opinion(document), significant),
    ]
}

/// The first ping of the run.
fn ping(document: &Document) -> Option<&FlowResult> {
    document.flows.values().find(|flow| flow.kind == "ping")
}

/// Of all flows together.
pub(crate) fn goodput(document: &Document) -> Option<f64> {
    document.flows.values().filter_map(|flow| flow.goodput_mbit).reduce(|sum, flow| sum + flow)
}

/// The largest 95th percentile of round trips among the flows that are not pings.
fn slowest(document: &Document) -> Option<f64> {
    let flows = document.flows.values().filter(|flow| flow.kind != "ping");
    flows.filter_map(|flow| flow.rtt_ms?.p95).max_by(f64::total_cmp)
}

/// The completions of the flow that took longest over one.
fn longest(document: &Document) -> Option<Completion> {
    let completions = document.flows.values().filter_map(|flow| flow.completion_s);
    let longest = |completion: &Completion| completion.max.unwrap_or(0.0);
    completions.max_by(|a, b| longest(a).total_cmp(&longest(b)))
}

/// The lowest opinion of all calls.
fn opinion(document: &Document) -> Option<f64> {
    document.flows.values().filter_map(|flow| flow.mos).min_by(f64::total_cmp)
}

/// A queue as the sentence sees it.
struct Contestant<'a> {
    label: &'a str,
    /// What people feel, in milliseconds at the 95th percentile.
    answer: f64,
    goodput: Option<f64>,
}

/// What people feel in each run, in milliseconds at the 95th percentile, and what that is: the
/// first of these that all runs have. None has any if they share nothing.
pub(crate) fn answers(runs: &[Run<'_>]) -> (Vec<Option<f64>>, &'static str) {
    type Judge = fn(&Run<'_>) -> Option<f64>;
    let judges: [(Judge, &str); 3] = [
        (|run| ping(run.document)?.rtt_ms?.p95, "round trips of the ping"),
        (|run| slowest(run.document), "round trips of the slowest flow"),
        (|run| run.place?.direction.sojourn_ms.p95, "waits in the queue"),
    ];
    for (judge, what) in judges {
        let answers: Vec<Option<f64>> = runs.iter().map(judge).collect();
        if answers.iter().all(Option::is_some) {
            return (answers, what);
        }
    }
    (vec![None; runs.len()], "delays")
}

/// All queues, if they can be judged by the same.
fn contestants<'a>(runs: &'a [Run<'_>]) -> Vec<Contestant<'a>> {
    let contestant = |(run, answer): (&'a Run<'_>, Option<f64>)| {
        Some(Contestant { label: &run.label, answer: answer?, goodput: goodput(run.document) })
    };
    runs.iter().zip(answers(runs).0).filter_map(contestant).collect()
}

/// What the runs show, if they show anything.
fn finding(runs: &[Run<'_>]) -> Option<String> {
    let answered = |document: &Document| {
        let mut pings = document.flows.values().filter(|flow| flow.kind == "ping");
        pings.any(|ping| ping.rtt_ms.is_some_and(|rtt| rtt.p50.is_some()))
    };
    let most = runs.iter().filter_map(|run| goodput(run.document)).max_by(f64::total_cmp);
    let dead = most == Some(0.0) && !runs.iter().any(|run| answered(run.document));
    if dead && runs.len() > 1 {
        return Some("Nothing comes through in any of these runs.".into());
    }
    sentence(&contestants(runs), most.unwrap_or(0.0))
}

/// The best against the worst. Who moves too small a part of the `most` goodput is quick only for
/// want of work, and not the best.
fn sentence(contestants: &[Contestant<'_>], most: f64) -> Option<String> {
    /// Differences below this are not worth a name.
    const EQUAL: f64 = 1.1;
    /// The part of the most goodput below which a queue cannot be the best.
    const ENOUGH: f64 = 0.5;
    let by_answer = |a: &&Contestant<'_>, b: &&Contestant<'_>| a.answer.total_cmp(&b.answer);
    let fastest = contestants.iter().min_by(by_answer)?;
    let works = |one: &&Contestant<'_>| one.goodput.unwrap_or(0.0) >= most * ENOUGH;
    let best = contestants.iter().filter(works).min_by(by_answer)?;
    let worst = contestants.iter().rev().max_by(by_answer).filter(|_| contestants.len() > 1)?;
    let (fast, slow) = (duration(best.answer), duration(worst.answer));
    if worst.answer <= fastest.answer * EQUAL {
        return Some(format!("All answer about equally fast: 95 of 100 times within {slow}."));
    }
    if worst.answer <= best.answer * EQUAL {
        return None;
    }
    let (best_label, worst_label) = (printable(best.label), printable(worst.label));
    let times = match worst.answer / best.answer {
        times if times.is_finite() => format!("{} times faster than {worst_label}", rough(times)),
        _ => format!("at once, unlike {worst_label}"),
    };
    let price = match (best.goodput, worst.goodput) {
        (Some(best), Some(worst)) if worst > 0.0 => {
            format!(", at {} of its goodput", share(best / worst))
        }
        _ => String::new(),
    };
    Some(format!(
        "{best_label} answers {times}{price}: 95 of 100 times within {fast} instead of {slow}."
    ))
}

#[cfg(test)]
mod tests;
