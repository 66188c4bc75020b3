//! Algorithms in Python for queues of the simulator.

use std::sync::atomic::{AtomicU64, Ordering};

use ::scenario::Scenario;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use qdisc::aqm::{Arrival, Departure, Verdict};
use qdisc::{Backlog, Limit, LinkInfo};
use sim::{ForeignAqm, ForeignQueue};
use units::{DirectionId, Rng, Time};

use crate::raised::Raised;

/// A packet that an algorithm judges.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Packet {
    #[pyo3(get)]
    bytes: u64,
    #[pyo3(get)]
    ecn_capable: bool,
    #[pyo3(get)]
    sojourn_ns: u64,
}

/// The queue of an algorithm: one object for the whole run, with the backlog of the moment.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Queue {
    packets: AtomicU64,
    bytes: AtomicU64,
    #[pyo3(get)]
    mtu: u64,
}

#[pymethods]
impl Queue {
    #[getter]
    fn packets(&self) -> u64 {
        self.packets.load(Ordering::Relaxed)
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Queue {
    fn of(link: LinkInfo) -> Self {
        let (packets, bytes) = Default::default();
        Self { packets, bytes, mtu: link.mtu.0 }
    }

    fn set(&self, backlog: Backlog) {
        self.packets.store(backlog.packets, Ordering::Relaxed);
        self.bytes.store(backlog.bytes.0, Ordering::Relaxed);
    }
}

/// An algorithm and its place, as the package passes them.
#[derive(FromPyObject)]
pub(crate) struct Attached {
    direction: String,
    name: String,
    limit: u64,
    aqm: Py<PyAny>,
    on_enqueue: Option<Py<PyAny>>,
    on_dequeue: Option<Py<PyAny>>,
}

/// The queues of the simulator for these algorithms. The first exception of one goes to `raised`.
///
/// # Errors
/// If the scenario has no such direction, or a direction has two algorithms.
pub(crate) fn queues(
    py: Python<'_>,
    attached: Vec<Attached>,
    scenario: &Scenario,
    raised: &Raised,
) -> PyResult<Vec<ForeignQueue>> {
    let mut queues: Vec<ForeignQueue> = Vec::new();
    for one in attached {
        let queue = one.queue(py, scenario, raised)?;
        if queues.iter().any(|other| other.direction == queue.direction) {
            let name = scenario.direction_name(queue.direction);
            return Err(PyValueError::new_err(format!("queues names {name} twice")));
        }
        queues.push(queue);
    }
    Ok(queues)
}

impl Attached {
    fn queue(self, py: Python<'_>, scenario: &Scenario, raised: &Raised) -> PyResult<ForeignQueue> {
        let Self { direction, name, limit, aqm, on_enqueue, on_dequeue } = self;
        let direction = direction_named(scenario, "queues", &direction)?;
        seed(aqm.bind(py), randomness(scenario, direction))?;
        let queue = Py::new(py, Queue::of(scenario.direction(direction).link_info()))?;
        let (limit, raised) = (Limit::packets(limit), raised.clone());
        let aqm =
            PythonAqm { name: name.clone(), on_enqueue, on_dequeue, queue, raised, ended: false };
        Ok(ForeignQueue { direction, name, limit, aqm: Box::new(aqm) })
    }
}

/// The direction with this name, which `owner` names.
pub(crate) fn direction_named(
    scenario: &Scenario,
    owner: &str,
    name: &str,
) -> PyResult<DirectionId> {
    scenario.named_direction(name).ok_or_else(|| {
        let names = scenario.direction_names().join(", ");
        PyValueError::new_err(format!(
            "{owner} names {name:?}, which is no direction of a link; there are {names}"
        ))
    })
}

/// The random stream of a direction's queue: a function of the seed and of the direction's name.
pub(crate) fn randomness(scenario: &Scenario, direction: DirectionId) -> Rng {
    let mut directions = scenario.directions();
    let (_, randomness) =
        directions.nth(direction.index()).expect("the scenario has the direction");
    randomness.queue
}

/// Gives the algorithm its `random`, unless it has an attribute of this name.
fn seed(aqm: &Bound<'_, PyAny>, mut rng: Rng) -> PyResult<()> {
    if aqm.hasattr("random")? {
        return Ok(());
    }
    let random = aqm.py().import("random")?.getattr("Random")?.call1((rng.next_u64(),))?;
    aqm.setattr("random", random)
}

/// The methods of an algorithm in Python. The thread that runs the simulator holds Python's lock, so that
/// to attach here costs next to nothing.
struct PythonAqm {
    name: String,
    on_enqueue: Option<Py<PyAny>>,
    on_dequeue: Option<Py<PyAny>>,
    queue: Py<Queue>,
    raised: Raised,
    /// True after an exception: nothing more is asked.
    ended: bool,
}

impl ForeignAqm for PythonAqm {
    fn on_enqueue(&mut self, arrival: &Arrival) -> Verdict {
        let Some(method) = self.on_enqueue.as_ref().filter(|_| !self.ended) else {
            return Verdict::Pass;
        };
        let Arrival { len, ecn_capable, backlog, now, .. } = *arrival;
        let packet = Packet { bytes: len.0, ecn_capable, sojourn_ns: 0 };
        let answer = self.ask(method, "on_enqueue", packet, backlog, now);
        self.judged(answer)
    }

    fn on_dequeue(&mut self, departure: &Departure) -> Verdict {
        let Some(method) = self.on_dequeue.as_ref().filter(|_| !self.ended) else {
            return Verdict::Pass;
        };
        let Departure { len, ecn_capable, sojourn, backlog, now, .. } = *departure;
        let packet = Packet { bytes: len.0, ecn_capable, sojourn_ns: sojourn.as_nanos() };
        let answer = self.ask(method, "on_dequeue", packet, backlog, now);
        self.judged(answer)
    }
}

impl PythonAqm {
    fn ask(
        &self,
        method: &Py<PyAny>,
        name: &str,
        packet: Packet,
        backlog: Backlog,
        now: Time,
    ) -> PyResult<Verdict> {
        self.queue.get().set(backlog);
        Python::attach(|py| {
            let answer = method.bind(py).call1((packet, &self.queue, now.as_nanos()))?;
            verdict(&answer).ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "{}.{name} returned {answer:?}; it returns None, \"drop\" or \"mark\"",
                    self.name
                ))
            })
        })
    }

    /// The verdict. After an exception each packet passes, until the run notices and ends.
    fn judged(&mut self, answer: PyResult<Verdict>) -> Verdict {
        answer.unwrap_or_else(|error| {
            self.ended = true;
            self.raised.note(error);
            Verdict::Pass
        })
    }
}

fn verdict(answer: &Bound<'_, PyAny>) -> Option<Verdict> {
    if answer.is_none() {
        return Some(Verdict::Pass);
    }
    match answer.cast::<PyString>().ok()?.to_str().ok()? {
        "drop" => Some(Verdict::Drop),
        "mark" => Some(Verdict::Signal),
        _ => None,
    }
}
