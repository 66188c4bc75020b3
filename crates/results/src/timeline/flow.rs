//! Fills the timeline of one flow.

use units::{Bytes, Span};

use super::range::{Range, join_sums, milliseconds};
use super::{Extremes, FlowTimeline};

/// Records the events of one flow.
#[derive(Clone, Debug)]
pub struct FlowRecorder {
    pub(super) timeline: FlowTimeline,
    window: Range,
    /// The present window, once there is one.
    last_window: Range,
    rtt: Range,
    delivered_bytes: u64,
}

impl FlowRecorder {
    pub(super) fn new(steps: usize) -> Self {
        let timeline = FlowTimeline {
            cwnd_segments: Extremes::with_capacity(steps),
            rtt_ms: Extremes::with_capacity(steps),
            delivered_bytes: Vec::with_capacity(steps),
        };
        let (window, last_window, rtt) = (Range::EMPTY, Range::EMPTY, Range::EMPTY);
        Self { timeline, window, last_window, rtt, delivered_bytes: 0 }
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
    pub fn delivered(&mut self, bytes: Bytes) {
        self.delivered_bytes += bytes.0;
    }

    pub(super) fn close_step(&mut self) {
        let window = std::mem::replace(&mut self.window, self.last_window);
        self.timeline.cwnd_segments.push(window, |segments| segments as f64);
        self.timeline.rtt_ms.push(self.rtt.take(), milliseconds);
        self.timeline.delivered_bytes.push(std::mem::take(&mut self.delivered_bytes));
    }

    pub(super) fn join_steps(&mut self) {
        self.timeline.cwnd_segments.join_steps();
        self.timeline.rtt_ms.join_steps();
        join_sums(&mut self.timeline.delivered_bytes);
    }
}
