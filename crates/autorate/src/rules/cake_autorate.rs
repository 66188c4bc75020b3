//! The rules of cake-autorate: a window of delays, a rate that falls while too many of them are
//! long, rises while the direction is loaded, and otherwise goes back to the base.
//!
//! Specification: the constants of cake-autorate 3.5 (its `defaults.sh`), by the names below.
//! Deviations: pingers answer through the driver, so that the time of a response is the tick at
//! which it is seen; the wire time of a packet is that of 1500 bytes. Its Starlink compensation went
//! in 3.2.0.

use units::{Bytes, Span, Time};

use crate::decision::Paced;
use crate::limits::bits;
use crate::throughput::Throughput;
use crate::{
    Blind, Blindness, Both, Controller, Decision, Heading, Limits, Observation, Passage, Probing,
    Reason,
};

/// `no_pingers`.
const REFLECTORS: usize = 6;
/// `reflector_ping_interval_s` 0.3, divided among the pingers: 20 requests in a second.
const PING_EVERY: Span = Span::from_millis(50);
/// `alpha_baseline_increase`, `alpha_baseline_decrease`.
const BASELINE_ALPHA: Alpha = Alpha { up: 0.001, down: 0.9 };
/// `bufferbloat_detection_window`, `bufferbloat_detection_thr`.
const WINDOW: usize = 6;
const LONG_IN_WINDOW: usize = 3;
/// `dl_owd_delta_delay_thr_ms`, and the same of the upload.
const LONG_MS: f64 = 30.0;
/// `avg_owd_delta_max_adjust_up_thr_ms`: at a mean delay up to this the rate rises fastest.
const MOST_UP_MS: f64 = 10.0;
/// `avg_owd_delta_max_adjust_down_thr_ms`: from this mean delay on the rate falls fastest.
const MOST_DOWN_MS: f64 = 60.0;
/// `shaper_rate_min_adjust_down_bufferbloat`, `shaper_rate_max_adjust_down_bufferbloat`.
const DOWN_FACTORS: (f64, f64) = (0.99, 0.75);
/// `shaper_rate_min_adjust_up_load_high`, `shaper_rate_max_adjust_up_load_high`.
const UP_FACTORS: (f64, f64) = (1.0, 1.04);
/// `bufferbloat_refractory_period_ms`.
const REFRACTORY: Span = Span::from_millis(300);
/// `high_load_thr`.
const HIGH_LOAD: f64 = 0.75;
/// `monitor_achieved_rates_interval_ms`.
const RATE_EVERY: Span = Span::from_millis(200);
/// `decay_refractory_period_ms`, `shaper_rate_adjust_down_load_low`,
/// `shaper_rate_adjust_up_load_low`.
const DECAY_EVERY: Span = Span::from_secs(1);
const DECAY: (f64, f64) = (0.99, 1.01);
/// `stall_detection_thr` response intervals, with less than `connection_stall_thr_kbps`.
const STALL: Span = Span::from_millis(5 * 50);
const STALL_BITS: f64 = 10_000.0;
/// `sustained_idle_sleep_thr_s`, at less than `connection_active_thr_kbps`.
const SLEEP: Span = Span::from_secs(60);
const ACTIVE_BITS: f64 = 2e6;
/// `global_ping_response_timeout_s`: without an answer for so long, the rates are the least.
const NO_ANSWER: Span = Span::from_secs(10);

struct Alpha {
    up: f64,
    down: f64,
}

/// A controller with the rules of cake-autorate.
#[derive(Debug)]
pub(crate) struct CakeAutorate {
    directions: Both<Direction>,
    answered: Time,
    active: Time,
}

#[derive(Debug)]
struct Direction {
    heading: Heading,
    limits: Limits,
    rate: f64,
    /// The baseline of each reflector, by its number.
    baselines: Vec<(u32, f64)>,
    /// The latest differences from the baseline, in milliseconds.
    window: Vec<f64>,
    throughput: Throughput,
    achieved: f64,
    /// The time of the latest sample of the achieved rate.
    sampled: Time,
    lowered: Time,
    decayed: Time,
    reason: Reason,
}

impl CakeAutorate {
    pub(crate) fn new(limits: Both<Limits>) -> Self {
        let directions = Both::new(|heading| Direction::new(heading, limits[heading]));
        Self { directions, answered: Time::ZERO, active: Time::ZERO }
    }
}

impl Controller for CakeAutorate {
    fn interval(&self) -> Span {
        PING_EVERY
    }

    fn tick(&mut self, now: Time, seen: &Observation<'_>) -> Decision {
        if seen.samples.iter().any(|sample| sample.round_trip_ms().is_some()) {
            self.answered = now;
        }
        for heading in Heading::BOTH {
            let direction = &mut self.directions[heading];
            direction.sample_rate(&seen.traffic[heading], now);
            if direction.achieved >= ACTIVE_BITS {
                self.active = now;
            }
        }
        let silence = now.since(self.answered);
        let flows = Heading::BOTH.iter().any(|it| self.directions[*it].achieved >= STALL_BITS);
        let is_lost = silence >= NO_ANSWER;
        let is_stalled = silence >= STALL && !flows;
        let is_asleep = now.since(self.active) >= SLEEP;
        for heading in Heading::BOTH {
            let direction = &mut self.directions[heading];
            direction.reason = Reason::Hold;
            if is_lost && !is_asleep {
                direction.rate = bits(direction.limits.minimum());
                direction.reason = Reason::Blind;
            } else if !is_stalled {
                direction.follow(seen, now);
            }
        }
        let cause = if flows { Blindness::Silent } else { Blindness::Dead };
        let blind = (is_lost || is_stalled) && !is_asleep;
        let every = (!is_asleep).then_some(PING_EVERY);
        let probing = Probing { reflectors: REFLECTORS, every };
        Decision {
            blind: blind.then_some(Blind { cause, since: self.answered }),
            ..Decision::of(Both::new(|heading| self.directions[heading].paced()), probing)
        }
    }
}

impl Direction {
    fn new(heading: Heading, limits: Limits) -> Self {
        Self {
            heading,
            limits,
            rate: bits(limits.base()),
            baselines: Vec::new(),
            window: vec![0.0; WINDOW],
            throughput: Throughput::new(Time::ZERO),
            achieved: 0.0,
            sampled: Time::ZERO,
            lowered: Time::ZERO,
            decayed: Time::ZERO,
            reason: Reason::Hold,
        }
    }

    fn paced(&self) -> Paced {
        Paced { rate: self.limits.nearest(self.rate), reason: self.reason }
    }

    /// Takes the rate of the last 200 ms, if it is time.
    fn sample_rate(&mut self, passage: &Passage, now: Time) {
        self.throughput.add(passage.departed);
        if now.since(self.sampled) >= RATE_EVERY {
            self.achieved = self.throughput.take(now);
            self.sampled = now;
        }
    }

    fn follow(&mut self, seen: &Observation<'_>, now: Time) {
        let is_new_rate = self.sampled == now;
        for sample in seen.samples {
            if let Some(delay) = sample.one_way_ms(self.heading) {
                self.hear(sample.reflector.0, delay);
            }
        }
        let mean = self.window.iter().sum::<f64>() / WINDOW as f64;
        if self.is_bloated() {
            if now.since(self.lowered) >= REFRACTORY {
                self.rate *= between((LONG_MS, MOST_DOWN_MS), DOWN_FACTORS, mean);
                (self.lowered, self.decayed) = (now, now);
                self.reason = Reason::Bloated;
            }
        } else if self.achieved >= HIGH_LOAD * self.rate {
            if is_new_rate && now.since(self.lowered) >= REFRACTORY {
                self.rate *= between((LONG_MS, MOST_UP_MS), UP_FACTORS, mean);
                self.reason = Reason::Loaded;
            }
            self.decayed = now;
        } else if now.since(self.decayed) >= DECAY_EVERY {
            self.rate = towards(self.rate, bits(self.limits.base()), DECAY);
            self.decayed = now;
            self.reason = Reason::Idle;
        }
        self.rate = bits(self.limits.nearest(self.rate));
    }

    /// Takes a delay into the reflector's baseline, and the difference into the window.
    fn hear(&mut self, reflector: u32, delay: f64) {
        let known = self.baselines.iter_mut().find(|(id, _)| *id == reflector);
        let Some((_, baseline)) = known else { return self.baselines.push((reflector, delay)) };
        let alpha = if delay >= *baseline { BASELINE_ALPHA.up } else { BASELINE_ALPHA.down };
        *baseline += alpha * (delay - *baseline);
        self.window.remove(0);
        self.window.push(delay - *baseline);
    }

    /// True if too many of the latest delays are long. The threshold is longer by the time of a
    /// packet on the wire.
    fn is_bloated(&self) -> bool {
        let packet = Bytes(1500) / self.limits.nearest(self.rate);
        let long = self.window.iter().filter(|delta| **delta > LONG_MS + packet.as_millis_f64());
        long.count() >= LONG_IN_WINDOW
    }
}

/// The value at `at` on the line through two points, whose first coordinates are `places`, level
/// beyond them.
fn between(places: (f64, f64), values: (f64, f64), at: f64) -> f64 {
    let part = ((at - places.0) / (places.1 - places.0)).clamp(0.0, 1.0);
    values.0 + part * (values.1 - values.0)
}

/// The rate one step nearer to `goal`: times the first factor from above, the second from below.
pub(super) fn towards(rate: f64, goal: f64, steps: (f64, f64)) -> f64 {
    match rate > goal {
        true => (rate * steps.0).max(goal),
        false => (rate * steps.1).min(goal),
    }
}

#[cfg(test)]
mod tests;
