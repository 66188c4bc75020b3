//! Probes to a server of ours, which tells when each reached it and when its answer left.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use autorate::{Both, Delay, ReflectorId, Sample};
use kernel::{Clock, receive_from};
use measure::client::{RemoteServer, Session};
use measure::datagram::{BYTES, Datagram, DatagramKind};
use units::{Span, Time};

use super::pending::Pending;
use super::{Asker, failed};
use crate::error::FollowError;
use crate::link_socket::Route;

/// The time between two attempts to begin a test again.
const AGAIN: Span = Span::from_secs(5);
/// The delays of both directions are longer by this constant than they are by both clocks, so that none is
/// negative when the first probe has waited: longer than any queue.
const SHIFT: Span = Span::from_secs(10);

/// A server of ours.
pub(super) struct Server {
    server: RemoteServer,
    route: Route,
    clock: Clock,
    socket: UdpSocket,
    port: u16,
    /// The test; `None` while there is none.
    session: Option<Session>,
    tried: Time,
    /// The proof of our address, which the server gives.
    cookie: u64,
    /// The number of tests so far: each may be at another address, with another path.
    tests: u32,
    /// The time of the server's clock at time 0 of ours, in nanoseconds; `None` before the first answer.
    offset: Option<i128>,
    pending: Pending,
}

impl Server {
    /// # Errors
    /// If the server does not take part.
    pub(super) fn new(
        server: RemoteServer,
        route: Route,
        clock: Clock,
    ) -> Result<Self, FollowError> {
        let session = Session::open(&server)?;
        let socket = open(session.address().ip(), 0, &route)?;
        let port = socket.local_addr().map_err(failed("asking for a port"))?.port();
        Ok(Self {
            server,
            route,
            clock,
            socket,
            port,
            session: Some(session),
            tried: clock.now(),
            cookie: 0,
            tests: 0,
            offset: None,
            pending: Pending::default(),
        })
    }

    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// Begins a test again, if the server has ended the one before and it is time.
    fn begin_again(&mut self, now: Time) {
        if self.session.as_mut().is_some_and(Session::is_over) {
            self.session.take().into_iter().for_each(Session::close);
        }
        if self.session.is_some() || now.since(self.tried) < AGAIN {
            return;
        }
        self.tried = now;
        let Ok(session) = Session::open(&self.server) else { return };
        let is_ipv4 = |socket: &UdpSocket| socket.local_addr().is_ok_and(|it| it.is_ipv4());
        if session.address().is_ipv4() != is_ipv4(&self.socket) {
            let Ok(socket) = open(session.address().ip(), self.port, &self.route) else { return };
            self.socket = socket;
        }
        (self.session, self.offset, self.cookie) = (Some(session), None, 0);
        self.tests += 1;
        self.pending = Pending::default();
    }

    /// The sample that an answer is; `None` if it answers no probe of this test.
    fn sample(&mut self, answer: &Datagram, at: Time) -> Option<Sample> {
        let request = self.pending.take(answer.seq as u16)?;
        if answer.kind == DatagramKind::Challenge {
            self.cookie = answer.cookie;
            return None;
        }
        let sent = i128::from(request.sent.as_nanos());
        let (reached, answered) = (i128::from(answer.reached), i128::from(answer.answered));
        let up = reached - sent;
        let down = i128::from(at.as_nanos()) - answered;
        // Half of the first round trip in each direction.
        let offset = *self.offset.get_or_insert((up - down) / 2);
        let shifted = |nanos: i128| {
            let nanos = (nanos + i128::from(SHIFT.as_nanos())).max(0);
            Span::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
        };
        let delay = Delay::OneWay(Both { up: shifted(up - offset), down: shifted(down + offset) });
        Some(Sample { reflector: request.reflector, delay })
    }
}

impl Asker for Server {
    fn ask(&mut self, _reflectors: usize, now: Time) {
        self.begin_again(now);
        let Some(session) = &self.session else { return };
        let sequence = self.pending.send(ReflectorId(self.tests), now);
        let probe = Datagram {
            kind: DatagramKind::Probe,
            stream: 0,
            dscp: 0,
            test: session.test(),
            cookie: self.cookie,
            seq: sequence.into(),
            seen: 0,
            sent: now.as_nanos(),
            reached: 0,
            answered: 0,
        };
        if self.socket.send_to(&probe.encode(), session.address()).is_err() {
            self.route.renew(&self.socket);
        }
    }

    fn hear(&mut self, samples: &mut Vec<Sample>) {
        let mut bytes = [0; BYTES];
        while let Ok(envelope) = receive_from(&self.socket, &mut bytes) {
            let at = self.clock.now() - envelope.age.unwrap_or(Span::ZERO);
            let answer = Datagram::decode(&bytes[..envelope.len.min(BYTES)]);
            let is_ours = |it: &Datagram| {
                let test = self.session.as_ref().map(Session::test);
                it.kind != DatagramKind::Probe && Some(it.test) == test
            };
            let sample = answer.filter(is_ours).and_then(|answer| self.sample(&answer, at));
            samples.extend(sample);
        }
        self.pending.tell_missing(self.clock.now(), samples);
    }

    /// There is one server, and it stays.
    fn replace(&mut self, _id: ReflectorId) {}

    fn sockets(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.socket.as_fd()]
    }
}

/// A socket for probes to a server at this address, at a port of ours; 0 for any.
fn open(server: IpAddr, port: u16, route: &Route) -> Result<UdpSocket, FollowError> {
    let any: SocketAddr = match server {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, port).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, port).into(),
    };
    let socket = UdpSocket::bind(any).map_err(failed("opening a socket for probes"))?;
    route.bind(&socket).map_err(failed("opening a socket for probes"))?;
    Ok(socket)
}
