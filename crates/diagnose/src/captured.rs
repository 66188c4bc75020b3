//! What a capture tells of a queue, by the rules of a test as far as it has their evidence.
//!
//! A test sees what small packets beside a load wait. A capture sees the load's own packets, and so
//! not what tells one queue for all from a queue for each flow: which packets wait, and which are
//! lost. It has the other signs: how long packets waited, how full the queue was when it dropped, how
//! the rate went, and what held the sender back.

mod by_load;
mod losses;
mod policer;
mod whose;

use observation::{CapturedFlow, SenderSample, Stamps};
use results::{
    CapturedQueue, Finding, FindingKind, LossPattern, QueueFinding, QueueKind, QueueOwner,
    SenderLimit, Ungraded, Unmeasured,
};
use units::Span;

use crate::grade::{Grounds, grade};
use crate::held::Held;
use crate::queue::UNKNOWN;
use by_load::{ByLoad, by_load};
use losses::{limit, losses};
use policer::policer;
pub use whose::is_greedy;
use whose::whose;

/// The fewest round trips by which a queue is judged.
const FEWEST: u64 = 20;

/// The part of the time of which round trips must be known. While data is lost there are none, and the few between
/// losses are not like the others.
const KNOWN: f64 = 0.5;

/// The time below which a connection shows neither the rate nor the kind of a queue: while a sender begins, the queue
/// has not been full yet, and an AQM has hardly dropped.
pub const BRIEF: Span = Span::from_secs(5);

/// The kind of a policer, whose losses cannot be those of chance.
const POLICER: QueueFinding = QueueFinding { kind: QueueKind::Policer, confidence: 0.85 };

/// What is known of the queue that the data waits in. The percentiles of its round trips are left to
/// the caller, who has all of them.
pub fn captured(seen: &CapturedFlow) -> CapturedQueue {
    let reason = unmeasured(seen);
    let Some(least) = seen.least.filter(|_| reason.is_none()) else {
        return unknown(seen.is_lossy, seen.marks, reason.unwrap_or(Unmeasured::FewRoundTrips));
    };
    let p95 = seen.long - least;
    // Pauses are left out of the longest one, and not of the percentiles.
    let most = seen.longest.filter(|it| *it >= seen.long).map(|span| span - least);
    let added_most_ms = most.map(Span::as_millis_f64);
    let whose = whose(seen, p95);
    let rate = seen.in_flight_over_round_trips.filter(|_| whose == QueueOwner::Own);
    let bits_per_sec = rate.map(|rate| rate.bits_per_sec() as f64);
    let ByLoad { kind, findings, is_filled } = by_load(seen, least, whose);
    let policer = policer(&seen.passing, least, p95);
    if seen.flow.stop.since(seen.flow.start) < BRIEF {
        let brief = CapturedQueue {
            whose,
            added_p95_ms: Some(p95.as_millis_f64()),
            added_most_ms,
            correlation: seen.correlation.filter(|_| seen.is_ahead),
            losses: if seen.is_lossy { LossPattern::Unknown } else { LossPattern::None },
            marks: seen.marks,
            ..CapturedQueue::default()
        };
        return graded(brief, is_filled);
    }
    let is_limited_by_losses =
        whose == QueueOwner::None && policer.is_none() && !FindingKind::EndLimits.is_in(&findings);
    let loss_limit = limit(seen).filter(|_| is_limited_by_losses);
    graded(
        CapturedQueue {
            loss_limited_mbit: loss_limit.map(|bits| bits / 1e6),
            whose,
            added_p95_ms: Some(p95.as_millis_f64()),
            added_most_ms,
            correlation: seen.correlation.filter(|_| seen.is_ahead),
            rate_mbit: bits_per_sec.map(|bits| bits / 1e6),
            most_bytes: bits_per_sec
                .zip(most)
                .map(|(bits, most)| (bits / 8.0 * most.as_secs_f64()) as u64),
            losses: policer.map_or_else(|| losses(seen, whose), |_| LossPattern::Policer),
            kind: policer.map_or(kind, |_| Some(POLICER)),
            policed_mbit: policer
                .and_then(|it| it.rate)
                .map(|rate| rate.bits_per_sec() as f64 / 1e6),
            findings,
            marks: seen.marks,
            ..CapturedQueue::default()
        },
        is_filled,
    )
}

/// The queue, where the acknowledgements may wait in place of the data.
pub fn either_way(queue: &CapturedQueue) -> CapturedQueue {
    let unknown = unknown(queue.losses != LossPattern::None, queue.marks, Unmeasured::WayBack);
    CapturedQueue { waits: queue.waits, ..unknown }
}

/// A queue of which it is not known how long the data waits.
fn unknown(is_lossy: bool, marks: u64, reason: Unmeasured) -> CapturedQueue {
    CapturedQueue {
        added_reason: Some(reason),
        losses: if is_lossy { LossPattern::Unknown } else { LossPattern::None },
        grade_reason: Some(Ungraded::NotMeasured),
        marks,
        ..CapturedQueue::default()
    }
}

/// The reason why it is not known how long the data waits; `None` if it is.
fn unmeasured(seen: &CapturedFlow) -> Option<Unmeasured> {
    match (seen.count, seen.known) {
        (FEWEST.., KNOWN..) if seen.may_be_acks => Some(Unmeasured::WayBack),
        (FEWEST.., KNOWN..) => None,
        (FEWEST.., _) => Some(Unmeasured::Gaps),
        _ if !seen.has_both => Some(Unmeasured::OneDirection),
        _ if seen.is_ahead => Some(Unmeasured::FewRoundTrips),
        _ => Some(match seen.stamps {
            Stamps::Captured => Unmeasured::FewRoundTrips,
            Stamps::CutOff => Unmeasured::CutOptions,
            Stamps::Missing => Unmeasured::NoTimestamps,
        }),
    }
}

/// The queue, which another connection of the same host fills at this rate in Mbit/s.
///
/// Its own losses tell nothing then: the connection has too few round trips to know how full the queue
/// was.
pub fn beside(queue: &CapturedQueue, rate_mbit: f64) -> CapturedQueue {
    let (kind, amount) = (FindingKind::OtherTraffic, Some(rate_mbit));
    let others = Finding { kind, amount, confidence: 0.95 };
    let kept = queue.findings.iter().filter(|one| one.kind != FindingKind::RateChanged);
    let queue = CapturedQueue {
        whose: QueueOwner::Other,
        rate_mbit: None,
        most_bytes: None,
        losses: LossPattern::Unknown,
        kind: None,
        findings: std::iter::once(others).chain(kept.copied()).collect(),
        ..queue.clone()
    };
    graded(queue, true)
}

/// The queue, of which it is not known whose data fills it, though the round trips grow with the data in flight.
pub fn disowned(queue: &CapturedQueue) -> CapturedQueue {
    let (rate_mbit, most_bytes) = (None, None);
    CapturedQueue { whose: QueueOwner::Unknown, rate_mbit, most_bytes, ..shared(queue) }
}

/// The queue of a connection beside others of its host, whose share of the line's rate changes with theirs.
pub fn shared(queue: &CapturedQueue) -> CapturedQueue {
    let is_variable = queue.kind.is_some_and(|it| it.kind == QueueKind::VariableRate);
    let kept = queue.findings.iter().filter(|one| one.kind != FindingKind::RateChanged);
    let queue = CapturedQueue { findings: kept.copied().collect(), ..queue.clone() };
    match is_variable {
        true => CapturedQueue {
            kind: Some(UNKNOWN),
            grade: None,
            grade_reason: Some(Ungraded::NotMeasured),
            ..queue
        },
        false => queue,
    }
}

/// True if the queue is said to be of a rate that changes.
pub fn is_changing(queue: &CapturedQueue) -> bool {
    queue.kind.is_some_and(|it| it.kind == QueueKind::VariableRate)
        || FindingKind::RateChanged.is_in(&queue.findings)
}

/// The end that held the sender of this last sample back for so much of the time that it limits the
/// rate; `None` if none did.
pub fn held_back(last: &SenderSample) -> Option<SenderLimit> {
    Held::default().and(&SenderSample::default(), last).by()
}

/// The queue with its grade. The connection's packets are what others wait, if others fill the queue,
/// or if it is one queue for all. If it may be the connection's own, what others wait is not known.
fn graded(queue: CapturedQueue, is_filled: bool) -> CapturedQueue {
    let is_for_all = match queue.whose {
        QueueOwner::Other => true,
        QueueOwner::Own | QueueOwner::Unknown => {
            queue.kind.is_some_and(|it| is_one_for_all(it.kind))
        }
        QueueOwner::None => false,
    };
    let grounds = Grounds {
        others_p95_ms: queue.added_p95_ms.filter(|_| is_for_all),
        is_filled,
        is_limited_by_machine: false,
    };
    let judged = match (queue.whose, FindingKind::EndLimits.is_in(&queue.findings)) {
        (QueueOwner::None, _) | (_, true) => Err(Ungraded::NotFilled),
        _ => grade(&grounds).map_err(|_| Ungraded::NotMeasured),
    };
    CapturedQueue { grade: judged.ok(), grade_reason: judged.err(), ..queue }
}

/// True for a kind of queue in which all packets wait alike.
const fn is_one_for_all(kind: QueueKind) -> bool {
    matches!(
        kind,
        QueueKind::Fifo | QueueKind::ByteFifo | QueueKind::PacketFifo | QueueKind::VariableRate
    )
}

#[cfg(test)]
mod tests;
