//! Probes: UDP datagrams of one of two sizes, and their answers.
//!
//! ```text
//!  0        4  5  6  7  8            16           24     28     32          40          48          56
//!  | "unbl" |v |k |s |d | test       | cookie     | seq  | seen | sent      | reached   | answered  |
//! ```
//! v: [`VERSION`]; k: [`DatagramKind`]; s: stream; d: DSCP of the answer; test: the first 8 bytes
//! of its name; cookie: proof of the client's address; seq: counted from 0 in each stream; seen:
//! probes of the stream that have reached the server; sent: nanoseconds of the client's clock;
//! reached, answered: nanoseconds of the server's clock. Numbers are in network byte order. A
//! datagram that stands for a frame of a call is padded with zeros to [`VOICE_BYTES`].
//!
//! Probes of [`ECN_STREAM`] and their answers are sent with ECN's code point ECT(0). In these answers
//! the two high bits of `d` say how the probe arrived: 1 without ECN, 2 with it. An older server says
//! 0.
//!
//! The server answers a datagram only if it names a running test. If the cookie is not that of the
//! source address, the answer is [`DatagramKind::Challenge`] with the right one: so only a client
//! that can receive at its address gets other answers, and no answer is longer than the datagram
//! that it answers. The same challenge shows that a NAT has given the client another address during
//! the test.

use observation::EcnPassage;

/// The version of the layout.
pub const VERSION: u8 = 1;

/// Bytes of the smallest datagram.
pub const BYTES: usize = 56;

/// Bytes of a datagram that stands for a frame of a call: 20 ms of G.711, which are 160 bytes (RFC
/// 3551 sections 4.2 and 4.5.14), and the header of RTP, 12 bytes (RFC 3550 section 5.1).
pub const VOICE_BYTES: usize = 172;

/// The stream of the probes of hops, most of which end at routers: see [`path`](crate::path). The
/// server answers those that reach it like any others.
pub const PATH_STREAM: u8 = 255;

/// The stream of the probes that ask what the path does to ECN.
pub const ECN_STREAM: u8 = 254;

/// ECN's code point ECT(0) in a class of service (RFC 3168 section 5).
pub const ECT_0: u8 = 2;

/// The place of the code point of the answer.
const CODE: usize = 7;

const MAGIC: [u8; 4] = *b"unbl";

/// The kind of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatagramKind {
    /// A probe, from the client.
    Probe,
    /// The server's answer to a probe.
    Answer,
    /// The server's answer to a probe whose cookie is not that of its address.
    Challenge,
}

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The kind.
    pub kind: DatagramKind,
    /// The client's stream to which the datagram belongs.
    pub stream: u8,
    /// The code point with which the answer is to be sent, 0 to 63.
    pub dscp: u8,
    /// The first 8 bytes of the test's name.
    pub test: u64,
    /// The proof that the client can receive at its address.
    pub cookie: u64,
    /// The sequence number, counted from 0 in each stream.
    pub seq: u32,
    /// Probes of the stream that have reached the server.
    pub seen: u32,
    /// The time of sending, in nanoseconds of the client's clock.
    pub sent: u64,
    /// The time at which the probe was received, in nanoseconds of the server's clock.
    pub reached: u64,
    /// The time of the answer's sending, in nanoseconds of the server's clock.
    pub answered: u64,
}

impl Datagram {
    /// The datagram as bytes.
    pub fn encode(&self) -> [u8; BYTES] {
        let kind = match self.kind {
            DatagramKind::Probe => 0,
            DatagramKind::Answer => 1,
            DatagramKind::Challenge => 2,
        };
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&[VERSION, kind, self.stream, self.dscp]);
        bytes[8..16].copy_from_slice(&self.test.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[24..28].copy_from_slice(&self.seq.to_be_bytes());
        bytes[28..32].copy_from_slice(&self.seen.to_be_bytes());
        bytes[32..40].copy_from_slice(&self.sent.to_be_bytes());
        bytes[40..48].copy_from_slice(&self.reached.to_be_bytes());
        bytes[48..56].copy_from_slice(&self.answered.to_be_bytes());
        bytes
    }

    /// The datagram as bytes, padded to the length of a frame of a call. Any other datagram is only
    /// the first [`BYTES`] of these.
    pub fn encode_voice(&self) -> [u8; VOICE_BYTES] {
        let mut bytes = [0; VOICE_BYTES];
        bytes[..BYTES].copy_from_slice(&self.encode());
        bytes
    }

    /// The datagram in these bytes; `None` if they do not have this layout.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if !matches!(bytes.len(), BYTES | VOICE_BYTES) {
            return None;
        }
        let bytes: &[u8; BYTES] = bytes.first_chunk()?;
        let [v, k, stream, dscp] = *field(bytes, 4);
        let kind = match k {
            0 => DatagramKind::Probe,
            1 => DatagramKind::Answer,
            2 => DatagramKind::Challenge,
            _ => return None,
        };
        let long = |at| u64::from_be_bytes(*field(bytes, at));
        let short = |at| u32::from_be_bytes(*field(bytes, at));
        (bytes[..4] == MAGIC && v == VERSION && dscp < 64).then(|| Self {
            kind,
            stream,
            dscp,
            test: long(8),
            cookie: long(16),
            seq: short(24),
            seen: short(28),
            sent: long(32),
            reached: long(40),
            answered: long(48),
        })
    }
}

/// Writes into a datagram how the probe that it answers arrived.
pub fn note_passage(bytes: &mut [u8], passage: EcnPassage) {
    let note = match passage {
        EcnPassage::Bleached => 1,
        EcnPassage::Kept => 2,
    };
    if let Some(code) = bytes.get_mut(CODE) {
        *code = *code & 63 | note << 6;
    }
}

/// Takes out of a datagram what [`note_passage`] has written; `None` if it was not written.
pub fn take_passage(bytes: &mut [u8]) -> Option<EcnPassage> {
    let code = bytes.get_mut(CODE)?;
    let note = *code >> 6;
    *code &= 63;
    match note {
        1 => Some(EcnPassage::Bleached),
        2 => Some(EcnPassage::Kept),
        _ => None,
    }
}

/// The `N` bytes from `at`, which lie within: both are constants of the layout.
fn field<const N: usize>(bytes: &[u8; BYTES], at: usize) -> &[u8; N] {
    bytes[at..].first_chunk().expect("the layout has so many bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_taken_as_it_was_noted() {
        let probe = [7; BYTES];
        for passage in [EcnPassage::Kept, EcnPassage::Bleached] {
            let mut bytes = probe;
            note_passage(&mut bytes, passage);
            assert_eq!(take_passage(&mut bytes), Some(passage));
            assert_eq!((take_passage(&mut bytes), bytes), (None, probe));
        }
        assert_eq!(take_passage(&mut []), None);
    }

    #[test]
    fn is_read_as_it_was_written() {
        let probe = Datagram {
            kind: DatagramKind::Probe,
            stream: 1,
            dscp: 46,
            test: 0x0123_4567_89AB_CDEF,
            cookie: 2,
            seq: 3,
            seen: 4,
            sent: 5,
            reached: 6,
            answered: u64::MAX,
        };
        for kind in [DatagramKind::Probe, DatagramKind::Answer, DatagramKind::Challenge] {
            let datagram = Datagram { kind, ..probe };
            assert_eq!(Datagram::decode(&datagram.encode()), Some(datagram));
        }
        let voice = probe.encode_voice();
        assert_eq!(Datagram::decode(&voice), Some(probe));
        for len in [55, 57, 171] {
            assert_eq!(Datagram::decode(&voice[..len]), None, "{len} bytes");
        }
        let bytes = probe.encode();
        for (at, value) in [(0, b'x'), (4, VERSION + 1), (5, 3), (7, 64)] {
            let mut other = bytes;
            other[at] = value;
            assert_eq!(Datagram::decode(&other), None, "byte {at} = {value}");
        }
    }
}
