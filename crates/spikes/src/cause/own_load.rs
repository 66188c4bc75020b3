//! What this machine sent or received filled a queue.
//!
//! A load explains a spike if the line does not carry as much calmly, or may be full with it, and if the load came
//! and went with the spike. The reverse of a TCP flow is loaded too, by its acknowledgements, which are a small part.

use observation::Heading;
use results::{SpikeCause, SpikeEvidence};
use stats::{ascending, quantile};
use units::Span;

use super::Verdict;
use crate::facts::{BESIDE, Facts};

/// The least rate that fills anything, in bytes a second: 100 kbit/s.
const LEAST: f64 = 12_500.0;
/// The part of the probes that a full queue loses at most, and not an outage.
const MOST_LOST: f64 = 0.8;
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
/// Confidence with one direction loaded, and with both, of which one is named, or if nobody saw the load go.
const ONE_LOADED: f64 = 0.95;
const UNSURE: f64 = 0.6;

/// The load of a direction that could explain the spike.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    heading: Heading,
    rate: f64,
    greatest: f64,
    /// True if the line has carried such a rate calmly before.
    was_calm: bool,
}

/// The verdict that an own load did it, or that it is not known whether it did; `None` if no load explains the spike.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    if is_outage(facts) {
        return None;
    }
    let suspects: Vec<_> = match facts.direction() {
        Some(heading) => suspect(facts, heading).into_iter().collect(),
        None => Heading::BOTH.iter().filter_map(|it| suspect(facts, *it)).collect(),
    };
    let guilty = most_loaded(&suspects)?;
    if guilty.was_calm {
        return Some(Verdict::unknown());
    }
    let is_one = suspects.len() == 1 || is_alone(guilty, &suspects);
    let confidence = if is_one && !facts.is_cut { ONE_LOADED } else { UNSURE };
    let cause = match guilty.heading {
        Heading::Up => SpikeCause::OwnUpload,
        Heading::Down => SpikeCause::OwnDownload,
    };
    let mbit = |bytes: f64| bytes * 8e-6;
    let load = |it: &Suspect| SpikeEvidence::Load {
        direction: it.heading,
        rate_mbit: mbit(it.rate),
        greatest_mbit: mbit(it.greatest),
    };
    let direction = Some(guilty.heading);
    Some(Verdict { cause, confidence, direction, evidence: vec![load(guilty)] })
}

/// True if nearly nothing was answered: a full queue still lets the better part through.
fn is_outage(facts: &Facts<'_>) -> bool {
    let worst = facts.worst();
    worst.unanswered as f64 > MOST_LOST * worst.sent as f64
}

/// The load of a direction, if it could explain the spike.
fn suspect(facts: &Facts<'_>, heading: Heading) -> Option<Suspect> {
    let seen = facts.surroundings;
    let second = Span::from_secs(1);
    let during = ascending(seen.rates(heading, facts.start - second, facts.end));
    let rate = quantile(&during, 0.75).filter(|it| *it >= LEAST)?;
    let greatest = seen.greatest_rate(heading).max(*during.last()?);
    let was_calm = seen.calm_rate(heading).is_some_and(|calm| rate < BEYOND_CALM * calm);
    let least = if was_calm { MAY_BE_FULL } else { OF_GREATEST };
    if rate < least * greatest {
        return None;
    }
    let before = seen.rate(heading, facts.start - BESIDE, facts.start - second * 3).unwrap_or(0.0);
    let after = seen.rate(heading, facts.end + second, facts.end + second * 5);
    let came = rate >= RISE * before;
    let is_long = facts.end.since(facts.start) >= LONG;
    let went = is_long || facts.is_cut || after.is_some_and(|after| after <= LEFT * rate);
    (came && went).then_some(Suspect { heading, rate, greatest, was_calm })
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
        .filter(|it| it.heading != guilty.heading)
        .all(|it| it.rate < ACKNOWLEDGEMENTS * guilty.rate)
}
