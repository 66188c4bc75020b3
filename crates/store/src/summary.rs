//! What came of the probes of a minute or an hour.

use observation::{ProbeOutcome, WatchedProbe};
use stats::Histogram;
use units::{Span, Time};

use crate::buckets::Buckets;

/// How much time a summary covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
}

impl Level {
    /// The time that it covers.
    pub const fn width(self) -> Span {
        match self {
            Self::Minute => Span::from_secs(60),
            Self::Hour => Span::from_secs(3600),
        }
    }

    /// The name of its table.
    pub(crate) const fn table(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
        }
    }
}

/// What came of the regular probes of a target that were sent in a minute, in an hour, or in several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The beginning, since 1970 (UTC).
    pub start: Time,
    /// The time from the beginning to the end.
    pub width: Span,
    /// Probes whose fate is known.
    pub sent: u64,
    /// Probes among them that were answered after more than [`observation::LATE`].
    pub late: u64,
    /// Probes among them that nobody answered.
    pub lost: u64,
    /// Probes among them that failed at once.
    pub failed: u64,
    /// Round trips in nanoseconds, to 1.6 %; the shortest and the longest to the microsecond.
    pub round_trips: Histogram,
}

impl Summary {
    /// Adds what `other` counts; the time is then that from the first beginning to the last end.
    pub fn merge(&mut self, other: &Self) {
        let end = (self.start + self.width).max(other.start + other.width);
        self.start = self.start.min(other.start);
        self.width = end.since(self.start);
        self.sent += other.sent;
        self.late += other.late;
        self.lost += other.lost;
        self.failed += other.failed;
        self.round_trips.merge(&other.round_trips);
    }
}

/// Percentiles of the round trips of a minute or an hour, to the microsecond; `None` where nothing was
/// answered. They cannot be merged: see [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percentiles {
    /// The beginning of the minute or the hour, since 1970 (UTC).
    pub start: Time,
    /// The median.
    pub p50: Option<Span>,
    /// The 95th percentile.
    pub p95: Option<Span>,
}

/// What a row of `minute` or `hour` counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) sent: u64,
    pub(crate) late: u64,
    pub(crate) lost: u64,
    pub(crate) failed: u64,
    pub(crate) buckets: Buckets,
}

impl Tally {
    pub(crate) fn record(&mut self, probe: &WatchedProbe) {
        match probe.outcome {
            ProbeOutcome::Answered { round_trip, .. } => self.buckets.record(round_trip),
            ProbeOutcome::Lost => self.lost += 1,
            ProbeOutcome::Failed(_) => self.failed += 1,
        }
        self.sent += 1;
        self.late += u64::from(probe.outcome.is_late());
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sent = self.sent.saturating_add(other.sent);
        self.late = self.late.saturating_add(other.late);
        self.lost = self.lost.saturating_add(other.lost);
        self.failed = self.failed.saturating_add(other.failed);
        self.buckets.merge(&other.buckets);
    }

    pub(crate) fn summary(&self, start: Time, level: Level) -> Summary {
        Summary {
            start,
            width: level.width(),
            sent: self.sent,
            late: self.late,
            lost: self.lost,
            failed: self.failed,
            round_trips: self.buckets.histogram(),
        }
    }
}
