//! The results of one flow.

use serde::{Deserialize, Serialize};

use crate::FlowKind;
use stats::Histogram;

/// The results of one flow. Figures that flows of its kind do not have, or that nothing was
/// measured for, are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowResult {
    /// The scenario's word for its traffic: `bulk`, `transfer`, `ping`, ...
    pub kind: FlowKind,
    /// Goodput: application bytes delivered in order, in Mbit/s, over the time in which the flow
    /// was active: from its start, or the end of the warm-up, until its last byte was delivered if
    /// it has an end. `None` for a ping, and if the flow was active for no time.
    pub goodput_mbit: Option<f64>,
    /// Round trips in milliseconds: of a ping, or the samples of a TCP sender; `None` for calls and
    /// other packets at a constant rate.
    pub rtt_ms: Option<FlowDelay>,
    /// One-way delays in milliseconds: of packets at a constant rate, as a call sends them; `None`
    /// for other kinds.
    pub delay_ms: Option<FlowDelay>,
    /// Application bytes delivered; `None` for a ping.
    pub delivered_bytes: Option<u64>,
    /// Packets sent, those sent again included.
    pub sent_packets: Option<u64>,
    /// Packets that were never delivered.
    pub lost_packets: Option<u64>,
    /// Packets that were retransmitted; `None` for flows without TCP.
    pub retransmitted_packets: Option<u64>,
    /// Packets that were delivered with the mark Congestion Experienced.
    pub marks: Option<u64>,
    /// Retransmission timeouts; `None` for flows without TCP, and if the kernel does not report
    /// them.
    pub timeouts: Option<u64>,
    /// Completion times in seconds: one for a transfer, one for each period of a periodic transfer,
    /// one for each page, one for each response of a web load. `None` for flows without an end.
    pub completion_s: Option<Completion>,
    /// Time from the beginning of each page to the first byte that is delivered, in seconds,
    /// handshake and request included (RFC 7928 section 2.2). `None` for other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_s: Option<Completion>,
    /// Connections opened by a web load; `None` for other kinds, whose number the scenario states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u64>,
    /// Mean opinion score of one direction of a call, by the E-model: 1 to 4.5. `None` for other
    /// kinds, and if there were no packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mos: Option<f64>,
}

/// The distribution of a delay, in milliseconds; all `None` without a value. See [`Histogram`] for
/// what a percentile is and how exact it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowDelay {
    /// The shortest delay.
    pub min: Option<f64>,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median, by nearest rank.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The longest delay.
    pub max: Option<f64>,
}

impl FlowDelay {
    /// The statistics of a histogram of nanoseconds.
    pub fn of(nanos: &Histogram) -> Self {
        let percentile = |q| nanos.quantile(q).map(|nanos| nanos as f64 / 1e6);
        Self {
            min: nanos.min().map(|nanos| nanos as f64 / 1e6),
            mean: nanos.mean().map(|nanos| nanos / 1e6),
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: percentile(1.0),
        }
    }
}

/// Completion times, in seconds. For a single transfer all values are the same; for one that did
/// not finish, `count` is 0 and the rest is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completion {
    /// Number of completions.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median, by nearest rank.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// The longest time.
    pub max: Option<f64>,
}

impl Completion {
    /// The statistics of a histogram of nanoseconds.
    pub fn of(nanos: &Histogram) -> Self {
        let percentile = |q| nanos.quantile(q).map(|nanos| nanos as f64 / 1e9);
        Self {
            count: nanos.count(),
            mean: nanos.mean().map(|nanos| nanos / 1e9),
            p50: percentile(0.50),
            p95: percentile(0.95),
            max: percentile(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_transfer_has_one_exact_time() {
        let mut nanos = Histogram::new();
        nanos.record(1_234_567_891);
        let time = Some(1.234567891);
        let expected = Completion { count: 1, mean: time, p50: time, p95: time, max: time };
        assert_eq!(Completion::of(&nanos), expected);
        assert_eq!(Completion::of(&Histogram::new()), Completion::default());
    }

    #[test]
    fn a_spread_is_in_milliseconds() {
        let mut nanos = Histogram::new();
        nanos.record(20_020_000);
        nanos.record(30_000_000);
        let spread = FlowDelay::of(&nanos);
        assert_eq!((spread.min, spread.mean, spread.max), (Some(20.02), Some(25.01), Some(30.0)));
        assert_eq!(FlowDelay::of(&Histogram::new()), FlowDelay::default());
    }
}
