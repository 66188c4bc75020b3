//! Parts of a run that are set from outside between two steps: what an agent that learns acts on.
//!
//! They are not asked in Python, so that a step of an environment runs without Python's lock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::scenario::{Scenario, Tcp};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use qdisc::Limit;
use qdisc::aqm::{Arrival, Verdict};
use sim::{ForeignAqm, ForeignCongestion, ForeignKind, ForeignQueue};
use transport::cc::{self, Acked, Algorithm, Factory, Reduction};
use units::{Rng, Span, Time};

use crate::congestion::flow_named;
use crate::directions::{direction_named, randomness};

/// A queue that drops arrivals at random with a probability that is set between two steps.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Dropper {
    limit: u64,
    /// The bits of a double.
    probability: Arc<AtomicU64>,
}

#[pymethods]
impl Dropper {
    #[new]
    fn new(limit: u64) -> PyResult<Self> {
        if limit == 0 {
            let why = "limit is 0; it is a number of packets, at least 1";
            return Err(PyValueError::new_err(why));
        }
        Ok(Self { limit, probability: Arc::new(AtomicU64::new(0.0_f64.to_bits())) })
    }

    #[getter]
    fn probability(&self) -> f64 {
        f64::from_bits(self.probability.load(Ordering::Relaxed))
    }

    #[setter]
    fn set_probability(&self, probability: f64) -> PyResult<()> {
        if !(0.0..=1.0).contains(&probability) {
            let why = format!("probability is {probability}; it is a number from 0 to 1");
            return Err(PyValueError::new_err(why));
        }
        self.probability.store(probability.to_bits(), Ordering::Relaxed);
        Ok(())
    }
}

/// The algorithm of a [`Dropper`].
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

/// A congestion control whose window is set between two steps, and falls after no loss; or the one of the
/// scenario, if that is only watched.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Steering(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    is_watched: bool,
    cwnd: AtomicU32,
    seen: Mutex<Seen>,
}

/// What the sender was told since the last step.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    delivered: u64,
    round_trips: u64,
    round_trips_ns: u64,
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Steering {
    /// The congestion control with this window, in segments; `None` to watch that of the scenario.
    #[new]
    fn new(cwnd: Option<u32>) -> Self {
        let is_watched = cwnd.is_none();
        let cwnd = cwnd.unwrap_or_default().max(1).into();
        Self(Arc::new(Shared { is_watched, cwnd, seen: Mutex::default() }))
    }

    #[getter]
    fn cwnd(&self) -> u32 {
        self.0.cwnd.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_cwnd(&self, segments: u32) {
        self.0.cwnd.store(segments.max(1), Ordering::Relaxed);
    }

    /// What the sender was told since the last call: the segments delivered, and the mean round trip in
    /// nanoseconds (None if there was none).
    fn take(&self) -> (u64, Option<f64>) {
        let seen = std::mem::take(&mut *self.0.seen());
        let mean = seen.round_trips_ns as f64 / seen.round_trips as f64;
        (seen.delivered, (seen.round_trips > 0).then_some(mean))
    }
}

/// The congestion control of a [`Steering`].
#[derive(Clone, Debug)]
struct Steerable {
    shared: Arc<Shared>,
    /// The congestion control of the scenario; `None` if the window is set.
    watched: Option<Algorithm>,
}

impl cc::CongestionControl for Steerable {
    fn on_ack(&mut self, window: &mut cc::Window, ack: &Acked) {
        let mut seen = self.shared.seen();
        seen.delivered += u64::from(ack.delivered);
        if let Some(rtt) = ack.rtt {
            seen.round_trips += 1;
            seen.round_trips_ns += rtt.as_nanos();
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

/// The steered parts of a run, by direction and by flow.
#[derive(Default)]
pub(crate) struct Steered {
    pub(crate) droppers: Vec<(String, Py<Dropper>)>,
    pub(crate) steerings: Vec<(String, Py<Steering>)>,
}

impl Steered {
    pub(crate) fn queues(&self, scenario: &Scenario) -> PyResult<Vec<ForeignQueue>> {
        let queue = |(name, dropper): &(String, Py<Dropper>)| {
            let direction = direction_named(scenario, "queues", name)?;
            let rng = randomness(scenario, direction);
            let Dropper { limit, probability } = dropper.get();
            let aqm = Box::new(RandomDrop { probability: Arc::clone(probability), rng });
            let kind = ForeignKind::Aqm { limit: Limit::packets(*limit), aqm };
            Ok(ForeignQueue { direction, name: "random drop".into(), kind })
        };
        self.droppers.iter().map(queue).collect()
    }

    pub(crate) fn congestion(&self, scenario: &Scenario) -> PyResult<Vec<ForeignCongestion>> {
        let congestion = |(name, steering): &(String, Py<Steering>)| {
            let (shared, flow) = (Arc::clone(&steering.get().0), flow_named(scenario, name)?);
            let Tcp { congestion, abe, tick, .. } = &scenario.flows[flow].tcp;
            let watched = congestion.simulated().filter(|_| shared.is_watched);
            let watched = watched.map(|it| Algorithm::new(&it, *abe, *tick));
            let made = Steerable { shared, watched };
            Ok(ForeignCongestion { flow, factory: Factory::new("steered", move || made.clone()) })
        };
        self.steerings.iter().map(congestion).collect()
    }
}
