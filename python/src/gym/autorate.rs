//! A shaper whose rate an agent sets, before a line whose rate varies.

use ::scenario::Scenario;
use pyo3::prelude::*;
use qdisc::QdiscSpec;
use sim::Setup;
use units::{DirectionId, Rate, Rng, Span, Time, Way};

use super::delay_scale;
use super::episode::{Begun, Running, Seen, Task};

/// The shaper and the line.
const SHAPER: DirectionId = DirectionId::new(0, Way::Forward);
const LINE: DirectionId = DirectionId::new(1, Way::Forward);

/// The time from one change of the line to the next, at least.
const CHANGES_EACH: Span = Span::from_secs(1);

/// The settings of the task, as the environment has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Autorate {
    /// The usual rate of the line.
    mbit: f64,
    /// The most that the line changes at once, in octaves.
    variation: f64,
    /// The round trip of the empty path.
    empty_s: f64,
    step_ns: u64,
    delay_weight: f64,
}

impl Autorate {
    pub(super) fn begun(self, scenario: &Scenario) -> PyResult<Begun> {
        let ping = scenario.flow_names().iter().position(|name| name == "ping").unwrap_or_default();
        let mut task = Shaping {
            ping,
            queue: scenario.queue_at(SHAPER, Span::ZERO).clone(),
            rng: Rng::new(scenario.seed).fork("variation"),
            shaper: self.mbit,
            line: self.mbit,
            changed: Time::ZERO,
            delivered: 0,
            settings: self,
        };
        let observation = task.observation(0.0, 0.0);
        Ok(Begun { task: Box::new(task), setup: Setup::default(), observation })
    }
}

struct Shaping {
    settings: Autorate,
    /// The number of the ping among the flows.
    ping: usize,
    /// The settings of the shaper.
    queue: QdiscSpec,
    /// The randomness of the line.
    rng: Rng,
    /// The rates in Mbit/s.
    shaper: f64,
    line: f64,
    /// The time of the last change of the line.
    changed: Time,
    /// The bytes that the line delivered up to the step before.
    delivered: u64,
}

impl Task for Shaping {
    fn act(&mut self, run: &mut Running, action: f64) {
        let Autorate { mbit, variation, .. } = self.settings;
        self.shaper = (self.shaper * libm::pow(1.25, action)).clamp(mbit / 8.0, mbit * 4.0);
        let bandwidth = format!("cake bandwidth {}", rate(self.shaper));
        self.queue = self.queue.changed(&bandwidth).expect("a shaper can have any rate");
        let now = run.now();
        run.control().change_queue(SHAPER, self.queue.clone());
        if now.since(self.changed) >= CHANGES_EACH {
            self.changed = now;
            let octaves = variation * (2.0 * self.rng.next_f64() - 1.0);
            self.line = (self.line * libm::exp2(octaves)).clamp(mbit / 4.0, mbit * 2.0);
            run.control().change_rate(LINE, rate(self.line));
        }
    }

    fn step(&self) -> Span {
        Span::from_nanos(self.settings.step_ns)
    }

    fn see(&mut self, run: &mut Running, seconds: f64, seen: &mut Seen) {
        let Autorate { empty_s, delay_weight, .. } = self.settings;
        let control = run.control();
        let delivered = control.counters(LINE).unwrap_or_default().delivered_bytes;
        let mbit = (delivered - self.delivered) as f64 * 8.0 / 1e6 / seconds;
        self.delivered = delivered;
        let round_trip = control.gauges(self.ping).unwrap_or_default().rtt;
        let delay_s = round_trip.map_or(0.0, |rtt| (rtt.as_secs_f64() - empty_s).max(0.0));
        let utilisation = (mbit / self.line).min(1.0);
        seen.observation = self.observation((mbit / self.shaper).min(1.0), delay_s);
        seen.reward = utilisation - delay_weight * delay_s;
        seen.told = vec![self.shaper, self.line, delay_s, utilisation];
    }
}

impl Shaping {
    fn observation(&mut self, used: f64, delay_s: f64) -> Vec<f32> {
        let place = (libm::log2(self.shaper / self.settings.mbit) + 3.0) / 5.0;
        [place.clamp(0.0, 1.0), used, delay_scale(delay_s)].map(|number| number as f32).into()
    }
}

/// The rate, in whole kbit/s.
fn rate(mbit: f64) -> Rate {
    let kbit = (mbit * 1000.0).round_ties_even().max(1.0) as u64;
    Rate::from_bits_per_sec(kbit * 1000).expect("it is at least 1 kbit/s")
}
