//! The keys of TCP, which every flow over TCP has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::{AckFile, Count, Number, Octets, Quantity, WindowFile};
use crate::tree::At;

/// The options of a flow's TCP.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tcp")]
pub(crate) struct TcpFile {
    /// The TCP that gives the defaults of the keys below. Default: `linux`.
    pub(crate) tcp: Option<Era>,
    /// The congestion control. Default: `cubic`.
    pub(crate) congestion: Option<At<CongestionFile>>,
    /// The time that LEDBAT lets its packets wait in the queue, with `ledbat`. Default: `"100ms"`.
    pub(crate) ledbat_target: Option<At<Quantity<Span>>>,
    /// The number of segments by which LEDBAT's window grows each round trip while there is no
    /// queue, with `ledbat`. RFC 6817 allows 1 at most. Default: 1.
    pub(crate) ledbat_gain: Option<At<Number>>,
    /// The payload of a full segment in bytes. Default: 1448, without timestamps 1460.
    pub(crate) mss: Option<At<Octets>>,
    /// The data that the receiver allows to be in flight: `"auto"` grows with what the application reads,
    /// `{ auto = "3MiB" }` also says how far, and `"64kB"` is fixed. Default: `{ auto = "3MiB" }`.
    pub(crate) receive_window: Option<At<WindowFile>>,
    /// The number of segments sent before the first acknowledgement. Default: 10, with `ledbat` 2.
    pub(crate) initial_window: Option<At<Count>>,
    /// The window at which the first slow start ends at the latest, as in `"64kB"`. Default: none; with
    /// `tcp = "reno1990"` 65535 bytes (RFC 2001).
    pub(crate) initial_ssthresh: Option<At<Octets>>,
    /// Selective acknowledgements (RFC 2018). Default: true.
    pub(crate) sack: Option<bool>,
    /// Timestamps (RFC 7323). Default: true.
    pub(crate) timestamps: Option<bool>,
    /// Window scaling (RFC 7323); without it the window is at most 65535 bytes. Default: true.
    pub(crate) window_scaling: Option<bool>,
    /// The acknowledgements: of every second segment (true), of each (false), or once for each
    /// receive window (`"per_window"`). Default: true.
    pub(crate) delayed_ack: Option<At<AckFile>>,
    /// True to acknowledge the first segments at once although acknowledgements are delayed.
    /// Default: true if they are delayed.
    pub(crate) quick_ack: Option<At<bool>>,
    /// True to leave slow start when the round trip grows. Default: true with `cubic`.
    pub(crate) hystart: Option<At<bool>>,
    /// The part of CUBIC's window that a loss leaves, from 0.5 to 0.95. Default: 0.7 (RFC 9438); Linux
    /// 2.6.22 had 0.8, and so has ns-2.
    pub(crate) beta: Option<At<Number>>,
    /// The resolution of CUBIC's clock, from 1 ms to 10 ms, as in a Linux of 1000 Hz to 100 Hz.
    /// Default: exact.
    pub(crate) tick: Option<At<Quantity<Span>>>,
    /// True to spread the packets over the round trip. Default: false.
    pub(crate) pacing: Option<bool>,
    /// True to send several segments as one super-packet (TSO, GSO). Default: true.
    pub(crate) offload: Option<bool>,
    /// Explicit congestion notification (RFC 3168). Default: false.
    pub(crate) ecn: Option<bool>,
    /// True to react less to a mark than to a loss (RFC 8511). Default: false.
    pub(crate) abe: Option<bool>,
    /// True to find losses by time, and to probe the tail (RFC 8985). Default: as `sack`.
    pub(crate) rack: Option<At<bool>>,
    /// The lower bound of the retransmission timeout. Default: `"200ms"`.
    pub(crate) min_rto: Option<At<Quantity<Span>>>,
}

/// A congestion control. In the lab it is the kernel's of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"cubic\", \"reno\", \"ledbat\" or \"bbr\"")]
#[schemars(rename = "Congestion")]
pub(crate) enum CongestionFile {
    /// CUBIC (RFC 9438).
    Cubic,
    /// NewReno (RFC 5681 and RFC 6582).
    Reno,
    /// LEDBAT (RFC 6817), which yields to other flows; in the simulator only.
    Ledbat,
    /// The BBR that the kernel has, in the lab; the simulator has none.
    Bbr,
}

/// The TCP of an era.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"linux\" or \"reno1990\"")]
pub(crate) enum Era {
    /// The TCP of today's Linux.
    Linux,
    /// The TCP of the papers of the Reno era: `reno`, MSS 536, initial window 2, no SACK,
    /// timestamps, window scaling or delayed ACKs, timeouts of at least 1 s.
    Reno1990,
}
