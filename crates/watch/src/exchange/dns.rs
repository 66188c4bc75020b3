//! Questions to a resolver. Specification: RFC 1035 section 4.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use kernel::stamp_receptions;
use units::Time;

use super::{Answer, Exchange};
use crate::socket::datagram_socket;

/// A recursive query (RFC 1035 section 4.1.1: RD), with one question.
const FLAGS: u16 = 0x0100;
/// The bit of an answer (QR), and the codes of answers (RCODE) that say that the resolver has no answer
/// for now.
const IS_ANSWER: u16 = 0x8000;
const RCODE: u16 = 0x000f;
const SERVER_FAILURE: u16 = 2;

/// Questions for the address of a name.
pub(crate) struct Dns {
    resolver: SocketAddr,
    query: Vec<u8>,
}

impl Dns {
    /// Questions for the IPv4 address of a name with labels of 1 to 63 bytes.
    pub(crate) fn new(resolver: SocketAddr, name: &str) -> Self {
        let mut query = vec![0; 2];
        for number in [FLAGS, 1, 0, 0, 0] {
            query.extend(number.to_be_bytes());
        }
        for label in name.split('.') {
            query.push(label.len() as u8);
            query.extend(label.as_bytes());
        }
        // The root, and type A, class IN.
        query.extend([0, 0, 1, 0, 1]);
        Self { resolver, query }
    }

    /// The number in a message that has our question.
    fn number(&self, bytes: &[u8]) -> Option<u32> {
        const HEADER: usize = 12;
        let question = bytes.get(HEADER..self.query.len())?;
        let is_ours = question.eq_ignore_ascii_case(&self.query[HEADER..]);
        is_ours.then(|| u16::from_be_bytes([bytes[0], bytes[1]]).into())
    }
}

impl Exchange for Dns {
    fn open(&mut self) -> io::Result<UdpSocket> {
        let socket = datagram_socket(self.resolver)?;
        stamp_receptions(&socket)?;
        Ok(socket)
    }

    fn request(&mut self, number: u32, _now: Time) -> &[u8] {
        self.query[..2].copy_from_slice(&(number as u16).to_be_bytes());
        &self.query
    }

    fn answer(&mut self, bytes: &[u8], _now: Time) -> Option<Answer> {
        let [_, _, f0, f1] = *bytes.first_chunk()?;
        let flags = u16::from_be_bytes([f0, f1]);
        let number = self.number(bytes).filter(|_| flags & IS_ANSWER != 0)?;
        let is_good = flags & RCODE != SERVER_FAILURE;
        Some(Answer { is_good, ..Answer::plain(number, u16::BITS) })
    }

    fn quoted(&self, bytes: &[u8]) -> Option<u32> {
        Some(u16::from_be_bytes(*bytes.first_chunk()?).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1035 section 4.1: the header, and the question for `a.example`.
    #[test]
    fn a_question_is_written_and_its_answer_read() {
        let mut dns = Dns::new("192.0.2.53:53".parse().unwrap(), "a.example");
        let query = dns.request(7, Time::ZERO).to_vec();
        let expected =
            b"\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x07example\x00\x00\x01\x00\x01";
        assert_eq!(query, expected);
        assert_eq!(dns.answer(&query, Time::ZERO), None, "a question is no answer");
        let mut answer = query.clone();
        answer[2] |= 0x80;
        assert_eq!(dns.answer(&answer, Time::ZERO), Some(Answer::plain(7, 16)));
        answer[3] |= 3;
        assert_eq!(
            dns.answer(&answer, Time::ZERO).map(|it| it.is_good),
            Some(true),
            "no such name"
        );
        answer[3] = 2;
        assert_eq!(
            dns.answer(&answer, Time::ZERO).map(|it| it.is_good),
            Some(false),
            "server failure"
        );
        answer[13] = b'b';
        assert_eq!(dns.answer(&answer, Time::ZERO), None, "another name");
        (0..answer.len()).for_each(|len| assert_eq!(dns.answer(&answer[..len], Time::ZERO), None));
    }
}
