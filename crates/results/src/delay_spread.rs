//! Percentiles of delays.

use serde::{Deserialize, Serialize};
use stats::Histogram;

/// Percentiles of a delay, in milliseconds; `None` where too few delays are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DelaySpread {
    /// Median, by nearest rank, in milliseconds.
    pub p50: Option<f64>,
    /// 95th percentile, in milliseconds.
    pub p95: Option<f64>,
    /// 99th percentile, in milliseconds.
    pub p99: Option<f64>,
    /// The longest delay, in milliseconds.
    pub max: Option<f64>,
}

impl DelaySpread {
    /// The percentiles of a histogram of nanoseconds.
    pub fn of(nanos: &Histogram) -> Self {
        let percentile = |q| nanos.quantile(q).map(|nanos| nanos as f64 / 1e6);
        Self {
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: percentile(1.0),
        }
    }
}
