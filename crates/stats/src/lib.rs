//! Statistics of what is measured: histograms, quantiles, fairness, jitter, and means over time.
//!
//! A value that does not exist is `None`: never 0 and never NaN.

mod histogram;
mod jitter;
mod number;
mod quantile;
mod time_weighted;
mod trimmed_mean;

pub use histogram::Histogram;
pub use jitter::Jitter;
pub use number::{finite, jain, ratio};
pub use quantile::{ascending, interpolated_quantile, median, median_interval, quantile};
pub use time_weighted::TimeWeighted;
pub use trimmed_mean::trimmed_mean;
