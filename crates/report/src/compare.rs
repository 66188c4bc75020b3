//! The report of a comparison: several queues side by side.

mod shares;

use results::{Completion, Document, FlowKind, FlowResult};

use crate::congestion::{bottleneck, same_place};
use crate::flows::family;
use crate::grid::{Cell, Column, Grid};
use crate::labels::distinct;
use crate::number::{count, duration, millis, percent, rough, share, significant};
use crate::scene::Run;
use crate::style::Style;
use crate::summary::heading;
use crate::text::{printable, wrap};

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
        return format!("Nothing to compare: no link carried a packet.\n{left_out}");
    };
    let labels: Vec<&str> = runs.iter().map(|(label, _)| label.as_str()).collect();
    let run = |(label, document)| Run { label, document, place: same_place(document, &place) };
    let documents = runs.iter().map(|(_, document)| document);
    let runs: Vec<Run<'_>> = distinct(&labels).into_iter().zip(documents).map(run).collect();
    let interrupted = (cut(&runs) || !not_run.is_empty()).then(|| "interrupted".into());
    let mut text = heading(runs[0].document, interrupted, Style::Plain);
    text += &format!("the queue of {}\n\n", place.words());
    text += &grid(&runs).render(Style::Plain);
    if let Some(completions) = completions(&runs) {
        text += &format!("\n{}", completions.render(Style::Plain));
    }
    for remark in remarks(&runs, not_run) {
        text += &format!("\n{}\n", wrap(&remark));
    }
    text
}

/// The table: one row a run.
pub(crate) fn grid(runs: &[Run<'_>]) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    runs.iter().for_each(|run| grid.row(row(run)));
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
    let findings = if cut { Vec::new() } else { findings(runs) };
    let shares = if cut { None } else { shares::sentence(runs) };
    findings.into_iter().chain(shares).chain(interruption(cut && runs.len() > 1, not_run)).collect()
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
    let left_out = (!labels.is_empty()).then(|| format!("not run at all: {}", labels.join(", ")));
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

/// The first ping of the run; `None` if there is none.
fn ping(document: &Document) -> Option<&FlowResult> {
    document.flows.values().find(|flow| flow.kind == FlowKind::Ping)
}

/// Goodput of the flows whose data crosses the direction that matters, in Mbit/s; `None` if it is
/// not known.
pub(crate) fn goodput(run: &Run<'_>) -> Option<f64> {
    run.place?.direction.goodput_mbit
}

/// The lowest opinion score of all calls; `None` if there is none.
fn opinion(document: &Document) -> Option<f64> {
    document.flows.values().filter_map(|flow| flow.mos).min_by(f64::total_cmp)
}

/// The time to load pages: the largest of a percentile over all flows that load pages, in
/// milliseconds.
fn page(document: &Document, percentile: fn(&Completion) -> Option<f64>) -> Option<f64> {
    let pages = document.flows.values().filter(|flow| flow.kind == FlowKind::Page);
    let seconds = pages.filter_map(|flow| percentile(&flow.completion_s?));
    Some(seconds.max_by(f64::total_cmp)? * 1e3)
}

/// The purpose of a scenario, which follows from the figures that all runs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Calls: the opinion score of the worst.
    Call,
    /// Pages: their 95th percentile.
    Page,
    /// Answers: the 95th percentile of the ping's round trips.
    Ping,
    /// The delay of traffic other than the load.
    Others,
    /// The delay of packets in the queue.
    Queue,
}

impl Purpose {
    /// All purposes. The first one for which all runs have a figure is the scenario's.
    const ALL: [Self; 5] = [Self::Call, Self::Page, Self::Ping, Self::Others, Self::Queue];

    /// The run's figure: milliseconds at the 95th percentile; for a call the score. `None` if the
    /// run has none.
    fn figure(self, run: &Run<'_>) -> Option<f64> {
        match self {
            Self::Call => opinion(run.document),
            Self::Page => page(run.document, |completion| completion.p95),
            Self::Ping => ping(run.document)?.rtt_ms?.p95,
            Self::Others => run.place?.direction.others_wait_ms.p95,
            Self::Queue => run.place?.direction.sojourn_ms.p95,
        }
    }

    /// The figures of all runs; `None` unless all have one.
    pub(crate) fn figures(self, runs: &[Run<'_>]) -> Option<Vec<f64>> {
        runs.iter().map(|run| self.figure(run)).collect()
    }

    /// The purpose by which the runs are compared; `None` if they share no figure.
    pub(crate) fn of(runs: &[Run<'_>]) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.figures(runs).is_some())
    }
}

/// A queue, with the figures that the sentence needs.
struct Contestant<'a> {
    label: &'a str,
    /// The delay that people notice, in milliseconds at the 95th percentile; for a call the score.
    answer: f64,
    goodput: Option<f64>,
    /// The slowest page, in milliseconds; `None` if there is none.
    slowest: Option<f64>,
}

/// All queues; `None` if they cannot be judged by this purpose.
fn contestants<'a>(runs: &'a [Run<'_>], purpose: Purpose) -> Option<Vec<Contestant<'a>>> {
    let figures = purpose.figures(runs)?;
    let contestant = |(run, answer): (&'a Run<'_>, f64)| Contestant {
        label: &run.label,
        answer,
        goodput: goodput(run),
        slowest: page(run.document, |completion| completion.max),
    };
    Some(runs.iter().zip(figures).map(contestant).collect())
}

/// The conclusions: about calls and pages, if there are any, otherwise about the first figure that
/// all runs share.
fn findings(runs: &[Run<'_>]) -> Vec<String> {
    let answered = |document: &Document| {
        let mut pings = document.flows.values().filter(|flow| flow.kind == FlowKind::Ping);
        pings.any(|ping| ping.rtt_ms.is_some_and(|rtt| rtt.p50.is_some()))
    };
    let most = runs.iter().filter_map(goodput).max_by(f64::total_cmp);
    let dead = most == Some(0.0) && !runs.iter().any(|run| answered(run.document));
    if dead && runs.len() > 1 {
        return vec!["Nothing comes through in any of these runs.".into()];
    }
    let Some(first) = Purpose::of(runs) else { return Vec::new() };
    let also = (first == Purpose::Call).then_some(Purpose::Page);
    let sentence = |purpose| {
        let contestants = contestants(runs, purpose)?;
        match purpose {
            Purpose::Call => calls(&contestants),
            _ => faster(&contestants, most.unwrap_or(0.0), purpose),
        }
    };
    [first].into_iter().chain(also).filter_map(sentence).collect()
}

/// The sentence about the best call and the worst; `None` if there are none.
fn calls(contestants: &[Contestant<'_>]) -> Option<String> {
    /// The difference of scores below which two calls count as equal. Our own definition.
    const EQUAL: f64 = 0.1;
    let by_score = |a: &&Contestant<'_>, b: &&Contestant<'_>| a.answer.total_cmp(&b.answer);
    let best = contestants.iter().rev().max_by(by_score)?;
    let worst = contestants.iter().min_by(by_score).filter(|_| contestants.len() > 1)?;
    let (good, bad) = (significant(best.answer), significant(worst.answer));
    if best.answer - worst.answer < EQUAL {
        return Some(format!("Calls sound about alike: the worst has a MOS of {bad}."));
    }
    Some(format!(
        "Calls sound best with {}: a MOS of {good} instead of {bad} with {} (1 is bad, 4.5 is perfect).",
        printable(best.label),
        printable(worst.label),
    ))
}

/// The sentence about the best queue and the worst. A queue whose goodput is too small a part of
/// `most` cannot be the best: its delay is short only because it carries little.
fn faster(contestants: &[Contestant<'_>], most: f64, purpose: Purpose) -> Option<String> {
    /// The ratio of delays below which two queues count as equal.
    const EQUAL: f64 = 1.1;
    /// The part of the most goodput below which a queue cannot be the best.
    const ENOUGH: f64 = 0.5;
    let by_answer = |a: &&Contestant<'_>, b: &&Contestant<'_>| a.answer.total_cmp(&b.answer);
    let fastest = contestants.iter().min_by(by_answer)?;
    let works = |one: &&Contestant<'_>| one.goodput.unwrap_or(0.0) >= most * ENOUGH;
    let best = contestants.iter().filter(works).min_by(by_answer)?;
    let worst = contestants.iter().rev().max_by(by_answer).filter(|_| contestants.len() > 1)?;
    if worst.answer <= fastest.answer * EQUAL {
        return Some(alike(purpose, &duration(worst.answer)));
    }
    if worst.answer <= best.answer * EQUAL {
        return None;
    }
    if let Purpose::Others | Purpose::Queue = purpose {
        return Some(shorter(purpose, best, worst));
    }
    let (best_label, worst_label) = (printable(best.label), printable(worst.label));
    let times = match worst.answer / best.answer {
        times if times.is_finite() => format!("{} times faster than {worst_label}", rough(times)),
        _ => format!("at once, unlike {worst_label}"),
    };
    let price = price(best, worst);
    let verb = if purpose == Purpose::Page { "loads pages" } else { "answers" };
    let (fast, slow) = (duration(best.answer), duration(worst.answer));
    let slowest = match (purpose, best.slowest, worst.slowest) {
        (Purpose::Page, Some(best), Some(worst)) => {
            format!("; the slowest page takes {} instead of {}", duration(best), duration(worst))
        }
        _ => String::new(),
    };
    Some(format!(
        "{best_label} {verb} {times}{price}: 95 of 100 times within {fast} instead of {slow}{slowest}."
    ))
}

/// The waits of the best and the worst queue, in a sentence. For others the percentile is of time,
/// for packets that were sent it is of packets.
fn shorter(purpose: Purpose, best: &Contestant<'_>, worst: &Contestant<'_>) -> String {
    let (best_label, worst_label) = (printable(best.label), printable(worst.label));
    let (who, of) = match purpose {
        Purpose::Others => ("a packet of a new flow waits", "of the time"),
        _ => ("packets wait", "of all cases"),
    };
    let times = match worst.answer / best.answer {
        times if times.is_finite() => format!("{} times less than", rough(times)),
        _ => "not at all, unlike".into(),
    };
    format!(
        "With {best_label} {who} {times} with {worst_label}{}: at most {} in 95 % {of}, instead of {}.",
        price(best, worst),
        duration(best.answer),
        duration(worst.answer),
    )
}

/// The cost of the shorter delay in goodput; empty unless both have a goodput.
fn price(best: &Contestant<'_>, worst: &Contestant<'_>) -> String {
    match (best.goodput, worst.goodput) {
        (Some(best), Some(worst)) if worst > 0.0 => {
            format!(", at {} of its goodput", share(best / worst))
        }
        _ => String::new(),
    }
}

/// The sentence for queues that are about equally fast.
fn alike(purpose: Purpose, within: &str) -> String {
    match purpose {
        Purpose::Page => format!("Pages load about equally fast: 95 of 100 within {within}."),
        Purpose::Others => format!(
            "A packet of a new flow waits about equally long with all: at most {within} in 95 % of the \
             time."
        ),
        Purpose::Queue => {
            format!("Packets wait about equally long with all: 95 % of them at most {within}.")
        }
        Purpose::Call | Purpose::Ping => {
            format!("All answer about equally fast: 95 of 100 times within {within}.")
        }
    }
}

#[cfg(test)]
mod tests;
