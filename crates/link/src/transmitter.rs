//! The exact times at which the last bits of packets are sent.

use units::{Bytes, Rate, Serializer, Span, Time};

use crate::schedule::NANOBITS_PER_BYTE;
use crate::{Capacity, Schedule, Trace};

/// A wire that sends one packet after the other.
#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    /// The time at which the last bit of the last packet is sent. With a shaper: the time, by the
    /// shaper's clock, at which the shaper's debt is paid.
    free_at: Time,
    /// The token bucket; `None` for a wire without a shaper.
    shaper: Option<Shaper>,
    pace: Pace,
}

/// A token bucket.
#[derive(Clone, Copy, Debug)]
struct Shaper {
    /// The bytes that the bucket saves up while the shaper is idle.
    burst: Bytes,
    /// The time by which the shaper's clock is ahead of ours: as long as the bucket takes to fill.
    /// So the bucket is full when our time begins.
    ahead: Span,
}

#[derive(Clone, Debug)]
enum Pace {
    Unlimited,
    Constant(Serializer),
    Scheduled(Steps),
    Traced(Opportunities),
}

impl Transmitter {
    pub(crate) fn new(capacity: Capacity, shaper: Option<Bytes>) -> Self {
        let rate = capacity.initial_rate();
        let shaper = shaper
            .map(|burst| Shaper { burst, ahead: rate.map_or(Span::ZERO, |rate| burst / rate) });
        let pace = match capacity {
            Capacity::Unlimited => Pace::Unlimited,
            Capacity::Constant(rate) => Pace::Constant(Serializer::new(rate)),
            Capacity::Scheduled(schedule) => Pace::Scheduled(Steps::new(match shaper {
                None => schedule,
                Some(Shaper { ahead, .. }) => schedule.later(ahead),
            })),
            Capacity::Traced(trace) => Pace::Traced(Opportunities::new(trace)),
        };
        Self { free_at: Time::ZERO, shaper, pace }
    }

    /// The time at which the last bit of the last packet is sent.
    #[inline]
    pub(crate) fn free_at(&self) -> Time {
        match self.shaper {
            None => self.free_at,
            Some(Shaper { ahead, .. }) => self.free_at - ahead,
        }
    }

    /// The first time from `now` on at which a packet can start.
    #[inline]
    pub(crate) fn ready(&self, now: Time) -> Time {
        match &self.pace {
            Pace::Traced(opportunities) => opportunities.ready(now),
            _ => self.free_at().max(now),
        }
    }

    /// The time at which a packet that comes at `now` could start, if `ahead` is sent before it.
    pub(crate) fn ready_behind(&self, ahead: Bytes, now: Time) -> Time {
        let start = self.ready(now);
        if ahead == Bytes::ZERO {
            return start;
        }
        let mut then = self.clone();
        then.send(ahead, start);
        then.ready(start)
    }

    /// The rate at which packets are sent, the highest of all times; `None` for a wire without a
    /// limit, with a shaper, or with a trace.
    pub(crate) fn highest_rate(&self) -> Option<Rate> {
        match &self.pace {
            _ if self.shaper.is_some() => None,
            Pace::Constant(serializer) => Some(serializer.rate()),
            Pace::Scheduled(steps) => steps.schedule.steps().iter().map(|(_, rate)| *rate).max(),
            Pace::Unlimited | Pace::Traced(_) => None,
        }
    }

    /// Changes a constant rate; returns false if there is none. A packet that is being sent keeps
    /// its rate. The bytes that a shaper owes or has saved up stay.
    pub(crate) fn change_rate(&mut self, rate: Rate, now: Time) -> bool {
        let Pace::Constant(serializer) = &mut self.pace else { return false };
        let before = serializer.rate();
        if before == rate {
            return true;
        }
        *serializer = Serializer::new(rate);
        if let Some(Shaper { burst, ahead }) = &mut self.shaper {
            let clock = now + *ahead;
            let debt = before * self.free_at.since(clock);
            let saved = (before * clock.since(self.free_at)).min(*burst);
            // At the slower rate the bucket takes longer to fill, also before time zero.
            *ahead = (*ahead).max(*burst / rate);
            self.free_at = now + *ahead + debt / rate - saved / rate;
        }
        true
    }

    /// True if a packet is being sent. Always false for a trace: a wire that waits for its next
    /// opportunity may have no packet to send.
    pub(crate) fn is_sending(&self, now: Time) -> bool {
        !matches!(self.pace, Pace::Traced(_)) && self.free_at() > now
    }

    /// True while a shaper saves up its burst: until the bucket is full, no part of the rate is
    /// wasted.
    pub(crate) fn is_saving(&self, now: Time) -> bool {
        self.shaper.is_some_and(|shaper| {
            let clock = now + shaper.ahead;
            self.free_at > clock - self.pace.saved(shaper, clock)
        })
    }

    /// True if the rate is constant or unlimited, and no shaper's: that of most wires.
    pub(crate) const fn is_plain(&self) -> bool {
        self.shaper.is_none() && matches!(self.pace, Pace::Constant(_) | Pace::Unlimited)
    }

    /// What [`send`](Self::send) does, on a [plain](Self::is_plain) wire that is free.
    #[inline]
    pub(crate) fn send_plain(&mut self, len: Bytes, now: Time) -> Time {
        let span = self.pace.plain_span(len, self.free_at < now);
        self.free_at = now + span.unwrap_or(Span::ZERO);
        self.free_at
    }

    /// Takes back the last packet of a [plain](Self::is_plain) wire, which started at `start`, when the
    /// packet before had left.
    pub(crate) fn take_back(&mut self, len: Bytes, start: Time) {
        if let Pace::Constant(serializer) = &mut self.pace {
            serializer.take_back(len, self.free_at.since(start));
        }
        self.free_at = start;
    }

    /// Sends a packet that starts at `now`, which must be [`ready`](Self::ready). Returns the time
    /// at which the packet has left.
    #[inline]
    pub(crate) fn send(&mut self, len: Bytes, now: Time) -> Time {
        match self.shaper {
            None => self.occupy(len, now),
            Some(shaper) => self.send_shaped(shaper, len, now),
        }
    }

    #[inline(never)]
    fn send_shaped(&mut self, shaper: Shaper, len: Bytes, now: Time) -> Time {
        let clock = now + shaper.ahead;
        let saved = self.pace.saved(shaper, clock);
        self.occupy(len, self.free_at.max(clock - saved));
        now
    }

    /// Uses the rate for a packet, from `now` on. Returns the time at which the packet has used it.
    #[inline]
    fn occupy(&mut self, len: Bytes, now: Time) -> Time {
        let idle = self.free_at < now;
        if let Some(span) = self.pace.plain_span(len, idle) {
            self.free_at = now + span;
            return self.free_at;
        }
        self.free_at = match &mut self.pace {
            Pace::Unlimited | Pace::Constant(_) => now,
            Pace::Scheduled(steps) => {
                if idle {
                    steps.carry = 0;
                }
                steps.send(len, now)
            }
            Pace::Traced(opportunities) => opportunities.send(len, now),
        };
        self.free_at
    }
}

impl Pace {
    /// The time for which a packet occupies a wire whose rate is constant or unlimited; `None` for
    /// another. `idle` is true if the wire was free before.
    #[inline]
    fn plain_span(&mut self, len: Bytes, idle: bool) -> Option<Span> {
        match self {
            Self::Unlimited => Some(Span::ZERO),
            Self::Constant(serializer) => {
                if idle {
                    serializer.restart();
                }
                Some(serializer.span(len))
            }
            Self::Scheduled(_) | Self::Traced(_) => None,
        }
    }

    /// The rate at this time; `None` if there is no limit, or for a trace.
    fn rate(&self, now: Time) -> Option<Rate> {
        match self {
            Self::Constant(serializer) => Some(serializer.rate()),
            Self::Scheduled(steps) => Some(steps.schedule.rate_at(now)),
            Self::Unlimited | Self::Traced(_) => None,
        }
    }

    /// The time in which an empty bucket fills, at the rate of this time.
    fn saved(&self, shaper: Shaper, clock: Time) -> Span {
        self.rate(clock).map_or(Span::ZERO, |rate| shaper.burst / rate)
    }
}

/// The position of a wire in its schedule.
#[derive(Clone, Debug)]
struct Steps {
    schedule: Schedule,
    /// The index of the step that holds at the end of the last packet.
    index: usize,
    /// The rest of the last packet that is still to be sent at the end that was computed for the
    /// packet, which is rounded down to a nanosecond. The unit is bits times 10^9, and the rest is
    /// less than the rate. The rest is an amount and not a time, so that a change of rate does not
    /// affect it.
    carry: u128,
}

impl Steps {
    const fn new(schedule: Schedule) -> Self {
        Self { schedule, index: 0, carry: 0 }
    }

    /// Integrates the rate from `now` until the packet is sent.
    #[inline(never)]
    fn send(&mut self, len: Bytes, now: Time) -> Time {
        let mut left = u128::from(len.0) * NANOBITS_PER_BYTE + self.carry;
        let mut now = now;
        loop {
            let end = self.schedule.end(self.index);
            let rate = u128::from(self.rate().bits_per_sec());
            let rest = u128::from(end.since(now).as_nanos()) * rate;
            if left < rest || end == Time::MAX {
                self.carry = left % rate;
                let nanos = u64::try_from(left / rate).unwrap_or(u64::MAX);
                return now + Span::from_nanos(nanos);
            }
            left -= rest;
            now = now.max(end);
            self.index += 1;
        }
    }

    fn rate(&self) -> Rate {
        self.schedule.steps()[self.index].1
    }
}

/// The position of a wire in its trace.
#[derive(Clone, Debug)]
struct Opportunities {
    trace: Trace,
    /// The number of the opportunity for the next byte, counted from 0.
    next: u64,
    /// The time of that opportunity.
    at: Time,
    /// The bytes of that opportunity that have been used.
    used: u64,
}

impl Opportunities {
    fn new(trace: Trace) -> Self {
        Self { at: trace.time(0), trace, next: 0, used: 0 }
    }

    #[inline(never)]
    fn ready(&self, now: Time) -> Time {
        if self.at >= now { self.at } else { self.trace.time(self.trace.first_from(now)) }
    }

    #[inline(never)]
    fn send(&mut self, len: Bytes, now: Time) -> Time {
        if self.at < now {
            self.next = self.trace.first_from(now);
            self.used = 0;
        }
        let each = Trace::OPPORTUNITY.0;
        let used = self.used.saturating_add(len.0);
        let last = self.trace.time(self.next.saturating_add(used.saturating_sub(1) / each));
        self.next = self.next.saturating_add(used / each);
        self.used = used % each;
        self.at = self.trace.time(self.next);
        last
    }
}

#[cfg(test)]
mod tests;
