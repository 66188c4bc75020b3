//! The responsiveness document: what `unbloat test --responsiveness URL --json` prints.

use serde::{Deserialize, Serialize};

use crate::{Busy, Finding, Version};

/// A path's responsiveness under working conditions, as draft-ietf-ippm-responsiveness-09 defines
/// it. Missing values are `None`, in JSON `null`: never 0 or NaN.
///
/// Fields unknown to this version are ignored when read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Responsiveness {
    /// `"unbloat.responsiveness"`; reading anything else is an error.
    pub schema: ResponsivenessSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The URL of the server's configuration.
    pub url: String,
    /// The address and port that were measured.
    pub address: String,
    /// Version of TLS: `TLS 1.3`.
    pub tls: Option<String>,
    /// How long it took, in seconds.
    pub duration_s: f64,
    /// Length of an interval (the draft's ID), in seconds: figures of tests with other intervals are
    /// not alike.
    pub interval_s: f64,
    /// Why it is not whole, in a sentence; `None` if it is.
    pub partial: Option<String>,
    /// Handshakes and a request while nothing was loaded, in milliseconds.
    pub idle_ms: ForeignTimes,
    /// While the way from the server to us was loaded.
    pub download: Option<LoadedResponsiveness>,
    /// While the way from us to the server was loaded.
    pub upload: Option<LoadedResponsiveness>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponsivenessSchema {
    /// The only one there is.
    #[default]
    #[serde(rename = "unbloat.responsiveness")]
    Responsiveness,
}

/// The responsiveness while one direction was loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadedResponsiveness {
    /// Round trips a minute: the mean of the next two.
    pub rpm: Option<f64>,
    /// Of new connections.
    pub foreign_rpm: Option<f64>,
    /// Of requests on connections that load.
    pub loaded_rpm: Option<f64>,
    /// What the first is of: trimmed means in milliseconds.
    pub foreign_ms: ForeignTimes,
    /// What the second is of: from a request on a loaded connection to the end of its answer,
    /// trimmed mean in milliseconds (`http_l`).
    pub loaded_ms: Option<f64>,
    /// Content that arrived, in the last intervals: Mbit/s.
    pub goodput_mbit: Option<f64>,
    /// How sure the goodput is.
    pub goodput_confidence: Confidence,
    /// How far `rpm` would lie off for so few probes alone, in round trips a minute: its standard error.
    /// `None` if there are fewer than two probes of a kind.
    #[serde(default)]
    pub rpm_standard_error: Option<f64>,
    /// How whoever sent the load controlled congestion: `cubic`. `None` if that is a server that does
    /// not tell.
    #[serde(default)]
    pub congestion: Option<String>,
    /// How sure the responsiveness is.
    pub rpm_confidence: Confidence,
    /// Connections that loaded, at the end.
    pub connections: usize,
    /// New connections that count.
    pub foreign_probes: usize,
    /// Requests on loaded connections that count.
    pub loaded_probes: usize,
    /// Probes that failed, of both kinds and at any time.
    pub failed_probes: usize,
    /// How long it took, in seconds.
    pub duration_s: f64,
    /// How busy the processors of this machine were; of the server's nobody tells.
    #[serde(default)]
    pub processor: Busy,
    /// How late this program came to its probes: the median of the latest of each tenth of a second, in
    /// milliseconds. `None` if it ended before.
    #[serde(default)]
    pub late_ms: Option<f64>,
    /// What else was found: `machine_limits` if this machine and not the path was the limit.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// The parts of a new connection, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForeignTimes {
    /// The handshake of TCP (`tcp_f`).
    pub tcp: Option<f64>,
    /// A round trip of the handshake of TLS (`tls_f`).
    pub tls: Option<f64>,
    /// From a small request to the end of its answer (`http_f`).
    pub http: Option<f64>,
}

/// How sure a figure is, in the draft's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// There was no time for as many intervals as a moving average needs, or there was not a probe in
    /// each of them.
    #[default]
    Low,
    /// There was, but the figure did not settle, or too few probes were answered for it.
    Medium,
    /// The figure settled, and so many probes were answered that it is no accident.
    High,
}
