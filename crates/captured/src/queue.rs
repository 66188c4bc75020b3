//! What round trips, data in flight and losses tell of a queue.
//!
//! The rules were chosen on simulated lines with seeds from 1 on; `./x bench captures` judges them on others.

use results::{CapturedQueue, LossPattern, QueueOwner};
use stats::Histogram;
use units::Span;

use crate::direction::Direction;
use crate::waits::Waits;

/// The added delay below which nobody would notice a queue: that of the grade A+.
const UNNOTICED: Span = Span::from_millis(5);

/// The added delay that acknowledgements and losses alone may seem to make.
const NOISE: Span = Span::from_millis(10);

/// The correlation from which round trips grow with the data in flight, and the one up to which they do not.
const TOGETHER: f64 = 0.7;
const APART: f64 = 0.3;

/// The part of the data that is sent by acknowledgements, from which the sender would send more if it could.
const GREEDY: f64 = 0.5;

/// The fewest round trips by which a queue is judged.
const FEWEST: u64 = 20;

/// The fewest losses, at most one a round trip, that make a pattern.
const FEWEST_LOSSES: u64 = 3;

/// The part of the queue above which it is full, and the one below which it is short.
const FULL: f64 = 0.7;
const SHORT: f64 = 0.4;

/// The half of a path in which data waits: the way of the data itself is in it.
#[derive(Clone, Copy)]
struct Half<'a> {
    waits: &'a Waits,
    at_losses: &'a Histogram,
    /// True if the capture was made before the queue.
    is_ahead: bool,
}

impl<'a> Half<'a> {
    /// The half with the longer queue. A capture behind the queue sees the way of the data between the other end's
    /// packets and their echoes.
    fn of(this: &'a Direction, other: &'a Direction) -> Self {
        let (ahead, behind) = (&this.waits, &other.echo_waits);
        let is_ahead = match behind.count() < FEWEST {
            // Near the receiver, what is ahead tells nothing of the queue.
            true => behind.least().or(other.handshake) <= ahead.least(),
            false => added(behind, 0.95) <= added(ahead, 0.95),
        };
        match is_ahead {
            true => Self { waits: ahead, at_losses: &this.at_losses.ahead, is_ahead },
            false => Self { waits: behind, at_losses: &this.at_losses.behind, is_ahead },
        }
    }
}

/// What is known of the queue that the data of `this` end waits in; `None` without data. `other` is what the other
/// end has sent.
pub(crate) fn queue(this: &Direction, other: &Direction) -> Option<CapturedQueue> {
    if this.counts.data_packets == 0 {
        return None;
    }
    let half = Half::of(this, other);
    if half.waits.count() < FEWEST {
        let losses = losses(this, half, QueueOwner::Unknown);
        return Some(CapturedQueue { losses, ..CapturedQueue::default() });
    }
    let (p95, most) = (added(half.waits, 0.95), added(half.waits, 1.0));
    let correlation = half.waits.correlation().filter(|_| half.is_ahead);
    let is_greedy = this.pace.by_acknowledgements().is_none_or(|part| part >= GREEDY);
    let whose = match correlation {
        _ if p95 < UNNOTICED => QueueOwner::None,
        Some(TOGETHER..) if is_greedy => QueueOwner::Own,
        Some(..APART) if p95 >= NOISE => QueueOwner::Other,
        _ => QueueOwner::Unknown,
    };
    let rate = half.waits.rate().filter(|_| whose == QueueOwner::Own);
    let bits_per_sec = rate.map(|rate| rate.bits_per_sec() as f64);
    Some(CapturedQueue {
        whose,
        waits: half.waits.document(),
        added_p95_ms: Some(p95.as_secs_f64() * 1e3),
        added_most_ms: Some(most.as_secs_f64() * 1e3),
        correlation,
        rate_mbit: bits_per_sec.map(|bits| bits / 1e6),
        most_bytes: bits_per_sec.map(|bits| (bits / 8.0 * most.as_secs_f64()) as u64),
        losses: losses(this, half, whose),
    })
}

/// True if the capture was made near the sender of the data: then all that is in flight was seen to leave, and what
/// limits the sender can be told.
pub(crate) fn is_near_sender(this: &Direction, other: &Direction) -> bool {
    let behind = other.echo_waits.quantile(0.95).or(other.handshake);
    this.waits.least().zip(behind).is_some_and(|(ahead, behind)| behind < ahead)
}

/// The delay beyond the shortest round trip that this part of the time was not above.
fn added(waits: &Waits, part: f64) -> Span {
    match (waits.quantile(part), waits.least()) {
        (Some(span), Some(least)) => span - least,
        _ => Span::ZERO,
    }
}

/// What the losses tell. Where the queue is not the connection's own, it has too few round trips to know how full the
/// queue was.
fn losses(this: &Direction, half: Half<'_>, whose: QueueOwner) -> LossPattern {
    if this.counts.retransmitted_packets == 0 && this.counts.out_of_order == 0 {
        return LossPattern::None;
    }
    let Some(least) = half.waits.least() else { return LossPattern::Unknown };
    let most = added(half.waits, 1.0);
    let is_told = !half.is_ahead || whose == QueueOwner::Own;
    if !is_told || half.at_losses.count() < FEWEST_LOSSES || most < UNNOTICED {
        return LossPattern::Unknown;
    }
    let filled = |part: f64| {
        let at_loss = half.at_losses.quantile(part).map_or(Span::ZERO, Span::from_nanos);
        (at_loss - least).as_secs_f64() / most.as_secs_f64()
    };
    match (filled(0.1), filled(0.5)) {
        (FULL.., _) => LossPattern::FullQueue,
        (_, ..SHORT) => LossPattern::ShortQueue,
        _ => LossPattern::Unknown,
    }
}
