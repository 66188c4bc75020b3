//! The rules of LibreQoS' StormGuard: a delay that is long, or long in proportion, lowers the rate
//! with a pause after it; a short one under load raises it in large steps.
//!
//! Specification: the constants of StormGuard in LibreQoS 2.2. Deviations: it raises by the larger
//! step below the base and by the smaller one above, since the sheet of constants does not say when
//! which; the weight 0.7 of active pings has no counterpart, as all delays here are of one kind. Its
//! targets are at least 4 Mbit/s, unless the user's own minimum and base are lower.

use units::{Span, Time};

use crate::decision::Paced;
use crate::limits::bits;
use crate::throughput::Throughput;
use crate::{Both, Controller, Decision, Heading, Limits, Observation, Passage, Probing, Reason};

const TICK: Span = Span::from_secs(1);
const REFLECTORS: usize = 3;
/// The weights of a new delay in the baseline, upwards and downwards.
const BASELINE: (f64, f64) = (0.01, 0.10);
/// A long delay: beyond the baseline in milliseconds, or as a multiple of it.
const LONG: Threshold = Threshold { delay_ms: 40.0, ratio: 1.10 };
const SEVERE: Threshold = Threshold { delay_ms: 80.0, ratio: 1.20 };
/// A delay at which the rate may rise.
const SHORT: Threshold = Threshold { delay_ms: 20.0, ratio: 1.05 };
const HIGH_LOAD: f64 = 0.8;
/// The steps, each with the pause after it.
const LOWER: Step = Step { factor: 0.95, pause: Span::from_millis(3750) };
const LOWER_MUCH: Step = Step { factor: 0.88, pause: Span::from_millis(7500) };
const RAISE: Step = Step { factor: 1.15, pause: Span::from_secs(1) };
const RAISE_MUCH: Step = Step { factor: 1.30, pause: Span::from_secs(2) };
/// The time from one rise to the next.
const RAISE_EVERY: Span = Span::from_secs(10);
/// The least rate in parts of the base, and in bits per second.
const FLOOR: f64 = 0.5;
const LEAST_BITS: f64 = 4e6;

struct Threshold {
    delay_ms: f64,
    ratio: f64,
}

struct Step {
    factor: f64,
    pause: Span,
}

/// A controller with the rules of StormGuard.
#[derive(Debug)]
pub(crate) struct StormGuard {
    directions: Both<Direction>,
    /// The round trip without load, in milliseconds; `None` before the first answer.
    baseline: Option<f64>,
}

#[derive(Debug)]
struct Direction {
    limits: Limits,
    rate: f64,
    throughput: Throughput,
    pause_until: Time,
    /// The time of the last rise; `None` before the first.
    raised: Option<Time>,
    reason: Reason,
}

impl Threshold {
    fn is_exceeded(&self, round_trip: f64, baseline: f64) -> bool {
        round_trip - baseline >= self.delay_ms || round_trip >= self.ratio * baseline
    }
}

impl StormGuard {
    pub(crate) fn new(limits: Both<Limits>) -> Self {
        Self { directions: Both::new(|way| Direction::new(limits[way])), baseline: None }
    }

    /// The mean round trip since the last tick, and the baseline; `None` without an answer.
    fn delays(&mut self, seen: &Observation<'_>) -> Option<(f64, f64)> {
        let answers = || seen.samples.iter().filter_map(|sample| sample.round_trip_ms());
        let count = answers().count();
        let mean = answers().sum::<f64>() / count as f64;
        if count == 0 {
            return None;
        }
        let baseline = self.baseline.get_or_insert(mean);
        let weight = if mean > *baseline { BASELINE.0 } else { BASELINE.1 };
        *baseline += weight * (mean - *baseline);
        Some((mean, *baseline))
    }
}

impl Controller for StormGuard {
    fn interval(&self) -> Span {
        TICK
    }

    fn tick(&mut self, now: Time, seen: &Observation<'_>) -> Decision {
        let delays = self.delays(seen);
        for heading in Heading::BOTH {
            self.directions[heading].follow(&seen.traffic[heading], delays, now);
        }
        let probing = Probing::in_turn(REFLECTORS, TICK);
        Decision::of(Both::new(|heading| self.directions[heading].paced()), probing)
    }
}

impl Direction {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            rate: bits(limits.base()),
            throughput: Throughput::new(Time::ZERO),
            pause_until: Time::ZERO,
            raised: None,
            reason: Reason::Hold,
        }
    }

    fn paced(&self) -> Paced {
        Paced { rate: self.limits.nearest(self.rate), reason: self.reason }
    }

    fn follow(&mut self, passage: &Passage, delays: Option<(f64, f64)>, now: Time) {
        self.throughput.add(passage.departed);
        let load = self.throughput.take(now) / self.rate;
        self.reason = Reason::Hold;
        let Some((delay, baseline)) = delays else { return };
        if now < self.pause_until {
            return;
        }
        let may_rise = self.raised.is_none_or(|raised| now.since(raised) >= RAISE_EVERY);
        if SEVERE.is_exceeded(delay, baseline) {
            self.take(&LOWER_MUCH, Reason::Bloated, now);
        } else if LONG.is_exceeded(delay, baseline) {
            self.take(&LOWER, Reason::Bloated, now);
        } else if !is_above(&SHORT, delay, baseline) && load >= HIGH_LOAD && may_rise {
            let is_low = self.rate < bits(self.limits.base());
            self.take(if is_low { &RAISE_MUCH } else { &RAISE }, Reason::Loaded, now);
            self.raised = Some(now);
        }
    }

    fn take(&mut self, step: &Step, reason: Reason, now: Time) {
        let base = bits(self.limits.base());
        let floor = (FLOOR * base).max(LEAST_BITS.min(base));
        self.rate = bits(self.limits.nearest((self.rate * step.factor).max(floor)));
        self.pause_until = now + step.pause;
        self.reason = reason;
    }
}

/// True if the delay is above a threshold that it may reach.
fn is_above(threshold: &Threshold, round_trip: f64, baseline: f64) -> bool {
    round_trip - baseline > threshold.delay_ms || round_trip > threshold.ratio * baseline
}

#[cfg(test)]
mod tests;
