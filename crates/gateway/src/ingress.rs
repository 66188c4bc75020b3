//! Sockets of the namespace, opened when the first packet for them comes.
//!
//! In the namespace every address is local, so that a connection to any address is answered there
//! if a socket listens. The loop that moves the packets shows each to the filter first, and the
//! filter opens the sockets that are missing. The [gateway](crate::Gateway) accepts from them.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use kernel::Clock;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use units::{Span, Time};
use wire::PacketView;
use wire::protocol::{TCP, UDP};

use crate::recent::Recent;

/// The port of DNS (RFC 1035 section 4.2).
pub(crate) const DNS: u16 = 53;

/// The number of clients that may connect to a socket before the gateway accepts them.
const BACKLOG: i32 = 1024;

/// The most sockets that are opened in [`TURN`]. Opening one takes some microseconds, and a client
/// that scans the network must not delay the thread that moves the packets.
const OPENINGS: u32 = 16;
const TURN: Span = Span::from_millis(10);

/// A socket of the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Destination {
    /// True for UDP, false for TCP.
    pub(crate) is_udp: bool,
    /// The address that the socket is bound to. Over TCP one socket serves all addresses: each
    /// connection knows the address that the client dialled.
    pub(crate) address: SocketAddr,
}

/// A socket that has been opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) destination: Destination,
    pub(crate) socket: OwnedFd,
    /// The destination to close instead, because there are too many; `None` while there is room.
    pub(crate) instead_of: Option<Destination>,
}

/// A handle that wakes the gateway.
#[derive(Clone, Debug)]
pub struct Waker {
    pub(crate) opened: SyncSender<Opened>,
    /// An `eventfd` that the gateway waits for.
    pub(crate) wake: Arc<OwnedFd>,
}

impl Waker {
    /// Wakes the gateway.
    pub fn wake(&self) {
        // A counter that is full has already woken the gateway.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

/// A filter of packets, which opens the sockets that they need.
#[derive(Debug)]
pub struct IngressFilter {
    peer: [IpAddr; 2],
    sockets: Recent<Destination>,
    budget: Budget,
    clock: Clock,
    waker: Waker,
}

impl IngressFilter {
    /// A filter that keeps at most `most` sockets open for the gateway of this waker. `peer` are
    /// the addresses of the peer.
    pub fn new(peer: [IpAddr; 2], most: usize, waker: Waker) -> Self {
        let (sockets, budget) = (Recent::new(most), Budget::default());
        Self { peer, sockets, budget, clock: Clock::start(), waker }
    }

    /// True if a packet from a client may go on. False if too many new sockets are wanted at once,
    /// or if the gateway is behind: the client tries again, as after any loss. `headers` are the
    /// packet's first bytes, from its IP header on. Must be called in the namespace.
    pub fn admits(&mut self, view: &PacketView, headers: &[u8]) -> bool {
        let wanted = destination(view, headers, &self.peer);
        let Some(destination) = wanted.filter(|wanted| !self.sockets.touch(*wanted)) else {
            return true;
        };
        if !self.budget.allows(self.clock.now()) {
            return false;
        }
        // Without a socket, the kernel refuses the client.
        let Ok(socket) = destination.open() else { return true };
        let opened = Opened { destination, socket, instead_of: self.sockets.next_to_go() };
        let is_taken = self.waker.opened.try_send(opened).is_ok();
        if is_taken {
            self.sockets.insert(destination);
            self.waker.wake();
        }
        is_taken
    }
}

/// A limit on the number of sockets that are opened in each [`TURN`].
#[derive(Debug, Default)]
struct Budget {
    since: Time,
    spent: u32,
}

impl Budget {
    /// True if a socket may be opened `now`; if not, the client has to try again.
    fn allows(&mut self, now: Time) -> bool {
        if now.since(self.since) >= TURN {
            *self = Self { since: now, spent: 0 };
        }
        let allowed = self.spent < OPENINGS;
        self.spent += u32::from(allowed);
        allowed
    }
}

/// True if this address may be dialled for a client: not the host's own loopback, nor an IPv4
/// address written as IPv6 (RFC 4291 section 2.5.5.2).
pub(crate) fn is_reachable(address: IpAddr) -> bool {
    let is_mapped = matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some());
    !address.is_multicast() && !address.is_unspecified() && !address.is_loopback() && !is_mapped
}

/// The destination whose socket this packet needs; `None` if it needs none.
fn destination(view: &PacketView, headers: &[u8], peer: &[IpAddr; 2]) -> Option<Destination> {
    let (_, port) = view.ports?;
    let is_peer = peer.contains(&view.destination);
    let address = match view.protocol {
        UDP if is_peer && ![DNS, peer::ECHO].contains(&port) => return None,
        UDP => view.destination,
        TCP if is_peer && port != DNS && !peer::TCP_PORTS.contains(&port) => return None,
        TCP if !may_be_syn(headers) => return None,
        TCP => match view.destination {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        },
        _ => return None,
    };
    let destination =
        Destination { is_udp: view.protocol == UDP, address: SocketAddr::new(address, port) };
    (is_reachable(view.destination) && port != 0).then_some(destination)
}

/// True if this TCP packet asks for a connection, or if extension headers may hide the request.
fn may_be_syn(ip: &[u8]) -> bool {
    const SYN: u8 = 0x02;
    const ACK: u8 = 0x10;
    const FLAGS: usize = 13;
    let transport = match ip.first().map(|first| (first >> 4, first & 0xf)) {
        Some((4, words)) => usize::from(words) * 4,
        _ if ip.get(6) == Some(&TCP) => 40,
        _ => return true,
    };
    ip.get(transport + FLAGS).is_some_and(|flags| flags & (SYN | ACK) == SYN)
}

impl Destination {
    fn open(self) -> io::Result<OwnedFd> {
        let (family, is_v6) = match self.address {
            SocketAddr::V4(_) => (AddressFamily::INET, false),
            SocketAddr::V6(_) => (AddressFamily::INET6, true),
        };
        let kind = if self.is_udp { SocketType::DGRAM } else { SocketType::STREAM };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = net::socket_with(family, kind, flags, None)?;
        if is_v6 {
            sockopt::set_ipv6_v6only(&socket, true)?;
            // IPv6 treats an address as local only if a device has it.
            sockopt::set_ipv6_freebind(&socket, true)?;
        } else {
            sockopt::set_ip_freebind(&socket, true)?;
        }
        if !self.is_udp {
            sockopt::set_socket_reuseaddr(&socket, true)?;
        }
        net::bind(&socket, &self.address)?;
        if !self.is_udp {
            net::listen(&socket, BACKLOG)?;
        }
        Ok(socket)
    }
}

#[cfg(test)]
mod tests;
