//! Congestion controls in Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ::scenario::{Flow, Scenario};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use sim::ForeignCongestion;
use transport::cc::{self, Acked, Factory, Reduction};
use units::{Rng, Span, Time};

use crate::directions::random;
use crate::raised::Raised;

/// The window of a connection: one object for its whole life, which a congestion control changes.
#[pyclass(frozen, module = "unbloat._unbloat")]
#[derive(Debug, Default)]
pub(crate) struct Window {
    cwnd: AtomicU32,
    ssthresh: AtomicU32,
    /// True during `on_ack`, after which the sender reads the window.
    can_be_set: AtomicBool,
}

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> u32 {
        self.cwnd.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_cwnd(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(&self.cwnd, "window.cwnd", value)
    }

    #[getter]
    fn ssthresh(&self) -> u32 {
        self.ssthresh.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_ssthresh(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(&self.ssthresh, "window.ssthresh", value)
    }
}

impl Window {
    fn set(&self, window: cc::Window, can_be_set: bool) {
        self.cwnd.store(window.cwnd, Ordering::Relaxed);
        self.ssthresh.store(window.ssthresh, Ordering::Relaxed);
        self.can_be_set.store(can_be_set, Ordering::Relaxed);
    }

    /// Takes a value from Python, unless the sender would not read it.
    fn change(&self, part: &AtomicU32, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if !self.can_be_set.load(Ordering::Relaxed) {
            let why = "can be set in on_ack alone; reduce returns the threshold, to which the window falls";
            return Err(PyAttributeError::new_err(format!("{name} {why}")));
        }
        part.store(segments(&format!("{name} is"), value)?, Ordering::Relaxed);
        Ok(())
    }

    fn get(&self) -> cc::Window {
        cc::Window { cwnd: self.cwnd(), ssthresh: self.ssthresh() }
    }
}

/// A number of segments that a congestion control has chosen.
fn segments(what: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let why = || format!("{what} {value:?}; it is a whole number of segments from 1 to 2**32 - 1");
    match value.extract::<u32>() {
        Ok(segments) if segments > 0 => Ok(segments),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            Err(PyTypeError::new_err(why()))
        }
        _ => Err(PyValueError::new_err(why())),
    }
}

/// The facts that one acknowledgement gave the sender.
#[pyclass(frozen, get_all, module = "unbloat._unbloat")]
pub(crate) struct Ack {
    now_ns: u64,
    delivered: u32,
    acked: u32,
    rtt_ns: Option<u64>,
    srtt_ns: u64,
    una: u64,
    next: u64,
    one_way_ms: Option<u32>,
    may_grow: bool,
    falling: bool,
    paced: bool,
}

impl From<&Acked> for Ack {
    fn from(ack: &Acked) -> Self {
        Self {
            now_ns: ack.now.as_nanos(),
            delivered: ack.delivered,
            acked: ack.acked,
            rtt_ns: ack.rtt.map(Span::as_nanos),
            srtt_ns: ack.srtt.as_nanos(),
            una: ack.una,
            next: ack.next,
            one_way_ms: ack.one_way,
            may_grow: ack.may_grow,
            falling: ack.falling,
            paced: ack.paced,
        }
    }
}

/// A maker of congestion controls and the flow whose connections have them, as the package passes them.
#[derive(FromPyObject)]
pub(crate) struct Attached {
    flow: String,
    make: Py<PyAny>,
}

/// The methods of a congestion control, as the package makes them.
#[derive(Debug, FromPyObject)]
struct Methods {
    name: String,
    on_ack: Py<PyAny>,
    reduce: Py<PyAny>,
    on_restart: Option<Py<PyAny>>,
}

/// The congestion controls of the simulator for these makers. The first exception of one goes to
/// `raised`.
///
/// # Errors
/// If the scenario has no such flow, or the flow has no TCP.
pub(crate) fn congestion(
    attached: Vec<Attached>,
    scenario: &Scenario,
    raised: &Raised,
) -> PyResult<Vec<ForeignCongestion>> {
    attached.into_iter().map(|one| one.congestion(scenario, raised)).collect()
}

impl Attached {
    fn congestion(self, scenario: &Scenario, raised: &Raised) -> PyResult<ForeignCongestion> {
        let Self { flow: name, make } = self;
        let flow = flow_named(scenario, &name)?;
        let randomness = Rng::new(scenario.seed).fork("congestion").fork(&name);
        let (maker, raised) =
            (Arc::new(Maker { make, randomness, made: 0.into() }), raised.clone());
        let factory = Factory::new("Python", move || PythonCongestion {
            maker: Arc::clone(&maker),
            made: None,
            raised: raised.clone(),
            ended: false,
        });
        Ok(ForeignCongestion { flow, factory })
    }
}

/// The index of the flow with this name, if it has TCP.
pub(crate) fn flow_named(scenario: &Scenario, name: &str) -> PyResult<usize> {
    let named = |flow: &Flow| flow.name == name && flow.traffic.is_tcp();
    scenario.flows.iter().position(named).ok_or_else(|| {
        let tcp = scenario.flows.iter().filter(|flow| flow.traffic.is_tcp());
        let names: Vec<_> = tcp.map(|flow| flow.name.as_str()).collect();
        PyValueError::new_err(format!(
            "congestion names {name:?}, which is no flow with TCP; there are {}",
            names.join(", ")
        ))
    })
}

/// A congestion control in Python. The thread that runs the simulator holds Python's lock, so that to
/// attach here costs next to nothing.
#[derive(Clone, Debug)]
struct PythonCongestion {
    maker: Arc<Maker>,
    /// The object in Python. An end that sends no data never has one.
    made: Option<Arc<Made>>,
    raised: Raised,
    /// True after an exception: nothing more is asked.
    ended: bool,
}

/// What makes the objects of a flow's senders in Python.
#[derive(Debug)]
struct Maker {
    make: Py<PyAny>,
    /// The random stream of the flow, of which each sender has a fork.
    randomness: Rng,
    /// The number of senders that have an object.
    made: AtomicU32,
}

impl Maker {
    fn made(&self, py: Python<'_>) -> PyResult<Made> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let random = random(py, self.randomness.fork(&number.to_string()))?;
        let methods = self.make.bind(py).call1((random,))?.extract()?;
        Ok(Made { methods, window: Py::new(py, Window::default())? })
    }
}

/// An object in Python, and the window that it is shown.
#[derive(Debug)]
struct Made {
    methods: Methods,
    window: Py<Window>,
}

impl cc::CongestionControl for PythonCongestion {
    fn on_ack(&mut self, window: &mut cc::Window, ack: &Acked) {
        let before = *window;
        let answer = self.ask(|py, made| {
            let shown = made.window.get();
            shown.set(before, true);
            made.methods.on_ack.bind(py).call1((&made.window, Ack::from(ack)))?;
            shown.can_be_set.store(false, Ordering::Relaxed);
            Ok(shown.get())
        });
        if let Some(after) = answer
            && !ack.falling
        {
            *window = after;
        }
    }

    fn reduce(&mut self, window: &cc::Window, cause: Reduction, now: Time) -> u32 {
        let cause = match cause {
            Reduction::Loss => "loss",
            Reduction::Ecn => "ecn",
            Reduction::Timeout => "timeout",
        };
        let answer = self.ask(|py, made| {
            made.window.get().set(*window, false);
            let answer =
                made.methods.reduce.bind(py).call1((&made.window, cause, now.as_nanos()))?;
            segments(&format!("{}.reduce returned", made.methods.name), &answer)
        });
        answer.unwrap_or(window.cwnd)
    }

    fn on_restart(&mut self, idle: Span, now: Time) {
        self.ask(|py, made| {
            let method = made.methods.on_restart.as_ref();
            method.map_or(Ok(()), |method| {
                method.bind(py).call1((idle.as_nanos(), now.as_nanos())).map(drop)
            })
        });
    }
}

impl PythonCongestion {
    /// Asks the object, which is made now if there is none yet. `None` after an exception: the window
    /// stays as it is until the run notices and ends.
    fn ask<T>(&mut self, question: impl FnOnce(Python<'_>, &Made) -> PyResult<T>) -> Option<T> {
        if self.ended {
            return None;
        }
        let answer = Python::attach(|py| {
            if self.made.is_none() {
                self.made = Some(Arc::new(self.maker.made(py)?));
            }
            self.made.as_deref().map(|made| question(py, made)).transpose()
        });
        answer.unwrap_or_else(|error| {
            self.ended = true;
            self.raised.note(error);
            None
        })
    }
}
