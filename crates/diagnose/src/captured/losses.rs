//! What losses tell of a queue: how full it was when something was lost.

use core::ops::Range;

use observation::CapturedFlow;
use results::{Grade, LossPattern, QueueOwner};
use units::Span;

/// The fewest losses, at most one a round trip, that make a pattern.
const FEWEST: usize = 3;

/// The part of the queue above which it is full, and the one below which it is short.
const FULL: f64 = 0.7;
const SHORT: f64 = 0.4;

/// The wait of a full queue in parts of the 95th percentile, at most. A machine or a radio that pauses makes a few round
/// trips longer than any queue.
const FULL_WAIT: f64 = 1.25;

/// The longest wait at which an AQM may be dropping, beside some packets: CoDel's target is 5 ms (RFC 8289
/// section 4.3), that of PIE 15 ms (RFC 8033 section 4.2), and bursts wait longer. Up to it, an AQM and a small full
/// buffer look the same.
const AQM_MOST: Span = Span::from_millis(30);

/// The packets that an AQM leaves, however long they take: CoDel never drops the last one (RFC 8289 section 5.4), and
/// senders wait with a repair for three later ones (RFC 5681 section 3.2).
const AQM_PACKETS: u64 = 4;

/// The constant of the rate of TCP at periodic losses: the square root of 3/2 (M. Mathis et al., "The macroscopic
/// behavior of the TCP congestion avoidance algorithm", ACM CCR 27(3), 1997).
const MATHIS: f64 = 1.22;

/// The rates by that constant, in parts of the rate of a sender that losses limit: CUBIC is faster; with delayed
/// acknowledgements the constant is 0.87 (the same, table 1), and timeouts make it slower still.
const NEAR: Range<f64> = 0.5..1.5;

/// The rate in bits per second to which the losses bring TCP; `None` unless it is about the rate of the data. Losses in a
/// short buffer of a line that is full do the same.
pub(super) fn limit(seen: &CapturedFlow) -> Option<f64> {
    let full = seen.flow.sender.last()?.mss;
    let round_trips = stats::ascending(seen.round_trips.iter().map(|it| it.span.as_secs_f64()));
    let median = stats::quantile(&round_trips, 0.5)? + seen.rest.as_secs_f64();
    let is_known = (FEWEST..CapturedFlow::MOST_LOSSES).contains(&seen.at_losses.len());
    if !is_known || seen.packet_time == Span::ZERO {
        return None;
    }
    let part = seen.at_losses.len() as f64 / seen.segments as f64;
    let packets_per_sec = MATHIS / (median * part.sqrt());
    let is_near = NEAR.contains(&(packets_per_sec * seen.packet_time.as_secs_f64()));
    is_near.then_some(packets_per_sec * f64::from(full) * 8.0)
}

/// What the losses tell. Where the queue is not the connection's own, it has too few round trips to
/// know how full the queue was.
pub(super) fn losses(seen: &CapturedFlow, whose: QueueOwner) -> LossPattern {
    if !seen.is_lossy {
        return LossPattern::None;
    }
    let Some((least, longest)) = seen.least.zip(seen.longest) else {
        return LossPattern::Unknown;
    };
    let (most, long) = (longest - least, seen.long - least);
    let is_long = long > AQM_MOST + seen.packet_time * AQM_PACKETS;
    let is_told = !seen.is_ahead || whose == QueueOwner::Own;
    let is_unnoticed = Grade::of(most.as_millis_f64()) == Grade::APlus;
    if !is_told || seen.at_losses.len() < FEWEST || is_unnoticed {
        return LossPattern::Unknown;
    }
    let at_losses = stats::ascending(seen.at_losses.iter().map(|span| span.as_secs_f64()));
    let waited = |part: f64| {
        let at_loss = stats::quantile(&at_losses, part).unwrap_or(0.0);
        (at_loss - least.as_secs_f64()).max(0.0)
    };
    let most = most.as_secs_f64();
    let full = most.min(FULL_WAIT * long.as_secs_f64());
    match (waited(0.1) / full, waited(0.5) / most) {
        (FULL.., _) if is_long => LossPattern::FullQueue,
        (_, ..SHORT) => LossPattern::ShortQueue,
        _ => LossPattern::Unknown,
    }
}
