//! The rules of sqm-autorate: two means of each reflector's delay, a quick one and a slow one, and a
//! memory of rates that were safe, one of which is drawn when the delay is long.
//!
//! Specification: the constants of sqm-autorate in Lua (2026-03). Deviations: the memory begins with
//! rates between 75 and 95 % of the base, as remembered of its source; with fewer than three
//! reflectors the longest difference counts.

use libm::exp2;
use units::{Rng, Span, Time};

use crate::decision::Paced;
use crate::limits::bits;
use crate::throughput::Throughput;
use crate::{
    Both, Controller, Decision, Heading, Limits, Observation, Passage, Probing, Reason, ReflectorId,
};

/// `tick_duration`, also the time from one request to a reflector to the next.
const TICK: Span = Span::from_millis(500);
const REFLECTORS: usize = 5;
/// The half-lives of the slow mean and of the quick one, in seconds.
const SLOW_S: f64 = 135.0;
const QUICK_S: f64 = 0.4;
/// The difference that counts: the third smallest.
const RANK: usize = 2;
/// `upload_delay_ms`, `download_delay_ms`.
const LIMIT_MS: f64 = 15.0;
/// The first rate, in parts of the base.
const START: f64 = 0.6;
/// `high_load_level`.
const HIGH_LOAD: f64 = 0.8;
/// The rise: a part that shrinks as the rate comes near the greatest safe rate, and a part of the
/// base.
const RISE: (f64, f64) = (0.1, 0.03);
/// The fall, in parts of the achieved rate.
const FALL: f64 = 0.9;
/// `speed_hist_size`.
const MEMORY: usize = 100;
/// A reflector whose last answer is older is replaced.
const LATE: Span = Span::from_secs(5);

/// A controller with the rules of sqm-autorate.
#[derive(Debug)]
pub(crate) struct SqmAutorate {
    directions: Both<Direction>,
    reflectors: Vec<Reflector>,
    rng: Rng,
}

/// The means of a reflector's delays, for each direction.
#[derive(Debug)]
struct Reflector {
    id: ReflectorId,
    means: Both<Means>,
    heard: Time,
}

/// The quick mean of a delay and the slow one, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Means {
    quick: f64,
    slow: f64,
}

#[derive(Debug)]
struct Direction {
    limits: Limits,
    rate: f64,
    throughput: Throughput,
    safe: Vec<f64>,
    next_safe: usize,
    reason: Reason,
}

impl SqmAutorate {
    pub(crate) fn new(limits: Both<Limits>, seed: u64) -> Self {
        let mut rng = Rng::new(seed).fork("sqm-autorate");
        let directions = Both::new(|heading| Direction::new(limits[heading], &mut rng));
        Self { directions, reflectors: Vec::new(), rng }
    }

    fn hear(&mut self, seen: &Observation<'_>, now: Time) {
        for sample in seen.samples {
            let [Some(up), Some(down)] = Heading::BOTH.map(|way| sample.one_way_ms(way)) else {
                continue;
            };
            let delays = Both { up, down };
            let id = sample.reflector;
            match self.reflectors.iter_mut().find(|known| known.id == id) {
                Some(known) => known.hear(delays, now),
                None => {
                    let means = delays.map(|delay| Means { quick: delay, slow: delay });
                    self.reflectors.push(Reflector { id, means, heard: now });
                }
            }
        }
    }

    /// The difference that counts of a direction; `None` without a reflector that answers.
    fn delta(&self, heading: Heading, now: Time) -> Option<f64> {
        let fresh = self.reflectors.iter().filter(|it| now.since(it.heard) < LATE);
        let mut deltas: Vec<f64> = fresh.map(|it| it.means[heading].delta()).collect();
        deltas.sort_unstable_by(f64::total_cmp);
        deltas.get(RANK).or(deltas.last()).copied()
    }

    /// A reflector that is late, which is forgotten.
    fn late(&mut self, now: Time) -> Option<ReflectorId> {
        let index = self.reflectors.iter().position(|it| now.since(it.heard) >= LATE)?;
        Some(self.reflectors.remove(index).id)
    }
}

impl Controller for SqmAutorate {
    fn interval(&self) -> Span {
        TICK
    }

    fn tick(&mut self, now: Time, seen: &Observation<'_>) -> Decision {
        self.hear(seen, now);
        for heading in Heading::BOTH {
            let delta = self.delta(heading, now);
            let direction = &mut self.directions[heading];
            direction.follow(&seen.traffic[heading], delta, now, &mut self.rng);
        }
        let replace = self.late(now);
        let probing = Probing::in_turn(REFLECTORS, TICK);
        Decision {
            replace,
            ..Decision::of(Both::new(|heading| self.directions[heading].paced()), probing)
        }
    }
}

impl Reflector {
    fn hear(&mut self, delays: Both<f64>, now: Time) {
        let seconds = now.since(self.heard).as_secs_f64().max(TICK.as_secs_f64());
        for heading in Heading::BOTH {
            self.means[heading].hear(delays[heading], seconds);
        }
        self.heard = now;
    }
}

impl Means {
    /// Moves both means towards a delay that comes `seconds` after the last one.
    fn hear(&mut self, delay: f64, seconds: f64) {
        self.quick += (1.0 - exp2(-seconds / QUICK_S)) * (delay - self.quick);
        self.slow += (1.0 - exp2(-seconds / SLOW_S)) * (delay - self.slow);
        // The baseline is the smaller of both.
        self.slow = self.slow.min(self.quick);
    }

    fn delta(&self) -> f64 {
        self.quick - self.slow
    }
}

impl Direction {
    fn new(limits: Limits, rng: &mut Rng) -> Self {
        let base = bits(limits.base());
        let safe = (0..MEMORY).map(|_| (0.75 + 0.2 * rng.next_f64()) * base).collect();
        Self {
            limits,
            rate: START * base,
            throughput: Throughput::new(Time::ZERO),
            safe,
            next_safe: 0,
            reason: Reason::Hold,
        }
    }

    fn paced(&self) -> Paced {
        Paced { rate: self.limits.nearest(self.rate), reason: self.reason }
    }

    fn follow(&mut self, passage: &Passage, delta: Option<f64>, now: Time, rng: &mut Rng) {
        self.throughput.add(passage.departed);
        let load = self.throughput.take(now) / self.rate;
        self.reason = Reason::Hold;
        let Some(delta) = delta else { return };
        if delta < LIMIT_MS && load > HIGH_LOAD {
            self.safe[self.next_safe] = self.rate * load;
            self.next_safe = (self.next_safe + 1) % MEMORY;
            let greatest = self.safe.iter().copied().fold(0.0, f64::max);
            let room = (1.0 - self.rate / greatest).max(0.0);
            self.rate *= 1.0 + RISE.0 * room;
            self.rate += RISE.1 * bits(self.limits.base());
            self.reason = Reason::Loaded;
        } else if delta > LIMIT_MS {
            let safe = self.safe[rng.below(MEMORY as u64) as usize];
            self.rate = (FALL * self.rate * load).min(safe);
            self.reason = Reason::Bloated;
        }
        self.rate = bits(self.limits.nearest(self.rate));
    }
}

#[cfg(test)]
mod tests;
