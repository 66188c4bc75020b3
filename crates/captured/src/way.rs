//! The way of an end's packets to the place of the capture, by their timestamps.
//!
//! A timestamp is the time of its sender's clock, in ticks (RFC 7323 section 4.1). The time at which a packet passes, less
//! its timestamp, is the way of the packet and an offset that only drifts. What a packet takes beyond the shortest way
//! is its wait (S. Moon et al., "Estimation and removal of clock skew from network delay measurements", INFOCOM 1999).
//! So a round trip, whose last packet has a timestamp, comes apart into the two ways.

use units::{Span, Time};

use crate::sequence::Unwrapper;

/// The ticks of the clocks in use. RFC 7323 section 5.4 allows 1 ms to 1 s; Linux has 1 ms, 4 or 10 ms before version
/// 4.13, and 1 us where a route asks for it (`tcp_usec_ts`). Longer ones tell little of queues.
const TICKS: [Span; 4] =
    [Span::from_micros(1), Span::from_millis(1), Span::from_millis(4), Span::from_millis(10)];

/// The part by which the time of a tick may differ from that of a clock, since the way changes meanwhile.
const DIFFERS: f64 = 0.2;

/// The shortest time, and the fewest ticks, that show a clock. The clock is known once two such times in a row show the
/// same: a burst that leaves a slow line looks like a slower clock for a while.
const SHORTEST: Span = Span::from_millis(250);
const FEWEST: u64 = 10;

/// The time from which on the way has become shorter by less than half of the time, and the one from which on it has
/// become longer by less than that. Otherwise the clock was taken for another one.
const SURE: [Span; 2] = [Span::from_secs(1), Span::from_secs(20)];

/// A part of the time by which two clocks drift apart: 20 ppm, as two crystals that nobody corrects mostly do.
const DRIFT: u64 = 50_000;

/// The way of the packets of an end. All differences of its clock and that of the capture are in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    space: Unwrapper,
    /// The first timestamp and its time; `None` before it.
    first: Option<(u64, Time)>,
    /// The time of a tick; `None` while it is not known.
    tick: Option<Span>,
    /// What the clock has shown before [`since`](Self::since); `None` if that was none in use.
    shown: Option<Span>,
    /// The timestamp and the time from which on the clock is looked at, while no tick is known.
    since: (u64, Time),
    /// The least difference for each tick, while none is known.
    leasts: [i64; TICKS.len()],
    /// The difference of the latest packet, and the least one.
    latest: i64,
    least: i64,
    /// The time of the latest packet, and the time since which the least difference may have drifted.
    now: Time,
    confirmed: Time,
}

/// The wait of a packet on its way, at the end of a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WayWait {
    /// The wait by the clocks. A timestamp is up to a tick older than its packet, so that the wait is up to a tick shorter.
    apart: Span,
    tick: Span,
    /// The time by which the clocks may have drifted apart.
    drift: Span,
}

impl WayWait {
    /// The wait on this way; zero if it may be nothing but the tick.
    pub(crate) fn here(&self) -> Span {
        let wait = self.apart.saturating_sub(self.tick / 2 + self.drift);
        if wait > self.tick / 2 { wait } else { Span::ZERO }
    }

    /// The wait on the other way of the round trip, which took so much beyond the shortest one; zero if it may be nothing
    /// but the tick.
    pub(crate) fn there(&self, added: Span) -> Span {
        let here = self.apart.saturating_sub(self.tick / 2) + self.drift;
        let wait = added.saturating_sub(here);
        if wait > self.tick / 2 { wait } else { Span::ZERO }
    }
}

impl Way {
    /// Takes the timestamp of a packet that passes now.
    #[inline]
    pub(crate) fn take(&mut self, value: u32, now: Time) {
        let value = self.space.place(value);
        self.now = now;
        let Some((first, since)) = self.first else {
            self.first = Some((value, now));
            (self.since, self.confirmed) = ((value, now), now);
            return;
        };
        let (passed, ticks) = (now.since(since), value.saturating_sub(first));
        let Some(tick) = self.tick.or_else(|| self.learn(passed, ticks, (value, now))) else {
            return;
        };
        self.latest = difference(passed, ticks, tick);
        let passed = passed.as_nanos().cast_signed();
        if self.latest <= self.least {
            (self.least, self.confirmed) = (self.latest, now);
        }
        let sure = SURE.map(|span| span.as_nanos().cast_signed())[usize::from(self.latest > 0)];
        if passed > sure && self.latest.abs() > passed / 2 {
            *self = Self { space: self.space, ..Self::default() };
        }
    }

    /// Learns the tick of a clock that shows so many since its first timestamp; `None` while it is not known.
    fn learn(&mut self, passed: Span, ticks: u64, latest: (u64, Time)) -> Option<Span> {
        for (least, tick) in self.leasts.iter_mut().zip(TICKS) {
            *least = difference(passed, ticks, tick).min(*least);
        }
        let (from, since) = self.since;
        let (value, now) = latest;
        if now.since(since) >= SHORTEST {
            let found = shown(now.since(since), value.saturating_sub(from));
            self.tick = found.filter(|_| found == self.shown);
            (self.shown, self.since) = (found, latest);
            let index = TICKS.iter().position(|of| Some(*of) == self.tick);
            self.least = index.map_or(0, |index| self.leasts[index]);
        }
        self.tick
    }

    /// The wait of the latest packet, which ends a round trip with so much beyond the shortest one; `None` if the clock
    /// is not known. A wait that is longer shows that the clocks have drifted apart, or that one was set.
    pub(crate) fn wait(&mut self, added: Span) -> Option<WayWait> {
        let most = added + self.tick?;
        let shortest = self.latest.saturating_sub(most.as_nanos().cast_signed());
        if shortest > self.least {
            (self.least, self.confirmed) = (shortest, self.now);
        }
        self.latest_wait()
    }

    /// The shortest way, by the difference of the clocks in nanoseconds.
    pub(crate) const fn shortest(&self) -> i64 {
        self.least
    }

    /// The wait of the latest packet; `None` if the clock is not known.
    pub(crate) fn latest_wait(&self) -> Option<WayWait> {
        let apart = Span::from_nanos((self.latest - self.least).unsigned_abs());
        let drift = self.now.since(self.confirmed) / DRIFT;
        Some(WayWait { apart, tick: self.tick?, drift })
    }
}

/// The time that passed, less the ticks, in nanoseconds.
const fn difference(passed: Span, ticks: u64, tick: Span) -> i64 {
    let shown = tick.as_nanos().saturating_mul(ticks);
    passed.as_nanos().cast_signed().saturating_sub_unsigned(shown)
}

/// The tick of a clock that shows so many in this time; `None` if that is none of those in use, or too little.
fn shown(passed: Span, ticks: u64) -> Option<Span> {
    if ticks < FEWEST {
        return None;
    }
    let shown = passed.as_secs_f64() / ticks as f64;
    let is_near = |tick: &Span| (shown / tick.as_secs_f64() - 1.0).abs() <= DIFFERS;
    TICKS.into_iter().find(is_near)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    /// Packets each 5 ms by a clock with this tick, from 1 s on, and the wait of the last one, beside a round trip with
    /// so much beyond the shortest.
    fn wait(tick: Span, waits: impl Fn(u64) -> u64, count: u64, added: Span) -> Option<WayWait> {
        let mut way = Way::default();
        for index in 0..count {
            let sent = 5 * index;
            let value = millis(sent).as_nanos() / tick.as_nanos();
            let at = Time::from_secs(1) + millis(sent + waits(index));
            way.take((value as u32).wrapping_sub(20), at);
        }
        way.wait(added)
    }

    #[test]
    fn what_packets_take_beyond_the_shortest_way_is_their_wait() {
        // The last one waits; the others show the shortest way.
        let late = |index| if index == 199 { 80 } else { 30 };
        for tick in TICKS {
            let found = wait(tick, late, 200, millis(70)).unwrap();
            for (wait, truth) in [(found.here(), 0.05), (found.there(millis(70)), 0.02)] {
                let off = wait.as_secs_f64() - truth;
                assert!(off.abs() <= tick.as_secs_f64() / 2.0 + 1e-4, "{tick}: {found:?}");
            }
            let none = wait(tick, |_| 30, 200, Span::ZERO).unwrap();
            assert_eq!((none.here(), none.there(Span::ZERO)), (Span::ZERO, Span::ZERO), "{tick}");
        }
    }

    /// The shortest way may be seen before the clock is known.
    #[test]
    fn the_shortest_way_counts_from_the_beginning_on() {
        let full = |index| if index == 10 { 0 } else { 40 };
        let found = wait(millis(1), full, 200, millis(60)).unwrap();
        assert!(found.here() >= millis(39), "{found:?}");
    }

    #[test]
    fn no_wait_is_longer_than_its_round_trip() {
        // The clock was set: from now on, all packets seem late.
        let set = |index| if index < 150 { 0 } else { 400 };
        let found = wait(millis(1), set, 200, millis(3)).unwrap();
        assert!(found.here() <= millis(4), "{found:?}");
        let mut way = Way::default();
        (0..2000).for_each(|index| way.take(index, Time::from_millis(u64::from(index) * 11 / 10)));
        assert!(way.wait(Span::ZERO).unwrap().here() <= millis(1));
    }

    #[test]
    fn a_clock_that_is_not_known_tells_nothing() {
        assert_eq!(wait(millis(1), |_| 0, 50, millis(50)), None, "too short");
        assert_eq!(wait(millis(2), |_| 0, 200, millis(50)), None, "no tick in use");
        assert_eq!(wait(millis(100), |_| 0, 400, millis(50)), None, "too rough");
        assert_eq!(Way::default().wait(millis(50)), None);
        // Three of four milliseconds more in the queue, for less than half a second: like a clock of 4 ms.
        let filling = |index: u64| (5 * index).min(100) * 3;
        let found = wait(millis(1), filling, 300, Span::from_secs(1)).unwrap();
        assert_eq!(found.tick, millis(1));
    }

    #[test]
    fn a_clock_that_was_taken_for_another_one_is_learned_anew() {
        let mut way = Way::default();
        let mut value = 0;
        for at in 0..40_000_u64 {
            // First 1 ms, then 10 ms.
            value += u32::from(at < 1000 || at % 10 == 0);
            way.take(value, Time::from_millis(at));
        }
        assert_eq!(way.tick, Some(millis(10)));
    }
}
