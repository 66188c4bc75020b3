//! Requests to a server of `irtt` (version 1 of its protocol), which tells when each reached it and when
//! its answer left.
//!
//! Source: the layout that the documentation of irtt 0.9 gives of its packets: numbers are in little-endian
//! order, parameters are pairs of varints of which the second is zigzag. Servers with an HMAC key are not
//! supported.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use kernel::stamp_receptions;
use units::{Span, Time};

use super::{Answer, Exchange};
use crate::socket::datagram_socket;

const MAGIC: [u8; 3] = [0x14, 0xa7, 0x5b];
/// Flags: a connection is opened; the packet is the server's; the connection is closed.
const OPEN: u8 = 1;
const REPLY: u8 = 2;
const CLOSE: u8 = 4;

/// Parameters: version, duration and interval in nanoseconds, when to stamp, and by which clock.
const VERSION: u8 = 1;
const DURATION: u8 = 2;
const INTERVAL: u8 = 3;
const STAMP_AT: u8 = 6;
const CLOCK: u8 = 7;
/// At reception and at sending, by the monotonic clock.
const BOTH: i64 = 3;
const MONOTONIC: i64 = 2;

/// The time for which a connection is wanted: the server says how long it allows it.
const WANTED: Span = Span::from_secs(86_400);
/// The time without an answer after which the server may have forgotten the connection: that of irtt's own
/// servers.
const FORGOTTEN: Span = Span::from_secs(60);

/// Bytes of magic, flags and the connection's token; with the number; and with both stamps.
const HEADER: usize = 12;
const NUMBERED: usize = 16;
const STAMPED: usize = 32;

/// Requests to a server of irtt.
pub(crate) struct Irtt {
    server: SocketAddr,
    every: Span,
    connection: Option<Connection>,
    opening: Vec<u8>,
    request: [u8; STAMPED],
}

struct Connection {
    token: [u8; 8],
    answered: Time,
}

impl Irtt {
    pub(crate) fn new(server: SocketAddr, every: Span) -> Self {
        Self { server, every, connection: None, opening: Vec::new(), request: [0; STAMPED] }
    }
}

impl Exchange for Irtt {
    fn open(&mut self) -> io::Result<UdpSocket> {
        let socket = datagram_socket(self.server)?;
        stamp_receptions(&socket)?;
        Ok(socket)
    }

    fn prepare(&mut self, now: Time) -> Option<&[u8]> {
        let is_old = |it: &Connection| now.since(it.answered) > FORGOTTEN;
        if self.connection.as_ref().is_some_and(is_old) {
            self.connection = None;
        }
        if self.connection.is_some() {
            return None;
        }
        self.opening = header(OPEN, [0; 8]).to_vec();
        let parameters = [
            (VERSION, 1),
            (DURATION, WANTED.as_nanos() as i64),
            (INTERVAL, self.every.as_nanos() as i64),
            (STAMP_AT, BOTH),
            (CLOCK, MONOTONIC),
        ];
        for (name, value) in parameters {
            self.opening.push(name);
            put_zigzag(&mut self.opening, value);
        }
        Some(&self.opening)
    }

    fn request(&mut self, number: u32, _now: Time) -> &[u8] {
        let token = self.connection.as_ref().map_or([0; 8], |it| it.token);
        self.request = [0; STAMPED];
        self.request[..HEADER].copy_from_slice(&header(0, token));
        self.request[HEADER..NUMBERED].copy_from_slice(&number.to_le_bytes());
        &self.request
    }

    fn answer(&mut self, bytes: &[u8], now: Time) -> Option<Answer> {
        let [m0, m1, m2, flags, token @ ..]: [u8; HEADER] = *bytes.first_chunk()?;
        if [m0, m1, m2] != MAGIC || flags & REPLY == 0 {
            return None;
        }
        if flags & OPEN != 0 {
            let is_open = flags & CLOSE == 0;
            self.connection = is_open.then_some(Connection { token, answered: now });
            return None;
        }
        let connection = self.connection.as_mut().filter(|it| it.token == token)?;
        connection.answered = now;
        let number = u32::from_le_bytes(*bytes.get(HEADER..)?.first_chunk()?);
        let stamp = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let (reached, left) = (stamp(NUMBERED), stamp(NUMBERED + 8));
        // The server has ended the connection, but this answer still counts.
        if flags & CLOSE != 0 {
            self.connection = None;
        }
        let kept = left.zip(reached).map_or(0, |(left, reached)| left.saturating_sub(reached));
        Some(Answer { reached, kept, ..Answer::plain(number, u32::BITS) })
    }

    fn quoted(&self, bytes: &[u8]) -> Option<u32> {
        let is_ours = bytes.starts_with(&MAGIC);
        let number = bytes.get(HEADER..)?.first_chunk()?;
        is_ours.then(|| u32::from_le_bytes(*number))
    }
}

fn header(flags: u8, token: [u8; 8]) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..3].copy_from_slice(&MAGIC);
    bytes[3] = flags;
    bytes[4..].copy_from_slice(&token);
    bytes
}

/// A signed number as a zigzag varint: 7 bits a byte, the lowest first, and the sign in the lowest bit.
fn put_zigzag(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_opened_used_and_ended() {
        let mut irtt = Irtt::new("192.0.2.1:2112".parse().unwrap(), Span::from_secs(1));
        let opening = irtt.prepare(Time::ZERO).unwrap().to_vec();
        assert_eq!(opening[..HEADER], header(OPEN, [0; 8]));
        assert_eq!(opening[HEADER..HEADER + 2], [VERSION, 2], "1 as a zigzag varint");
        let token = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(irtt.answer(&header(OPEN | REPLY, token), Time::ZERO), None);
        assert_eq!(irtt.prepare(Time::ZERO), None);
        let mut answer = irtt.request(9, Time::ZERO).to_vec();
        assert_eq!((&answer[4..HEADER], irtt.quoted(&answer)), (&token[..], Some(9)));
        answer[3] = REPLY | CLOSE;
        answer[16..24].copy_from_slice(&1000_u64.to_le_bytes());
        answer[24..32].copy_from_slice(&1300_u64.to_le_bytes());
        let read = irtt.answer(&answer, Time::ZERO);
        let expected = Answer { reached: Some(1000), kept: 300, ..Answer::plain(9, 32) };
        assert_eq!(read, Some(expected));
        assert!(irtt.prepare(Time::ZERO).is_some(), "the server has ended it");
        (0..answer.len()).for_each(|len| assert_eq!(irtt.answer(&answer[..len], Time::ZERO), None));
    }

    #[test]
    fn a_connection_without_answers_is_opened_again() {
        let mut irtt = Irtt::new("192.0.2.1:2112".parse().unwrap(), Span::from_secs(1));
        irtt.answer(&header(OPEN | REPLY, [1; 8]), Time::ZERO);
        assert_eq!(irtt.prepare(Time::from_secs(60)), None);
        assert!(irtt.prepare(Time::from_secs(61)).is_some());
    }

    #[test]
    fn numbers_are_zigzag_varints() {
        let put = |value| {
            let mut bytes = Vec::new();
            put_zigzag(&mut bytes, value);
            bytes
        };
        assert_eq!((put(-1), put(3), put(-150)), (vec![1], vec![6], vec![0xab, 2]));
    }
}
