//! Whole queue disciplines in Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use qdisc::Cause;
use sim::{Action, Choice, ForeignDiscipline, ForeignKind};
use units::Time;

use crate::raised::Raised;

/// A packet in the queue of a discipline.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct QueuedPacket {
    seen: sim::QueuedPacket,
    #[pyo3(get)]
    flow: Py<PyString>,
    #[pyo3(get)]
    enqueued_ns: u64,
    queue: Arc<Shared>,
    end: Mutex<Option<End>>,
}

/// How a packet left its queue.
#[derive(Clone, Copy, Debug)]
enum End {
    Dequeued,
    Dropped,
}

/// The reason of a drop, as Python names it.
struct Reason(Cause);

impl<'a, 'py> FromPyObject<'a, 'py> for Reason {
    type Error = PyErr;

    fn extract(reason: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let why = || format!("the reason of a drop is {reason:?}; it is \"aqm\" or \"full\"");
        let Ok(text) = reason.extract::<&str>() else {
            return Err(PyTypeError::new_err(why()));
        };
        match text {
            "aqm" => Ok(Self(Cause::Congestion)),
            "full" => Ok(Self(Cause::Overflow)),
            _ => Err(PyValueError::new_err(why())),
        }
    }
}

/// What a queue and its packets share.
#[derive(Debug, Default)]
struct Shared {
    /// The number of packets that wait.
    waiting: AtomicU64,
    /// The actions of the discipline that are not carried out yet.
    actions: Mutex<Vec<Action>>,
}

#[pymethods]
impl QueuedPacket {
    #[getter]
    fn number(&self) -> u64 {
        self.seen.number
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.seen.len.0
    }

    #[getter]
    fn connection(&self) -> u16 {
        self.seen.connection
    }

    #[getter]
    fn dscp(&self) -> u8 {
        self.seen.dscp.bits()
    }

    #[getter]
    fn ecn_capable(&self) -> bool {
        self.seen.ecn_capable
    }

    /// Drops the packet.
    #[pyo3(signature = (reason = Reason(Cause::Congestion)), text_signature = "(reason=\"aqm\")")]
    fn drop(&self, reason: Reason) -> PyResult<()> {
        let Reason(cause) = reason;
        self.leave(End::Dropped).map_err(|why| PyValueError::new_err(format!("drop: {why}")))?;
        self.queue.actions().push(Action::Drop(self.seen.number, cause));
        Ok(())
    }

    /// Marks the packet.
    fn mark(&self) -> PyResult<()> {
        let refused = |why: String| Err(PyValueError::new_err(format!("mark: {why}")));
        let end = *self.end();
        match end {
            Some(end) => refused(self.gone(end)),
            None if !self.seen.ecn_capable => {
                refused(format!("packet {} is not ECN-capable", self.seen.number))
            }
            None => {
                self.queue.actions().push(Action::Mark(self.seen.number));
                Ok(())
            }
        }
    }

    fn __repr__(&self) -> String {
        let sim::QueuedPacket { number, len, .. } = self.seen;
        format!("<unbloat.QueuedPacket {number} of {}: {} bytes>", self.flow, len.0)
    }
}

impl QueuedPacket {
    /// Takes notice that the packet leaves the queue; what is wrong if it has left before.
    fn leave(&self, end: End) -> Result<(), String> {
        let mut known = self.end();
        if let Some(end) = *known {
            return Err(self.gone(end));
        }
        *known = Some(end);
        self.queue.waiting.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }

    fn gone(&self, end: End) -> String {
        let number = self.seen.number;
        match end {
            End::Dequeued => format!("packet {number} has left the queue before"),
            End::Dropped => format!("packet {number} was dropped before"),
        }
    }

    fn end(&self) -> MutexGuard<'_, Option<End>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn actions(&self) -> MutexGuard<'_, Vec<Action>> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The methods of a discipline, as the package passes them.
#[derive(FromPyObject)]
pub(crate) struct Methods {
    enqueue: Py<PyAny>,
    dequeue: Py<PyAny>,
}

impl Methods {
    /// The discipline with this name, for packets of these flows. Its first exception goes to `raised`.
    pub(crate) fn kind(
        self,
        py: Python<'_>,
        name: String,
        flows: &[String],
        raised: Raised,
    ) -> ForeignKind {
        let Self { enqueue, dequeue } = self;
        ForeignKind::Discipline(Box::new(PythonQdisc {
            name,
            enqueue,
            dequeue,
            flows: flows.iter().map(|flow| PyString::new(py, flow).unbind()).collect(),
            queue: Arc::default(),
            raised,
            ended: false,
        }))
    }
}

/// The methods of a discipline in Python. The thread that runs the simulator holds Python's lock, so that
/// to attach here costs next to nothing.
struct PythonQdisc {
    name: String,
    enqueue: Py<PyAny>,
    dequeue: Py<PyAny>,
    /// The names of the flows.
    flows: Vec<Py<PyString>>,
    queue: Arc<Shared>,
    raised: Raised,
    /// True after an exception: nothing more is asked.
    ended: bool,
}

impl ForeignDiscipline for PythonQdisc {
    fn enqueue(&mut self, packet: sim::QueuedPacket, now: Time, actions: &mut Vec<Action>) {
        self.queue.waiting.fetch_add(1, Ordering::Relaxed);
        let offered = |py: Python<'_>| {
            let answer =
                self.enqueue.bind(py).call1((self.shown(py, packet, now), now.as_nanos()))?;
            if answer.is_none() {
                return Ok(());
            }
            Err(PyTypeError::new_err(format!(
                "{}.enqueue returned {answer:?}; it returns None, and drops by packet.drop()",
                self.name
            )))
        };
        let outcome = if self.ended { Ok(()) } else { Python::attach(offered) };
        self.end_with(outcome);
        actions.append(&mut self.queue.actions());
    }

    fn dequeue(&mut self, now: Time, actions: &mut Vec<Action>) -> Choice {
        if self.ended {
            return Choice::Nothing;
        }
        let choice = Python::attach(|py| {
            let answer = self.dequeue.bind(py).call1((now.as_nanos(),))?;
            self.choice(&answer, now)
        });
        actions.append(&mut self.queue.actions());
        self.end_with(choice).unwrap_or(Choice::Nothing)
    }
}

impl PythonQdisc {
    /// The packet as Python sees it.
    fn shown(&self, py: Python<'_>, seen: sim::QueuedPacket, now: Time) -> QueuedPacket {
        QueuedPacket {
            seen,
            flow: self.flows[seen.flow as usize].clone_ref(py),
            enqueued_ns: now.as_nanos(),
            queue: Arc::clone(&self.queue),
            end: Mutex::default(),
        }
    }

    /// The meaning of what `dequeue` returned.
    fn choice(&self, answer: &Bound<'_, PyAny>, now: Time) -> PyResult<Choice> {
        let refused = |why: String| {
            Err(PyValueError::new_err(format!("{}.dequeue returned {why}", self.name)))
        };
        if let Ok(packet) = answer.cast::<QueuedPacket>() {
            let packet = packet.get();
            if !Arc::ptr_eq(&packet.queue, &self.queue) {
                return refused(format!("packet {} of another queue", packet.seen.number));
            }
            let left = packet.leave(End::Dequeued);
            return left.map_or_else(
                |why| refused(format!("a packet that does not wait: {why}")),
                |()| Ok(Choice::Packet(packet.seen.number)),
            );
        }
        if answer.is_none() {
            let waiting = self.queue.waiting.load(Ordering::Relaxed);
            return if waiting == 0 {
                Ok(Choice::Nothing)
            } else {
                refused(format!(
                    "None while packets wait: {waiting}; it returns one of them, or the time in \
                     nanoseconds before which none may go"
                ))
            };
        }
        let now = now.as_nanos();
        let wrong_kind = || {
            Err(PyTypeError::new_err(format!(
                "{}.dequeue returned {answer:?}; it returns a waiting packet, None, or a time in \
                 nanoseconds",
                self.name
            )))
        };
        // In Python, a truth value is a number.
        if answer.is_instance_of::<PyBool>() {
            return wrong_kind();
        }
        match answer.extract::<u64>() {
            Ok(time) if time > now => Ok(Choice::NotBefore(Time::from_nanos(time))),
            Err(error) if !error.is_instance_of::<PyOverflowError>(answer.py()) => wrong_kind(),
            _ => refused(format!("the time {answer}; it is later than {now}, and below 2**64")),
        }
    }

    /// The outcome of a call; `None` after an exception, for which the run ends.
    fn end_with<T>(&mut self, outcome: PyResult<T>) -> Option<T> {
        outcome
            .map_err(|error| {
                self.ended = true;
                self.raised.note(error);
            })
            .ok()
    }
}
