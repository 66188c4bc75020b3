//! What happened on a link, direction by direction.

use serde::{Deserialize, Serialize};
use units::Time;

use crate::{DelaySpread, Grade, Histogram, TimeWeighted, Ungraded, finite};

/// Both directions of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkResult {
    /// In the direction in which the link was written: `from` to `to`.
    pub forward: Direction,
    /// The way back.
    pub reverse: Direction,
}

/// One direction of a link: its queue and its wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// The queue discipline as run, in tc's words.
    pub queue: String,
    /// Packets that arrived at the far end.
    pub delivered_packets: u64,
    /// Their lengths with the link's framing, summed.
    pub delivered_bytes: u64,
    /// `delivered_bytes` as a rate, Mbit/s.
    pub rate_mbit: Option<f64>,
    /// The part (0 to 1) of the time-varying capacity that was used.
    pub utilisation: Option<f64>,
    /// Packets that did not arrive, by cause.
    pub drops: Drops,
    /// Packets that were marked with congestion experienced.
    pub marks: u64,
    /// How long delivered packets had waited in the queue.
    pub sojourn_ms: Sojourn,
    /// What a packet of a new flow would have waited in the queue, at regular times while the
    /// direction was filled: the delay that others than the load find. Percentiles are of time. No
    /// figure if it never was filled.
    #[serde(default)]
    pub others_wait_ms: DelaySpread,
    /// How long the direction was filled, in seconds: how many of the seconds in which at least
    /// 90 % of the time something waited or was sent.
    #[serde(default)]
    pub filled_s: Option<f64>,
    /// The grade of what others wait: see docs/grade.md.
    #[serde(default)]
    pub grade: Option<Grade>,
    /// Why there is no grade; `None` if there is one, or if the result is of a version that knew no
    /// grades.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// What waited in the queue, over time.
    pub backlog_packets: MeanMax,
    /// The same in bytes.
    pub backlog_bytes: MeanMax,
    /// The goodput of all flows whose data crosses this direction, summed: Mbit/s. `None` if none
    /// has a goodput, or if flows are not known.
    #[serde(default)]
    pub goodput_mbit: Option<f64>,
    /// The share of packets (0 to 1) that were lost behind the queue; `None` below 0.1 %.
    #[serde(default)]
    pub other_loss: Option<f64>,
    /// Jain's index of the goodput of the bulk flows whose data crosses this direction.
    pub jain_goodput: Option<f64>,
    /// Jain's index of drops per packet offered, over all flows whose data crosses it.
    pub jain_drops: Option<f64>,
}

/// Packets that did not arrive, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drops {
    /// The queue had reached its limit.
    pub full: u64,
    /// The queue's algorithm signalled congestion.
    pub aqm: u64,
    /// The wire lost them.
    pub loss: u64,
}

impl Drops {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.full.saturating_add(self.aqm).saturating_add(self.loss)
    }
}

/// How long packets waited in a queue, in milliseconds. See [`Histogram`] for what a percentile
/// is and how exact it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sojourn {
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// 25th percentile.
    pub p25: Option<f64>,
    /// Median.
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
    /// Of a histogram of nanoseconds.
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

/// A quantity that lasts, over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanMax {
    /// Mean over time, not over packets.
    pub mean: Option<f64>,
    /// The largest value, however short.
    pub max: Option<u64>,
}

impl MeanMax {
    /// Of a quantity observed until `now`.
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
        assert_eq!(Drops { full: 1, aqm: 20, loss: 300 }.total(), 321);
    }
}
