//! The results of a link, for each direction.

use serde::{Deserialize, Serialize};
use units::{PerWay, Time};

use crate::{DelaySpread, Grade, Ungraded};
use stats::{Histogram, TimeWeighted, finite};

/// The results of both directions of a link.
pub type LinkResult = PerWay<DirectionResult>;

/// The results of one direction of a link: of its queue and of its wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectionResult {
    /// The queue discipline as run, in the syntax of `tc`.
    pub queue: String,
    /// Packets that were delivered to the far end.
    pub delivered_packets: u64,
    /// Bytes of those packets, with the link's framing.
    pub delivered_bytes: u64,
    /// `delivered_bytes` as a rate, in Mbit/s; `None` if no time passed.
    pub rate_mbit: Option<f64>,
    /// The used part (0 to 1) of the time-varying capacity; `None` if the wire has no limit, or if
    /// no time passed.
    pub utilisation: Option<f64>,
    /// Packets that were not delivered, by cause.
    pub drops: Drops,
    /// Packets that were marked with congestion experienced (CE).
    pub marks: u64,
    /// Sojourn of the delivered packets in the queue, in milliseconds.
    pub sojourn_ms: Sojourn,
    /// Sojourn that a packet of a new flow would have had, sampled at regular times while the
    /// direction was filled: the delay of traffic other than the load. In milliseconds; percentiles
    /// are of time. All are `None` if the direction was never filled.
    #[serde(default)]
    pub others_wait_ms: DelaySpread,
    /// Time for which the direction was filled: the number of seconds in which for at least 90 % of
    /// the time a packet waited or was sent. `None` if it was not measured.
    #[serde(default)]
    pub filled_s: Option<f64>,
    /// The grade of `others_wait_ms`: see docs/grade.md. `None` for the reason in `grade_reason`.
    #[serde(default)]
    pub grade: Option<Grade>,
    /// The reason why there is no grade; `None` if there is one, or if the result is of a version
    /// without grades.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// Backlog of the queue in packets, over time.
    pub backlog_packets: MeanMax,
    /// Backlog of the queue in bytes, over time.
    pub backlog_bytes: MeanMax,
    /// The sum of the goodputs of all flows whose data crosses this direction, in Mbit/s. `None` if
    /// none of them has a goodput, or if the flows are not known.
    #[serde(default)]
    pub goodput_mbit: Option<f64>,
    /// The share of packets (0 to 1) that were lost behind the queue; `None` below 0.1 %.
    #[serde(default)]
    pub other_loss: Option<f64>,
    /// Jain's index of the goodput of the bulk flows whose data crosses this direction; `None` if
    /// there are none.
    pub jain_goodput: Option<f64>,
    /// Jain's index of drops per packet offered, over all flows whose data crosses this direction;
    /// `None` if there are none.
    pub jain_drops: Option<f64>,
}

/// Packets that were not delivered, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drops {
    /// The queue had reached its limit.
    pub full: u64,
    /// The queue's algorithm dropped them to signal congestion.
    pub aqm: u64,
    /// The wire lost them.
    pub loss: u64,
    /// The queue's filter dropped acknowledgements, since later ones say the same. Absent from the
    /// document if 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ack_filter: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Drops {
    /// The number of all drops.
    pub const fn total(&self) -> u64 {
        let by_queue = self.full.saturating_add(self.aqm).saturating_add(self.ack_filter);
        by_queue.saturating_add(self.loss)
    }

    /// The number of drops that cost somebody something: all but those of the filter of
    /// acknowledgements, which drops only what later acknowledgements repeat.
    pub const fn without_ack_filter(&self) -> u64 {
        self.full.saturating_add(self.aqm).saturating_add(self.loss)
    }
}

/// The sojourn of packets in a queue, in milliseconds; all `None` if no packet left the queue. See
/// [`Histogram`] for what a percentile is and how exact it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sojourn {
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// 25th percentile.
    pub p25: Option<f64>,
    /// Median, by nearest rank.
    pub p50: Option<f64>,
    /// 75th percentile.
    pub p75: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The longest wait.
    pub max: Option<f64>,
}

impl Sojourn {
    /// The statistics of a histogram of nanoseconds.
    pub fn of(nanos: &Histogram) -> Self {
        let percentile = |q| nanos.quantile(q).map(|nanos| nanos as f64 / 1e6);
        Self {
            mean: nanos.mean().map(|nanos| nanos / 1e6),
            p25: percentile(0.25),
            p50: percentile(0.50),
            p75: percentile(0.75),
            p90: percentile(0.90),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: percentile(1.0),
        }
    }
}

/// A quantity, such as a backlog, over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeanMax {
    /// Mean over time, not over packets; `None` if no time passed.
    pub mean: Option<f64>,
    /// The largest value, however short it lasted; `None` if it was not observed.
    pub max: Option<u64>,
}

impl MeanMax {
    /// The mean and the maximum of a quantity that was observed until `now`.
    pub fn of(quantity: &TimeWeighted, now: Time) -> Self {
        Self { mean: quantity.mean(now).and_then(finite), max: Some(quantity.max()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sojourn_is_in_milliseconds() {
        let mut nanos = Histogram::new();
        (1..=100).for_each(|millis| nanos.record(millis * 1_000_000));
        let sojourn = Sojourn::of(&nanos);
        assert_eq!((sojourn.mean, sojourn.max), (Some(50.5), Some(100.0)));
        for (value, exact) in [(sojourn.p25, 25.0), (sojourn.p50, 50.0), (sojourn.p99, 99.0)] {
            assert!((value.unwrap() / exact - 1.0).abs() < 0.002, "{value:?} for {exact}");
        }
        assert_eq!(Sojourn::of(&Histogram::new()), Sojourn::default());
    }

    #[test]
    fn drops_add_up() {
        let drops = Drops { full: 1, aqm: 20, loss: 300, ack_filter: 4_000 };
        assert_eq!((drops.total(), drops.without_ack_filter()), (4_321, 321));
    }
}
