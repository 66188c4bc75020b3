//! The responsiveness document: the output of `unbloat test --responsiveness URL --json`.

use serde::{Deserialize, Serialize};

use crate::{Finding, ProcessorLoad, Version};

/// A path's responsiveness under working conditions, as draft-ietf-ippm-responsiveness-09 defines
/// it. Missing values are `None`, in JSON `null`: never 0 or NaN.
///
/// Fields unknown to this version are ignored when read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Responsiveness {
    /// `"unbloat.responsiveness"`; reading anything else is an error.
    pub schema: ResponsivenessSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The URL of the server's configuration.
    pub url: String,
    /// The address and port that were measured.
    pub address: String,
    /// Version of TLS: `TLS 1.3`; `None` if it is not known.
    pub tls: Option<String>,
    /// Duration of the test, in seconds.
    pub duration_s: f64,
    /// Length of an interval (the draft's ID), in seconds. Figures of tests with different
    /// intervals cannot be compared.
    pub interval_s: f64,
    /// The reason why the measurement is incomplete, in words as `report` writes them; `None` if it is
    /// complete, and before `report` has written them.
    pub partial: Option<String>,
    /// The reason why the measurement is incomplete; `None` if it is complete, and in documents of
    /// earlier releases, which have the words alone.
    #[serde(default)]
    pub partial_reason: Option<IncompleteResponsiveness>,
    /// Times of handshakes and of a request while nothing was loaded, in milliseconds.
    pub idle_ms: ForeignTimes,
    /// The responsiveness while the direction from the server to us was loaded; `None` if it was
    /// not.
    pub download: Option<LoadedResponsiveness>,
    /// The responsiveness while the direction from us to the server was loaded; `None` if it was
    /// not.
    pub upload: Option<LoadedResponsiveness>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ResponsivenessSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.responsiveness")]
    Responsiveness,
}

/// The reason why a measurement of responsiveness is incomplete. The sentence is `report`'s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IncompleteResponsiveness {
    /// The test was told to stop.
    Interrupted,
    /// A load-generating connection failed, which ends the test.
    LoadFailed {
        /// The error, as the test reports it.
        error: String,
    },
}

/// The responsiveness while a direction was loaded. Means of too few probes are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadedResponsiveness {
    /// Round trips a minute: the mean of `foreign_rpm` and `loaded_rpm`.
    pub rpm: Option<f64>,
    /// Round trips a minute of new connections.
    pub foreign_rpm: Option<f64>,
    /// Round trips a minute of requests on loading connections.
    pub loaded_rpm: Option<f64>,
    /// Times from which `foreign_rpm` is computed: trimmed means in milliseconds.
    pub foreign_ms: ForeignTimes,
    /// Time from which `loaded_rpm` is computed: from a request on a loading connection to the end
    /// of its answer, trimmed mean in milliseconds (`http_l`).
    pub loaded_ms: Option<f64>,
    /// Goodput in the last intervals, in Mbit/s.
    pub goodput_mbit: Option<f64>,
    /// Confidence in the goodput.
    pub goodput_confidence: Confidence,
    /// Standard error of `rpm` from the limited number of probes, in round trips a minute. `None`
    /// if there are fewer than two probes of a kind.
    #[serde(default)]
    pub rpm_standard_error: Option<f64>,
    /// Congestion control of the sender of the load: `cubic`. `None` if the sender is a server that
    /// does not report it.
    #[serde(default)]
    pub congestion: Option<String>,
    /// Confidence in the responsiveness.
    pub rpm_confidence: Confidence,
    /// Number of loading connections at the end.
    pub connections: usize,
    /// Number of new connections from which `foreign_rpm` is computed.
    pub foreign_probes: usize,
    /// Number of requests on loading connections from which `loaded_rpm` is computed.
    pub loaded_probes: usize,
    /// Number of failed probes, of both kinds and at any time.
    pub failed_probes: usize,
    /// Duration of the load, in seconds.
    pub duration_s: f64,
    /// Load of this machine's processors. The server does not report its own.
    #[serde(default)]
    pub processor: ProcessorLoad,
    /// Lateness of this program's probes, in milliseconds: the median of the maxima of each tenth
    /// of a second. `None` if the test ended before the first tenth.
    #[serde(default)]
    pub late_ms: Option<f64>,
    /// Other findings: `machine_limits` if the client's machine, and not the path, was the limit.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// The times of the parts of a new connection, in milliseconds; `None` without probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignTimes {
    /// The TCP handshake (`tcp_f`).
    pub tcp: Option<f64>,
    /// A round trip of the TLS handshake (`tls_f`).
    pub tls: Option<f64>,
    /// The request for a small object, to the end of the answer (`http_f`).
    pub http: Option<f64>,
}

/// The confidence in a figure, in the draft's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// There was no time for as many intervals as a moving average needs, or there was not a probe in
    /// each of them.
    #[default]
    Low,
    /// There was enough time, but the figure did not settle, or too few probes were answered.
    Medium,
    /// The figure settled, and enough probes were answered.
    High,
}
