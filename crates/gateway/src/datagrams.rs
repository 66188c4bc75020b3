//! Clients' datagrams, sent on through sockets of the host's network.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use indexmap::IndexMap;
use rustix::event::epoll::EventFlags;
use units::{Span, Time};

use crate::ingress::Destination;
use crate::one_way::unless_blocked;
use crate::poll::{Poll, Token};
use crate::slots::Slots;

/// The time without a datagram after which a client is forgotten.
/// DEVIATES RFC 4787 section 4.3 (two minutes at least): the gateway serves no client for days, and
/// a question to a resolver should not hold a socket for longer than it takes to ask again.
const SILENCE: Span = Span::from_secs(60);

/// The most datagrams that are served in a row, so that one socket does not delay others.
pub(crate) const BATCH: usize = 64;

/// The sockets, one for each client and its destination, with a bound on their number.
#[derive(Debug)]
pub(crate) struct Datagrams {
    most: usize,
    exchanges: Slots<Exchange>,
    by_client: IndexMap<Parties, usize>,
}

/// A client and its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parties {
    /// The socket at which the client's datagrams are received.
    pub(crate) destination: Destination,
    pub(crate) client: SocketAddr,
    /// The real destination.
    pub(crate) world: SocketAddr,
}

#[derive(Debug)]
struct Exchange {
    parties: Parties,
    socket: UdpSocket,
    used: Time,
}

impl Datagrams {
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), exchanges: Slots::new(), by_client: IndexMap::new() }
    }

    /// Sends a client's datagram on to its destination. Datagrams may be lost.
    ///
    /// # Errors
    /// If there is no socket for it, or if sending fails.
    pub(crate) fn send(
        &mut self,
        parties: Parties,
        bytes: &[u8],
        poll: &Poll,
        now: Time,
    ) -> io::Result<()> {
        let slot = match self.by_client.get(&parties) {
            Some(slot) => *slot,
            None => self.open(parties, poll, now)?,
        };
        let Some(exchange) = self.exchanges.at(slot) else { return Ok(()) };
        exchange.used = now;
        unless_blocked(exchange.socket.send(bytes)).map(|_| ())
    }

    /// Passes each datagram that has been received for a client to `back`, with the client and its
    /// destination.
    pub(crate) fn receive(
        &mut self,
        slot: usize,
        scratch: &mut [u8],
        now: Time,
        mut back: impl FnMut(Parties, &[u8]),
    ) {
        let Some(exchange) = self.exchanges.at(slot) else { return };
        for _ in 0..BATCH {
            // An error belongs to an earlier datagram that was sent; reading the error clears it.
            let Ok(Some(length)) = unless_blocked(exchange.socket.recv(scratch)) else { return };
            exchange.used = now;
            back(exchange.parties, &scratch[..length]);
        }
    }

    /// Forgets silent clients.
    pub(crate) fn sweep(&mut self, now: Time) {
        let silent = |exchange: &Exchange| now.since(exchange.used) > SILENCE;
        let silent: Vec<_> = self
            .exchanges
            .iter()
            .filter(|(_, exchange)| silent(exchange))
            .map(|(_, exchange)| exchange.parties)
            .collect();
        silent.into_iter().for_each(|parties| self.forget(parties));
    }

    /// Frees the numbers of closed sockets: no event for them is pending any more.
    pub(crate) fn settle(&mut self) {
        self.exchanges.settle();
    }

    fn open(&mut self, parties: Parties, poll: &Poll, now: Time) -> io::Result<usize> {
        if self.by_client.len() >= self.most {
            let oldest = self.exchanges.iter().min_by_key(|(_, exchange)| exchange.used);
            if let Some(oldest) = oldest.map(|(_, exchange)| exchange.parties) {
                self.forget(oldest);
            }
        }
        let socket = match parties.world {
            SocketAddr::V4(_) => UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?,
            SocketAddr::V6(_) => UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0))?,
        };
        socket.set_nonblocking(true)?;
        // From now on the kernel ignores datagrams from other addresses.
        socket.connect(parties.world)?;
        let slot = self.exchanges.insert(Exchange { parties, socket, used: now });
        self.by_client.insert(parties, slot);
        let socket = self.exchanges.at(slot).map(|exchange| &exchange.socket);
        let added = socket.map(|socket| poll.add(socket, Token::Datagrams(slot), EventFlags::IN));
        // Without the poll, the answers would never be read.
        added.unwrap_or(Ok(())).inspect_err(|_| self.forget(parties))?;
        Ok(slot)
    }

    #[cfg(test)]
    pub(crate) fn knows(&self, parties: Parties) -> bool {
        self.by_client.contains_key(&parties)
    }

    fn forget(&mut self, parties: Parties) {
        if let Some(slot) = self.by_client.swap_remove(&parties) {
            self.exchanges.remove(slot);
        }
    }
}
