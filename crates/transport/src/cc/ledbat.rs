//! LEDBAT: uses only the capacity that other flows leave. It measures the delay of packets to the
//! receiver, and takes the least of the last minutes as the delay of the path without a queue. It
//! steers the window so that the queue that it makes itself delays packets by `target`: below that
//! the window grows, above it the window falls, in proportion to the difference. Other flows fill
//! the queue further than that, so that LEDBAT gives way to them. A loss halves its window.
//!
//! Specification: RFC 6817 sections 2.4.2 (the sender) and 2.5 (its constants).
//!
//! Deviations:
//! - section 2.4.2 limits the window to the data in flight and `ALLOWED_INCREASE` segments. Here it
//!   grows only if it limited the sender, and shrinks when it is not used, as all windows of this
//!   sender do (RFC 2861): the data in flight can be less than the window because of super-packets,
//!   too.
//! - section 2.5 demands a gain of 1 or less; RFC 7928 section 5.4 asks for 10. The scenario sets
//!   it.
//! - each acknowledgement gives one delay, where section 2.3 has one for each packet: TCP's
//!   timestamps give no more.

use units::{Span, Time};

use super::{Acked, CongestionControl, Reduction, Window};

/// The least window in segments: `MIN_CWND` SHOULD be 2 (RFC 6817 section 2.5).
const MINIMUM_CWND: u32 = 2;
/// The number of minutes that are remembered: `BASE_HISTORY` SHOULD be 10 (RFC 6817 section 2.5).
const BASE_HISTORY: usize = 10;
/// The number of delays that are filtered: at least 4 each round trip SHOULD be used (RFC 6817
/// section 2.5).
const CURRENT_FILTER: usize = 4;

/// The state of LEDBAT. Delays are differences of two clocks that began at different times, in
/// milliseconds that wrap.
#[derive(Clone, Debug)]
pub struct Ledbat {
    /// The target delay in milliseconds: TARGET of RFC 6817 section 2.5.
    target: f64,
    /// The gain: GAIN of RFC 6817 section 2.5.
    gain: f64,
    /// The part of the window beyond whole segments.
    fraction: f64,
    base: BaseDelays,
    current: CurrentDelays,
}

impl Ledbat {
    /// Creates LEDBAT that keeps a queue of `target`. The window changes by `gain` segments each
    /// round trip when the delay is as far from `target` as without any queue.
    pub fn new(target: Span, gain: f64) -> Self {
        Self {
            target: target.as_secs_f64() * 1e3,
            gain,
            fraction: 0.0,
            base: BaseDelays::default(),
            current: CurrentDelays::default(),
        }
    }

    /// The delay in the queue in milliseconds: FILTER(current_delays) - MIN(base_delays) of RFC
    /// 6817 section 2.4.2; `None` before the first delay.
    fn queueing_delay(&self, ack: &Acked) -> Option<u32> {
        let current = self.current.filtered(ack.srtt, ack.now)?;
        Some(current.wrapping_sub(self.base.least()?))
    }

    /// The change of the window in segments, on an acknowledgment (RFC 6817 section 2.4.2).
    fn change(&self, window: &Window, ack: &Acked, queueing_delay: u32) -> f64 {
        let off_target = (self.target - f64::from(queueing_delay)) / self.target;
        if off_target > 0.0 && !ack.may_grow {
            return 0.0;
        }
        self.gain * off_target * f64::from(ack.delivered) / f64::from(window.cwnd)
    }
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        if let Some(delay) = ack.one_way {
            self.base.take(delay, ack.now);
            self.current.take(delay, ack.now);
        }
        if ack.falling {
            return;
        }
        // LEDBAT has no slow start.
        window.ssthresh = window.ssthresh.min(window.cwnd);
        let Some(queueing_delay) = self.queueing_delay(ack) else { return };
        let change = self.change(window, ack, queueing_delay);
        let exact = f64::from(window.cwnd) + self.fraction + change;
        let exact = exact.max(f64::from(MINIMUM_CWND));
        window.cwnd = exact as u32;
        self.fraction = exact - f64::from(window.cwnd);
    }

    /// Half the window, but not below the minimum, and never more than the window (RFC 6817 section
    /// 2.4.2, on data loss). A mark counts as a loss (RFC 3168 section 5).
    fn reduce(&mut self, window: &Window, _cause: Reduction, _now: Time) -> u32 {
        self.fraction = 0.0;
        (window.cwnd / 2).max(MINIMUM_CWND).min(window.cwnd)
    }
}

/// The least delay of each of the last minutes: `update_base_delay` of RFC 6817 section 2.4.2.
#[derive(Clone, Debug, Default)]
struct BaseDelays {
    /// The least delays of the minutes, the latest at the end.
    minima: [u32; BASE_HISTORY],
    minute: u32,
    /// The number of entries at the end that are known.
    known: u8,
}

impl BaseDelays {
    fn take(&mut self, delay: u32, now: Time) {
        let minute = (now.as_nanos() / Span::from_secs(60).as_nanos()) as u32;
        let latest = &mut self.minima[BASE_HISTORY - 1];
        if self.known > 0 && minute == self.minute {
            *latest = lesser(*latest, delay);
            return;
        }
        self.minima.rotate_left(1);
        self.minima[BASE_HISTORY - 1] = delay;
        (self.known, self.minute) = ((self.known + 1).min(BASE_HISTORY as u8), minute);
    }

    fn least(&self) -> Option<u32> {
        let unknown = BASE_HISTORY - usize::from(self.known);
        self.minima[unknown..].iter().copied().reduce(lesser)
    }
}

/// The latest delays: `update_current_delay` of RFC 6817 section 2.4.2. The filter is their
/// minimum, so that an acknowledgement which waited at the receiver does not count.
#[derive(Clone, Debug, Default)]
struct CurrentDelays {
    /// The delays, the latest at the end.
    delays: [u32; CURRENT_FILTER],
    /// The times at which the delays were measured.
    measured: [Time; CURRENT_FILTER],
    /// The number of entries at the end that are known.
    known: u8,
}

impl CurrentDelays {
    fn take(&mut self, delay: u32, now: Time) {
        self.delays.rotate_left(1);
        self.measured.rotate_left(1);
        (self.delays[CURRENT_FILTER - 1], self.measured[CURRENT_FILTER - 1]) = (delay, now);
        self.known = (self.known + 1).min(CURRENT_FILTER as u8);
    }

    /// The least delay of the last round trip (RFC 6817 section 2.5: older ones do not count,
    /// except the latest); `None` before the first.
    fn filtered(&self, round_trip: Span, now: Time) -> Option<u32> {
        let measured = self.measured.iter().zip(&self.delays).rev();
        let mut known = measured.take(usize::from(self.known));
        let (_, latest) = known.next()?;
        let fresh = known.take_while(|(measured, _)| now.since(**measured) <= round_trip);
        Some(fresh.fold(*latest, |least, (_, delay)| lesser(least, *delay)))
    }
}

/// The lesser of two differences that wrap.
fn lesser(one: u32, other: u32) -> u32 {
    if (one.wrapping_sub(other) as i32) < 0 { one } else { other }
}

#[cfg(test)]
mod tests;
