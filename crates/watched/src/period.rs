//! What came of probes in some time, from the summaries of minutes and hours.

use results::WatchedCounts;
use stats::Histogram;
use store::{Level, Reader, StoreError, Summary, TargetId};
use units::{Span, Time};

/// The length of an hour.
pub(crate) const HOUR: Span = Span::from_secs(3600);

/// The length of a minute.
pub(crate) const MINUTE: Span = Span::from_secs(60);

/// The last whole multiple of a length before a time: summaries are known by their beginnings.
pub(crate) fn floor(at: Time, length: Span) -> Time {
    Time::from_nanos(at.as_nanos() / length.as_nanos() * length.as_nanos())
}

/// The summaries of a target in some time, which begins with a minute: of the whole hours in it, and of the
/// minutes beside these.
pub(crate) fn summaries(
    reader: &Reader,
    target: TargetId,
    from: Time,
    to: Time,
) -> Result<Vec<Summary>, StoreError> {
    let length = HOUR.as_nanos();
    let first = Time::from_nanos(from.as_nanos().next_multiple_of(length)).min(to);
    let last = floor(to, HOUR).max(first);
    let mut all = reader.summaries(target, from, first, Level::Minute)?;
    all.extend(reader.summaries(target, first, last, Level::Hour)?);
    all.extend(reader.summaries(target, last, to, Level::Minute)?);
    Ok(all)
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
