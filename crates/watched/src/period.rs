//! What came of probes in some time, from the summaries of minutes and hours.

use results::WatchedCounts;
use stats::Histogram;
use store::Summary;
use units::{Span, Time};

/// The length of an hour.
pub(crate) const HOUR: Span = Span::from_secs(3600);

/// The length of a minute.
pub(crate) const MINUTE: Span = Span::from_secs(60);

/// The last whole multiple of a length before a time: summaries are known by their beginnings.
pub(crate) fn floor(at: Time, length: Span) -> Time {
    Time::from_nanos(at.as_nanos() / length.as_nanos() * length.as_nanos())
}

/// Those of an ordered list that lie within some time.
pub(crate) fn within<T>(all: &[T], at: impl Fn(&T) -> Time, from: Time, to: Time) -> &[T] {
    let first = all.partition_point(|it| at(it) < from);
    let behind = all.partition_point(|it| at(it) < to);
    &all[first..behind.max(first)]
}

/// What came of the probes of all these.
pub(crate) fn counts<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> WatchedCounts {
    let mut counts = WatchedCounts::default();
    let mut round_trips = Histogram::new();
    for it in summaries {
        counts.sent += it.sent;
        counts.late += it.late;
        counts.lost += it.lost;
        counts.failed += it.failed;
        round_trips.merge(&it.round_trips);
    }
    let quantile = |part| round_trips.quantile(part).map(ms);
    counts.min_ms = round_trips.min().map(ms);
    counts.p50_ms = quantile(0.5);
    counts.p95_ms = quantile(0.95);
    counts.max_ms = round_trips.max().map(ms);
    counts
}

/// Milliseconds of nanoseconds, to the microsecond: no clock here is better.
pub(crate) fn ms(nanos: u64) -> f64 {
    (nanos / 1000) as f64 / 1e3
}
