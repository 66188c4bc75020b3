//! A congestion control whose window an agent sets.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::scenario::{Scenario, Tcp};
use meter::Counters;
use pyo3::prelude::*;
use sim::{ForeignCongestion, Setup};
use transport::cc::{self, Acked, Algorithm, Factory, Reduction};
use units::{DirectionId, Span, Time, Way};

use super::episode::{Begun, Running, Seen, Task};
use crate::congestion::flow_named;

/// The link and the flow, which are the only ones.
const LINK: DirectionId = DirectionId::new(0, Way::Forward);
const UPLOAD: usize = 0;

/// The windows that an agent can have, in segments.
const WINDOWS: [f64; 2] = [2.0, 100_000.0];

/// The window at the beginning, in segments.
const INITIAL: u32 = 10;

/// The settings of the task, as the environment has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Congestion {
    /// The rate of the link, in bytes a second.
    bytes_s: f64,
    /// The round trip of the empty path, which is the length of a step.
    step_ns: u64,
    /// The number of steps that are seen.
    history: usize,
    /// True if the congestion control of the scenario is only watched.
    is_watched: bool,
    delay_weight: f64,
    loss_weight: f64,
}

impl Congestion {
    pub(super) fn begun(self, scenario: &Scenario) -> PyResult<Begun> {
        let shared = Arc::new(Shared {
            is_watched: self.is_watched,
            cwnd: INITIAL.into(),
            told: Mutex::default(),
        });
        let congestion = vec![steered(Arc::clone(&shared), scenario)?];
        let history: VecDeque<[f32; 4]> = vec![[0.0; 4]; self.history].into();
        let observation = history.iter().flatten().copied().collect();
        let task = Box::new(Steering {
            settings: self,
            shared,
            cwnd: INITIAL.into(),
            before: Counters::default(),
            retransmitted: 0,
            most: 1,
            shortest_s: None,
            rtt_s: None,
            history,
        });
        Ok(Begun { task, setup: Setup { congestion, ..Setup::default() }, observation })
    }
}

struct Steering {
    settings: Congestion,
    shared: Arc<Shared>,
    cwnd: f64,
    /// The counts of the link and of retransmissions up to the step before.
    before: Counters,
    retransmitted: u64,
    /// The most segments that were delivered in a step.
    most: u64,
    shortest_s: Option<f64>,
    rtt_s: Option<f64>,
    /// What was seen after the last steps, the latest last.
    history: VecDeque<[f32; 4]>,
}

impl Task for Steering {
    fn act(&mut self, _: &mut Running, action: f64) {
        let [least, most] = WINDOWS;
        self.cwnd = (self.cwnd * libm::exp2(action)).clamp(least, most);
        self.shared.cwnd.store(self.cwnd.round_ties_even() as u32, Ordering::Relaxed);
    }

    fn step(&self) -> Span {
        Span::from_nanos(self.settings.step_ns)
    }

    fn see(&mut self, run: &mut Running, seconds: f64, seen: &mut Seen) {
        let control = run.control();
        let link = control.counters(LINK).unwrap_or_default();
        let retransmitted = control.retransmitted(UPLOAD);
        let told = std::mem::take(&mut *self.shared.told());
        let again = retransmitted - self.retransmitted;
        let bytes = link.delivered_bytes - self.before.delivered_bytes;
        (self.before, self.retransmitted) = (link, retransmitted);
        let loss = if again == 0 { 0.0 } else { again as f64 / (again + told.delivered) as f64 };
        let queueing = self.note(told.mean_s(), told.delivered, loss);
        let utilisation = (bytes as f64 / (self.settings.bytes_s * seconds)).min(1.0);
        let Congestion { is_watched, delay_weight, loss_weight, .. } = self.settings;
        let cwnd = if is_watched { control.gauges(UPLOAD).unwrap_or_default().cwnd } else { None };
        let cwnd = if is_watched { cwnd.unwrap_or_default() } else { self.cwnd };
        seen.reward = utilisation - delay_weight * queueing - loss_weight * loss;
        seen.observation = self.history.iter().flatten().copied().collect();
        let rtt_s = self.rtt_s.unwrap_or(f64::NAN);
        seen.told = vec![cwnd.round_ties_even(), rtt_s, utilisation, loss];
    }
}

impl Steering {
    /// Adds a step to the history. Returns the queueing delay in round trips of the empty path.
    fn note(&mut self, rtt_s: Option<f64>, delivered: u64, loss: f64) -> f64 {
        let step_s = self.step().as_secs_f64();
        // With the time that a segment needs on the link.
        let empty_s = step_s + 1500.0 / self.settings.bytes_s;
        let before = self.rtt_s;
        // Without a sample, the round trip is taken to be what it was.
        self.rtt_s = rtt_s.or(before);
        self.most = self.most.max(delivered);
        let (mut ratio, mut gradient, mut queueing) = (0.0, 0.0, 0.0);
        if let Some(rtt_s) = self.rtt_s {
            let shortest_s = self.shortest_s.map_or(rtt_s, |shortest_s| shortest_s.min(rtt_s));
            self.shortest_s = Some(shortest_s);
            ratio = (rtt_s / shortest_s - 1.0).min(10.0);
            gradient = before.map_or(0.0, |before| ((rtt_s - before) / step_s).clamp(-1.0, 1.0));
            queueing = ((rtt_s - empty_s) / empty_s).max(0.0);
        }
        self.history.pop_front();
        let share = delivered as f64 / self.most as f64;
        self.history.push_back([ratio, gradient, loss, share].map(|number| number as f32));
        queueing
    }
}

/// What the task and the sender share.
#[derive(Debug)]
struct Shared {
    is_watched: bool,
    cwnd: AtomicU32,
    told: Mutex<Told>,
}

/// What the sender was told since the last step.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    delivered: u64,
    round_trips: u64,
    round_trips_ns: u64,
}

impl Told {
    /// The mean round trip; `None` if there was none.
    fn mean_s(&self) -> Option<f64> {
        let mean_ns = self.round_trips_ns as f64 / self.round_trips as f64;
        (self.round_trips > 0).then_some(mean_ns / 1e9)
    }
}

impl Shared {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn steered(shared: Arc<Shared>, scenario: &Scenario) -> PyResult<ForeignCongestion> {
    let flow = flow_named(scenario, "upload")?;
    let Tcp { congestion, abe, tick, .. } = &scenario.flows[flow].tcp;
    let watched = congestion.simulated().filter(|_| shared.is_watched);
    let watched = watched.map(|it| Algorithm::new(&it, *abe, *tick));
    let made = Steerable { shared, watched };
    Ok(ForeignCongestion { flow, factory: Factory::new("steered", move || made.clone()) })
}

/// The congestion control: its window is the agent's, and falls after no loss; or it is that of the scenario,
/// which is only watched.
#[derive(Clone, Debug)]
struct Steerable {
    shared: Arc<Shared>,
    /// The congestion control of the scenario; `None` if the window is set.
    watched: Option<Algorithm>,
}

impl cc::CongestionControl for Steerable {
    fn on_ack(&mut self, window: &mut cc::Window, ack: &Acked) {
        let mut told = self.shared.told();
        told.delivered += u64::from(ack.delivered);
        if let Some(rtt) = ack.rtt {
            told.round_trips += 1;
            told.round_trips_ns += rtt.as_nanos();
        }
        match &mut self.watched {
            Some(watched) => watched.on_ack(window, ack),
            None if ack.falling => {}
            None => window.cwnd = self.shared.cwnd.load(Ordering::Relaxed),
        }
    }

    fn reduce(&mut self, window: &cc::Window, cause: Reduction, now: Time) -> u32 {
        match &mut self.watched {
            Some(watched) => watched.reduce(window, cause, now),
            None => self.shared.cwnd.load(Ordering::Relaxed),
        }
    }

    fn on_restart(&mut self, idle: Span, now: Time) {
        if let Some(watched) = &mut self.watched {
            watched.on_restart(idle, now);
        }
    }
}
