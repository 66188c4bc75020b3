//! The shaper in deficit mode: clocks that run ahead of time by what has been sent. There is no
//! bucket and so no burst: a packet goes when the clock is not ahead.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_set_rate`, `cake_advance_shaper`, and the
//! beginnings of `cake_enqueue` and `cake_dequeue`.

use units::{Bytes, Rate, Span, Time};

/// The slowest rate, in bytes per second, so that a wrong setting can be mended in reasonable time
/// (`cake_set_rate`).
const SLOWEST: u64 = 64;

/// The time that a byte takes, in nanoseconds: a factor and a number of bits to shift right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteTime {
    factor: u64,
    shift: u32,
}

impl ByteTime {
    /// The time of a byte at this number of bytes per second.
    fn at(bytes_per_sec: u64) -> Self {
        let mut this =
            Self { factor: (1_000_000_000 << 34) / bytes_per_sec.max(SLOWEST), shift: 34 };
        while this.factor >> 34 != 0 {
            this.factor >>= 1;
            this.shift -= 1;
        }
        this
    }

    /// The time that these bytes take.
    pub(super) const fn of(self, bytes: Bytes) -> Span {
        Span::from_nanos((bytes.0 * self.factor) >> self.shift)
    }
}

/// The clock of a tin, which is ahead of time while the tin is above its threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct TinClock {
    /// The bytes per second up to which the tin has priority; `None` without a limit.
    threshold: Option<u64>,
    byte_time: Option<ByteTime>,
    next: Time,
}

impl TinClock {
    /// A clock that is not ahead, with a threshold in bytes per second.
    pub(super) fn new(threshold: Option<u64>) -> Self {
        Self { threshold, byte_time: threshold.map(ByteTime::at), next: Time::ZERO }
    }

    /// Changes the threshold, and nothing else.
    pub(super) fn change(&mut self, threshold: Option<u64>) {
        *self = Self { next: self.next, ..Self::new(threshold) };
    }

    /// The threshold in bytes per second; `None` without a limit.
    pub(super) const fn threshold(&self) -> Option<u64> {
        self.threshold
    }

    /// The time that these bytes take at the threshold; zero without a limit.
    pub(super) fn time_of(&self, bytes: Bytes) -> Span {
        self.byte_time.map_or(Span::ZERO, |byte_time| byte_time.of(bytes))
    }

    /// Brings up a clock that lags: an idle tin saves nothing.
    pub(super) fn catch_up(&mut self, now: Time) {
        self.next = self.next.max(now);
    }

    /// The time at which the tin is at its threshold.
    pub(super) const fn next(&self) -> Time {
        self.next
    }

    fn advance(&mut self, bytes: Bytes, now: Time) {
        let Some(byte_time) = self.byte_time else { return };
        let taken = byte_time.of(bytes);
        if self.next < now {
            self.next += taken;
        } else {
            self.next = self.next.max(now + taken);
        }
    }
}

/// The shaper of the whole queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaper {
    byte_time: Option<ByteTime>,
    next: Time,
    /// A second clock, which counts only what is sent, at two thirds of the rate: with `ingress`
    /// the first one also counts what is dropped, and might never let a packet go.
    failsafe: Time,
}

impl Shaper {
    /// A shaper that may send, with a rate in bytes per second; `None` without a limit.
    pub(super) fn new(rate: Option<u64>) -> Self {
        Self { byte_time: rate.map(ByteTime::at), next: Time::ZERO, failsafe: Time::ZERO }
    }

    /// Changes the rate, and nothing else.
    pub(super) fn change(&mut self, rate: Option<u64>) {
        self.byte_time = rate.map(ByteTime::at);
    }

    /// True without a limit.
    pub(super) const fn is_unlimited(&self) -> bool {
        self.byte_time.is_none()
    }

    /// The time at which the next packet may go; `None` if it may go now.
    pub(super) fn not_before(&self, now: Time) -> Option<Time> {
        let next = self.next.min(self.failsafe);
        (next > now).then_some(next)
    }

    /// Brings up clocks that lag, at the first packet after idleness.
    pub(super) fn catch_up(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.failsafe) = (now, now);
        }
    }

    /// Charges a packet to the shaper and to its tin; `sent` is false for a packet that is dropped.
    pub(super) fn charge(&mut self, tin: &mut TinClock, bytes: Bytes, sent: bool, now: Time) {
        let Some(byte_time) = self.byte_time else { return };
        tin.advance(bytes, now);
        let taken = byte_time.of(bytes);
        self.next += taken;
        if sent {
            self.failsafe += taken + taken / 2;
        }
    }
}

/// The bytes per second of a rate.
pub(super) const fn bytes_per_sec(rate: Rate) -> u64 {
    rate.bits_per_sec() / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_takes_its_time() {
        for mbit in [1_u64, 7, 100, 1000, 40_000] {
            let bytes_per_sec = mbit * 125_000;
            let taken = ByteTime::at(bytes_per_sec).of(Bytes(1514)).as_nanos();
            let exact = 1514 * 1_000_000_000 / bytes_per_sec;
            assert!(exact.abs_diff(taken) <= 1, "{mbit}: {taken}, not {exact}");
        }
        assert_eq!(ByteTime::at(0).of(Bytes(64)), Span::from_secs(1));
    }

    /// Packets of 1250 bytes take 1 ms at 10 Mbit/s, however they come.
    #[test]
    fn a_packet_goes_when_the_clock_is_not_ahead() {
        let (mut shaper, mut tin) = (Shaper::new(Some(1_250_000)), TinClock::new(Some(1_250_000)));
        let now = Time::from_secs(5);
        shaper.catch_up(now);
        tin.catch_up(now);
        assert_eq!(shaper.not_before(now), None);
        shaper.charge(&mut tin, Bytes(1250), true, now);
        assert_eq!(shaper.not_before(now), Some(now + Span::from_millis(1)));
        assert_eq!(tin.next(), now + Span::from_millis(1));
        let late = now + Span::from_micros(1500);
        shaper.charge(&mut tin, Bytes(1250), true, late);
        assert_eq!(shaper.not_before(late), Some(now + Span::from_millis(2)), "late is not lost");
        let idle = now + Span::from_secs(1);
        shaper.catch_up(idle);
        shaper.charge(&mut tin, Bytes(1250), true, idle);
        assert_eq!(shaper.not_before(idle), Some(idle + Span::from_millis(1)), "idle is lost");
    }

    /// What is dropped delays what is sent, to a rate of two thirds at the least.
    #[test]
    fn the_second_clock_lets_packets_go() {
        let (mut shaper, mut tin) = (Shaper::new(Some(1_250_000)), TinClock::new(Some(1_250_000)));
        let now = Time::from_secs(1);
        shaper.catch_up(now);
        (0..100).for_each(|_| shaper.charge(&mut tin, Bytes(1250), false, now));
        shaper.charge(&mut tin, Bytes(1250), true, now);
        assert_eq!(shaper.not_before(now), Some(now + Span::from_micros(1500)));
    }

    #[test]
    fn without_a_rate_packets_go_at_once() {
        let (mut shaper, mut tin) = (Shaper::new(None), TinClock::new(None));
        shaper.charge(&mut tin, Bytes(1250), true, Time::ZERO);
        assert_eq!((shaper.not_before(Time::ZERO), tin.next()), (None, Time::ZERO));
        assert!(shaper.is_unlimited());
    }
}
