//! The verdict, in sentences for readers who have never heard of bufferbloat.

use observation::Heading;
use results::{
    BothLoaded, Claim, Effects, FindingKind, Grade, LoadedDirection, Measurement, QueueKind, Remark,
};

use super::advice::server_hop;
use super::beside;
use super::incomplete::partial;
use super::queue::{bare, drops_many, found, is_healthy, is_short_by_drops, queue};
use super::words::{CERTAIN, SURE, call, load};
use crate::number::{count, duration};

/// The whole measurement in words, the most important remarks first: whether it is complete, the
/// queue of the worse direction, that of the other one, the effects that people notice, and the
/// single figures.
pub fn measurement_verdict(measurement: &Measurement) -> Vec<Remark> {
    let mut said = Vec::new();
    if let Some(why) = partial(measurement) {
        let text = format!("The test is incomplete: {}.", bare(&why));
        said.push(Remark::new(Claim::Partial, text));
    }
    let mut judged: Vec<(Heading, &LoadedDirection)> = measurement.judged().collect();
    judged.sort_by(|(_, one), (_, other)| {
        let p95 = |one: &LoadedDirection| one.added_p95_ms().unwrap_or(-1.0);
        p95(other).total_cmp(&p95(one))
    });
    if judged.is_empty() {
        let text = "Nothing to judge: no load came through in any direction.";
        said.push(Remark::new(Claim::NothingLoaded, text));
        return said;
    }
    said.extend(praise(&judged, measurement.both.as_ref()));
    let server = server_hop(measurement);
    let of_queue = |(heading, direction): &(Heading, &LoadedDirection)| {
        queue(*heading, direction, measurement.is_never_idle(*heading), server)
    };
    said.extend(judged.iter().flat_map(of_queue));
    if judged.iter().any(|(_, direction)| remedy::has(direction, FindingKind::MachineLimits)) {
        // If this computer was the limit, the figures do not describe the line.
        return said;
    }
    said.extend(measurement.effects.iter().flat_map(|effects| notice(measurement, effects)));
    said.extend(beside::remarks(measurement));
    said.extend(numbers(measurement));
    said
}

/// The remark that nothing is wrong; `None` unless all directions are good and were filled.
///
/// The line is called cured only if its queues are certainly managed. If many packets are dropped,
/// or wait while both directions are loaded, there is something to fix.
fn praise(judged: &[(Heading, &LoadedDirection)], both: Option<&BothLoaded>) -> Option<Remark> {
    let both = both.map(|both| [&both.download, &both.upload]).into_iter().flatten();
    let all: Vec<&LoadedDirection> =
        judged.iter().map(|(_, direction)| *direction).chain(both).collect();
    let is_filled = |(_, direction): &(Heading, &LoadedDirection)| direction.saturated;
    if !judged.iter().all(is_filled) || !all.iter().all(|direction| is_good(direction)) {
        return None;
    }
    let worst = all.iter().filter_map(|direction| direction.added_p95_ms()).reduce(f64::max)?;
    let is_managed = judged.iter().all(|(_, direction)| is_managed(direction));
    let both = if judged.len() > 1 { "However busy the line is, it" } else { "A busy line" };
    let adds = format!("{both} adds at most {} of delay.", duration(worst));
    let (claim, text) = match is_managed {
        true => (Claim::Cured, format!("Cured: there is nothing to fix. {adds}")),
        false => (Claim::Healthy, format!("Healthy. {adds}")),
    };
    Some(Remark { delay_ms: Some(worst), ..Remark::new(claim, text) })
}

/// True if delays are short, few packets are dropped, and nothing else was found. A retransmitted
/// packet counts as dropped.
fn is_good(direction: &LoadedDirection) -> bool {
    let is_short = direction.added_p95_ms().is_some_and(|p95| is_healthy(Grade::of(p95)));
    let is_queue = found(direction) != Some(QueueKind::Policer);
    let is_clear = direction.findings.iter().all(|finding| finding.confidence < SURE);
    is_short && is_queue && is_clear && !drops_many(direction)
}

/// True if the queue is certainly managed: an AQM, or fair queueing.
fn is_managed(direction: &LoadedDirection) -> bool {
    let queue = direction.queue.filter(|queue| queue.confidence >= CERTAIN);
    queue.is_some_and(|queue| matches!(queue.kind, QueueKind::Aqm | QueueKind::FairQueueing))
}

/// The remarks about the effects that people notice in the worse direction.
fn notice(measurement: &Measurement, effects: &Effects) -> Vec<Remark> {
    let worse =
        measurement.worse().filter(|(_, direction)| !remedy::is_limited_elsewhere(direction));
    let Some((heading, direction)) = worse else { return Vec::new() };
    let during = load(heading);
    let is_whole = !measurement.is_partial();
    let call = effects.call_mos.filter(|_| is_whole).map(|opinion| {
        let words = call(opinion);
        Remark::of(Claim::Call, heading, format!("A call during {during} {words}."))
    });
    let game = effects.game_ms.map(|millis| Remark {
        delay_ms: Some(millis),
        ..Remark::of(Claim::Game, heading, format!("A game answers after {}.", duration(millis)))
    });
    // A page uses TCP, which may wait where probes do not, and which waits for retransmissions
    // where many packets are dropped.
    let is_favoured = remedy::has(direction, FindingKind::ProbesFavoured);
    let is_told = !is_favoured && !is_short_by_drops(direction);
    let page = effects.page_s.filter(|_| is_told && is_whole).map(|seconds| {
        let text =
            format!("A web page that needs ten round trips takes {}.", duration(seconds * 1e3));
        Remark { delay_ms: Some(seconds * 1e3), ..Remark::of(Claim::Page, heading, text) }
    });
    [call, game, page].into_iter().flatten().collect()
}

/// The single figures: lag, idle round trip, responsiveness and grade.
fn numbers(measurement: &Measurement) -> Vec<Remark> {
    let delayed = |claim, name: &str, millis: Option<f64>| {
        let text = format!("{name}: {}.", duration(millis?));
        Some(Remark { delay_ms: millis, ..Remark::new(claim, text) })
    };
    let rpm = measurement
        .responsiveness_rpm
        .filter(|rpm| rpm.is_finite() && *rpm >= 0.0)
        .map(|rpm| format!("Responsiveness: {} round trips a minute.", count(rpm.round() as u64)));
    let is_idle = measurement.limits.iter().all(|limit| limit.claim() != Claim::LoadedBefore);
    let graded = measurement.grade.map(|grade| Remark {
        grade: Some(grade),
        ..Remark::new(Claim::Grade, format!("Grade: {grade}."))
    });
    let all = [
        lag(measurement),
        delayed(Claim::Idle, "Idle round trip", measurement.idle_ms.filter(|_| is_idle)),
        rpm.map(|text| Remark::new(Claim::Responsiveness, text)),
        graded,
    ];
    all.into_iter().flatten().collect()
}

/// The lag, with the bounds between which it would lie in 95 of 100 such tests. `None` if the limit
/// was not the line, or if the probes bypass the queue.
fn lag(measurement: &Measurement) -> Option<Remark> {
    let lag = measurement.lag_ms?;
    let (_, direction) = measurement.worse()?;
    if remedy::is_limited_elsewhere(direction)
        || remedy::has(direction, FindingKind::ProbesFavoured)
    {
        return None;
    }
    let added = direction.added_p95_ms()?;
    let bounds = direction.certainty.added_p95_ms.map(|bounds| bounds.map(|ms| lag - added + ms));
    let [low, high] = bounds.map_or_else(Default::default, |bounds| bounds.map(duration));
    let between = match low == high {
        true => String::new(),
        false => format!(" ({low} to {high} in 95 of 100 such tests)"),
    };
    let text = format!("Lag: {}{between}.", duration(lag));
    Some(Remark { delay_ms: Some(lag), ..Remark::new(Claim::Lag, text) })
}
