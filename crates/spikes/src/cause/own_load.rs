//! What this machine sent or received filled a queue.
//!
//! A load explains a spike if the line does not carry as much calmly, or may be full with it, and if the load came
//! and went with the spike. The reverse of a TCP flow is loaded too, by its acknowledgements, which are a small part.
//!
//! The rate of the line is known from a test, or from two loads of the same rate that may have filled it. Until then, a
//! load of any rate may have begun beside one of somebody else that fills the line.
//!
//! A load within the local network does not reach the line. It explains a spike only if the first hop was late too.
//!
//! The interface may have carried much more than a queue between it and the first hop does: a port at the router has
//! become slower, or a shaper. A load that comes and goes with the delay of the first hop may fill such a queue, or the
//! router was busy meanwhile. Two such loads of the same rate show the rate of the queue.

use observation::Heading;
use results::{SpikeCause, SpikeEvidence};
use stats::{ascending, median, quantile};
use units::{Span, Time};

use super::Verdict;
use crate::Place;
use crate::facts::{BESIDE, Facts};
use crate::surroundings::{Flow, Scope};

/// The least rate that fills anything, in bytes a second: 100 kbit/s.
const LEAST: f64 = 12_500.0;
/// The rate beyond what the line carries calmly, as a multiple.
const BEYOND_CALM: f64 = 1.2;
/// The part of the greatest rate that was seen.
const OF_GREATEST: f64 = 0.5;
/// The part of the greatest rate from which the line may be full: with some congestion controls (BBR), a full line has no
/// queue, so that it carried such a rate calmly says little.
const MAY_BE_FULL: f64 = 0.8;
/// The rise at the beginning, and what is left after the end.
const RISE: f64 = 2.0;
const LEFT: f64 = 0.6;
/// The part of the other direction's rate below which a rate may be acknowledgements alone.
const ACKNOWLEDGEMENTS: f64 = 0.1;
/// The time of a spike that was told though it may not have ended, so that the load need not have gone.
const LONG: Span = Span::from_secs(590);
/// The part of its rate from which a load is there, and the time around a probe in which it may have begun or ended.
const THERE: f64 = 0.3;
const AROUND: Span = Span::from_secs(2);
/// The part of its rate that a load has at least in most seconds if it fills a queue, and the part of those seconds: the
/// output of a queue that is never empty is steady, and those of pages and films are not.
const STEADY: f64 = 0.8;
const MOSTLY: f64 = 0.75;
/// The seconds without which it is not known whether a rate is steady.
const LEAST_STEADY: usize = 5;
/// The struck probes of a target that show that answers are late without the load.
const LEAST_WITHOUT: usize = 4;
/// Confidence while no load has shown the rate of the line.
pub(super) const FIRST: f64 = 0.75;
/// Confidence with one direction loaded, and with both, of which one is named, or if nobody saw the load go.
const ONE_LOADED: f64 = 0.95;
const UNSURE: f64 = 0.6;

/// The load of a direction that could explain the spike.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    flow: Flow,
    rate: f64,
    greatest: f64,
    /// True if the line has carried such a rate calmly before.
    was_calm: bool,
    /// True if the interface has carried much more.
    is_small: bool,
    /// True if its rate stayed the same, as that of a queue that is never empty does.
    is_steady: bool,
    /// True if no load of about this rate or more has filled the line before.
    is_first: bool,
}

/// The verdict that an own load did it, or that it is not known whether it did; `None` if no load explains the spike.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    if is_outage(facts) {
        return None;
    }
    let large = |scope| -> Vec<_> {
        suspects(facts, scope).into_iter().filter(|it| !it.is_small).collect()
    };
    let mut suspects = large(Scope::Line);
    if suspects.is_empty() && is_near(facts) {
        suspects = large(Scope::Local);
    }
    if suspects.is_empty() {
        suspects = small_suspects(facts);
        suspects.retain(|it| !it.was_calm && facts.surroundings.has_filled_near(it.flow, it.rate));
        suspects.iter_mut().for_each(|it| it.is_first = false);
    }
    let guilty = most_loaded(&suspects)?;
    if guilty.was_calm {
        return Some(Verdict::unknown());
    }
    let is_one = suspects.len() == 1 || is_alone(guilty, &suspects);
    let confidence = match () {
        () if !is_one || facts.is_cut => UNSURE,
        () if guilty.is_first => FIRST,
        () => ONE_LOADED,
    };
    let heading = guilty.flow.heading;
    let cause = match heading {
        Heading::Up => SpikeCause::OwnUpload,
        Heading::Down => SpikeCause::OwnDownload,
    };
    let mbit = |bytes: f64| bytes * 8e-6;
    let load = SpikeEvidence::Load {
        direction: heading,
        rate_mbit: mbit(guilty.rate),
        greatest_mbit: mbit(guilty.greatest),
        is_first: guilty.is_first,
        is_local: guilty.flow.scope == Scope::Local,
    };
    Some(Verdict { cause, confidence, direction: Some(heading), evidence: vec![load] })
}

/// True if a load came and went with the spike, but is small beside what the interface has carried. That may have been
/// traffic within the local network that could not be told apart, so that the load may have filled the line.
pub(super) fn coincides(facts: &Facts<'_>) -> bool {
    suspects(facts, Scope::Line).iter().any(|it| it.is_small)
}

/// True if the line may have been full of a load that did not come and go with the spike, so that nothing tells whose
/// queue it was. BBR fills a queue when it begins, empties it then, and goes on. While it goes on, another load finds the
/// line full.
pub(super) fn may_fill(facts: &Facts<'_>) -> bool {
    let headings = Heading::BOTH.into_iter();
    let mut late = headings.filter(|it| facts.direction().is_none_or(|late| late == *it));
    late.any(|heading| {
        let flow = Flow { scope: Scope::Line, heading };
        !is_outage(facts) && (stays(facts, flow) || is_full(facts, flow))
    })
}

/// The load that came and went with a delay of the first hop, and its rate in bytes a second, though it is small beside
/// what the interface has carried; `None` if there is none.
pub(crate) fn small_near(facts: &Facts<'_>) -> Option<(Flow, f64)> {
    if is_outage(facts) {
        return None;
    }
    most_loaded(&small_suspects(facts)).map(|it| (it.flow, it.rate))
}

/// The small loads that came and went with a delay of the first hop, and may have filled a queue meanwhile: those of the line, or else of the local network.
fn small_suspects(facts: &Facts<'_>) -> Vec<Suspect> {
    if !is_near(facts) {
        return Vec::new();
    }
    let small = |scope| -> Vec<_> {
        suspects(facts, scope).into_iter().filter(|it| it.is_small && it.is_steady).collect()
    };
    let line = small(Scope::Line);
    if line.is_empty() { small(Scope::Local) } else { line }
}

/// True if a large load began with the spike, and outlasted it.
fn stays(facts: &Facts<'_>, flow: Flow) -> bool {
    let seen = facts.surroundings;
    let rate = |from, to| seen.rate(flow, from, to).unwrap_or(0.0);
    let before = rate(facts.start - BESIDE, facts.start - AROUND);
    let after = rate(facts.end + Span::from_secs(1), facts.end + Span::from_secs(5));
    // The load after a spike that a test ended is that of the test.
    let is_large = !facts.is_cut && after >= MAY_BE_FULL * seen.greatest_rate(flow).max(LEAST);
    is_large && after >= RISE * before && rate(facts.start, facts.start + AROUND) >= RISE * before
}

/// True if most seconds of the spike had nearly the greatest rate that was ever seen.
fn is_full(facts: &Facts<'_>, flow: Flow) -> bool {
    let (seen, from) = (facts.surroundings, facts.start - Span::from_secs(1));
    let greatest = seen.greatest_rate(flow).max(seen.greatest_within(flow, from, facts.end));
    let during = ascending(seen.rates(flow, from, facts.end));
    let least = (MAY_BE_FULL * greatest).max(LEAST);
    median(&during).is_some_and(|it| it >= least && seen.has_filled(flow, it))
}

/// True if the first hop was late too, so that a load within the local network may have filled the queue to it.
fn is_near(facts: &Facts<'_>) -> bool {
    facts.place(Place::Hop(1)).is_some_and(|it| it.shares(facts.worst()))
}

/// The loads that came and went with the spike.
fn suspects(facts: &Facts<'_>, scope: Scope) -> Vec<Suspect> {
    let headings = Heading::BOTH.into_iter();
    let late = headings.filter(|it| facts.direction().is_none_or(|late| late == *it));
    late.filter_map(|heading| suspect(facts, Flow { scope, heading })).collect()
}

/// True if nearly nothing was answered.
fn is_outage(facts: &Facts<'_>) -> bool {
    let worst = facts.worst();
    results::is_outage(worst.unanswered as u64, worst.sent as u64)
}

/// The load of a direction, if it came and went with the spike and is more than the acknowledgements of the other one.
fn suspect(facts: &Facts<'_>, flow: Flow) -> Option<Suspect> {
    let seen = facts.surroundings;
    let second = Span::from_secs(1);
    let during = ascending(seen.rates(flow, facts.start - second, facts.end));
    let rate = quantile(&during, 0.75).filter(|it| *it >= LEAST)?;
    let back = ascending(seen.rates(flow.opposite(), facts.start - second, facts.end));
    if quantile(&back, 0.75).is_some_and(|back| rate < ACKNOWLEDGEMENTS * back) {
        return None;
    }
    let within = seen.greatest_within(flow, facts.start - second, facts.end);
    let greatest = seen.greatest_rate(flow).max(within);
    let was_calm = seen.calm_rate(flow).is_some_and(|calm| rate < BEYOND_CALM * calm);
    let least = if was_calm { MAY_BE_FULL } else { OF_GREATEST };
    let before = seen.rate(flow, facts.start - BESIDE, facts.start - second * 3).unwrap_or(0.0);
    let after = seen.rate(flow, facts.end + second, facts.end + second * 5);
    let came = rate >= RISE * before;
    let is_long = facts.end.since(facts.start) >= LONG;
    let went = is_long || facts.is_cut || after.is_some_and(|after| after <= LEFT * rate);
    let is_first = !seen.has_filled(flow, rate);
    let is_small = rate < least * greatest;
    let is_steady = is_steady(&seen.rates(flow, facts.start, facts.end), rate);
    let rate = rate.min(greatest);
    let suspect = Suspect { flow, rate, greatest, was_calm, is_small, is_steady, is_first };
    (came && went && !outlasts(facts, flow, rate)).then_some(suspect)
}

/// True if most of these rates are about the given one.
fn is_steady(rates: &[f64], rate: f64) -> bool {
    let about = rates.iter().filter(|it| **it >= STEADY * rate).count();
    rates.len() >= LEAST_STEADY && about as f64 >= MOSTLY * rates.len() as f64
}

/// True if answers were late also while the load was not there, and its queue had emptied: something else is late.
fn outlasts(facts: &Facts<'_>, flow: Flow, rate: f64) -> bool {
    let empties = Span::from_secs_f64(facts.worst().added_most_ms.unwrap_or(0.0) / 1e3);
    let is_there = |at: Time| {
        let rates = facts.surroundings.rates(flow, at - empties - AROUND, at + AROUND);
        rates.is_empty() || rates.iter().any(|it| *it >= THERE * rate)
    };
    let without: Vec<_> = facts.probes_worst.iter().filter(|it| !is_there(it.sent)).collect();
    let struck = without.iter().filter(|it| it.is_struck).count();
    struck >= LEAST_WITHOUT && 2 * struck >= without.len()
}

/// The direction that is loaded most, in its own terms: an acknowledged flow loads both.
fn most_loaded(suspects: &[Suspect]) -> Option<&Suspect> {
    let [one, other] = suspects else { return suspects.first() };
    let part = |it: &Suspect| it.rate / it.greatest;
    Some(match () {
        () if one.rate < ACKNOWLEDGEMENTS * other.rate => other,
        () if other.rate < ACKNOWLEDGEMENTS * one.rate => one,
        () if part(one) >= part(other) => one,
        () => other,
    })
}

/// True if the other direction is loaded by acknowledgements alone.
fn is_alone(guilty: &Suspect, suspects: &[Suspect]) -> bool {
    suspects
        .iter()
        .filter(|it| it.flow != guilty.flow)
        .all(|it| it.rate < ACKNOWLEDGEMENTS * guilty.rate)
}
