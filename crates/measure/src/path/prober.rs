//! The socket that probes hops.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use kernel::{Clock, IcmpError, Meaning, receive_stamped, stamp_receptions};
use observation::{HopAnswer, HopProbe};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use units::{Span, Time};

use super::pending::Pending;
use super::quote;
use super::schedule::Schedule;
use crate::datagram::{BYTES, Datagram, DatagramKind, PATH_STREAM};

/// The longest wait of a turn, so that the prober stops soon when it is told to.
const TURN: Span = Span::from_millis(50);

/// Room for a router's quote: the length of a probe.
type Quote = [u8; BYTES];

/// The sender of probes, each when it is due, and the receiver of their answers.
#[derive(Debug)]
pub(super) struct Prober {
    socket: UdpSocket,
    server: SocketAddr,
    test: u64,
    /// The cookie of the client's address; 0 until the server has sent it.
    cookie: u64,
    clock: Clock,
    schedule: Schedule,
    pending: Pending,
}

impl Prober {
    pub(super) fn new(server: SocketAddr, test: u64, clock: Clock) -> io::Result<Self> {
        let any: SocketAddr = match server {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any)?;
        kernel::report_errors(&socket)?;
        socket.set_nonblocking(true)?;
        stamp_receptions(&socket)?;
        socket.connect(server)?;
        let schedule = Schedule::new(clock.now());
        Ok(Self { socket, server, test, cookie: 0, clock, schedule, pending: Pending::default() })
    }

    /// Sends a probe if one is due, or waits for a moment; takes all answers that have been
    /// received.
    pub(super) fn turn(&mut self) -> io::Result<()> {
        let wait = self.schedule.due().since(self.clock.now()).min(TURN);
        if wait.is_zero() {
            // A pending error of the socket would make the sending fail.
            self.take_answers();
            self.send()
        } else {
            self.wait(wait)?;
            self.take_answers();
            Ok(())
        }
    }

    /// All probes up to the server.
    pub(super) fn finish(mut self) -> Vec<HopProbe> {
        self.take_answers();
        let last = self.schedule.last();
        self.pending.up_to(last)
    }

    fn wait(&self, span: Span) -> io::Result<()> {
        let nanos = span.as_nanos();
        let [tv_sec, rest] = [nanos / 1_000_000_000, nanos % 1_000_000_000].map(|it| it as i64);
        let time = Timespec { tv_sec, tv_nsec: rest as _ };
        match poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&time)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn send(&mut self) -> io::Result<()> {
        let sent = self.clock.now();
        let hop = self.schedule.take(sent);
        let probe = Datagram {
            kind: DatagramKind::Probe,
            stream: PATH_STREAM,
            dscp: 0,
            test: self.test,
            cookie: self.cookie,
            seq: self.pending.send(hop, sent),
            seen: 0,
            sent: sent.as_nanos(),
            reached: 0,
            answered: 0,
        };
        kernel::set_hop_limit(&self.socket, hop)?;
        // There is no route for the moment, or no buffer: the probe counts as lost.
        let _ = self.socket.send(&probe.encode());
        Ok(())
    }

    fn take_answers(&mut self) {
        let mut quote: Quote = [0; BYTES];
        while let Ok(error) = kernel::next_error(&self.socket, &mut quote) {
            self.take_error(&error, &quote);
        }
        // The loop also ends at an error that came meanwhile, which the next turn takes.
        while let Ok((len, age)) = receive_stamped(&self.socket, &mut quote) {
            self.take_datagram(&quote[..len.min(BYTES)], age);
        }
    }

    /// Takes an error of a router, or of the server's machine if the server has stopped.
    fn take_error(&mut self, error: &IcmpError, quote: &Quote) {
        let is_server = match error.meaning {
            Meaning::TimeExceeded => false,
            Meaning::PortUnreachable if error.from == self.server.ip() => true,
            _ => return,
        };
        let at = self.at(error.age);
        let seq = quote::seq(&quote[..error.quoted.min(BYTES)], self.test);
        let seq = seq.or_else(|| self.pending.only_one(error.from, at));
        if let Some(seq) = seq {
            self.note(seq, HopAnswer { from: error.from, at, is_server });
        }
    }

    /// Takes a datagram of the server, to which the socket is connected.
    fn take_datagram(&mut self, bytes: &[u8], age: Option<Span>) {
        let answer = Datagram::decode(bytes)
            .filter(|answer| answer.test == self.test && answer.stream == PATH_STREAM);
        let Some(answer) = answer.filter(|answer| answer.kind != DatagramKind::Probe) else {
            return;
        };
        if answer.kind == DatagramKind::Challenge {
            self.cookie = answer.cookie;
        }
        let at = self.at(age);
        self.note(answer.seq, HopAnswer { from: self.server.ip(), at, is_server: true });
    }

    fn note(&mut self, seq: u32, answer: HopAnswer) {
        if let Some(hop) = self.pending.answer(seq, answer) {
            self.schedule.note_answer(hop, answer.is_server);
        }
    }

    /// The time of reception, by the client's clock.
    fn at(&self, age: Option<Span>) -> Time {
        self.clock.now() - age.unwrap_or(Span::ZERO)
    }
}
