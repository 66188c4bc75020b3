//! Fills the timeline of one flow.

use results::{FlowTimeline, milliseconds};
use units::{Bytes, Span};

use super::ranges::{Range, Ranges};
use super::sums::Sums;

/// The recorder of the events of one flow.
#[derive(Clone, Debug)]
pub struct FlowRecorder {
    /// Congestion windows in segments.
    window: Ranges,
    /// The present congestion window; empty until there is one.
    last_window: Range,
    /// Round trips in nanoseconds.
    rtt: Ranges,
    delivered_bytes: Sums,
}

impl FlowRecorder {
    pub(super) fn new(steps: usize) -> Self {
        Self {
            window: Ranges::new(steps, Range::EMPTY, |segments| segments as f64),
            last_window: Range::EMPTY,
            rtt: Ranges::new(steps, Range::EMPTY, milliseconds),
            delivered_bytes: Sums::new(steps),
        }
    }

    /// Records that the congestion window has this number of segments from now on.
    #[inline]
    pub fn window(&mut self, segments: u32) {
        self.last_window = Range::of(segments.into());
        self.window.include(segments.into());
    }

    /// Records a measured round trip.
    #[inline]
    pub fn round_trip(&mut self, rtt: Span) {
        self.rtt.include(rtt.as_nanos());
    }

    /// Records bytes that were delivered to the application.
    #[inline]
    pub(super) fn delivered(&mut self, bytes: Bytes) {
        self.delivered_bytes.add(bytes.0);
    }

    pub(super) fn end_step(&mut self) {
        self.window.end_step(self.last_window);
        self.rtt.end_step(Range::EMPTY);
        self.delivered_bytes.end_step();
    }

    pub(super) fn join_steps(&mut self) {
        [&mut self.window, &mut self.rtt].into_iter().for_each(Ranges::join_steps);
        self.delivered_bytes.join_steps();
    }

    pub(super) fn finish(self) -> FlowTimeline {
        FlowTimeline {
            cwnd_segments: self.window.finish(),
            rtt_ms: self.rtt.finish(),
            delivered_bytes: self.delivered_bytes.finish(),
        }
    }
}
