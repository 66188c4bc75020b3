//! The delays that a flow measures: round trips, or one-way delays of datagrams.

use results::Spread;
use stats::Histogram;
use units::Span;

/// All delays since the statistics began, and the latest.
#[derive(Debug, Default)]
pub(crate) struct Delays {
    all: Histogram,
    /// `None` if it has been taken.
    latest: Option<Span>,
}

impl Delays {
    #[inline]
    pub(super) fn record(&mut self, delay: Span) {
        self.all.record(delay.as_nanos());
        self.latest = Some(delay);
    }

    /// The latest delay; `None` if it has been taken before.
    #[inline]
    pub(super) fn take_latest(&mut self) -> Option<Span> {
        self.latest.take()
    }

    /// Statistics begin now.
    pub(super) fn reset(&mut self) {
        self.all = Histogram::new();
    }

    /// All delays since the statistics began, in nanoseconds.
    pub(crate) fn histogram(&self) -> &Histogram {
        &self.all
    }

    pub(super) fn spread(&self) -> Spread {
        Spread::of(&self.all)
    }
}
