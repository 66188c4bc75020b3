//! Delays over time, from a timeline.

use results::DirectionTimeline;

use crate::codel::experiment::{Seen, bottleneck};

/// The delay in each step in which packets left the queue, in milliseconds, ascending.
pub(super) struct Delays(Vec<f64>);

impl Delays {
    /// The delays of a run: of each step, the middle between its shortest and its longest.
    pub(super) fn of(seen: &Seen) -> Self {
        let sojourn = way(seen).map(|(_, way)| &way.sojourn_ms);
        let steps = sojourn.iter().flat_map(|sojourn| sojourn.low.iter().zip(&sojourn.high));
        let middles = steps.filter_map(|(low, high)| Some(f64::midpoint((*low)?, (*high)?)));
        Self(stats::ascending(middles))
    }

    /// The share of the time in which the delay is at or above `bound`; `None` without delays.
    pub(super) fn above(&self, bound: f64) -> Option<f64> {
        let below = self.0.partition_point(|delay| *delay < bound);
        let above = self.0.len() - below;
        (!self.0.is_empty()).then(|| above as f64 / self.0.len() as f64)
    }

    /// The delay that is not exceeded in this share of the time; `None` without delays.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        stats::quantile(&self.0, share)
    }
}

/// The time from `at` (seconds) until the first drop, in milliseconds; `None` if nothing is
/// dropped.
pub(super) fn first_drop(seen: &Seen, at: f64) -> Option<f64> {
    let (step, way) = way(seen)?;
    let first = (at / step) as usize;
    let steps = way.drops.iter().skip(first).position(|drops| *drops > 0)?;
    // The drop is anywhere in this step, so that the middle of the step is taken.
    Some(1e3 * step * (steps as f64 + 0.5))
}

/// The time from `at` until the delay falls below 90 ms, in seconds; `None` if it never reaches 90
/// ms.
pub(super) fn recovery(seen: &Seen, at: f64) -> Option<f64> {
    let (step, way) = way(seen)?;
    let first = (at / step) as usize;
    let mut after = way.sojourn_ms.high.iter().skip(first);
    let high = |delay: &Option<f64>| delay.is_some_and(|delay| delay >= 90.0);
    // The queue needs some time to grow.
    let rises = after.position(high)?;
    let falls = after.position(|delay| delay.is_some_and(|delay| delay < 90.0))?;
    Some(step * (rises + falls + 1) as f64)
}

/// The step in seconds, and the bottleneck's timeline; `None` if none was kept.
pub(super) fn way(seen: &Seen) -> Option<(f64, &DirectionTimeline)> {
    let timeline = seen.timeline()?;
    Some((timeline.step_s, bottleneck(timeline)?))
}
