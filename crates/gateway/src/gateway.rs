//! The gateway: for each connection of a client it opens one from the host's network to the same
//! destination, and passes on the bytes.
//!
//! A client's connection is accepted before its destination has answered. If the destination
//! refuses, the connection is reset. The kernel of the namespace answers all pings, whatever their
//! destination.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use kernel::Clock;
use peer::Peer;
use rustix::event::epoll::EventFlags;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use units::{Span, Time};

use crate::datagrams::{self, Datagrams, Parties};
use crate::dns_relay::DnsRelay;
use crate::ingress::{self, DNS, Opened, Waker};
use crate::listeners::{Listeners, Socket};
use crate::one_way::{PIECE, unless_blocked};
use crate::poll::{Poll, Token};
use crate::proxy_connection::{ProxyConnection, reset};
use crate::slots::Slots;

/// The most connections that are accepted in a row, so that one socket does not delay others.
const ACCEPTED: usize = 64;

/// The time between two sweeps, which forget idle clients and old questions.
const SWEPT_EACH: Span = Span::from_secs(1);

/// The event loop behind the sockets that the [`IngressFilter`](crate::IngressFilter) opens.
#[derive(Debug)]
pub struct Gateway {
    poll: Poll,
    opened: Receiver<Opened>,
    wake: Arc<OwnedFd>,
    world: World,
    most: usize,
    clock: Clock,
    scratch: Vec<u8>,
    listeners: Listeners,
    connections: Slots<ProxyConnection>,
    datagrams: Datagrams,
    questions: DnsRelay,
    peer: Peer,
    swept: Time,
}

/// The real destinations of the addresses that clients dial.
#[derive(Debug)]
pub struct World {
    /// The addresses of the peer.
    peer: [IpAddr; 2],
    /// The host's resolvers.
    resolvers: Vec<SocketAddr>,
    /// The number of the resolver in use. The index is this number modulo the number of resolvers.
    resolver: usize,
}

impl World {
    /// The destinations where the peer has these addresses, and where questions for the peer go to
    /// these resolvers of the host.
    pub fn new(peer: [IpAddr; 2], resolvers: Vec<IpAddr>) -> Self {
        let resolvers = resolvers.into_iter().map(|ip| SocketAddr::new(ip, DNS)).collect();
        Self { peer, resolvers, resolver: 0 }
    }

    /// True if datagrams to this address are questions for a resolver.
    fn is_asked(&self, dialled: SocketAddr) -> bool {
        self.peer.contains(&dialled.ip()) && dialled.port() == DNS
    }

    /// The real destination of an address; `None` if the peer itself serves it.
    fn destination(&self, dialled: SocketAddr) -> Option<SocketAddr> {
        if !self.peer.contains(&dialled.ip()) {
            return Some(dialled);
        }
        let resolver = self.resolver.checked_rem(self.resolvers.len())?;
        self.is_asked(dialled).then(|| self.resolvers[resolver])
    }
}

impl Gateway {
    /// A gateway that serves at most `most` connections at a time, and as many clients with
    /// datagrams. It must [`run`](Self::run) in the host's network.
    ///
    /// # Errors
    /// If there are no file descriptors.
    pub fn new(world: World, most: usize) -> io::Result<(Self, Waker)> {
        let (sender, opened) = sync_channel(most);
        let wake = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let poll = Poll::new()?;
        poll.add(&wake, Token::Waker, EventFlags::IN)?;
        let waker = Waker { opened: sender, wake: Arc::clone(&wake) };
        let gateway = Self {
            poll,
            opened,
            wake,
            world,
            most: most.max(1),
            clock: Clock::start(),
            scratch: vec![0; PIECE],
            listeners: Listeners::new(),
            connections: Slots::new(),
            datagrams: Datagrams::new(most),
            questions: DnsRelay::new(most),
            peer: Peer::default(),
            swept: Time::ZERO,
        };
        Ok((gateway, waker))
    }

    /// Serves until the waker wakes it while `stop` is set.
    ///
    /// # Errors
    /// If waiting for events fails.
    pub fn run(mut self, stop: &AtomicBool) -> io::Result<()> {
        while !stop.load(Ordering::Relaxed) {
            for (token, flags) in self.poll.wait(Duration::from_secs(1))? {
                match token {
                    Token::Waker => self.take_opened(),
                    Token::Destination(slot) => self.serve(slot),
                    Token::Inside(slot) | Token::Outside(slot) => self.turn(slot, token, flags),
                    Token::Datagrams(slot) => self.answer(slot),
                }
            }
            self.listeners.settle();
            self.connections.settle();
            self.datagrams.settle();
            self.sweep();
        }
        Ok(())
    }

    /// Forgets idle clients and old questions, and watches again the listeners that were paused.
    fn sweep(&mut self) {
        let now = self.clock.now();
        if now.since(self.swept) >= SWEPT_EACH {
            self.swept = now;
            self.datagrams.sweep(now);
            self.questions.sweep(now);
            self.listeners.resume(&self.poll);
        }
    }

    fn take_opened(&mut self) {
        // The value does not matter: reading it clears the event.
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        while let Ok(Opened { destination, socket, instead_of }) = self.opened.try_recv() {
            if let Some(slot) = instead_of.and_then(|old| self.listeners.find(old)) {
                // Clients that wait at the old socket are served before it is closed.
                self.serve(slot);
                self.listeners.close(slot);
            }
            self.listeners.open(destination, socket, &self.poll);
        }
    }

    fn serve(&mut self, slot: usize) {
        match self.listeners.at(slot) {
            Some((_, Socket::Listening(_))) => self.accept(slot),
            Some((_, Socket::Bound(_))) => self.carry_on(slot),
            None => {}
        }
    }

    fn accept(&mut self, slot: usize) {
        for _ in 0..ACCEPTED {
            let Some((_, Socket::Listening(socket))) = self.listeners.at(slot) else { return };
            match unless_blocked(socket.accept()) {
                Ok(Some((stream, _))) => {
                    // A client that cannot be served has been reset already.
                    let _ = self.connect(stream);
                }
                Ok(None) => return,
                // The client has given up.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) if is_shortage(&error) && self.connections.len() > 0 => {
                    self.reset_oldest();
                }
                // A socket that cannot accept would be reported as ready again and again.
                Err(_) => return self.listeners.pause(slot, &self.poll),
            }
        }
    }

    fn connect(&mut self, stream: TcpStream) -> io::Result<()> {
        let dialled = stream.local_addr()?;
        if !ingress::is_reachable(dialled.ip()) {
            reset(&stream);
            return Ok(());
        }
        let Some(to) = self.world.destination(dialled) else {
            if peer::TCP_PORTS.contains(&dialled.port()) {
                return self.peer.serve(stream, dialled.port());
            }
            reset(&stream);
            return Ok(());
        };
        if self.connections.len() >= self.most {
            self.reset_oldest();
        }
        let connection = ProxyConnection::dial(stream, to, self.clock.now())?;
        let slot = self.connections.insert(connection);
        let registered =
            self.connections.at(slot).map(|connection| connection.register(&self.poll, slot));
        registered.unwrap_or(Ok(())).inspect_err(|_| self.reset(slot))
    }

    fn turn(&mut self, slot: usize, token: Token, flags: EventFlags) {
        let now = self.clock.now();
        let Some(connection) = self.connections.at(slot) else { return };
        match connection.turn(&self.poll, &mut self.scratch, token, flags, now) {
            Ok(false) => {}
            Ok(true) => drop(self.connections.remove(slot)),
            Err(_) => self.reset(slot),
        }
    }

    fn reset_oldest(&mut self) {
        let oldest = self.connections.iter().min_by_key(|(_, connection)| connection.used);
        if let Some(slot) = oldest.map(|(slot, _)| slot) {
            self.reset(slot);
        }
    }

    fn reset(&mut self, slot: usize) {
        if let Some(connection) = self.connections.remove(slot) {
            connection.reset();
        }
    }

    /// Sends the datagrams at a listening socket on to their destination.
    fn carry_on(&mut self, slot: usize) {
        for _ in 0..datagrams::BATCH {
            let Some((destination, Socket::Bound(socket))) = self.listeners.at(slot) else {
                return;
            };
            let Ok(Some((length, client))) = unless_blocked(socket.recv_from(&mut self.scratch))
            else {
                return;
            };
            let (bytes, now) = (&self.scratch[..length], self.clock.now());
            if self.world.is_asked(destination.address) {
                self.world.resolver = self.questions.ask(bytes, self.world.resolver, now);
            }
            // Datagrams may be lost.
            if let Some(world) = self.world.destination(destination.address) {
                let parties = Parties { destination, client, world };
                let _ = self.datagrams.send(parties, bytes, &self.poll, now);
            } else if destination.address.port() == peer::ECHO {
                let _ = socket.send_to(bytes, client);
            }
        }
    }

    /// Sends the answers from the world back to the client.
    fn answer(&mut self, slot: usize) {
        let Self { datagrams, listeners, questions, world, scratch, clock, .. } = self;
        datagrams.receive(
            slot,
            scratch,
            clock.now(),
            |Parties { destination, client, .. }, bytes| {
                if world.is_asked(destination.address) {
                    questions.answered(bytes);
                }
                let socket = listeners.find(destination).and_then(|slot| listeners.at(slot));
                if let Some((_, Socket::Bound(socket))) = socket {
                    // Datagrams may be lost.
                    let _ = socket.send_to(bytes, client);
                }
            },
        );
    }
}

/// True if the system is short of descriptors or memory, which another connection could free.
fn is_shortage(error: &io::Error) -> bool {
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}

#[cfg(test)]
mod tests;
