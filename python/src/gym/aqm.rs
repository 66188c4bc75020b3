//! A queue that drops arrivals at random with a probability that an agent sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::scenario::Scenario;
use meter::Counters;
use pyo3::prelude::*;
use qdisc::aqm::{Arrival, Verdict};
use qdisc::{Backlog, Limit};
use sim::{ForeignAqm, ForeignKind, ForeignQueue, Setup};
use units::{DirectionId, Rng, Span, Way};

use super::delay_scale;
use super::episode::{Begun, Running, Seen, Task};
use crate::directions::randomness;

/// The link, which is the only one.
const LINK: DirectionId = DirectionId::new(0, Way::Forward);

/// The settings of the task, as the environment has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Aqm {
    /// The rate of the link, in bytes a second.
    bytes_s: f64,
    step_ns: u64,
    /// The packets that may wait; `None` if the queue of the scenario is only watched.
    limit: Option<u64>,
    delay_weight: f64,
}

impl Aqm {
    pub(super) fn begun(self, scenario: &Scenario) -> PyResult<Begun> {
        let probability = Arc::new(AtomicU64::new(0.0_f64.to_bits()));
        let queue = |limit| {
            let rng = randomness(scenario, LINK);
            let aqm = Box::new(RandomDrop { probability: Arc::clone(&probability), rng });
            let kind = ForeignKind::Aqm { limit: Limit::packets(limit), aqm };
            ForeignQueue { direction: LINK, name: "random drop".into(), kind }
        };
        let foreign = self.limit.map(queue).into_iter().collect();
        let (counters, waiting) = Default::default();
        let task =
            Box::new(Dropping { settings: self, probability, counters, waiting, action: -1.0 });
        let setup = Setup { foreign, ..Setup::default() };
        Ok(Begun { task, setup, observation: vec![0.0; 5] })
    }
}

struct Dropping {
    settings: Aqm,
    /// The bits of a double, which the queue has, too.
    probability: Arc<AtomicU64>,
    /// The counts of the link, and the packets that waited, at the end of the step before.
    counters: Counters,
    waiting: Backlog,
    action: f64,
}

impl Dropping {
    fn probability(&self) -> f64 {
        if self.action == -1.0 { 0.0 } else { libm::pow(10.0, 2.0 * (self.action - 1.0)) }
    }
}

impl Task for Dropping {
    fn act(&mut self, _: &mut Running, action: f64) {
        self.action = action;
        self.probability.store(self.probability().to_bits(), Ordering::Relaxed);
    }

    fn step(&self) -> Span {
        Span::from_nanos(self.settings.step_ns)
    }

    fn see(&mut self, run: &mut Running, seconds: f64, seen: &mut Seen) {
        let Aqm { bytes_s, delay_weight, .. } = self.settings;
        let control = run.control();
        let counters = control.counters(LINK).unwrap_or_default();
        let waiting = control.state(LINK).map(|state| state.backlog).unwrap_or_default();
        let step = counters - self.counters;
        let joined = waiting.packets as f64 - self.waiting.packets as f64;
        (self.counters, self.waiting) = (counters, waiting);
        let waiting_s = waiting.bytes.0 as f64 / bytes_s;
        let sojourn_s = match step.departed {
            0 => waiting_s,
            left => step.waited_nanos as f64 / 1e9 / left as f64,
        };
        let dropped = step.drops.total() as f64;
        let arrived = step.departed as f64 + dropped + joined;
        let share = if arrived > 0.0 { dropped / arrived } else { 0.0 };
        let utilisation = (step.delivered_bytes as f64 / (bytes_s * seconds)).min(1.0);
        let (sojourn, waits) = (delay_scale(sojourn_s), delay_scale(waiting_s));
        let place = f64::midpoint(self.action, 1.0);
        let all = [sojourn, waits, utilisation, share.min(1.0), place];
        seen.observation = all.map(|number| number as f32).into();
        seen.reward = utilisation - delay_weight * sojourn_s;
        let probability = f64::from_bits(self.probability.load(Ordering::Relaxed));
        seen.told = vec![sojourn_s, utilisation, share, probability];
    }
}

/// The queue.
struct RandomDrop {
    probability: Arc<AtomicU64>,
    rng: Rng,
}

impl ForeignAqm for RandomDrop {
    fn on_enqueue(&mut self, _arrival: &Arrival) -> Verdict {
        // One number for each packet, so that the stream does not depend on the probability.
        let number = self.rng.next_f64();
        let probability = f64::from_bits(self.probability.load(Ordering::Relaxed));
        if number < probability { Verdict::Signal } else { Verdict::Pass }
    }
}
