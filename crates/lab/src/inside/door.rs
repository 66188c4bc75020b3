//! Doors at the far end, made when somebody comes: sockets that take what is sent to anywhere.
//!
//! In the far namespace every address is our own. A connection is answered there if a socket
//! listens, so the loop shows each packet to a doorman before it goes on, and he opens a door where
//! there is none. Behind the doors is the [gateway](super::gateway).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use live::{Clock, Cut};
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use units::{Span, Time};
use wire::PacketView;
use wire::protocol::{TCP, UDP};

use super::peer;
use super::recent::Recent;
use crate::recorder::Doorman;

/// RFC 1035 section 4.2.
pub(crate) const DNS: u16 = 53;

/// Clients that may knock at a door before the gateway opens.
const BACKLOG: i32 = 1024;

/// So many doors may be opened in [`TURN`]. To open one takes the loop some microseconds, and
/// whoever scans the world must not make it late.
const OPENINGS: u32 = 16;
const TURN: Span = Span::from_millis(10);

/// A socket at the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Door {
    /// Or else TCP.
    pub(crate) is_udp: bool,
    /// What it is bound to. Over TCP one door serves all addresses: a connection knows which it
    /// was made to.
    pub(crate) address: SocketAddr,
}

/// A door has been opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) door: Door,
    pub(crate) socket: OwnedFd,
    /// This one is to be closed, because there are too many.
    pub(crate) instead_of: Option<Door>,
}

/// How the doorman reaches the gateway.
#[derive(Clone, Debug)]
pub(crate) struct Bell {
    pub(crate) opened: SyncSender<Opened>,
    /// An `eventfd`.
    pub(crate) wake: Arc<OwnedFd>,
}

impl Bell {
    /// Wakes the gateway.
    pub(crate) fn ring(&self) {
        // If it cannot be counted up further, it is ringing.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

/// A doorman who keeps at most so many doors open. He must be called in the far namespace. He turns
/// a packet away when too many new doors are wanted at once, or the gateway is behind: the client
/// will try again, as after any loss.
pub(crate) fn doorman(peer: [IpAddr; 2], most: usize, bell: Bell) -> Doorman {
    let (mut doors, mut budget, clock) = (Recent::new(most), Budget::default(), Clock::start());
    Box::new(move |direction, view, packet| {
        let knock = (direction == 0).then(|| door(view, packet, &peer)).flatten();
        let Some(door) = knock.filter(|door| !doors.touch(*door)) else { return true };
        if !budget.allows(clock.now()) {
            return false;
        }
        // Where no socket can be had the kernel refuses the client.
        let Ok(socket) = door.open() else { return true };
        let opened = Opened { door, socket, instead_of: doors.next_to_go() };
        let is_taken = bell.opened.try_send(opened).is_ok();
        if is_taken {
            doors.insert(door);
            bell.ring();
        }
        is_taken
    })
}

/// How many more doors may be opened soon.
#[derive(Debug, Default)]
struct Budget {
    since: Time,
    spent: u32,
}

impl Budget {
    /// May one be opened `now`? Who is refused has to try again.
    fn allows(&mut self, now: Time) -> bool {
        if now.since(self.since) >= TURN {
            *self = Self { since: now, spent: 0 };
        }
        let allowed = self.spent < OPENINGS;
        self.spent += u32::from(allowed);
        allowed
    }
}

/// May this address be dialled for the command? Not the host's own loopback, nor under its IPv4
/// address written as IPv6 (RFC 4291 section 2.5.5.2).
pub(crate) fn is_reachable(address: IpAddr) -> bool {
    let is_mapped = matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some());
    !address.is_multicast() && !address.is_unspecified() && !address.is_loopback() && !is_mapped
}

/// The door that this packet needs.
fn door(view: &PacketView, packet: &Cut<'_>, peer: &[IpAddr; 2]) -> Option<Door> {
    let (_, port) = view.ports?;
    let is_peer = peer.contains(&view.destination);
    let address = match view.protocol {
        UDP if is_peer && ![DNS, peer::ECHO].contains(&port) => return None,
        UDP => view.destination,
        TCP if is_peer && port != DNS && !peer::TCP_PORTS.contains(&port) => return None,
        TCP if !may_be_syn(packet.headers) => return None,
        TCP => match view.destination {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        },
        _ => return None,
    };
    let door = Door { is_udp: view.protocol == UDP, address: SocketAddr::new(address, port) };
    (is_reachable(view.destination) && port != 0).then_some(door)
}

/// Does this TCP packet ask for a connection? Behind extension headers, perhaps.
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

impl Door {
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
            // To IPv6 an address is our own only if a device has it.
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
