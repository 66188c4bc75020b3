//! Congestion controls in Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ::scenario::{Flow, Scenario};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use sim::ForeignCongestion;
use transport::cc::{self, Acked, Factory, Reduction};
use units::{Span, Time};

use crate::raised::Raised;

/// The window of a connection: one object for its whole life, which a congestion control changes.
#[pyclass(frozen, module = "unbloat._unbloat")]
#[derive(Debug, Default)]
pub(crate) struct Window {
    cwnd: AtomicU32,
    ssthresh: AtomicU32,
}

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> u32 {
        self.cwnd.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_cwnd(&self, segments: i64) -> PyResult<()> {
        self.cwnd.store(self::segments("window.cwnd is", segments)?, Ordering::Relaxed);
        Ok(())
    }

    #[getter]
    fn ssthresh(&self) -> u32 {
        self.ssthresh.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_ssthresh(&self, segments: i64) -> PyResult<()> {
        self.ssthresh.store(self::segments("window.ssthresh is", segments)?, Ordering::Relaxed);
        Ok(())
    }
}

impl Window {
    fn set(&self, window: cc::Window) {
        self.cwnd.store(window.cwnd, Ordering::Relaxed);
        self.ssthresh.store(window.ssthresh, Ordering::Relaxed);
    }

    fn get(&self) -> cc::Window {
        cc::Window { cwnd: self.cwnd(), ssthresh: self.ssthresh() }
    }
}

/// A number of segments that a congestion control has chosen.
fn segments(what: &str, segments: i64) -> PyResult<u32> {
    u32::try_from(segments).ok().filter(|segments| *segments > 0).ok_or_else(|| {
        PyValueError::new_err(format!("{what} {segments}; it is a number of segments, at least 1"))
    })
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
        let (make, raised) = (Arc::new(make), raised.clone());
        let factory = Factory::new("Python", move || PythonCongestion {
            make: Arc::clone(&make),
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
    make: Arc<Py<PyAny>>,
    /// The object in Python. An end that sends no data never has one.
    made: Option<Arc<Made>>,
    raised: Raised,
    /// True after an exception: nothing more is asked.
    ended: bool,
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
            made.window.get().set(before);
            made.methods.on_ack.bind(py).call1((&made.window, Ack::from(ack)))?;
            Ok(made.window.get().get())
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
            made.window.get().set(*window);
            let answer =
                made.methods.reduce.bind(py).call1((&made.window, cause, now.as_nanos()))?;
            let name = &made.methods.name;
            let number = answer.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "{name}.reduce returned {answer:?}; it returns a number of segments"
                ))
            })?;
            segments(&format!("{name}.reduce returned"), number)
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
                let methods = self.make.bind(py).call0()?.extract()?;
                let window = Py::new(py, Window::default())?;
                self.made = Some(Arc::new(Made { methods, window }));
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
