//! ICMP echo: a request in each interval, a reply to each, and the time between the two.
//!
//! Specification: RFC 792; for [`PingTimer::Iputils`] `pinger` and `main_loop` of iputils
//! (20221126). Deviations: where no reply comes, iputils waits in ticks of the kernel, and here the
//! time is exact.

use results::{FlowKind, FlowResult};
use scenario::PingTimer;
use units::{Bytes, Span, Time};

use crate::{ActivePeriod, Datagram, Delays, End};

/// The time by which a timer of a process is late on Linux (`PR_SET_TIMERSLACK`, its default).
const SLACK: Span = Span::from_micros(50);

/// ICMP echo requests, one in each interval, and the round trips.
#[derive(Debug)]
pub struct Ping {
    interval: Span,
    timer: PingTimer,
    payload: Bytes,
    active: ActivePeriod,
    /// The time of the last request.
    last: Time,
    next: Time,
    outbox: Option<Datagram>,
    delays: Delays,
    latest: Option<Span>,
}

impl Ping {
    /// Requests with a payload of `payload`, one in each `interval`.
    pub(crate) fn new(
        interval: Span,
        timer: PingTimer,
        payload: Bytes,
        active: ActivePeriod,
    ) -> Self {
        let (last, next, delays) = (active.start, active.start, Delays::default());
        Self { interval, timer, payload, active, last, next, outbox: None, delays, latest: None }
    }

    /// The time of the next request; `None` if none follows.
    pub fn next_wake(&self) -> Option<Time> {
        (self.next < self.active.stop).then_some(self.next)
    }

    /// Sends a request, at the time of [`next_wake`](Self::next_wake) or somewhat later.
    pub fn on_time(&mut self, now: Time) {
        self.outbox = Some(Datagram { from: End::Source, sent: now, payload: self.payload });
        self.last = now;
        self.next = match self.timer {
            PingTimer::Regular => self.next + self.interval,
            PingTimer::Iputils => now + self.interval,
        };
    }

    /// Takes a packet that has been delivered and carries the time `sent`. At the sink it is a
    /// request, which is answered, and at the source a reply.
    pub fn on_datagram(&mut self, at: End, sent: Time, now: Time) {
        match at {
            End::Sink => {
                self.outbox = Some(Datagram { from: End::Sink, sent, payload: self.payload });
            }
            End::Source => {
                let rtt = now.since(sent);
                self.latest = Some(rtt);
                self.delays.record(rtt);
                if self.timer == PingTimer::Iputils {
                    self.next = self.next_after_reply(now);
                }
            }
        }
    }

    /// The time of the next request if a reply comes now. The time since the last request is
    /// rounded down to whole milliseconds, and so are the times that iputils waits: the interval is
    /// longer by the fraction.
    fn next_after_reply(&self, now: Time) -> Time {
        let passed = Span::from_millis(now.since(self.last).as_nanos() / 1_000_000);
        match self.interval.saturating_sub(passed) {
            Span::ZERO => now,
            left => now + left + SLACK,
        }
    }

    /// The packet to send now, once after each of the calls above; `None` if there is none.
    #[inline]
    pub fn next_datagram(&mut self) -> Option<Datagram> {
        self.outbox.take()
    }

    /// Restarts the statistics, after the warm-up.
    pub fn reset(&mut self) {
        self.delays.reset();
    }

    /// Round trips since the statistics began.
    pub fn delays(&self) -> &Delays {
        &self.delays
    }

    /// The payload of a packet.
    pub fn payload(&self) -> Bytes {
        self.payload
    }

    /// Takes the latest round trip; `None` if it has been taken before, or before the first.
    #[inline]
    pub fn take_round_trip(&mut self) -> Option<Span> {
        self.delays.take_latest()
    }

    /// The latest round trip; `None` before the first.
    pub fn latest(&self) -> Option<Span> {
        self.latest
    }

    /// The result since the statistics began.
    pub fn result(&self) -> FlowResult {
        FlowResult {
            kind: FlowKind::Ping,
            rtt_ms: Some(self.delays.spread()),
            ..FlowResult::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_tells_the_round_trip_of_its_request() {
        let millis = Time::from_millis;
        let active = ActivePeriod { start: millis(100), stop: millis(300) };
        let mut ping = Ping::new(Span::from_millis(100), PingTimer::Regular, Bytes(56), active);
        assert_eq!(ping.next_wake(), Some(millis(100)));
        ping.on_time(millis(101));
        let request = ping.next_datagram().unwrap();
        assert_eq!(request, Datagram { from: End::Source, sent: millis(101), payload: Bytes(56) });
        ping.on_datagram(End::Sink, request.sent, millis(111));
        let reply = ping.next_datagram().unwrap();
        assert_eq!(reply, Datagram { from: End::Sink, ..request });
        ping.on_datagram(End::Source, reply.sent, millis(131));
        assert_eq!((ping.next_datagram(), ping.latest()), (None, Some(Span::from_millis(30))));
        assert_eq!((ping.take_round_trip(), ping.take_round_trip()), (ping.latest(), None));
        // The next request is due when it would have been without the delay.
        assert_eq!(ping.next_wake(), Some(millis(200)));
        ping.on_time(millis(200));
        assert_eq!(ping.next_wake(), None, "the application has stopped");
    }

    /// iputils `pinger`: 20.9 ms are 20, and the next request follows the reply by 30 ms. Of the
    /// reply to an earlier request it looks at the time only.
    #[test]
    fn the_ping_of_iputils_waits_for_whole_milliseconds_from_a_reply() {
        let micros = |micros| Time::ZERO + Span::from_micros(micros);
        let active = ActivePeriod { start: Time::ZERO, stop: Time::from_secs(1) };
        let mut ping = Ping::new(Span::from_millis(50), PingTimer::Iputils, Bytes(56), active);
        ping.on_time(Time::ZERO);
        assert_eq!(ping.next_wake(), Some(micros(50_000)), "without a reply");
        ping.on_datagram(End::Source, Time::ZERO, micros(20_900));
        assert_eq!(ping.next_wake(), Some(micros(50_950)));
        ping.on_time(micros(50_950));
        assert_eq!(ping.next_wake(), Some(micros(100_950)));
        ping.on_datagram(End::Source, Time::ZERO, micros(80_900));
        assert_eq!(ping.next_wake(), Some(micros(101_950)), "29 of 50 ms have passed");
        ping.on_datagram(End::Source, Time::ZERO, micros(101_000));
        assert_eq!(ping.next_wake(), Some(micros(101_000)), "50 of 50 ms have passed");
    }
}
