//! The server of a page: answers each request with as many bytes as it asks for.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use meter::ActivePeriod;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use units::Time;

use super::FlowOutcome;
use super::inspector::Inspector;
use super::open::{self, Stream};
use super::request::Requests;
use super::source::ZEROS;
use super::worker::{Party, Poll};
use crate::plan::FlowPlan;

/// The server for the connections of one browser.
pub(super) struct Server {
    listener: OwnedFd,
    connections: BTreeMap<u32, Connection>,
    /// The number of the next connection; 0 is the listener.
    next: u32,
    flow: FlowPlan,
    life: ActivePeriod,
    stopped: bool,
    inspector: Inspector,
}

struct Connection {
    stream: Stream,
    requests: Requests,
    /// The bytes of the answers that TCP has not taken yet.
    owed: u64,
    waiting: bool,
}

impl Server {
    pub(super) fn new(listener: OwnedFd, flow: &FlowPlan, inspector: Inspector) -> Self {
        Self {
            listener,
            connections: BTreeMap::new(),
            next: 1,
            flow: flow.clone(),
            life: ActivePeriod::of(&flow.spec),
            stopped: false,
            inspector,
        }
    }

    fn accept(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        let accepted = open::accept(&self.listener, &self.flow.spec.tcp);
        let Some(stream) = accepted.map_err(|why| why.fatal(&self.flow))? else { return Ok(()) };
        poll.add(&stream, self.next, EventFlags::IN)?;
        let requests = Requests::default();
        let connection = Connection { stream, requests, owed: 0, waiting: false };
        self.connections.insert(self.next, connection);
        self.next = self.next.wrapping_add(1).max(1);
        Ok(())
    }

    /// Closes a connection that the browser has closed, or that broke.
    fn forget(&mut self, number: u32) {
        if let Some(connection) = self.connections.remove(&number) {
            self.inspector.part(number, &connection.stream);
            connection.stream.close();
        }
    }
}

impl Connection {
    /// Reads requests. False if no more can come.
    fn read(&mut self, scratch: &mut [u8]) -> bool {
        match recv(&self.stream, &mut *scratch, RecvFlags::empty()) {
            Ok((_, 0)) => false,
            Ok((_, bytes)) => {
                self.owed = self.owed.saturating_add(self.requests.take(&scratch[..bytes]));
                true
            }
            Err(error) => matches!(error, Errno::AGAIN | Errno::INTR),
        }
    }

    /// Gives TCP the bytes that it takes now. False if the connection broke.
    fn write(&mut self) -> bool {
        if self.owed == 0 {
            return true;
        }
        let bytes = self.owed.min(ZEROS.len() as u64) as usize;
        match send(&self.stream, &ZEROS[..bytes], SendFlags::NOSIGNAL) {
            Ok(taken) => {
                self.owed -= taken as u64;
                true
            }
            Err(error) => matches!(error, Errno::AGAIN | Errno::INTR),
        }
    }

    fn wait(&mut self, number: u32, poll: &mut Poll<'_>) -> io::Result<()> {
        let waits = self.owed > 0;
        if std::mem::replace(&mut self.waiting, waits) == waits {
            return Ok(());
        }
        let more = if waits { EventFlags::OUT } else { EventFlags::empty() };
        poll.modify(&self.stream, number, EventFlags::IN | more)
    }
}

impl Party for Server {
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        poll.add(&self.listener, 0, EventFlags::IN)
    }

    fn ready(
        &mut self,
        number: u32,
        flags: EventFlags,
        _: Time,
        poll: &mut Poll<'_>,
    ) -> io::Result<()> {
        if number == 0 {
            return self.accept(poll);
        }
        let Some(connection) = self.connections.get_mut(&number) else { return Ok(()) };
        let broken = flags.intersects(EventFlags::ERR | EventFlags::HUP);
        let is_there = !flags.contains(EventFlags::IN) || connection.read(poll.scratch);
        if self.stopped {
            connection.owed = 0;
        }
        if broken || !is_there || !connection.write() {
            self.forget(number);
            return Ok(());
        }
        connection.wait(number, poll)
    }

    fn wake(&mut self, _: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        self.stopped = true;
        for (number, connection) in &mut self.connections {
            connection.owed = 0;
            connection.wait(*number, poll)?;
        }
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        Some(self.life.stop).filter(|stop| !self.stopped && *stop < Time::MAX)
    }

    fn tick(&mut self) {
        for (number, connection) in &self.connections {
            self.inspector.ask(*number, &connection.stream);
        }
        self.inspector.show();
    }

    fn reset(&mut self) {
        self.tick();
        self.inspector.reset();
    }

    fn outcome(&self, _: Time, _: Time) -> FlowOutcome {
        self.inspector.outcome()
    }
}
