//! The part of a stage from which figures are taken: the load was running and had settled.

use observation::Stage;

use crate::clock::Clock;
use crate::passage::{Fate, Passage, between};
use crate::spread::Weighted;
use crate::traffic::Traffic;

/// A window: from and to, in seconds of the client's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// The part of the later delay from which a queue counts as filled.
const FILLED: f64 = 0.9;

/// The factor beyond all later delays above which a delay belongs to the overshoot of slow start.
/// The overshoot has drained when nothing waits longer than the longest wait later on.
const OVERSHOOT: f64 = 1.25;

/// Seconds below which differences of delay are noise.
const NOISE: f64 = 1e-3;

impl Window {
    /// The whole stage.
    pub(crate) fn of(stage: &Stage, clock: &Clock) -> Self {
        let from = clock.ours(stage.start);
        Self { from, to: clock.ours(stage.end).max(from) }
    }

    pub(crate) fn length(&self) -> f64 {
        self.to - self.from
    }

    pub(crate) fn middle(&self) -> f64 {
        (self.from + self.to) / 2.0
    }

    /// The later half of the window.
    pub(crate) fn later_half(&self) -> Self {
        Self { from: self.middle(), to: self.to }
    }

    /// The probes sent in the window that were delivered: time of sending and wait, in seconds.
    pub(crate) fn waits(&self, passages: &[Passage]) -> Vec<(f64, f64)> {
        let within = between(passages, self.from, self.to).iter();
        within.filter_map(|passage| Some((passage.at, passage.wait()?))).collect()
    }

    /// The waits of the probes sent in the window, as percentiles over time.
    pub(crate) fn spread(&self, passages: &[Passage]) -> Weighted {
        Weighted::over_time(&self.waits(passages), self.from, self.to)
    }

    /// The part of the probes sent in the window that were lost; `None` without probes.
    pub(crate) fn loss(&self, passages: &[Passage]) -> Option<f64> {
        let within = between(passages, self.from, self.to);
        let count = |which: fn(&Fate) -> bool| {
            within.iter().filter(|passage| which(&passage.fate)).count() as f64
        };
        let lost = count(|fate| matches!(fate, Fate::Lost));
        stats::ratio(lost, lost + count(|fate| matches!(fate, Fate::Waited(_))))
    }

    /// The window from the time at which the load was as in the later half: the flows had begun,
    /// the queue had filled, the overshoot of slow start had drained, and data was delivered at the
    /// later rate. It begins within the first half.
    pub(crate) fn settled(&self, traffic: &Traffic<'_>) -> Self {
        let from = self.begun(traffic).max(self.filled(traffic)).max(self.at_rate(traffic));
        Self { from: from.clamp(self.from, self.middle()), to: self.to }
    }

    /// The time at which the last flow has begun of those that begin in the earlier half.
    fn begun(&self, traffic: &Traffic<'_>) -> f64 {
        let ours = traffic.flows.iter().filter(|flow| flow.seen.heading == traffic.heading);
        let starts = ours.map(|flow| flow.start).filter(|start| *start < self.middle());
        starts.fold(self.from, f64::max)
    }

    /// The time from which the queue is as full as later on, and any overshoot has drained.
    fn filled(&self, traffic: &Traffic<'_>) -> f64 {
        let later = self.later_half().spread(traffic.passages);
        let (Some(usual), Some(most)) = (later.quantile(0.5), later.max()) else {
            return self.from;
        };
        let waits = self.waits(traffic.passages);
        let is_early = |at: f64| at < self.middle();
        let full = waits.iter().position(|(_, wait)| *wait >= FILLED * usual - NOISE);
        let above = waits
            .iter()
            .rposition(|(at, wait)| is_early(*at) && *wait > OVERSHOOT * most + NOISE)
            .unwrap_or(0);
        let drained = waits.iter().skip(above).position(|(_, wait)| *wait <= most);
        let first = full.max(drained.map(|after| above + after)).unwrap_or(0);
        // A probe stands for the time half way to its neighbours.
        match waits.get(first.saturating_sub(1)..=first) {
            Some([(before, _), (at, _)]) => (before + at) / 2.0,
            _ => self.from,
        }
    }

    /// The time from which data is delivered nearly as fast as later on.
    fn at_rate(&self, traffic: &Traffic<'_>) -> f64 {
        const STEPS: u32 = 16;
        const NEARLY: f64 = 0.8;
        let rate = |from: f64, to: f64| traffic.flux(from, to).map_or(0.0, |flux| flux.bytes);
        let later = rate(self.middle(), self.to);
        let step = self.length() / 2.0 / f64::from(STEPS);
        let begins = |index: u32| self.from + f64::from(index) * step;
        let mut steps = (0..STEPS).map(begins);
        steps.find(|from| rate(*from, from + step) >= NEARLY * later).unwrap_or(self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::tests::bare;

    /// The settled beginning of a stage of ten seconds, whose probes waited like this.
    fn settled(wait: fn(f64) -> f64) -> f64 {
        let times = (0..500).map(|index| f64::from(index) * 0.02);
        let passages: Vec<Passage> =
            times.map(|at| Passage { at, fate: Fate::Waited(wait(at)) }).collect();
        Window { from: 0.0, to: 10.0 }.settled(&bare(&passages)).from
    }

    #[test]
    fn what_slow_start_threw_into_the_queue_has_drained() {
        // Full from 1 s to 2 s, half as full from 2.5 s on.
        let overshoot =
            settled(|at| if at < 1.0 { 0.0 } else { (0.3 - at / 10.0).clamp(0.05, 0.1) });
        assert!((2.49..2.53).contains(&overshoot), "{overshoot}");
        // Never much fuller than later on.
        let filled = settled(|at| if at < 1.0 { 0.0 } else { 0.1 - 0.02 * (at % 1.0) });
        assert!((0.98..1.0).contains(&filled), "{filled}");
        assert_eq!(settled(|_| 0.0), 0.0);
    }
}
