//! Pings to several hosts in turn.
//!
//! Specification: RFC 792 (echo), RFC 4443 section 4.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};

use autorate::{Delay, ReflectorId, Sample};
use kernel::{Clock, receive_from};
use socket2::{Domain, Protocol, Socket, Type};
use units::{Span, Time};
use wire::Checksum;

use super::pending::Pending;
use super::{Asker, failed};
use crate::error::FollowError;
use crate::link_socket::Route;

/// The bytes of a request: a header of 8, and 8 more.
const BYTES: usize = 16;
/// The bytes of an answer that are read: the longest header of IPv4 (RFC 791 section 3.1) before it.
const READ: usize = 60 + BYTES;
/// The least time between two requests to one host: five in a second trouble no host.
const LEAST_PAUSE: Span = Span::from_millis(200);

/// Types of ICMP messages: a request, and its answer.
const TYPES_V4: [u8; 2] = [8, 0];
const TYPES_V6: [u8; 2] = [128, 129];

/// Reflectors: hosts that answer pings.
#[derive(Debug)]
pub(super) struct Reflectors {
    sockets: Vec<Socket>,
    /// The hosts in the order in which they are asked; those behind the number that is wanted are spare.
    hosts: Vec<Host>,
    next: usize,
    next_id: u32,
    identifier: u16,
    pending: Pending,
    route: Route,
    clock: Clock,
}

#[derive(Clone, Copy, Debug)]
struct Host {
    address: IpAddr,
    id: ReflectorId,
    /// The time of the last request; `None` before the first.
    asked: Option<Time>,
}

impl Reflectors {
    /// # Errors
    /// If this process may send no pings.
    pub(super) fn new(hosts: &[IpAddr], route: &Route, clock: Clock) -> Result<Self, FollowError> {
        let open = |domain, protocol| {
            let socket = route.socket(domain, Type::RAW, protocol);
            socket.map_err(failed("opening a socket for pings"))
        };
        let mut sockets = Vec::new();
        if hosts.iter().any(IpAddr::is_ipv4) {
            sockets.push(open(Domain::IPV4, Protocol::ICMPV4)?);
        }
        if hosts.iter().any(IpAddr::is_ipv6) {
            sockets.push(open(Domain::IPV6, Protocol::ICMPV6)?);
        }
        let hosts = hosts.iter().zip(0..);
        let hosts: Vec<_> = hosts
            .map(|(address, n)| Host { address: *address, id: ReflectorId(n), asked: None })
            .collect();
        Ok(Self {
            sockets,
            next_id: hosts.len() as u32,
            hosts,
            next: 0,
            // Another process that pings has another number.
            identifier: std::process::id() as u16,
            pending: Pending::default(),
            route: route.clone(),
            clock,
        })
    }

    pub(super) const fn identifier(&self) -> u16 {
        self.identifier
    }

    fn send(&self, address: IpAddr, sequence: u16) {
        let (kind, index) = match address {
            IpAddr::V4(_) => (TYPES_V4[0], 0),
            IpAddr::V6(_) => (TYPES_V6[0], self.sockets.len() - 1),
        };
        let mut request = [0; BYTES];
        request[0] = kind;
        request[4..6].copy_from_slice(&self.identifier.to_be_bytes());
        request[6..8].copy_from_slice(&sequence.to_be_bytes());
        // The kernel sets the checksum of ICMPv6 itself (RFC 3542 section 3.1).
        let sum = Checksum::default().with(&request).finish();
        request[2..4].copy_from_slice(&sum.to_be_bytes());
        let socket = &self.sockets[index];
        if socket.send_to(&request, &SocketAddr::new(address, 0).into()).is_err() {
            self.route.renew(socket);
        }
    }

    /// The sample that an answer is; `None` if it answers no request of ours.
    fn sample(&mut self, from: IpAddr, message: &[u8], at: Time) -> Option<Sample> {
        let [kind, _, _, _, i0, i1, s0, s1] = *message.first_chunk()?;
        let answer = if from.is_ipv4() { TYPES_V4[1] } else { TYPES_V6[1] };
        if kind != answer || u16::from_be_bytes([i0, i1]) != self.identifier {
            return None;
        }
        let request = self.pending.take(u16::from_be_bytes([s0, s1]))?;
        let host = self.hosts.iter().find(|it| it.id == request.reflector)?;
        let delay = Delay::RoundTrip(at.since(request.sent));
        (host.address == from).then_some(Sample { reflector: host.id, delay })
    }
}

impl Asker for Reflectors {
    fn ask(&mut self, reflectors: usize, now: Time) {
        self.next = (self.next + 1) % reflectors.clamp(1, self.hosts.len());
        let host = &mut self.hosts[self.next];
        if host.asked.is_some_and(|asked| now.since(asked) < LEAST_PAUSE) {
            return;
        }
        host.asked = Some(now);
        let Host { address, id, .. } = *host;
        let sequence = self.pending.send(id, now);
        self.send(address, sequence);
    }

    fn hear(&mut self, samples: &mut Vec<Sample>) {
        let mut bytes = [0; READ];
        for index in 0..self.sockets.len() {
            while let Ok(envelope) = receive_from(&self.sockets[index], &mut bytes) {
                let at = self.clock.now() - envelope.age.unwrap_or(Span::ZERO);
                let from = envelope.from.ip();
                let received = &bytes[..envelope.len.min(READ)];
                let message = if from.is_ipv4() { payload(received) } else { Some(received) };
                let sample = message.and_then(|message| self.sample(from, message, at));
                samples.extend(sample);
            }
        }
        self.pending.tell_missing(self.clock.now(), samples);
    }

    fn replace(&mut self, id: ReflectorId) {
        let Some(index) = self.hosts.iter().position(|it| it.id == id) else { return };
        self.pending.forget(id);
        let mut host = self.hosts.remove(index);
        // The first of the spare hosts is asked in its turn. If there is none, it is the same again, under
        // another name.
        host.id = ReflectorId(self.next_id);
        self.next_id += 1;
        self.hosts.push(host);
    }

    fn sockets(&self) -> Vec<BorrowedFd<'_>> {
        self.sockets.iter().map(AsFd::as_fd).collect()
    }
}

/// The payload of a packet of IPv4.
fn payload(packet: &[u8]) -> Option<&[u8]> {
    let len = usize::from(packet.first()? & 0xf) * 4;
    packet.get(len..)
}
