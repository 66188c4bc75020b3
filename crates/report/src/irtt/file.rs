//! The file as it is read: only those parts that a measurement can hold. Times and delays are in
//! nanoseconds.

use serde::Deserialize;

use crate::foreign::list;

/// The whole file.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    pub(super) version: Version,
    pub(super) config: Config,
    #[serde(deserialize_with = "list")]
    pub(super) round_trips: Vec<RoundTrip>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Version {
    pub(super) irtt: String,
    pub(super) json_format: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Config {
    /// The server, with its port.
    pub(super) remote_address: String,
    pub(super) params: Parameters,
}

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    /// Differentiated Services code point.
    pub(super) dscp: i64,
}

/// A packet and its answer.
#[derive(Debug, Deserialize)]
pub(super) struct RoundTrip {
    pub(super) seqno: u64,
    pub(super) lost: Lost,
    pub(super) timestamps: Stamps,
    pub(super) delay: Delay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Lost {
    #[serde(rename = "false")]
    False,
    /// True: a packet or its answer was lost; the direction is not known.
    #[serde(rename = "true")]
    True,
    #[serde(rename = "true_up")]
    Up,
    #[serde(rename = "true_down")]
    Down,
}

#[derive(Debug, Deserialize)]
pub(super) struct Stamps {
    pub(super) client: Ends,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ends {
    pub(super) send: Stamp,
}

/// The times of an event by two clocks; `None` if the clock was not requested.
#[derive(Debug, Deserialize)]
pub(super) struct Stamp {
    pub(super) wall: Option<i64>,
    pub(super) monotonic: Option<i64>,
}

/// Delays of a probe. All are `None` if it was lost; one-way delays are `None` if the server did
/// not send timestamps.
#[derive(Debug, Deserialize)]
pub(super) struct Delay {
    pub(super) rtt: Option<i64>,
    /// One-way delay of the packet, as the difference of both ends' clocks.
    pub(super) send: Option<i64>,
    /// One-way delay of the answer, as the difference of these clocks.
    pub(super) receive: Option<i64>,
}
