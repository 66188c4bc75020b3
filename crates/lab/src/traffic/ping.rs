//! ICMP echo over a socket of the kernel, which answers at the other end.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;

use live::Clock;
use rustix::event::epoll::EventFlags;
use rustix::net::{SendFlags, send};
use units::Time;
use workload::End;

use super::gauges::OwnGauges;
use super::outcome::FlowOutcome;
use super::stamp::received_at;
use super::worker::{BURST, Poll, SocketFlow};

/// The length of a header: type, code, checksum, identifier, sequence number (RFC 792). The kernel
/// fills in the checksum and the identifier.
const HEADER: usize = 8;
const ECHO_REQUEST: u8 = 8;
const ECHO_REPLY: u8 = 0;

/// A ping: its application, and the socket at its source.
pub(super) struct Ping {
    socket: OwnedFd,
    clock: Clock,
    application: workload::Ping,
    packet: Vec<u8>,
    requests: Requests,
    gauges: OwnGauges,
}

/// The requests whose replies may still come, in order.
#[derive(Debug, Default)]
struct Requests {
    /// The sequence number of the first of these requests.
    first: u16,
    sent: VecDeque<Option<Time>>,
}

impl Requests {
    /// All sequence numbers but one.
    const MOST: usize = u16::MAX as usize;

    /// Adds a request that is sent now. Returns its sequence number.
    fn add(&mut self, now: Time) -> u16 {
        if self.sent.len() == Self::MOST {
            self.forget_first();
        }
        let sequence = self.first.wrapping_add(self.sent.len() as u16);
        self.sent.push_back(Some(now));
        sequence
    }

    /// The send time of the request to this reply; `None` if it is unknown or answered already.
    fn answer(&mut self, sequence: u16) -> Option<Time> {
        let index = usize::from(sequence.wrapping_sub(self.first));
        let sent = self.sent.get_mut(index)?.take();
        while self.sent.front().is_some_and(Option::is_none) {
            self.forget_first();
        }
        sent
    }

    fn forget_first(&mut self) {
        self.sent.pop_front();
        self.first = self.first.wrapping_add(1);
    }
}

impl Ping {
    /// A ping from this socket.
    pub(super) fn new(
        socket: OwnedFd,
        clock: Clock,
        application: workload::Ping,
        gauges: OwnGauges,
    ) -> Self {
        let mut packet = vec![0; HEADER + application.payload().0 as usize];
        packet[0] = ECHO_REQUEST;
        Self { socket, clock, application, packet, requests: Requests::default(), gauges }
    }
}

impl SocketFlow for Ping {
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        poll.add(&self.socket, 0, EventFlags::IN)
    }

    fn ready(&mut self, _: u32, _: EventFlags, _: Time, _: &mut Poll<'_>) -> io::Result<()> {
        let mut header = [0; HEADER];
        for _ in 0..BURST {
            // An error comes from the network, such as an unreachable host: no reply has been
            // received.
            let Ok((len, age)) = kernel::receive_stamped(&self.socket, &mut header) else { break };
            let [kind, .., high, low] = header;
            if len < HEADER || kind != ECHO_REPLY {
                continue;
            }
            if let Some(sent) = self.requests.answer(u16::from_be_bytes([high, low])) {
                self.application.on_datagram(End::Source, sent, received_at(self.clock, age));
            }
            if let Some(rtt) = self.application.take_round_trip() {
                self.gauges.show_round_trip(rtt);
            }
        }
        Ok(())
    }

    fn wake(&mut self, now: Time, _: &mut Poll<'_>) -> io::Result<()> {
        for _ in 0..BURST {
            if self.application.next_wake().is_none_or(|due| due > now) {
                break;
            }
            self.application.on_time(self.clock.now());
            let Some(request) = self.application.next_datagram() else { break };
            let sequence = self.requests.add(request.sent);
            self.packet[6..HEADER].copy_from_slice(&sequence.to_be_bytes());
            // A packet that the kernel does not take is lost, like any other.
            let _ = send(&self.socket, &self.packet, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        }
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        self.application.next_wake()
    }

    fn reset(&mut self) {
        self.application.reset();
    }

    fn outcome(&self, _: Time, _: Time) -> FlowOutcome {
        let delays = self.application.delays().histogram().clone();
        FlowOutcome { result: self.application.result(), delays }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_find_their_requests_once_and_in_any_order() {
        let mut requests = Requests::default();
        let millis = Time::from_millis;
        let sequences: Vec<u16> = (0..3).map(|n| requests.add(millis(n))).collect();
        assert_eq!(requests.answer(sequences[1]), Some(millis(1)));
        assert_eq!(requests.answer(sequences[1]), None);
        assert_eq!(requests.answer(sequences[0]), Some(millis(0)));
        assert_eq!(requests.sent.len(), 1);
        assert_eq!((requests.answer(40_000), requests.answer(sequences[0])), (None, None));
        assert_eq!(requests.answer(sequences[2]), Some(millis(2)));
    }

    #[test]
    fn numbers_begin_again_and_old_requests_are_forgotten() {
        let mut requests = Requests::default();
        let all: Vec<u16> = (0..200_000).map(|n| requests.add(Time::from_millis(n))).collect();
        assert_eq!(requests.sent.len(), Requests::MOST);
        let last = 199_999;
        assert_eq!(requests.answer(all[last]), Some(Time::from_millis(last as u64)));
        assert_eq!(requests.answer(all[last - 65_534]), Some(Time::from_millis(134_465)));
        assert_eq!(requests.answer(all[last - 65_535]), None);
    }
}
