//! Packets at a constant rate over UDP, as in a call. Each carries the time at which it was sent.

use std::io;
use std::os::fd::OwnedFd;

use live::Clock;
use rustix::event::epoll::EventFlags;
use rustix::net::{SendFlags, send};
use units::Time;
use workload::Cbr;

use super::gauges::OwnGauges;
use super::outcome::FlowOutcome;
use super::stamp::received_at;
use super::worker::{BURST, Poll, SocketFlow};
use crate::fit::STAMP;

/// The application and the sockets at both its ends.
pub(super) struct Call {
    pub(super) application: Cbr,
    pub(super) source: OwnedFd,
    pub(super) sink: OwnedFd,
    pub(super) clock: Clock,
    /// The packet that is sent.
    pub(super) packet: Vec<u8>,
    pub(super) gauges: OwnGauges,
}

impl SocketFlow for Call {
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        poll.add(&self.sink, 0, EventFlags::IN)
    }

    fn ready(&mut self, _: u32, _: EventFlags, _: Time, _: &mut Poll<'_>) -> io::Result<()> {
        let mut stamp = [0; STAMP.0 as usize];
        for _ in 0..BURST {
            // An error comes from the network, such as an unreachable port: no packet has been
            // received.
            let Ok((len, age)) = kernel::receive_stamped(&self.sink, &mut stamp) else { break };
            if len < stamp.len() {
                continue;
            }
            let sent = Time::from_nanos(u64::from_be_bytes(stamp));
            self.application.on_datagram(sent, received_at(self.clock, age));
        }
        self.gauges.show_delivered(self.application.delivered());
        Ok(())
    }

    fn wake(&mut self, now: Time, _: &mut Poll<'_>) -> io::Result<()> {
        for _ in 0..BURST {
            if self.application.next_wake().is_none_or(|due| due > now) {
                break;
            }
            self.application.on_time(self.clock.now());
            let Some(datagram) = self.application.next_datagram() else { break };
            if let Some(room) = self.packet.first_chunk_mut() {
                *room = datagram.sent.as_nanos().to_be_bytes();
            }
            // A packet that the kernel does not take is lost, like any other.
            let _ = send(&self.source, &self.packet, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        }
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        self.application.next_wake()
    }

    fn reset(&mut self) {
        self.application.reset();
    }

    fn outcome(&self, from: Time, to: Time) -> FlowOutcome {
        let delays = self.application.delays().histogram().clone();
        FlowOutcome { result: self.application.result(&(from..to)), delays }
    }
}
