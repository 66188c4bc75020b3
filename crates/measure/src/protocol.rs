//! What client and server say to each other over TCP: one JSON document a line.
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
//! Everything is on one port, UDP probes ([`datagram`](crate::datagram)) too. Whatever the server
//! does not understand it answers with [`Answer::Refused`], and closes.

use results::observation::Heading;
use serde::{Deserialize, Serialize};

/// The version of all this. It changes when an older peer would misunderstand.
pub const PROTOCOL: u32 = 2;

/// Where a server listens, TCP and UDP, unless told otherwise. Unassigned by IANA.
pub const PORT: u16 = 8517;

/// The longest line that a client may send, its end included.
pub const REQUEST_BYTES: usize = 1024;

/// The longest line that a server sends, its end included.
pub const ANSWER_BYTES: usize = 64 * 1024;

/// The longest object that a client may ask for: more than a part of a page has.
pub const OBJECT_BYTES: u32 = 128 * 1024;

/// The first line on a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Asks for a test; this connection becomes its control.
    Hello {
        /// [`PROTOCOL`] of the client.
        protocol: u32,
        /// The program: `unbloat 0.1.0`.
        program: String,
    },
    /// Joins a test as a flow that loads.
    Flow {
        /// Which test: [`Answer::Welcome`]'s.
        test: String,
        /// Which way its data goes.
        heading: Way,
        /// Congestion control of a server that sends: the first of these that it may use.
        congestion: Vec<String>,
        /// Differentiated Services code point of what the server sends, 0 to 63.
        dscp: u8,
        /// The largest payload of a segment, if smaller than usual.
        segment: Option<u32>,
    },
    /// Asks for an answer as small as possible, and no more.
    Echo {
        /// Which test.
        test: String,
    },
    /// Asks for a part of a page: so many bytes and the end of the connection, without a line before.
    Object {
        /// Which test.
        test: String,
        /// How many, from 1 to [`OBJECT_BYTES`].
        bytes: u32,
    },
}

/// Which way data goes, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// From client to server.
    Up,
    /// From server to client.
    Down,
}

impl From<Way> for Heading {
    fn from(way: Way) -> Self {
        match way {
            Way::Up => Self::Up,
            Way::Down => Self::Down,
        }
    }
}

/// The answer to a [`Challenge`](Answer::Challenge).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// HMAC-SHA-256 of the challenge's nonce under the shared token, in hexadecimal.
    pub proof: String,
}

/// What a client says on its control connection once it is welcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Asks for all that the server has noted since it was last asked.
    Collect,
    /// Ends the test.
    Bye,
}

/// What a server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Prove first that you know the token.
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
        /// Names the test: 16 random bytes in hexadecimal, unguessable. The first 8 bytes name it in
        /// [probes](crate::datagram) too.
        test: String,
        /// What it may do.
        limits: Limits,
        /// Tests that run for others.
        other_tests: u32,
    },
    /// No, and why.
    Refused {
        /// In a word, for programs.
        reason: Reason,
        /// In a sentence, for people.
        message: String,
        /// When to try again, in seconds, if that may help.
        retry_s: Option<u32>,
    },
    /// The flow has begun: load follows if the server sends.
    Ready {
        /// Names the flow in [`Log`](Self::Log): counted from 0 in each test.
        flow: u32,
        /// The congestion control that the server's end has.
        congestion: String,
    },
    /// The smallest answer.
    Echo,
    /// Some of what was noted; times are nanoseconds of the server's clock.
    Log(Log),
    /// That was all for now.
    Collected {
        /// The most tests that ran for others since it was last asked.
        other_tests: u32,
    },
}

/// What a server allows a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Flows at once.
    pub flows: u32,
    /// Seconds from beginning to end.
    pub time_s: u32,
    /// Mbit/s in each direction, if that is limited.
    pub rate_mbit: Option<f64>,
}

/// Why a server refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It does as many tests as it may.
    Busy,
    /// It speaks another version of the protocol.
    Version,
    /// The token is missing or wrong.
    Token,
    /// There is no such test, or it is over.
    UnknownTest,
    /// The test has as many flows as it may.
    TooManyFlows,
    /// It did not understand.
    Malformed,
}

/// Part of what a server noted of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Log {
    /// Probes that arrived: stream, sequence number, arrived, answered.
    Probes(Vec<(u8, u32, u64, u64)>),
    /// What a flow's receiver had got in all: time, bytes, segments.
    Received {
        /// Which flow.
        flow: u32,
        /// The sums.
        receipts: Vec<(u64, u64, Option<u64>)>,
    },
    /// How a flow's sender saw its connection.
    Sender {
        /// Which flow.
        flow: u32,
        /// The samples.
        samples: Vec<Sample>,
    },
    /// How busy the server's machine was: time, thousandths of its busiest processor, and thousandths
    /// of one processor that the server itself took.
    Machine(Vec<(u64, Option<u32>, Option<u32>)>),
}

/// A [`SenderSample`](results::observation::SenderSample) in units as small as the kernel's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Nanoseconds of the server's clock.
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
    /// Segments sent once more.
    pub again: u64,
    /// Segments that came back: acknowledgements.
    pub heard: u64,
    /// Segments that the peer has acknowledged, selectively or all up to them.
    #[serde(default)]
    pub delivered: u64,
    /// Microseconds with something to send.
    pub busy: u64,
    /// Microseconds of those limited by the receiver.
    pub window: u64,
    /// Microseconds of those limited by the sender's buffer.
    pub buffer: u64,
    /// Delivery rate, bytes a second; 0 if unknown.
    pub rate: u64,
}
