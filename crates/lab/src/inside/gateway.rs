//! The gateway at the far end: what the command dials there is dialled again from the host's
//! network, and bytes go through.
//!
//! A connection of the command is made before the world has been asked; if the world refuses, it is
//! reset. Pings are answered by the kernel at the far end, whoever they are for.

mod datagrams;
mod entrances;
mod one_way;
mod poll;
mod questions;
mod splice;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use live::Clock;
use rustix::event::epoll::EventFlags;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use units::{Span, Time};

use super::door::{self, Bell, DNS, Opened};
use super::peer::{self, Peer};
use super::slots::Slots;
use datagrams::{Datagrams, Parties};
use entrances::{Entrances, Socket};
use one_way::{PIECE, unless_blocked};
use poll::{Poll, Token};
use questions::Questions;
use splice::{Splice, reset};

/// Connections that are accepted in a row.
const ACCEPTED: usize = 64;

/// From one look at what is to be forgotten to the next.
const SWEPT_EACH: Span = Span::from_secs(1);

/// Who stands behind the doors.
#[derive(Debug)]
pub(crate) struct Gateway {
    poll: Poll,
    opened: Receiver<Opened>,
    wake: Arc<OwnedFd>,
    world: World,
    most: usize,
    clock: Clock,
    scratch: Vec<u8>,
    entrances: Entrances,
    splices: Slots<Splice>,
    datagrams: Datagrams,
    questions: Questions,
    peer: Peer,
    swept: Time,
}

/// Where what the command dials is to be found.
#[derive(Debug)]
pub(crate) struct World {
    /// The addresses of the peer.
    peer: [IpAddr; 2],
    /// Who answers questions about names for the host.
    resolvers: Vec<SocketAddr>,
    /// Which of them is asked now.
    resolver: usize,
}

impl World {
    pub(crate) fn new(peer: [IpAddr; 2], resolvers: Vec<IpAddr>) -> Self {
        let resolvers = resolvers.into_iter().map(|ip| SocketAddr::new(ip, DNS)).collect();
        Self { peer, resolvers, resolver: 0 }
    }

    /// Are questions about names sent there?
    fn is_asked(&self, dialled: SocketAddr) -> bool {
        self.peer.contains(&dialled.ip()) && dialled.port() == DNS
    }

    /// Nothing if the peer itself is meant.
    fn destination(&self, dialled: SocketAddr) -> Option<SocketAddr> {
        if !self.peer.contains(&dialled.ip()) {
            return Some(dialled);
        }
        let resolver = self.resolver.checked_rem(self.resolvers.len())?;
        self.is_asked(dialled).then(|| self.resolvers[resolver])
    }
}

impl Gateway {
    /// Serves at most so many connections at a time, and as many clients with datagrams. Must
    /// [`run`](Self::run) in the host's network.
    ///
    /// # Errors
    /// If there are no descriptors.
    pub(crate) fn new(world: World, most: usize) -> io::Result<(Self, Bell)> {
        let (sender, opened) = sync_channel(most);
        let wake = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let poll = Poll::new()?;
        poll.add(&wake, Token::Bell, EventFlags::IN)?;
        let bell = Bell { opened: sender, wake: Arc::clone(&wake) };
        let gateway = Self {
            poll,
            opened,
            wake,
            world,
            most: most.max(1),
            clock: Clock::start(),
            scratch: vec![0; PIECE],
            entrances: Entrances::new(),
            splices: Slots::new(),
            datagrams: Datagrams::new(most),
            questions: Questions::new(most),
            peer: Peer::default(),
            swept: Time::ZERO,
        };
        Ok((gateway, bell))
    }

    /// Serves until it is rung when `stop` is set.
    ///
    /// # Errors
    /// If it cannot wait.
    pub(crate) fn run(mut self, stop: &AtomicBool) -> io::Result<()> {
        while !stop.load(Ordering::Relaxed) {
            for (token, flags) in self.poll.wait(Duration::from_secs(1))? {
                match token {
                    Token::Bell => self.answer_bell(),
                    Token::Door(slot) => self.answer_door(slot),
                    Token::Inside(slot) | Token::Outside(slot) => self.turn(slot, token, flags),
                    Token::Datagrams(slot) => self.answer(slot),
                }
            }
            self.entrances.settle();
            self.splices.settle();
            self.datagrams.settle();
            self.sweep();
        }
        Ok(())
    }

    /// Forgets the silent, and tries again what could not be done.
    fn sweep(&mut self) {
        let now = self.clock.now();
        if now.since(self.swept) >= SWEPT_EACH {
            self.swept = now;
            self.datagrams.sweep(now);
            self.questions.sweep(now);
            self.entrances.rouse(&self.poll);
        }
    }

    fn answer_bell(&mut self) {
        // All that matters is that it rings no more.
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        while let Ok(Opened { door, socket, instead_of }) = self.opened.try_recv() {
            if let Some(slot) = instead_of.and_then(|old| self.entrances.find(old)) {
                // Whoever still stands before it is let in.
                self.answer_door(slot);
                self.entrances.close(slot);
            }
            self.entrances.open(door, socket, &self.poll);
        }
    }

    fn answer_door(&mut self, slot: usize) {
        match self.entrances.at(slot) {
            Some((_, Socket::Listening(_))) => self.accept(slot),
            Some((_, Socket::Bound(_))) => self.carry_on(slot),
            None => {}
        }
    }

    fn accept(&mut self, slot: usize) {
        for _ in 0..ACCEPTED {
            let Some((_, Socket::Listening(socket))) = self.entrances.at(slot) else { return };
            match unless_blocked(socket.accept()) {
                Ok(Some((stream, _))) => {
                    // Whoever cannot be served has been reset.
                    let _ = self.connect(stream);
                }
                Ok(None) => return,
                // The client has thought better of it.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) if is_shortage(&error) && self.splices.len() > 0 => self.reset_oldest(),
                // It would knock for ever.
                Err(_) => return self.entrances.rest(slot, &self.poll),
            }
        }
    }

    fn connect(&mut self, stream: TcpStream) -> io::Result<()> {
        let dialled = stream.local_addr()?;
        if !door::is_reachable(dialled.ip()) {
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
        if self.splices.len() >= self.most {
            self.reset_oldest();
        }
        let splice = Splice::dial(stream, to, self.clock.now())?;
        let slot = self.splices.insert(splice);
        let registered = self.splices.at(slot).map(|splice| splice.register(&self.poll, slot));
        registered.unwrap_or(Ok(())).inspect_err(|_| self.reset(slot))
    }

    fn turn(&mut self, slot: usize, token: Token, flags: EventFlags) {
        let now = self.clock.now();
        let Some(splice) = self.splices.at(slot) else { return };
        match splice.turn(token, flags, (&self.poll, &mut self.scratch), now) {
            Ok(false) => {}
            Ok(true) => drop(self.splices.remove(slot)),
            Err(_) => self.reset(slot),
        }
    }

    fn reset_oldest(&mut self) {
        let oldest = self.splices.iter().min_by_key(|(_, splice)| splice.used);
        if let Some(slot) = oldest.map(|(slot, _)| slot) {
            self.reset(slot);
        }
    }

    fn reset(&mut self, slot: usize) {
        if let Some(splice) = self.splices.remove(slot) {
            splice.reset();
        }
    }

    /// Datagrams go on to where they were sent.
    fn carry_on(&mut self, slot: usize) {
        for _ in 0..datagrams::BATCH {
            let Some((door, Socket::Bound(socket))) = self.entrances.at(slot) else { return };
            let Ok(Some((length, client))) = unless_blocked(socket.recv_from(&mut self.scratch))
            else {
                return;
            };
            let (bytes, now) = (&self.scratch[..length], self.clock.now());
            if self.world.is_asked(door.address) {
                self.world.resolver = self.questions.ask(bytes, self.world.resolver, now);
            }
            // As any datagram, it may be lost.
            if let Some(world) = self.world.destination(door.address) {
                let parties = Parties { door, client, world };
                let _ = self.datagrams.send(parties, bytes, (&self.poll, now));
            } else if door.address.port() == peer::ECHO {
                let _ = socket.send_to(bytes, client);
            }
        }
    }

    /// What the world has answered goes back.
    fn answer(&mut self, slot: usize) {
        let Self { datagrams, entrances, questions, world, scratch, clock, .. } = self;
        datagrams.receive(slot, scratch, clock.now(), |Parties { door, client, .. }, bytes| {
            if world.is_asked(door.address) {
                questions.answered(bytes);
            }
            let socket = entrances.find(door).and_then(|slot| entrances.at(slot));
            if let Some((_, Socket::Bound(socket))) = socket {
                // As any datagram, it may be lost.
                let _ = socket.send_to(bytes, client);
            }
        });
    }
}

/// Is there no descriptor, or no memory, that somebody else could give up?
fn is_shortage(error: &io::Error) -> bool {
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}

#[cfg(test)]
mod tests;
