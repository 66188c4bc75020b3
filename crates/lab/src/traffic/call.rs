//! Packets of one size at one rate over UDP, as in a call. Each has the time at which it was sent.

use std::io;
use std::os::fd::OwnedFd;

use live::Clock;
use meter::ActivePeriod;
use results::{FlowKind, FlowResult, Spread};
use rustix::event::epoll::EventFlags;
use rustix::net::{SendFlags, send};
use stats::Histogram;
use units::{Bytes, Rate, Serializer, Time};

use super::FlowOutcome;
use super::sink::Counter;
use super::worker::{Party, Poll};
use crate::fit::STAMP;

/// The most packets that are sent, or received, before other parties get their turn.
const BURST: usize = 64;

/// The sending end.
pub(super) struct Caller {
    socket: OwnedFd,
    clock: Clock,
    /// The time from one packet to the next, without drift.
    pace: Serializer,
    packet: Vec<u8>,
    life: ActivePeriod,
    next: Time,
}

impl Caller {
    pub(super) fn new(
        socket: OwnedFd,
        clock: Clock,
        (rate, packet): (Rate, Bytes),
        life: ActivePeriod,
    ) -> Self {
        let packet = vec![0; packet.0 as usize];
        Self { socket, clock, pace: Serializer::new(rate), packet, life, next: life.start }
    }
}

impl Party for Caller {
    fn begin(&mut self, _: &mut Poll<'_>) -> io::Result<()> {
        // A sender waits for no events.
        Ok(())
    }

    fn ready(&mut self, _: u32, _: EventFlags, _: Time, _: &mut Poll<'_>) -> io::Result<()> {
        Ok(())
    }

    fn wake(&mut self, now: Time, _: &mut Poll<'_>) -> io::Result<()> {
        for _ in 0..BURST {
            if self.next > now || self.next >= self.life.stop {
                break;
            }
            let stamp = self.clock.now().as_nanos().to_be_bytes();
            if let Some(room) = self.packet.first_chunk_mut() {
                *room = stamp;
            }
            // A packet that the kernel does not take is lost, like any other.
            let _ = send(&self.socket, &self.packet, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
            self.next += self.pace.span(Bytes(self.packet.len() as u64));
        }
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        (self.next < self.life.stop).then_some(self.next)
    }

    fn reset(&mut self) {}

    fn outcome(&self, _: Time, _: Time) -> FlowOutcome {
        FlowOutcome { result: FlowResult::default(), delays: Histogram::new() }
    }
}

/// The receiving end.
pub(super) struct Callee {
    kind: FlowKind,
    socket: OwnedFd,
    clock: Clock,
    life: ActivePeriod,
    delays: Histogram,
    counter: Counter,
}

impl Callee {
    pub(super) fn new(
        kind: FlowKind,
        socket: OwnedFd,
        clock: Clock,
        life: ActivePeriod,
        counter: Counter,
    ) -> Self {
        Self { kind, socket, clock, life, delays: Histogram::new(), counter }
    }
}

impl Party for Callee {
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        poll.add(&self.socket, 0, EventFlags::IN)
    }

    fn ready(&mut self, _: u32, _: EventFlags, _: Time, _: &mut Poll<'_>) -> io::Result<()> {
        let mut stamp = [0; STAMP.0 as usize];
        for _ in 0..BURST {
            // An error comes from the network, such as an unreachable port: there is no packet.
            let Ok((len, age)) = kernel::receive_stamped(&self.socket, &mut stamp) else { break };
            if len < stamp.len() {
                continue;
            }
            let arrived = arrival(self.clock, age);
            let sent = Time::from_nanos(u64::from_be_bytes(stamp));
            self.delays.record(arrived.since(sent).as_nanos());
            self.counter.add(len, arrived);
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.delays = Histogram::new();
        self.counter.reset();
    }

    fn outcome(&self, from: Time, to: Time) -> FlowOutcome {
        let delivered = self.counter.delivered();
        let result = FlowResult {
            kind: self.kind,
            goodput_mbit: self.life.mbit(delivered, self.counter.last, false, (from, to)),
            delay_ms: Some(Spread::of(&self.delays)),
            delivered_bytes: Some(delivered),
            ..FlowResult::default()
        };
        FlowOutcome { result, delays: self.delays.clone() }
    }
}

/// The arrival time of a packet that has waited for `age` in the socket.
pub(super) fn arrival(clock: Clock, age: Option<units::Span>) -> Time {
    let now = clock.now().as_nanos();
    Time::from_nanos(now.saturating_sub(age.map_or(0, units::Span::as_nanos)))
}
