//! A run that Python advances.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::scenario::{Change, RATES, RatePlan, Scenario};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use qdisc::QdiscSpec;
use sim::Setup;
use units::{DirectionId, Rate, Span, Time, UnitError};

use crate::claim::{Claim, Claimed};
use crate::directions::direction_named;
use crate::errors::run_error;
use crate::raised::Raised;
use crate::run::{Parts, Recorded, Records, Run};

/// The virtual time from one look at Python to the next.
const LOOK_EACH: Span = Span::from_millis(100);

/// A run that the caller advances.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Simulation {
    /// The run, until it is over.
    state: Mutex<Result<State, Over>>,
    /// The claim of the step that is under way, from its beginning to its end.
    step: Claim,
    /// True if the run asks parts in Python, and holds Python's lock.
    holds_lock: bool,
    raised: Raised,
}

/// Why a run cannot go on.
#[derive(Clone, Copy, Debug)]
enum Over {
    /// The run has its result.
    Finished,
    /// A part in Python raised an exception.
    Raised,
    /// Ctrl-C ended a method of a part in Python before its end.
    Interrupted,
}

struct State {
    simulation: sim::Simulation<Arc<Scenario>>,
    recorded: Recorded,
    /// The directions whose queues are not those of the scenario.
    replaced: Vec<DirectionId>,
    /// True if a congestion control is in Python.
    replaced_congestion: bool,
    /// The settings of the queues that the caller has changed.
    queues: HashMap<DirectionId, QdiscSpec>,
    /// The changes that the caller has made, in the order of time.
    changes: Vec<Change>,
    /// The index of each flow.
    flows: HashMap<String, usize>,
}

/// A direction of a link at one time of a run. The counts are those since the beginning.
#[pyclass(frozen, get_all, module = "unbloat._unbloat")]
pub(crate) struct LinkState {
    packets: u64,
    bytes: u64,
    delivered_packets: u64,
    delivered_bytes: u64,
    dropped_packets: u64,
    marked_packets: u64,
    departed_packets: u64,
    waited_ns: u64,
}

/// A flow at one time of a run. The counts are those since the beginning.
#[pyclass(frozen, get_all, module = "unbloat._unbloat")]
pub(crate) struct FlowState {
    delivered_bytes: u64,
    retransmitted_packets: u64,
    cwnd: Option<f64>,
    rtt_ns: Option<u64>,
}

#[pymethods]
impl LinkState {
    fn __repr__(&self) -> String {
        let Self { packets, bytes, delivered_packets, delivered_bytes, .. } = self;
        let Self { dropped_packets, marked_packets, departed_packets, waited_ns, .. } = self;
        format!(
            "<unbloat.LinkState: packets={packets}, bytes={bytes}, delivered_packets={delivered_packets}, \
             delivered_bytes={delivered_bytes}, dropped_packets={dropped_packets}, \
             marked_packets={marked_packets}, departed_packets={departed_packets}, waited_ns={waited_ns}>"
        )
    }
}

#[pymethods]
impl FlowState {
    fn __repr__(&self) -> String {
        let Self { delivered_bytes, retransmitted_packets, cwnd, rtt_ns } = self;
        let cwnd = cwnd.map_or("None".into(), |cwnd| cwnd.to_string());
        let rtt_ns = rtt_ns.map_or("None".into(), |rtt_ns| rtt_ns.to_string());
        format!(
            "<unbloat.FlowState: delivered_bytes={delivered_bytes}, \
             retransmitted_packets={retransmitted_packets}, cwnd={cwnd}, rtt_ns={rtt_ns}>"
        )
    }
}

#[pymethods]
impl Simulation {
    /// The time up to which the run has come, in nanoseconds.
    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.simulation.now().as_nanos()))
    }

    /// The duration of the run, in nanoseconds.
    #[getter]
    fn duration_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.simulation.scenario().duration.as_nanos()))
    }

    /// Advances the run by this many nanoseconds, or to its end if that is earlier.
    fn advance(&self, py: Python<'_>, by_ns: u64) -> PyResult<()> {
        let _step = self.claimed()?;
        let mut held = self.waited(py);
        let until = held.as_ref().map_err(|over| over.error())?.end_of_step(by_ns);
        loop {
            let state = held.as_mut().map_err(|over| over.error())?;
            let mut step = || state.step(until);
            let stepped = if self.holds_lock { step() } else { py.detach(step) };
            // Before an error of the run, which may follow from that of the part.
            if let Some(raised) = self.raised.take() {
                // Without the part that failed, the rest of the run would be that of another scenario.
                *held = Err(Over::by(py, &raised));
                return Err(raised);
            }
            py.check_signals()?;
            if stepped? {
                return Ok(());
            }
        }
    }

    /// A direction of a link now.
    fn link(&self, py: Python<'_>, name: &str) -> PyResult<LinkState> {
        self.with(py, |state| state.link(name))
    }

    /// A flow now.
    fn flow(&self, py: Python<'_>, name: &str) -> PyResult<FlowState> {
        self.with(py, |state| state.flow(name))
    }

    /// Changes the queue of a direction, its rate, or both.
    #[pyo3(signature = (name, queue = None, rate = None))]
    fn change(
        &self,
        py: Python<'_>,
        name: &str,
        queue: Option<&str>,
        rate: Option<&str>,
    ) -> PyResult<()> {
        self.with(py, |state| state.change(name, queue, rate))
    }

    /// The result up to now. The run cannot go on.
    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        let mut held = self.lock(py)?;
        let state = mem::replace(&mut *held, Err(Over::Finished)).map_err(|over| {
            *held = Err(over);
            over.error()
        })?;
        drop(held);
        let scenario = state.with_changes();
        let mut document = state.simulation.finish().map_err(run_error)?;
        document.scenario = scenario.to_json();
        Run::of(py, document, state.recorded, state.replaced_congestion)
    }
}

impl Simulation {
    /// The run of a scenario at time zero, with parts in Python.
    pub(crate) fn begin(
        py: Python<'_>,
        scenario: &Arc<Scenario>,
        records: Records,
        parts: Parts,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let recorded = Recorded::new(records);
        let (holds_lock, replaced_congestion) = (parts.any(), !parts.congestion.is_empty());
        let (foreign, congestion) = parts.made(py, scenario, &raised)?;
        let replaced = foreign.iter().map(|queue| queue.direction).collect();
        let setup = Setup {
            series: recorded.series_options(),
            packets: recorded.packets_sink(),
            timeline: Some(sim::timeline_step(scenario)),
            foreign,
            congestion,
        };
        let simulation = sim::Simulation::new(Arc::clone(scenario), setup).map_err(run_error)?;
        let flows = scenario.flow_names().into_iter().zip(0..).collect();
        let state = State {
            simulation,
            recorded,
            replaced,
            replaced_congestion,
            queues: HashMap::new(),
            changes: Vec::new(),
            flows,
        };
        Ok(Self { state: Mutex::new(Ok(state)), step: Claim::default(), holds_lock, raised })
    }

    fn with<T>(
        &self,
        py: Python<'_>,
        action: impl FnOnce(&mut State) -> PyResult<T>,
    ) -> PyResult<T> {
        action(self.lock(py)?.as_mut().map_err(|over| over.error())?)
    }

    /// The step, which has one owner from its beginning to its end.
    fn claimed(&self) -> PyResult<Claimed<'_>> {
        self.step.claimed().ok_or_else(under_way)
    }

    /// The run between two steps.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Result<State, Over>>> {
        if self.step.is_claimed() { Err(under_way()) } else { Ok(self.waited(py)) }
    }

    /// The run, after those who look at it now. Python's lock is free meanwhile, which they may need.
    fn waited(&self, py: Python<'_>) -> MutexGuard<'_, Result<State, Over>> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn under_way() -> PyErr {
    PyRuntimeError::new_err("the run is being advanced, by another thread or by this one")
}

impl Over {
    /// The end by this exception of a part in Python.
    fn by(py: Python<'_>, raised: &PyErr) -> Self {
        if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
            Self::Interrupted
        } else {
            Self::Raised
        }
    }

    fn error(self) -> PyErr {
        let why = match self {
            Self::Finished => "it has its result",
            Self::Raised => "a part of it in Python raised an exception",
            Self::Interrupted => {
                "Ctrl-C ended a method of a part in Python before its end; begin a new Simulation"
            }
        };
        PyRuntimeError::new_err(format!("the run is over: {why}"))
    }
}

impl State {
    fn end_of_step(&self, by_ns: u64) -> Time {
        let end = self.simulation.scenario().duration.as_nanos();
        Time::from_nanos(self.simulation.now().as_nanos().saturating_add(by_ns).min(end))
    }

    /// Advances the run towards `until`; true if it is there.
    fn step(&mut self, until: Time) -> PyResult<bool> {
        let next = until.min(self.simulation.now() + LOOK_EACH);
        self.simulation.advance(next).map_err(run_error)?;
        Ok(next == until)
    }

    fn link(&mut self, name: &str) -> PyResult<LinkState> {
        let direction = direction_named(self.simulation.scenario(), "link", name)?;
        let control = self.simulation.control();
        let counters = control.counters(direction).unwrap_or_default();
        let backlog = control.state(direction).map(|state| state.backlog).unwrap_or_default();
        Ok(LinkState {
            packets: backlog.packets,
            bytes: backlog.bytes.0,
            delivered_packets: counters.delivered_packets,
            delivered_bytes: counters.delivered_bytes,
            dropped_packets: counters.drops.total(),
            marked_packets: counters.marks,
            departed_packets: counters.departed,
            waited_ns: counters.waited_nanos,
        })
    }

    fn flow(&mut self, name: &str) -> PyResult<FlowState> {
        let flow = *self.flows.get(name).ok_or_else(|| {
            let names = self.simulation.scenario().flow_names().join(", ");
            PyValueError::new_err(format!("there is no flow {name:?}; there are {names}"))
        })?;
        let control = self.simulation.control();
        let gauges = control.gauges(flow).unwrap_or_default();
        Ok(FlowState {
            delivered_bytes: control.delivered(flow),
            retransmitted_packets: control.retransmitted(flow),
            cwnd: gauges.cwnd,
            rtt_ns: gauges.rtt.map(Span::as_nanos),
        })
    }

    fn change(&mut self, name: &str, queue: Option<&str>, rate: Option<&str>) -> PyResult<()> {
        let direction = direction_named(self.simulation.scenario(), "change", name)?;
        let queue = queue.map(|text| self.changed(direction, text)).transpose()?;
        let rate = rate.map(|text| self.constant_rate(direction, text)).transpose()?;
        let at = self.simulation.now().since(Time::ZERO);
        self.changes.push(Change { at, direction, queue: queue.clone(), rate });
        let mut control = self.simulation.control();
        if let Some(queue) = queue {
            control.change_queue(direction, queue.clone());
            self.queues.insert(direction, queue);
        }
        if let Some(rate) = rate {
            self.simulation.control().change_rate(direction, rate);
        }
        Ok(())
    }

    /// The scenario with the changes that the caller has made, which repeats the run.
    fn with_changes(&self) -> Scenario {
        let mut scenario = Scenario::clone(self.simulation.scenario());
        scenario.changes.extend(self.changes.iter().cloned());
        scenario.changes.sort_by_key(|change| change.at);
        scenario
    }

    /// The settings of a queue after a change.
    fn changed(&self, direction: DirectionId, text: &str) -> PyResult<QdiscSpec> {
        let (simulation, wrong) = (&self.simulation, PyValueError::new_err::<String>);
        let (scenario, now) = (simulation.scenario(), simulation.now().since(Time::ZERO));
        let name = || scenario.direction_name(direction);
        if self.replaced.contains(&direction) {
            return Err(wrong(format!("the queue of {} has no settings to change", name())));
        }
        let of_queue = |it: &&::scenario::Change| it.direction == direction && it.queue.is_some();
        if scenario.changes.iter().any(|change| of_queue(&change)) {
            return Err(wrong(format!("the scenario itself changes the queue of {}", name())));
        }
        let present = self.queues.get(&direction);
        let present = present.unwrap_or_else(|| scenario.queue_at(direction, now));
        present.changed(text).map_err(|error| wrong(format!("queue {text:?}: {}", error.message)))
    }

    /// The new rate of a direction that has a constant rate.
    fn constant_rate(&self, direction: DirectionId, text: &str) -> PyResult<Rate> {
        let scenario = self.simulation.scenario();
        let present = &scenario.direction(direction).rate;
        if !matches!(present, Some(RatePlan::Constant(_))) {
            let name = scenario.direction_name(direction);
            let why = format!("{name} has no constant rate, and no rate that can change");
            return Err(PyValueError::new_err(why));
        }
        let wrong = |error| PyValueError::new_err(format!("rate {text:?}: {error}"));
        let rate = text.parse().map_err(|error: UnitError| wrong(error.to_string()))?;
        if RATES.contains(&rate) {
            return Ok(rate);
        }
        Err(wrong(format!("write a rate from {} to {}", RATES.start(), RATES.end())))
    }
}
