//! Delays that a capture tells beside those of TCP.

use serde::{Deserialize, Serialize};

/// Round trips over time, each as long as it was the latest one, in milliseconds; `None` without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedWaits {
    /// The shortest, which is the path without a queue.
    pub least_ms: Option<f64>,
    /// The median.
    pub p50_ms: Option<f64>,
    /// The 95th percentile.
    pub p95_ms: Option<f64>,
    /// The longest.
    pub most_ms: Option<f64>,
}

/// The queries that a host has sent to a DNS server, and how long the answers took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedDns {
    /// The address of the host.
    pub client: String,
    /// The address of the server, and its port.
    pub server: String,
    /// The port of the server.
    pub port: u16,
    /// The queries, without those that were sent again.
    pub queries: u64,
    /// The queries that were sent again: nobody knows to which the answer belongs.
    pub repeated: u64,
    /// The queries without an answer.
    pub unanswered: u64,
    /// The times from a query that was sent once to its answer. They are those of the way, and of what the server
    /// had to ask others.
    pub answers: CapturedWaits,
}

/// The first messages of a TLS handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedTls {
    /// The time from the client's first message to that of the server in milliseconds.
    pub hello_ms: f64,
    /// The part of it beyond the round trip of the TCP handshake in milliseconds: queues, and the work of the server;
    /// `None` if the handshake was not captured.
    pub beyond_round_trip_ms: Option<f64>,
}

/// A QUIC connection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedQuic {
    /// The client's address and port.
    pub client: String,
    /// The server's address and port.
    pub server: String,
    /// The time of the first packet in seconds since 1970 (UTC).
    pub first_s: f64,
    /// The time from the first packet to the last in seconds.
    pub elapsed_s: f64,
    /// The packets that the client has sent.
    pub client_packets: u64,
    /// The packets that the server has sent.
    pub server_packets: u64,
    /// The time from the client's first packet to the server's first in milliseconds, between the place of the capture
    /// and the server; `None` if it was not captured, or if the client had to send it again.
    pub handshake_ms: Option<f64>,
    /// The round trips between both ends by the spin bit; `None` if the ends do not use it, or if that cannot be told.
    pub spin: Option<CapturedWaits>,
}

/// A stream of RTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedRtp {
    /// The sender's address and port.
    pub from: String,
    /// The receiver's address and port.
    pub to: String,
    /// The source of the stream (SSRC).
    pub source: u32,
    /// The type of the payload.
    pub payload_type: u8,
    /// The packets that were captured.
    pub packets: u64,
    /// The packets that were lost before the place of the capture: those that were expected without those that came
    /// (RFC 3550 appendix A.3). Less than none if some came twice.
    pub lost: i64,
    /// The jitter at the end of the stream in milliseconds (RFC 3550 appendix A.8); `None` if the clock of the payload
    /// is not known.
    pub jitter_ms: Option<f64>,
    /// The most jitter that there was, in milliseconds; `None` as the jitter.
    pub most_jitter_ms: Option<f64>,
}
