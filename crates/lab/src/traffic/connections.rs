//! An application over TCP connections, and the sockets at both their ends.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddrV4;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use live::Namespace;
use rustix::event::epoll::EventFlags;
use rustix::net::getsockname;
use units::Time;
use workload::{Application, End, Received, Request};

use super::gauges::OwnGauges;
use super::inspector::Inspector;
use super::open;
use super::outcome::FlowOutcome;
use super::refusal::Refusal;
use super::side::{Side, Taken};
use super::worker::{Poll, SocketFlow};
use crate::plan::FlowPlan;

/// The number of the listener; sockets of connections have the numbers below.
const LISTENER: u32 = u32::MAX;

/// The sockets with which an application begins.
pub(super) struct Endpoints {
    pub(super) listener: OwnedFd,
    /// The address of the listener.
    pub(super) to: SocketAddrV4,
    /// The node that opens the connections.
    pub(super) opener: Arc<Namespace>,
}

/// An application and its connections.
pub(super) struct Connections<A> {
    application: A,
    flow: FlowPlan,
    endpoints: Endpoints,
    live: BTreeMap<u16, Connection>,
    /// The connections that are not accepted yet, by the port from which they come.
    expected: BTreeMap<u16, u16>,
    inspector: Inspector,
    gauges: OwnGauges,
}

/// A connection.
#[derive(Default)]
struct Connection {
    source: Side,
    sink: Side,
    /// True if the application has dropped the connection.
    is_dropped: bool,
}

impl Connection {
    fn side(&mut self, at: End) -> &mut Side {
        match at {
            End::Source => &mut self.source,
            End::Sink => &mut self.sink,
        }
    }
}

/// The number of a socket.
fn socket(connection: u16, at: End) -> u32 {
    u32::from(connection) << 1 | u32::from(at == End::Sink)
}

/// The connection and the end of the socket with this number.
fn end(socket: u32) -> (u16, End) {
    ((socket >> 1) as u16, if socket & 1 == 1 { End::Sink } else { End::Source })
}

impl<A: Application> Connections<A> {
    /// The end that accepts the connections.
    const ACCEPTOR: End = match A::OPENER {
        End::Source => End::Sink,
        End::Sink => End::Source,
    };

    pub(super) fn new(
        application: A,
        flow: &FlowPlan,
        endpoints: Endpoints,
        gauges: OwnGauges,
    ) -> Self {
        Self {
            application,
            flow: flow.clone(),
            endpoints,
            live: BTreeMap::new(),
            expected: BTreeMap::new(),
            inspector: Inspector::new(gauges.clone()),
            gauges,
        }
    }

    /// Carries out the requests of the application.
    fn obey(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        while let Some(request) = self.application.next_request() {
            match request {
                Request::Open { connection } => self.open(connection, poll)?,
                Request::Write { connection, at, bytes } => {
                    self.tell(connection, at, poll, |side| side.write(bytes))?;
                }
                Request::Close { connection, at } => {
                    self.tell(connection, at, poll, Side::close)?;
                }
                Request::Abandon { connection, at } => {
                    self.tell(connection, at, poll, Side::abandon)?;
                }
                Request::Drop { connection } => {
                    if let Some(dropped) = self.live.get_mut(&connection) {
                        dropped.is_dropped = true;
                    }
                    self.tell(connection, End::Sink, poll, Side::abandon)?;
                    self.tell(connection, End::Source, poll, Side::abandon)?;
                }
            }
        }
        self.gauges.show_delivered(self.application.delivered());
        Ok(())
    }

    /// Opens a connection. One that is refused at once is gone for the application.
    fn open(&mut self, connection: u16, poll: &mut Poll<'_>) -> io::Result<()> {
        self.endpoints.opener.enter()?;
        let fatal = |why: Refusal| why.fatal(&self.flow);
        let stream = open::connector(&self.flow).map_err(fatal)?;
        if !open::dial(&stream, &self.flow, self.endpoints.to).map_err(fatal)? {
            self.application.on_gone(connection);
            return Ok(());
        }
        if let Ok(from) = SocketAddrV4::try_from(getsockname(&stream)?) {
            self.expected.insert(from.port(), connection);
        }
        let mut opened = Connection::default();
        opened.side(A::OPENER).begin(stream, false, socket(connection, A::OPENER), poll)?;
        self.live.insert(connection, opened);
        Ok(())
    }

    fn accept(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        let accepted = open::accept(&self.endpoints.listener, &self.flow.spec.tcp);
        let accepted = accepted.map_err(|why| why.fatal(&self.flow))?;
        let Some((stream, port)) = accepted else { return Ok(()) };
        // Only this flow connects to its port. A connection that was given up meanwhile is not
        // expected.
        let Some(number) = self.expected.remove(&port) else { return Ok(()) };
        let Some(connection) = self.live.get_mut(&number) else { return Ok(()) };
        let (at, socket) = (Self::ACCEPTOR, socket(number, Self::ACCEPTOR));
        connection.side(at).begin(stream, true, socket, poll)?;
        self.tell(number, at, poll, |_| ())
    }

    /// Runs `action` on one end of a connection, and lets that end go on.
    fn tell(
        &mut self,
        number: u16,
        at: End,
        poll: &mut Poll<'_>,
        action: impl FnOnce(&mut Side),
    ) -> io::Result<()> {
        let Some(connection) = self.live.get_mut(&number) else { return Ok(()) };
        let side = connection.side(at);
        action(side);
        if !side.go_on(socket(number, at), poll)? {
            self.forget(number);
        } else if side.is_over() {
            self.end(number, at);
        }
        Ok(())
    }

    /// Takes the data that has been received at one end. Returns false if the connection broke.
    fn read(&mut self, number: u16, at: End, now: Time, poll: &mut Poll<'_>) -> bool {
        let Some(connection) = self.live.get_mut(&number) else { return true };
        let is_dropped = connection.is_dropped;
        let side = connection.side(at);
        match side.read(poll.scratch) {
            Taken::Bytes(bytes) => {
                if let Some(stream) = side.stream() {
                    // If it fails, the next read reports it.
                    let _ = open::keep_window(stream, &self.flow.spec.tcp);
                }
                if !is_dropped {
                    let data = Received { connection: number, at, bytes };
                    self.application.on_received(data, now);
                }
            }
            Taken::End if !is_dropped => self.application.on_peer_closed(number, at),
            Taken::End | Taken::Nothing => {}
            Taken::Broken => return false,
        }
        true
    }

    /// Closes one end whose directions have both ended, and forgets the connection after both.
    fn end(&mut self, number: u16, at: End) {
        let Some(connection) = self.live.get_mut(&number) else { return };
        if let Some(stream) = connection.side(at).take() {
            if at == End::Source {
                self.inspector.part(number, &stream);
            }
            stream.close();
        }
        if connection.source.is_over() && connection.sink.is_over() {
            self.forget(number);
        }
    }

    /// Closes the ends of a connection that are still open, and forgets it.
    fn forget(&mut self, number: u16) {
        let Some(mut connection) = self.live.remove(&number) else { return };
        self.expected.retain(|_, expected| *expected != number);
        if let Some(stream) = connection.source.take() {
            self.inspector.part(number, &stream);
            stream.close();
        }
        if let Some(stream) = connection.sink.take() {
            stream.close();
        }
        if !connection.is_dropped {
            self.application.on_gone(number);
        }
    }
}

impl<A: Application + Send> SocketFlow for Connections<A> {
    fn begin(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        poll.add(&self.endpoints.listener, LISTENER, EventFlags::IN)
    }

    fn ready(
        &mut self,
        socket: u32,
        flags: EventFlags,
        now: Time,
        poll: &mut Poll<'_>,
    ) -> io::Result<()> {
        if socket == LISTENER {
            return self.accept(poll);
        }
        let (number, at) = end(socket);
        let Some(connection) = self.live.get_mut(&number) else { return Ok(()) };
        let side = connection.side(at);
        let is_broken = flags.contains(EventFlags::ERR);
        if !is_broken && side.connects() {
            let stream = side.stream();
            // If it fails, the next read reports it.
            let _ = stream.map(|stream| open::hold_back(stream, &self.flow.spec.tcp));
        }
        let has_data = flags.intersects(EventFlags::IN | EventFlags::HUP);
        if is_broken || (has_data && !self.read(number, at, now, poll)) {
            self.forget(number);
        }
        self.obey(poll)?;
        self.tell(number, at, poll, |_| ())
    }

    fn wake(&mut self, now: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        self.application.on_time(now);
        self.obey(poll)
    }

    fn next_wake(&self) -> Option<Time> {
        Time::earliest(self.application.next_action(), self.application.stops())
    }

    fn tick(&mut self) {
        for (number, connection) in &self.live {
            if let Some(stream) = connection.source.stream() {
                self.inspector.ask(*number, stream);
            }
        }
        self.inspector.show();
    }

    fn reset(&mut self) {
        self.tick();
        self.inspector.reset();
        self.application.reset();
    }

    fn outcome(&self, from: Time, to: Time) -> FlowOutcome {
        self.inspector.outcome(self.application.result(&(from..to)))
    }
}
