//! The messages between client and server over TCP: one JSON document a line.
//!
//! ```text
//! control connection                     flow                          echo
//!   C Request::Hello                       C Request::Flow               C Request::Echo
//!   S Answer::Challenge  (with a token)    S Answer::Ready               S Answer::Echo
//!   C Proof                                  load, until one closes      closed
//!   S Answer::Welcome
//!   C Command::Collect
//!   S Answer::Log ..., Answer::Collected
//!   C Command::Bye, or it closes: the test is over, with all its flows
//!
//! object
//!   C Request::Object
//!   S its bytes, closed
//! ```
//!
//! All connections go to one port, and UDP probes ([`datagram`](crate::datagram)) to the same
//! number. The server answers what it does not understand with [`Answer::Refused`], and closes.

use observation::Heading;
use serde::{Deserialize, Serialize};

/// The version of the protocol, which changes when an older peer would misunderstand.
pub const PROTOCOL: u32 = 2;

/// The default port of a server, TCP and UDP. Unassigned by IANA.
pub const PORT: u16 = 8517;

/// The longest line that a client may send, its end included.
pub const REQUEST_BYTES: usize = 1024;

/// The longest line that a server sends, its end included.
pub const ANSWER_BYTES: usize = 64 * 1024;

/// The longest object that a client may ask for, in bytes: more than an object of a page has.
pub const OBJECT_BYTES: u32 = 128 * 1024;

/// The first line on a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Asks for a test; this connection becomes its control connection.
    Hello {
        /// [`PROTOCOL`] of the client.
        protocol: u32,
        /// The program: `unbloat 0.1.0`.
        program: String,
    },
    /// Joins a test as a flow that loads.
    Flow {
        /// The test's name, from [`Answer::Welcome`].
        test: String,
        /// The direction of its data.
        heading: Heading,
        /// Congestion controls for a server that sends: the first of these that it may use counts.
        congestion: Vec<String>,
        /// Differentiated Services code point of what the server sends, 0 to 63.
        dscp: u8,
        /// The largest payload of a segment in bytes, if smaller than usual; `None` leaves it to
        /// the kernel.
        segment: Option<u32>,
    },
    /// Asks for the smallest answer, to time a round trip.
    Echo {
        /// The test's name.
        test: String,
    },
    /// Asks for an object of a page: bytes without a line before them, and then the end of the
    /// connection.
    Object {
        /// The test's name.
        test: String,
        /// The number of bytes, from 1 to [`OBJECT_BYTES`].
        bytes: u32,
    },
}

/// The answer to a [`Challenge`](Answer::Challenge).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// HMAC-SHA-256 of the challenge's nonce under the shared token, in hexadecimal.
    pub proof: String,
}

/// A client's message on the control connection of its test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Asks for all notes since the last request.
    Collect,
    /// Ends the test.
    Bye,
}

/// A server's message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The client must first prove that it knows the token.
    Challenge {
        /// Random, 32 bytes in hexadecimal.
        nonce: String,
    },
    /// The test may begin.
    Welcome {
        /// [`PROTOCOL`] of the server.
        protocol: u32,
        /// The program: `unbloat 0.1.0`.
        program: String,
        /// The test's name: 16 random bytes in hexadecimal, which nobody can guess. The first 8
        /// bytes are its key in [probes](crate::datagram).
        test: String,
        /// The limits of the test.
        limits: Limits,
        /// The number of other tests that run.
        other_tests: u32,
    },
    /// A refusal.
    Refused {
        /// The kind of reason, for programs.
        reason: Reason,
        /// A sentence, for people.
        message: String,
        /// The time after which to try again, in seconds, if that may help.
        retry_s: Option<u32>,
    },
    /// The flow has begun: if the server sends, its load follows.
    Ready {
        /// The flow's number in [`Log`](Self::Log), counted from 0 in each test.
        flow: u32,
        /// The congestion control at the server's end.
        congestion: String,
    },
    /// The answer to [`Request::Echo`].
    Echo,
    /// Some of the notes; times are nanoseconds of the server's clock.
    Log(Log),
    /// The end of the notes for now.
    Collected {
        /// The most other tests at once since the client's last request.
        other_tests: u32,
    },
}

/// Limits of a server on a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The most flows at once.
    pub flows: u32,
    /// The most seconds from beginning to end.
    pub time_s: u32,
    /// The highest rate in each direction in Mbit/s; `None` without a limit.
    pub rate_mbit: Option<f64>,
}

/// The reasons of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The server runs as many tests as it may.
    Busy,
    /// The server speaks another version of the protocol.
    Version,
    /// The token is missing or wrong.
    Token,
    /// There is no such test, or it is over.
    UnknownTest,
    /// The test has as many flows as it may.
    TooManyFlows,
    /// The server did not understand the message.
    Malformed,
}

/// A part of a server's notes on a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Log {
    /// Probes that reached the server: stream, sequence number, time of reception, time of the
    /// answer.
    Probes(Vec<(u8, u32, u64, u64)>),
    /// Data that a flow's receiver had got in all: time, bytes, segments.
    Received {
        /// The flow's number.
        flow: u32,
        /// The notes.
        receipts: Vec<(u64, u64, Option<u64>)>,
    },
    /// The state of a flow's sender.
    Sender {
        /// The flow's number.
        flow: u32,
        /// The samples.
        samples: Vec<SenderReading>,
    },
    /// The load of the server's machine: time, thousandths of its busiest processor, and
    /// thousandths of one processor that the server itself took.
    Machine(Vec<(u64, Option<u32>, Option<u32>)>),
}

/// A [`SenderSample`](observation::SenderSample) in the kernel's units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderReading {
    /// The time, in nanoseconds of the server's clock.
    pub at: u64,
    /// Smoothed round trip, microseconds; 0 before the first.
    pub srtt: u32,
    /// The least round trip, microseconds; 0 before the first.
    pub min: u32,
    /// Congestion window, segments.
    pub cwnd: u32,
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// Bytes acknowledged.
    pub acked: u64,
    /// Segments sent.
    pub sent: u64,
    /// Segments retransmitted.
    pub again: u64,
    /// Segments received: acknowledgements.
    pub heard: u64,
    /// Segments that the peer has acknowledged, selectively or cumulatively.
    #[serde(default)]
    pub delivered: u64,
    /// Microseconds with data to send.
    pub busy: u64,
    /// Microseconds of `busy` in which the receiver's window was the limit.
    pub window: u64,
    /// Microseconds of `busy` in which the sender's buffer was the limit.
    pub buffer: u64,
    /// Delivery rate, bytes a second; 0 if unknown.
    pub rate: u64,
}
