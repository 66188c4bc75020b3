//! The rules of QoSmate: three pings a second, a cut where they are slow, small steps otherwise.
//!
//! Specification: the constants of the autorate of QoSmate (2026-02). Deviations: the
//! baseline is the least round trip of each host so far, and the delay is the median of the three
//! answers, since the sheet of constants names neither.

use units::{Span, Time};

use super::cake_autorate::towards;
use crate::decision::Paced;
use crate::limits::bits;
use crate::throughput::Throughput;
use crate::{
    Both, Controller, Decision, Heading, Limits, Observation, Probing, Reason, ReflectorId,
};

/// The tick, and the ticks from one round of pings to the next.
const TICK: Span = Span::from_millis(500);
const PING_EVERY: Span = Span::from_millis(1000);
const REFLECTORS: usize = 3;
/// A delay that is longer by more lowers the rate by this factor, once in this time.
const LONG_MS: f64 = 10.0;
const CUT: f64 = 0.85;
const CUT_EVERY: Span = Span::from_secs(1);
/// At this load, and a delay that is longer by less, the rate rises by this factor.
const HIGH_LOAD: f64 = 0.75;
const SHORT_MS: f64 = 5.0;
const RAISE: f64 = 1.02;
const RAISE_EVERY: Span = Span::from_secs(3);
/// Below this load the rate goes to the base in these steps.
const LOW_LOAD: f64 = 0.5;
const DECAY: (f64, f64) = (0.98, 1.01);
/// The range of the rate, in parts of the base.
const RANGE: (f64, f64) = (0.25, 1.05);

/// A controller with the rules of QoSmate.
#[derive(Debug)]
pub(crate) struct Qosmate {
    directions: Both<Direction>,
    /// The least round trip of each host, in milliseconds.
    baselines: Vec<(ReflectorId, f64)>,
}

#[derive(Debug)]
struct Direction {
    limits: Limits,
    rate: f64,
    throughput: Throughput,
    load: f64,
    lowered: Time,
    raised: Time,
    reason: Reason,
}

impl Qosmate {
    pub(crate) fn new(limits: Both<Limits>) -> Self {
        let direction = |heading| Direction::new(limits[heading]);
        Self { directions: Both::new(direction), baselines: Vec::new() }
    }

    /// The delay beyond the baseline; `None` if nothing was answered since the last tick.
    fn delta(&mut self, seen: &Observation<'_>) -> Option<f64> {
        let mut deltas = Vec::new();
        for sample in seen.samples {
            if let Some(round_trip) = sample.round_trip_ms() {
                deltas.push(round_trip - self.baseline(sample.reflector, round_trip));
            }
        }
        deltas.sort_unstable_by(f64::total_cmp);
        deltas.get(deltas.len() / 2).copied()
    }

    /// The baseline of a host that has answered with this round trip.
    fn baseline(&mut self, host: ReflectorId, round_trip: f64) -> f64 {
        match self.baselines.iter_mut().find(|(known, _)| *known == host) {
            Some((_, least)) => {
                *least = least.min(round_trip);
                *least
            }
            None => {
                self.baselines.push((host, round_trip));
                round_trip
            }
        }
    }
}

impl Controller for Qosmate {
    fn interval(&self) -> Span {
        TICK
    }

    fn tick(&mut self, now: Time, seen: &Observation<'_>) -> Decision {
        for heading in Heading::BOTH {
            self.directions[heading].measure(seen.traffic[heading].departed, now);
        }
        let delta = self.delta(seen);
        let loads = Both::new(|heading| self.directions[heading].load);
        for heading in Heading::BOTH {
            let is_others = loads[heading] < LOW_LOAD && loads[heading.opposite()] >= HIGH_LOAD;
            self.directions[heading].follow(delta, is_others, now);
        }
        let probing = Probing::in_turn(REFLECTORS, PING_EVERY);
        Decision::of(Both::new(|heading| self.directions[heading].paced()), probing)
    }
}

impl Direction {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            rate: bits(limits.base()),
            throughput: Throughput::new(Time::ZERO),
            load: 0.0,
            lowered: Time::ZERO,
            raised: Time::ZERO,
            reason: Reason::Hold,
        }
    }

    fn paced(&self) -> Paced {
        Paced { rate: self.limits.nearest(self.rate), reason: self.reason }
    }

    fn measure(&mut self, departed: units::Bytes, now: Time) {
        self.throughput.add(departed);
        self.load = self.throughput.take(now) / self.rate;
    }

    /// Changes the rate. `is_others` is true if the other direction is to blame for a delay.
    fn follow(&mut self, delta: Option<f64>, is_others: bool, now: Time) {
        self.reason = Reason::Hold;
        let base = bits(self.limits.base());
        if delta.is_some_and(|delta| delta > LONG_MS) {
            if !is_others && now.since(self.lowered) >= CUT_EVERY {
                self.rate *= CUT;
                self.lowered = now;
                self.reason = Reason::Bloated;
            }
        } else if self.load >= HIGH_LOAD {
            let is_short = delta.is_some_and(|delta| delta < SHORT_MS);
            if is_short && now.since(self.raised) >= RAISE_EVERY {
                self.rate *= RAISE;
                self.raised = now;
                self.reason = Reason::Loaded;
            }
        } else if self.load < LOW_LOAD {
            self.rate = towards(self.rate, base, DECAY);
            self.reason = Reason::Idle;
        }
        self.rate = self.rate.clamp(RANGE.0 * base, RANGE.1 * base);
        self.rate = bits(self.limits.nearest(self.rate));
    }
}

#[cfg(test)]
mod tests;
