//! The delays of a flow: round trips, or one-way delays of datagrams.

use results::FlowDelay;
use stats::Histogram;
use units::Span;

/// All delays since the statistics began, and the latest.
#[derive(Debug, Default)]
pub struct Delays {
    all: Histogram,
    /// The latest delay; `None` if it has been taken, or before the first.
    latest: Option<Span>,
}

impl Delays {
    /// Adds a delay.
    #[inline]
    pub fn record(&mut self, delay: Span) {
        self.all.record(delay.as_nanos());
        self.latest = Some(delay);
    }

    /// Takes the latest delay; `None` if it has been taken before, or before the first.
    #[inline]
    pub fn take_latest(&mut self) -> Option<Span> {
        self.latest.take()
    }

    /// Restarts the statistics.
    pub fn reset(&mut self) {
        self.all = Histogram::new();
    }

    /// All delays since the statistics began, in nanoseconds.
    pub fn histogram(&self) -> &Histogram {
        &self.all
    }

    /// The distribution of all delays since the statistics began.
    pub fn spread(&self) -> FlowDelay {
        FlowDelay::of(&self.all)
    }
}
