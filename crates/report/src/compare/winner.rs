//! The sentences that name the best queue, and the worst.

use results::{Document, FlowKind};

use super::purpose::{Purpose, Stream, goodput, opinion, page};
use crate::measurement::BROKEN_CALL;
use crate::number::{duration, rough, share, significant};
use crate::scene::Run;
use crate::text::{listed, printable};

/// A queue, with the figures that the sentence needs.
struct Contestant<'a> {
    label: &'a str,
    /// The delay that people notice, in milliseconds at the 95th percentile; for a call the score.
    answer: f64,
    goodput: Option<f64>,
    /// The score of the worst call; `None` if there is none.
    call: Option<f64>,
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
        call: opinion(run.document),
        slowest: page(run.document, |completion| completion.max),
    };
    Some(runs.iter().zip(figures).map(contestant).collect())
}

/// The difference of scores below which two calls count as equal. Our own definition.
const EQUAL_CALLS: f64 = 0.1;

/// A conclusion.
struct Finding {
    text: String,
    /// True if it names the best queue: only then it can be the first.
    is_decided: bool,
}

impl Finding {
    fn decided(text: String) -> Self {
        Self { text, is_decided: true }
    }

    fn alike(text: String) -> Self {
        Self { text, is_decided: false }
    }
}

/// The conclusions, one for each purpose of the scenario; those that name the best queue first.
pub(super) fn findings(runs: &[Run<'_>]) -> Vec<String> {
    let answered = |document: &Document| {
        let mut pings = document.flows.values().filter(|flow| flow.kind == FlowKind::Ping);
        pings.any(|ping| ping.rtt_ms.is_some_and(|rtt| rtt.p50.is_some()))
    };
    let most = runs.iter().filter_map(goodput).max_by(f64::total_cmp);
    let dead = most == Some(0.0) && !runs.iter().any(|run| answered(run.document));
    if dead && runs.len() > 1 {
        return vec!["Nothing comes through in any of these runs.".into()];
    }
    judged(runs).into_iter().map(|(_, finding)| finding.text).collect()
}

/// The purpose of the first conclusion; that of the scenario without one.
pub(super) fn purpose(runs: &[Run<'_>]) -> Option<Purpose> {
    judged(runs).first().map(|(purpose, _)| *purpose).or_else(|| Purpose::of(runs))
}

/// The purposes with their conclusions, those that name the best queue first.
fn judged(runs: &[Run<'_>]) -> Vec<(Purpose, Finding)> {
    let most = runs.iter().filter_map(goodput).max_by(f64::total_cmp).unwrap_or(0.0);
    let stream = Stream::of(runs);
    let finding = |purpose| {
        let contestants = contestants(runs, purpose)?;
        let finding = match purpose {
            Purpose::Call => calls(&contestants),
            _ => faster(&contestants, most, purpose, stream.as_ref()),
        };
        Some((purpose, finding?))
    };
    let mut findings: Vec<_> = Purpose::all(runs).filter_map(finding).collect();
    findings.sort_by_key(|(_, finding)| !finding.is_decided);
    findings
}

/// The sentence about the best call and the worst; `None` if there are none.
fn calls(contestants: &[Contestant<'_>]) -> Option<Finding> {
    let by_score = |a: &&Contestant<'_>, b: &&Contestant<'_>| a.answer.total_cmp(&b.answer);
    let best = contestants.iter().rev().max_by(by_score)?;
    let worst = contestants.iter().min_by(by_score).filter(|_| contestants.len() > 1)?;
    let (good, bad) = (significant(best.answer), significant(worst.answer));
    if best.answer - worst.answer < EQUAL_CALLS {
        let text = format!("Calls sound about the same: the worst has a MOS of {bad}.");
        return Some(Finding::alike(text));
    }
    let equal: Vec<&Contestant<'_>> =
        contestants.iter().filter(|one| best.answer - one.answer < EQUAL_CALLS).collect();
    let names = listed(equal.iter().map(|one| printable(one.label)).collect());
    let worst = printable(worst.label);
    // The best of bad calls is no good call.
    let (verdict, instead) = match best.answer < BROKEN_CALL {
        true => (format!("Calls break up with all of these queues, least with {names}"), ", and"),
        false => (format!("Calls sound best with {names}"), " instead of"),
    };
    let least = match equal.as_slice() {
        [_] => good,
        several => {
            let least = several.iter().map(|it| it.answer).fold(f64::INFINITY, f64::min);
            format!("{} or more", significant(least))
        }
    };
    Some(Finding::decided(format!(
        "{verdict}: a MOS of {least}{instead} {bad} with {worst} (1 is bad, 4.5 is perfect).",
    )))
}

/// The sentence about the best queue and the worst. A queue whose goodput is too small a part of
/// `most` cannot be the best: its delay is short only because it carries little.
fn faster(
    contestants: &[Contestant<'_>],
    most: f64,
    purpose: Purpose,
    stream: Option<&Stream<'_>>,
) -> Option<Finding> {
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
        return Some(Finding::alike(alike(purpose, &duration(worst.answer), stream)));
    }
    if worst.answer <= best.answer * EQUAL {
        return None;
    }
    if let Purpose::Others | Purpose::Queue = purpose {
        return Some(Finding::decided(shorter(purpose, best, worst)));
    }
    let (best_label, worst_label) = (printable(best.label), printable(worst.label));
    let times = match worst.answer / best.answer {
        times if times.is_finite() => format!(", {} times as long", rough(times)),
        _ => String::new(),
    };
    let what = match purpose {
        Purpose::Page => "95 of 100 pages load".into(),
        Purpose::Stream => format!("95 of 100 packets of {} arrive", named(stream)),
        _ => "95 of 100 answers come".to_owned(),
    };
    let (fast, slow) = (duration(best.answer), duration(worst.answer));
    let slowest = match (purpose, best.slowest, worst.slowest) {
        (Purpose::Page, Some(best), Some(worst)) => {
            format!(" The slowest page takes {} instead of {}.", duration(best), duration(worst))
        }
        _ => String::new(),
    };
    let goodput = match price(best, worst) {
        Some(part) => format!(" {best_label} has {part} of the goodput of {worst_label}."),
        None => String::new(),
    };
    let calls = worse_calls(best, worst);
    Some(Finding::decided(format!(
        "With {best_label}, {what} within {fast}. With {worst_label}, this takes {slow}{times}.{slowest}{goodput}{calls}"
    )))
}

/// The remark that calls sound worse with the queue that is best for something else; empty if they do not.
fn worse_calls(best: &Contestant<'_>, worst: &Contestant<'_>) -> String {
    match best.call.zip(worst.call) {
        Some((call, other)) if other - call >= EQUAL_CALLS => format!(
            " But calls sound worse with {}: a MOS of {} instead of {}.",
            printable(best.label),
            significant(call),
            significant(other),
        ),
        _ => String::new(),
    }
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
        price(best, worst).map_or(String::new(), |part| format!(", at {part} of its goodput")),
        duration(best.answer),
        duration(worst.answer),
    )
}

/// The goodput of the best as a part of that of the worst; `None` unless both have a goodput.
fn price(best: &Contestant<'_>, worst: &Contestant<'_>) -> Option<String> {
    let (best, worst) = (best.goodput?, worst.goodput.filter(|worst| *worst > 0.0)?);
    Some(share(best / worst))
}

/// The sentence for queues that are about equally fast.
fn alike(purpose: Purpose, within: &str, stream: Option<&Stream<'_>>) -> String {
    match purpose {
        Purpose::Page => format!("Pages load about equally fast: 95 of 100 within {within}."),
        Purpose::Others => format!(
            "A packet of a new flow waits about equally long with all: at most {within} in 95 % of the \
             time."
        ),
        Purpose::Queue => {
            format!("Packets wait about equally long with all: 95 % of them at most {within}.")
        }
        Purpose::Stream => format!(
            "Packets of {} arrive about equally fast: 95 of 100 within {within}.",
            named(stream)
        ),
        Purpose::Call | Purpose::Ping => {
            format!("All answer about equally fast: 95 of 100 times within {within}.")
        }
    }
}

/// The name of the stream.
fn named(stream: Option<&Stream<'_>>) -> String {
    stream.map(|stream| printable(stream.name)).unwrap_or_default()
}
