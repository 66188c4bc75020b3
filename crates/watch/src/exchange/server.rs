//! Probes to a server of ours, which tells when each reached it and when its answer left.

use std::io;
use std::net::UdpSocket;

use kernel::stamp_receptions;
use measure::client::Session;
use measure::datagram::{BYTES, Datagram, DatagramKind};
use units::Time;

use super::{Answer, Exchange};
use crate::socket::datagram_socket;

/// The stream of the probes.
const STREAM: u8 = 0;

/// Probes of a test that loads nothing.
pub(crate) struct Server {
    session: Session,
    cookie: u64,
    request: [u8; BYTES],
}

impl Server {
    pub(crate) const fn new(session: Session) -> Self {
        Self { session, cookie: 0, request: [0; BYTES] }
    }

    /// True if the server has ended the test, or is gone.
    pub(crate) fn is_over(&mut self) -> bool {
        self.session.is_over()
    }
}

impl Exchange for Server {
    fn open(&mut self) -> io::Result<UdpSocket> {
        let socket = datagram_socket(self.session.address())?;
        stamp_receptions(&socket)?;
        Ok(socket)
    }

    fn request(&mut self, number: u32, now: Time) -> &[u8] {
        let probe = Datagram {
            kind: DatagramKind::Probe,
            stream: STREAM,
            dscp: 0,
            test: self.session.test(),
            cookie: self.cookie,
            seq: number,
            seen: 0,
            sent: now.as_nanos(),
            reached: 0,
            answered: 0,
        };
        self.request = probe.encode();
        &self.request
    }

    fn answer(&mut self, bytes: &[u8], _now: Time) -> Option<Answer> {
        let answer = Datagram::decode(bytes)?;
        if answer.test != self.session.test() || answer.stream != STREAM {
            return None;
        }
        match answer.kind {
            DatagramKind::Probe => None,
            DatagramKind::Challenge => {
                self.cookie = answer.cookie;
                Some(Answer::plain(answer.seq, u32::BITS))
            }
            DatagramKind::Answer => Some(Answer {
                reached: Some(answer.reached),
                kept: answer.answered.saturating_sub(answer.reached),
                ..Answer::plain(answer.seq, u32::BITS)
            }),
        }
    }

    fn quoted(&self, bytes: &[u8]) -> Option<u32> {
        let probe = Datagram::decode(bytes)?;
        (probe.test == self.session.test()).then_some(probe.seq)
    }
}
