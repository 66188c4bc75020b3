//! A direction of a connection as an observation, which `diagnose` judges.

use observation::{CapturedFlow, CapturedRoundTrip, Heading, LoadFlow, SenderSample, Stamps};
use results::{CapturedQueue, CapturedWaits, Ungraded, Unmeasured};
use units::{Bytes, Span};

use crate::base::Base;
use crate::direction::Direction;
use crate::waits::{Kept, NOTABLE, Waits};

/// The fewest round trips that show a half of the path.
const FEWEST: u64 = 20;
/// The difference of two distances below which neither is the longer one: wake-ups and interrupts take as long.
const NEAR: Span = Span::from_micros(100);
/// The part of the other end's data below which an end sends so little that echoes are those of the other end's data.
const LITTLE: u64 = 10;
/// The distance of the sender up to which the capture was made in its network: no queue that counts is on the way there.
const AT_SENDER: Span = Span::from_millis(1);

/// The half of a path in which data waits: the way of the data itself is in it.
#[derive(Clone, Copy)]
struct Half<'a> {
    waits: &'a Waits,
    /// The shortest round trip of all connections between the two hosts; `None` if there is none.
    least: Option<Span>,
    at_losses: &'a [Span],
    /// True if the capture was made before the queue.
    is_ahead: bool,
    /// True if the longest wait is among these round trips.
    has_longest: bool,
}

impl<'a> Half<'a> {
    /// The half with the longer queue. A capture behind the queue sees the way of the data between the other end's
    /// packets and their echoes. If the other end sends more, it is the other end's data that waits on the way there.
    fn of(this: &'a Direction, other: &'a Direction, base: Base) -> Self {
        let ahead = Self {
            waits: &this.waits,
            least: base.ahead,
            at_losses: &this.losses.ahead,
            is_ahead: true,
            has_longest: true,
        };
        let behind = Self {
            waits: &other.echo_waits,
            least: base.behind,
            at_losses: &this.losses.behind,
            is_ahead: false,
            has_longest: true,
        };
        if behind.waits.count() >= FEWEST {
            let sends_less = this.counts.unique_bytes < other.counts.unique_bytes / LITTLE;
            return if sends_less || !behind.is_longer(&ahead) { ahead } else { behind };
        }
        // Near the receiver, what is ahead tells nothing of the queue. Where both ends are as near as the clocks
        // can tell, a long wait does. Without one, data may have waited on its way here, unless the sender is here too.
        let nearest = behind.waits.least().or(other.handshake);
        let (long, waited) = (other.longest_echo, ahead.waits.least());
        let is_close = waited.is_some_and(|it| nearest <= Some(it + NEAR));
        let waits_ahead = ahead.added(0.95) >= NOTABLE;
        let is_nearer = match nearest {
            _ if waits_ahead => nearest <= waited || is_close,
            Some(nearest) => Some(nearest) <= waited && nearest <= AT_SENDER,
            None => waited > Some(NEAR),
        };
        match is_nearer && long - nearest.unwrap_or(long) <= ahead.added(0.95).max(NOTABLE) {
            // Without a queue ahead, the longest wait may be on the way here, which hardly any round trip shows.
            true => Self { has_longest: waits_ahead || nearest <= Some(NEAR), ..ahead },
            false => behind,
        }
    }

    /// The round trip at the time at which its data passed the place of the capture: at its beginning, or, behind the
    /// queue, at its end.
    fn passed(&self, of: &Kept) -> CapturedRoundTrip {
        let at = if self.is_ahead { of.begin } else { of.end };
        CapturedRoundTrip { at, span: of.of_data }
    }

    /// True if this half has the longer queue: by the waits that most packets have, or, where hardly any has one, by the
    /// longest.
    fn is_longer(&self, than: &Self) -> bool {
        let [[own, other], most] = [0.95, 1.0].map(|part| [self.added(part), than.added(part)]);
        if own.max(other) < NOTABLE { most[0] > most[1] } else { own > other }
    }

    /// The delay beyond the shortest round trip that this part of the time was not above.
    fn added(&self, part: f64) -> Span {
        match (self.waits.quantile(part), self.least) {
            (Some(span), Some(least)) => span - least,
            _ => Span::ZERO,
        }
    }

    /// True if acknowledgements may have waited in place of the data: while the connection never saw the shortest round
    /// trip of others, or in a notable part of this time, whose round trips had to be forgotten.
    fn may_be_acks(&self, active: Span) -> bool {
        /// The part of the time that the percentile leaves out.
        const TAIL: f64 = 0.05;
        let waits = self.waits;
        let standing = waits.least().unwrap_or_default() - self.least.unwrap_or_default();
        waits.way_back() >= NOTABLE && standing >= NOTABLE
            || waits.has_forgotten() && share(waits.known_time(), active) < 1.0 - TAIL
    }

    /// The document of the round trips.
    fn document(&self) -> CapturedWaits {
        let least_ms = self.least.map(Span::as_millis_f64);
        CapturedWaits { least_ms, ..self.waits.document_of_data() }
    }
}

/// What is known of the queue that the data of `this` end waits in; `None` if the end has sent none. `other` is what the
/// other end has sent.
pub(crate) fn queue(
    this: &Direction,
    other: &Direction,
    base: Base,
    ipv6: bool,
) -> Option<CapturedQueue> {
    if this.is_unseen() {
        return Some(CapturedQueue {
            added_reason: Some(Unmeasured::OneDirection),
            grade_reason: Some(Ungraded::NotMeasured),
            ..CapturedQueue::default()
        });
    }
    if this.counts.data_packets == 0 {
        return None;
    }
    let half = Half::of(this, other, base);
    let queue = diagnose::captured(&observed(this, other, half, ipv6));
    let is_judged = queue.added_p95_ms.is_some();
    let waits = if is_judged { half.document() } else { queue.waits };
    Some(CapturedQueue { waits, ..queue })
}

/// True if the capture was made near the sender of the data: then all that is in flight was seen to leave, and what
/// limits the sender can be told.
pub(crate) fn is_near_sender(this: &Direction, other: &Direction) -> bool {
    let behind = other.echo_waits.quantile(0.95).or(other.handshake);
    this.waits.least().zip(behind).is_some_and(|(ahead, behind)| behind < ahead)
}

fn observed(this: &Direction, other: &Direction, half: Half<'_>, ipv6: bool) -> CapturedFlow {
    let Half { waits, least, at_losses, is_ahead, has_longest } = half;
    let knows_limits = is_near_sender(this, other);
    let sender = this.samples.observed(this.full(), least, knows_limits);
    let time = |sample: Option<&SenderSample>| sample.map(|at| at.at);
    let quantile = |part| waits.quantile(part).unwrap_or_default();
    // Data that was sent again, and what is acknowledged with it, gives no round trip (Karn's rule); its timestamps do
    // (RFC 7323 section 4.1).
    let by_echoes = if is_ahead { this.longest_echo } else { Span::ZERO };
    // While acknowledgements wait, hardly any round trip shows the longest wait of the data.
    let is_way_back_busy = is_ahead && waits.way_back() >= NOTABLE;
    let longest = waits.longest().unwrap_or_default().max(by_echoes);
    let rest = match is_ahead {
        true => other.echo_waits.quantile(0.5).or(other.handshake),
        false => this.waits.quantile(0.5),
    };
    let stamps = match (other.counts.has_timestamps, other.has_cut_options) {
        (true, _) => Stamps::Captured,
        (false, true) => Stamps::CutOff,
        (false, false) => Stamps::Missing,
    };
    CapturedFlow {
        ipv6,
        has_both: other.counts.packets > 0,
        may_be_acks: half.may_be_acks(this.active()),
        is_ahead,
        stamps,
        least,
        count: waits.count(),
        known: share(waits.known_time(), this.active()),
        long: quantile(0.95),
        longest: (has_longest && !is_way_back_busy).then_some(longest),
        rest: rest.unwrap_or_default(),
        way_back: waits.way_back(),
        round_trips: waits.kept().iter().map(|one| half.passed(one)).collect(),
        packet_time: this.goodput().map_or(Span::ZERO, |rate| {
            Span::from_secs_f64(f64::from(this.full()) / rate.max(f64::MIN_POSITIVE))
        }),
        correlation: this.waits.correlation().filter(|_| is_ahead),
        in_flight_over_round_trips: this.waits.rate().filter(|_| is_ahead),
        by_acknowledgements: this.pace.by_acknowledgements(),
        segments: this.counts.data_packets,
        is_lossy: this.counts.retransmitted_packets > 0 || this.counts.out_of_order > 0,
        at_losses: if waits.has_forgotten() { Vec::new() } else { at_losses.to_vec() },
        marks: this.marks(),
        passing: this.passed.observed(is_ahead),
        flow: LoadFlow {
            heading: Heading::Up,
            dscp: 0,
            congestion: String::new(),
            start: time(sender.first()).unwrap_or_default(),
            stop: time(whole(&sender)).unwrap_or_default(),
            received: Vec::new(),
            sender,
        },
    }
}

/// The first sample at which all data had arrived but for less than a packet: the FIN may come long after it. `None` without
/// samples.
fn whole(sender: &[SenderSample]) -> Option<&SenderSample> {
    let last = sender.last()?;
    let rest = Bytes(last.mss.into());
    sender.iter().find(|it| it.acknowledged + rest >= last.acknowledged)
}

/// The part that one time is of another one; 1 if there is no time.
fn share(of: Span, whole: Span) -> f64 {
    if whole == Span::ZERO { 1.0 } else { of.as_secs_f64() / whole.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;

    #[test]
    fn a_late_fin_is_no_data() {
        let sample = |(second, bytes)| SenderSample {
            at: Time::from_secs(second),
            mss: 1448,
            acknowledged: Bytes(bytes),
            ..SenderSample::default()
        };
        let samples = [(1, 100_000), (2, 200_000), (9, 200_001)].map(sample);
        assert_eq!(whole(&samples).map(|it| it.at), Some(Time::from_secs(2)));
        assert!(whole(&[]).is_none());
    }
}
