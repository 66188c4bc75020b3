//! Native histograms: buckets that grow by a fixed factor, of which only those in use are sent. Their form
//! is Prometheus's protocol buffers; the text formats have none.
//!
//! Specification: Prometheus, "Native Histograms".

use prometheus_client::metrics::histogram::NativeHistogramConfig;

/// The factor from a bucket to the next is at most this: a percentile is right within 10 %.
const FACTOR: f64 = 1.1;
/// The most buckets of a target: from 50 us to a minute there are 160.
const MOST_BUCKETS: usize = 200;

/// The native buckets of a histogram of round trips.
pub(crate) fn buckets() -> NativeHistogramConfig {
    NativeHistogramConfig::with_bucket_factor(FACTOR).max_buckets(MOST_BUCKETS)
}
