//! The search for the highest rate that keeps the queue short, by tests with one rate after the
//! other.
//!
//! Each direction has a rate that was short and one that was long, as soon as both are known; the
//! next test is between them. A test takes half a minute of a busy line, so the search ends early:
//! when the two rates are 4 % apart, or after [`ROUNDS`] tests.

use observation::Heading;
use results::{LoadedDirection, Stop, Trial, TunedDirection};
use units::Span;

use crate::need::others_use;
use crate::{Prescription, Shaper};

/// The most tests of a search.
pub const ROUNDS: usize = 6;

/// The delay of others up to which a rate is short, unless the user names another.
pub const TARGET: Span = Span::from_millis(30);

/// The ratio of the lowest long rate to the highest short one from which they are close: the rates
/// of two tests of one line differ by some per cent.
const CLOSE: f64 = 1.04;

/// The factor to the next rate while all were long, or all were short.
const DOWN: f64 = 0.8;
const UP: f64 = 1.06;

/// The part of the line's rate below which no shaper helps: the queue is somewhere else.
const LEAST: f64 = 0.25;

/// The search in both directions.
#[derive(Clone, Debug)]
pub struct Search {
    target: Span,
    rounds: usize,
    directions: Vec<Direction>,
}

/// The search in one direction.
#[derive(Clone, Debug)]
struct Direction {
    heading: Heading,
    /// Part of the line's rate that is tested next, or that was found.
    share: f64,
    /// The highest share that was short; `None` if none was.
    short: Option<f64>,
    /// The lowest share that was long; `None` if none was.
    long: Option<f64>,
    trials: Vec<Trial>,
    /// The reason to end; `None` while the search goes on.
    stop: Option<Stop>,
}

impl Search {
    /// The search for the shapers of a plan, whose own rates come first.
    pub fn new(plan: &Prescription, target: Span) -> Self {
        let direction = |shaper: &Shaper| Direction {
            heading: shaper.heading,
            share: shaper.share,
            short: None,
            long: None,
            trials: Vec::new(),
            stop: None,
        };
        Self { target, rounds: 0, directions: plan.shapers().map(direction).collect() }
    }

    /// The plan with the rates that are to be tested next, or that were found.
    pub fn plan(&self, plan: &Prescription) -> Prescription {
        let mut plan = plan.clone();
        for shaper in [&mut plan.up, &mut plan.down].into_iter().flatten() {
            let found = self.directions.iter().find(|it| it.heading == shaper.heading);
            shaper.share = found.map_or(shaper.share, |it| it.share);
        }
        plan
    }

    /// True if no more test is needed.
    pub fn is_over(&self) -> bool {
        self.directions.iter().all(|direction| direction.stop.is_some())
    }

    /// Takes what a test found with the rates of this plan.
    pub fn take<'a>(
        &mut self,
        plan: &Prescription,
        measured: impl Fn(Heading) -> Option<&'a LoadedDirection>,
    ) {
        self.rounds += 1;
        let is_last = self.rounds == ROUNDS;
        let open = self.directions.iter_mut().filter(|direction| direction.stop.is_none());
        for direction in open {
            let shaper = plan.shapers().find(|shaper| shaper.heading == direction.heading);
            let bandwidth_mbit = shaper.map_or(0.0, |shaper| shaper.bandwidth().as_mbit_f64());
            direction.take(bandwidth_mbit, measured(direction.heading), self.target);
            if is_last && direction.stop.is_none() {
                direction.end(Stop::Tests);
            }
        }
    }

    /// What was found in a direction; `None` if the plan does not shape it.
    pub fn found(&self, heading: Heading) -> Option<TunedDirection> {
        let direction = self.directions.iter().find(|it| it.heading == heading)?;
        let stopped = direction.stop.unwrap_or(Stop::Interrupted);
        Some(TunedDirection { trials: direction.trials.clone(), stopped })
    }
}

impl Direction {
    fn take(&mut self, bandwidth_mbit: f64, measured: Option<&LoadedDirection>, target: Span) {
        let Some(measured) = measured else { return self.end(Stop::NotMeasured) };
        let (added_p95_ms, rate_mbit) = (measured.added_p95_ms(), measured.rate_mbit);
        let shared = others_use(measured);
        self.trials.push(Trial { bandwidth_mbit, added_p95_ms, rate_mbit, shared });
        // A delay that could not be told is not known to be short: at a rate a little above the
        // line's the queue grows for longer than a test takes.
        let is_short = added_p95_ms.is_some_and(|p95| p95 <= target.as_millis_f64());
        // Others may have caused the delay, so the rate is tested again.
        if is_short || !shared || self.was_shared() {
            self.next(is_short);
        }
    }

    /// True if the test before the last one had the same rate, and others used the line.
    fn was_shared(&self) -> bool {
        let [.., before, last] = &self.trials[..] else { return false };
        before.shared && before.bandwidth_mbit == last.bandwidth_mbit
    }

    /// Chooses the next rate, behind one that was short or long.
    fn next(&mut self, is_short: bool) {
        let known = if is_short { &mut self.short } else { &mut self.long };
        *known = Some(self.share);
        match (self.short, self.long) {
            (Some(short), Some(long)) if long <= short * CLOSE => self.end(Stop::Close),
            (Some(short), Some(long)) => self.share = (short * long).sqrt(),
            (Some(short), None) => self.share = short * UP,
            (None, Some(long)) if long * DOWN < LEAST => self.end(Stop::NeverShort),
            (None, Some(long)) => self.share = long * DOWN,
            (None, None) => {}
        }
    }

    /// Ends at the highest rate that was short, or at the present one.
    fn end(&mut self, why: Stop) {
        self.share = self.short.unwrap_or(self.share);
        self.stop = Some(why);
    }
}

#[cfg(test)]
mod tests;
