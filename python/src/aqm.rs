//! Algorithms in Python for queues of the simulator.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use qdisc::aqm::{Arrival, Departure, Verdict};
use qdisc::{Backlog, Limit, LinkInfo};
use sim::{ForeignAqm, ForeignKind};
use units::Time;

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

/// The methods of an algorithm, as the package passes them.
#[derive(FromPyObject)]
pub(crate) struct Methods {
    limit: u64,
    on_enqueue: Option<Py<PyAny>>,
    on_dequeue: Option<Py<PyAny>>,
}

impl Methods {
    /// The algorithm with this name over a FIFO before this link. Its first exception goes to `raised`.
    pub(crate) fn kind(
        self,
        py: Python<'_>,
        name: String,
        link: LinkInfo,
        raised: Raised,
    ) -> PyResult<ForeignKind> {
        let Self { limit, on_enqueue, on_dequeue } = self;
        let queue = Py::new(py, Queue::of(link))?;
        let aqm = PythonAqm { name, on_enqueue, on_dequeue, queue, raised, ended: false };
        Ok(ForeignKind::Aqm { limit: Limit::packets(limit), aqm: Box::new(aqm) })
    }
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
