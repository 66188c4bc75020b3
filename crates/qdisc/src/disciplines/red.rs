//! RED (random early detection) keeps a slow average of the queue's length. Below a lower threshold
//! every packet passes; above an upper one every packet is dropped or marked. In between the
//! probability grows with the average, and drops are spread so that the gaps between them are even.
//! Bursts pass, and a standing queue is held between the thresholds; the exact length depends on
//! the load, so RED needs tuning.
//!
//! Specification: Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance",
//! 1993; "gentle": Floyd, 2000; adaptive: Floyd, Gummadi and Shenker, "Adaptive RED", 2001;
//! the automatic settings: ns-2, queue/red.cc; tc's parameters: tc-red(8).
//!
//! Deviations:
//! - The idle time begins when the link finds the queue empty, not when the last packet leaves it;
//!   ns-2 and Linux do the same.
//! - Averages and probabilities are floating point where Linux shifts integers, and the decay over
//!   an idle time is a power and not a table.
//! - The adaptive step is taken by the clock (as Linux does), with arrivals as its only occasion.

use units::{Bytes, Prob, Rng, Span, Time};

use crate::aqm::{Aqm, Arrival, Kept, Verdict};
use crate::{Backlog, ChangeError};

mod parameters;
mod spec;
#[cfg(test)]
mod tests;

pub use parameters::{RedParameters, RedSpread, RedUnit, weight_for_burst};
pub use spec::{RedAutomatic, RedSpec, RedStats, RedThresholds, RedVariant, RedWeight};

/// Adaptive RED: the time between two changes of `max_probability`.
const ADAPT_EVERY: Span = Span::from_millis(500);
/// Adaptive RED: the upper bound of `max_probability`.
const GREATEST_MAX_PROBABILITY: f64 = 0.5;
/// The number of steps after which any `max_probability` has met a bound: 0.01, 1/4 or 1/10 at a
/// time, from one half to the `bottom` of the fastest link (and to 10^-23).
const MOST_STEPS: u64 = 512;

/// The controller of RED.
#[derive(Clone, Debug)]
pub struct Red {
    parameters: RedParameters,
    rng: Rng,
}

/// The state of one queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedState {
    average: f64,
    /// The number of packets since the last drop or mark; -1 if the average was below the lower
    /// threshold, or ([`RedSpread::OneThrow`]) above the upper one.
    count: i64,
    /// The random number that decides where the gap ends ([`RedSpread::OneThrow`]).
    throw: f64,
    idle_since: Option<Time>,
    /// The adapted `max_probability`; `None` before the first step.
    adapted: Option<f64>,
    next_step: Option<Time>,
}

impl Default for RedState {
    fn default() -> Self {
        Self {
            average: 0.0,
            count: -1,
            throw: 0.0,
            idle_since: None,
            adapted: None,
            next_step: None,
        }
    }
}

impl Red {
    /// A controller with these parameters and this random source.
    pub const fn new(parameters: RedParameters, rng: Rng) -> Self {
        Self { parameters, rng }
    }

    /// The parameters.
    pub const fn parameters(&self) -> &RedParameters {
        &self.parameters
    }

    /// The present drop probability at the upper threshold.
    pub fn max_probability(&self, q: &RedState) -> Prob {
        Prob::clamped(q.adapted.unwrap_or(self.parameters.max_probability.get()))
    }

    /// Updates the average with every arrival; an idle time counts as if small packets had found
    /// the queue empty (1993 paper, section 4).
    fn observe(&self, q: &mut RedState, backlog: Backlog, now: Time) {
        let RedParameters { weight, packet_time, unit, .. } = self.parameters;
        if let Some(since) = q.idle_since.take() {
            let packets = now.since(since).as_secs_f64() / packet_time.as_secs_f64();
            q.average *= libm::pow(1.0 - weight, packets);
        } else {
            q.average += weight * (unit.measure(backlog) - q.average);
        }
    }

    /// Takes a step of Adaptive RED: `max_probability` is increased by addition when the average is
    /// high, and decreased by multiplication when it is low.
    fn adapt(&self, q: &mut RedState, now: Time) {
        let RedParameters { min, max, bottom, .. } = self.parameters;
        let (low, high) = (min + 0.4 * (max - min), min + 0.6 * (max - min));
        let due = *q.next_step.get_or_insert(now + ADAPT_EVERY);
        if now < due {
            return;
        }
        let steps = now.since(due).as_nanos() / ADAPT_EVERY.as_nanos() + 1;
        q.next_step = Some(due + ADAPT_EVERY * steps);
        let mut probability = q.adapted.unwrap_or(self.parameters.max_probability.get());
        for _ in 0..steps.min(MOST_STEPS) {
            if q.average > high && probability <= GREATEST_MAX_PROBABILITY {
                probability += (probability / 4.0).min(0.01);
            } else if q.average < low && probability >= bottom.get() {
                probability *= 0.9;
            }
        }
        q.adapted = Some(probability);
    }

    /// The probability before spreading; `None` if every packet is dropped or marked.
    fn base_probability(&self, q: &RedState, len: Bytes) -> Option<f64> {
        let RedParameters { min, max, gentle, mean_packet, .. } = self.parameters;
        let max_probability = self.max_probability(q).get();
        let base = if q.average < max {
            max_probability * (q.average - min) / (max - min)
        } else if gentle && q.average < 2.0 * max {
            // Gentle: from `max_probability` at `max` to 1 at twice `max`.
            max_probability + (1.0 - max_probability) * (q.average - max) / max
        } else {
            return None;
        };
        // 1993 paper, section 4 (byte mode): a long packet is more likely to be dropped.
        Some(mean_packet.map_or(base, |mean| base * len.0 as f64 / mean.0 as f64))
    }

    /// True if the lottery between the thresholds hits this packet. The gaps between hits are even.
    fn hits(&mut self, q: &mut RedState, base: f64, backlog: Backlog) -> bool {
        let first = q.count < 0;
        q.count = q.count.saturating_add(1);
        let reached = q.count as f64 * base;
        let hit = match self.parameters.spread {
            // 1993 paper, section 7: uniform up to 1/base.
            RedSpread::Uniform => self.chance(base, 1.0 - reached),
            // ns-2: a packet that finds the queue empty is not hit.
            RedSpread::Wait if backlog.packets == 0 => return false,
            // ns-2 `wait_`: uniform in 1/base..2/base.
            RedSpread::Wait => reached >= 1.0 && self.chance(base, 2.0 - reached),
            // red.h, red_action: the first packet above `min` only draws the random number.
            RedSpread::OneThrow if first => {
                q.throw = self.rng.next_f64();
                return false;
            }
            RedSpread::OneThrow => reached >= q.throw,
        };
        if hit {
            q.count = 0;
            if self.parameters.spread == RedSpread::OneThrow {
                q.throw = self.rng.next_f64();
            }
        }
        hit
    }

    /// True with probability `base`/`left`, and always when nothing is left.
    fn chance(&mut self, base: f64, left: f64) -> bool {
        self.rng.chance(if left > 0.0 { Prob::clamped(base / left) } else { Prob::ONE })
    }
}

impl Aqm for Red {
    type State = RedState;
    /// No packets: `red_change` of Linux (net/sched/sch_red.c) replaces the queue by an empty one,
    /// and the average begins anew. Deviation: not so if nothing changes.
    const KEPT: Kept = Kept::Nothing;

    fn change(&mut self, like: Self) -> Result<bool, ChangeError> {
        let before = core::mem::replace(&mut self.parameters, like.parameters);
        Ok(before != self.parameters)
    }

    fn ecn(&self) -> bool {
        self.parameters.ecn
    }

    fn on_enqueue(&mut self, q: &mut RedState, arrival: &Arrival) -> Verdict {
        self.observe(q, arrival.backlog, arrival.now);
        if self.parameters.adaptive {
            self.adapt(q, arrival.now);
        }
        if q.average < self.parameters.min {
            q.count = -1;
            return Verdict::Pass;
        }
        match self.base_probability(q, arrival.len) {
            Some(base) if self.hits(q, base, arrival.backlog) => Verdict::Signal,
            Some(_) => Verdict::Pass,
            None => {
                q.count = match self.parameters.spread {
                    // red.h, red_action: the next packet below `max` only draws the random number.
                    RedSpread::OneThrow => -1,
                    // 1993 paper, figure 2.
                    RedSpread::Uniform | RedSpread::Wait => 0,
                };
                // tc-red(8), `harddrop`.
                if self.parameters.hard_drop { Verdict::Drop } else { Verdict::Signal }
            }
        }
    }

    fn on_empty(&mut self, q: &mut RedState, now: Time) {
        q.idle_since.get_or_insert(now);
    }
}

impl RedState {
    /// The average length of the queue, in the unit of the parameters.
    pub const fn average(&self) -> f64 {
        self.average
    }
}
