//! The search for the highest rate that keeps the queue short, by tests with one rate after the
//! other.
//!
//! Each direction has a rate that was short and one that was long, as soon as both are known; the
//! next test is between them. A test takes half a minute of a busy line, so the search ends early:
//! when the two rates are 4 % apart, or after [`ROUNDS`] tests. The last test has the rates that were
//! found, so one more may be needed; if the delay is long in it, the rates become lower. Where no rate was
//! short, that is kept which had about the least delay. A test whose delay could not be told is repeated once.

use observation::Heading;
use results::{LoadedDirection, Stop, Trial, TunedDirection};
use units::Span;

use crate::need::others_use;
use crate::{Prescription, Shaper};

/// The tests after which no other rate is tried.
pub const ROUNDS: usize = 6;

/// The most tests of a search: those behind the last rate show whether it is short again.
const MOST: usize = ROUNDS + 2;

/// The delay of others up to which a rate is short, unless the user names another.
pub const TARGET: Span = Span::from_millis(30);

/// The ratio of the lowest long rate to the highest short one from which they are close: the rates
/// of two tests of one line differ by some per cent.
const CLOSE: f64 = 1.04;

/// The factor to the next rate while all were long, or all were short.
const DOWN: f64 = 0.75;
const UP: f64 = 1.06;

/// The least part of the line's rate that is tested.
const LEAST: f64 = 0.25;

/// The ratio of two delays of different tests up to which they are about the same.
const ALIKE: f64 = 1.25;

/// The part of the packets of others above which their delay is long if it cannot be told.
const LOSSY: f64 = 0.05;

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
    tests: Vec<Test>,
    /// The reason to end; `None` while the search goes on.
    stop: Option<Stop>,
}

/// A test, as part of the search.
#[derive(Clone, Copy, Debug)]
struct Test {
    share: f64,
    /// True if the delay was short; `None` if it could not be told, or if others may have made it long.
    is_short: Option<bool>,
    trial: Trial,
}

impl Search {
    /// The search for the shapers of a plan, whose own rates come first.
    pub fn new(plan: &Prescription, target: Span) -> Self {
        let direction = |shaper: &Shaper| Direction {
            heading: shaper.heading,
            share: shaper.share,
            tests: Vec::new(),
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

    /// True if no more test is needed: the last one had the rates that were found.
    pub fn is_over(&self) -> bool {
        self.rounds == MOST || self.directions.iter().all(Direction::is_settled)
    }

    /// Takes what a test found with the rates of this plan.
    pub fn take<'a>(
        &mut self,
        plan: &Prescription,
        measured: impl Fn(Heading) -> Option<&'a LoadedDirection>,
    ) {
        self.rounds += 1;
        for direction in &mut self.directions {
            let shaper = plan.shapers().find(|shaper| shaper.heading == direction.heading);
            let bandwidth_mbit = shaper.map_or(0.0, |shaper| shaper.bandwidth().as_mbit_f64());
            direction.note(bandwidth_mbit, measured(direction.heading), self.target);
            if self.rounds < MOST {
                direction.choose(self.rounds >= ROUNDS);
            }
        }
    }

    /// What was found in a direction; `None` if the plan does not shape it.
    pub fn found(&self, heading: Heading) -> Option<TunedDirection> {
        let direction = self.directions.iter().find(|it| it.heading == heading)?;
        let bandwidth = |share: f64| {
            let test = direction.tests.iter().find(|test| test.share == share);
            test.map(|test| test.trial.bandwidth_mbit)
        };
        let (short, long) = direction.bounds();
        Some(TunedDirection {
            trials: direction.tests.iter().map(|test| test.trial).collect(),
            stopped: direction.stop.unwrap_or(Stop::Interrupted),
            found_mbit: short.and_then(bandwidth),
            too_high_mbit: long.and_then(bandwidth),
        })
    }
}

impl Direction {
    /// Keeps what a test found.
    fn note(&mut self, bandwidth_mbit: f64, measured: Option<&LoadedDirection>, target: Span) {
        let share = self.share;
        let Some(measured) = measured else {
            self.stop = Some(Stop::NotMeasured);
            return;
        };
        let (added_p95_ms, rate_mbit) = (measured.added_p95_at_most_ms(), measured.rate_mbit);
        let shared = others_use(measured);
        let is_short = is_short(measured, target);
        let is_again = self.tests.last().is_some_and(|last| last.share == self.share);
        if is_short.is_none() && is_again && self.is_open() {
            self.stop = Some(Stop::NotMeasured);
            self.share = self.bounds().0.unwrap_or(self.share);
        }
        // Others may have caused the delay, so the rate is tested again.
        let is_known = is_short == Some(true) || !shared || is_again;
        let trial = Trial { bandwidth_mbit, added_p95_ms, rate_mbit, shared };
        self.tests.push(Test { share, is_short: is_short.filter(|_| is_known), trial });
    }

    /// Chooses the next rate; the highest short one if no other is to be tried.
    fn choose(&mut self, is_last: bool) {
        if self.stop == Some(Stop::NotMeasured) || self.is_open() {
            return;
        }
        let (short, long) = self.bounds();
        let (share, stop) = match (short, long) {
            (Some(short), Some(long)) if long <= short * CLOSE => (short, Some(Stop::Close)),
            (Some(short), _) if is_last => (short, Some(Stop::Tests)),
            (Some(short), Some(long)) => ((short * long).sqrt(), None),
            (Some(short), None) => (short * UP, None),
            (None, Some(long)) if self.was_short(long) => (long / CLOSE, None),
            (None, Some(long)) if long <= LEAST => (self.least_long(), Some(Stop::NeverShort)),
            (None, Some(_)) if is_last => (self.least_long(), Some(Stop::Tests)),
            (None, Some(long)) => ((long * DOWN).max(LEAST), None),
            (None, None) => (self.share, None),
        };
        (self.share, self.stop) = (share, stop);
    }

    /// The highest share whose delay was about the least, in the worst of its tests.
    fn least_long(&self) -> f64 {
        let delay = |test: &Test| test.trial.added_p95_ms.unwrap_or(f64::INFINITY);
        let worst = |share: f64| {
            let of_share = self.tests.iter().filter(|test| test.share == share);
            of_share.map(delay).fold(0.0, f64::max)
        };
        let least = self.tests.iter().map(|test| worst(test.share)).fold(f64::INFINITY, f64::min);
        let shares = self.tests.iter().map(|test| test.share);
        let alike = shares.filter(|share| worst(*share) <= least * ALIKE);
        alike.fold(LEAST, f64::max)
    }

    /// The highest share that was short and never long, and the lowest one that was long; each `None`
    /// if none was.
    fn bounds(&self) -> (Option<f64>, Option<f64>) {
        let of = |short| {
            self.tests.iter().filter(move |it| it.is_short == Some(short)).map(|it| it.share)
        };
        let long = of(false).reduce(f64::min);
        let short = of(true).filter(|share| long.is_none_or(|long| *share < long)).reduce(f64::max);
        (short, long)
    }

    /// True if a test with this share was short.
    fn was_short(&self, share: f64) -> bool {
        self.tests.iter().any(|test| test.share == share && test.is_short == Some(true))
    }

    /// True if the last test left open whether the delay was short.
    fn is_open(&self) -> bool {
        self.tests.last().is_some_and(|last| last.is_short.is_none())
    }

    /// True if the search has ended, and the last test had the rate that was found.
    fn is_settled(&self) -> bool {
        match self.stop {
            Some(Stop::NotMeasured) if !self.is_open() => true,
            Some(_) => self.tests.last().is_some_and(|last| last.share == self.share),
            None => false,
        }
    }
}

/// True if the delay of others was short; `None` if it could not be told.
///
/// Where a queue drops more than one packet in twenty of others, the 95th percentile of their delays cannot be
/// told: it is not short.
fn is_short(measured: &LoadedDirection, target: Span) -> Option<bool> {
    let is_lossy = measured.loss.is_some_and(|loss| loss > LOSSY);
    let p95 = measured.added_p95_at_most_ms();
    p95.map(|p95| p95 <= target.as_millis_f64()).or(is_lossy.then_some(false))
}

#[cfg(test)]
mod tests;
