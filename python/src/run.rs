//! A run and its result.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use results::Document;
use sim::{Options, SeriesOptions};
use tables::FateSink;
use units::Span;

use crate::aqm::{self, Attached, Raised};
use crate::columns::{self, Packets};
use crate::errors::run_error;
use crate::table::Table;

/// A run that has ended.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Run {
    document: Document,
    series: Option<Py<Table>>,
    packets: Option<Py<Table>>,
}

/// What a run records beside its result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Records {
    /// The time from one row of the series to the next; `None` for no series.
    pub(crate) series: Option<Span>,
    /// True to keep the fate of each packet.
    pub(crate) packets: bool,
}

#[pymethods]
impl Run {
    /// The quantities over time; None if they were not recorded.
    #[getter]
    fn series(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.series.as_ref().map(|table| table.clone_ref(py))
    }

    /// The packets; None if they were not recorded.
    #[getter]
    fn packets(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.packets.as_ref().map(|table| table.clone_ref(py))
    }

    /// The result document as JSON, as `unbloat sim --json` prints it.
    fn json(&self) -> String {
        report::json(&self.document)
    }

    /// The table and the verdict, as `unbloat sim` prints them.
    fn text(&self) -> String {
        let table = report::table(&self.document, report::Style::Plain);
        format!("{table}\n{}", report::wrap(&self.verdict()))
    }

    /// What is to be said of the run, in sentences.
    fn verdict(&self) -> String {
        report::verdict(&self.document)
    }

    /// The page of the run, as `unbloat sim --report` writes it.
    fn html(&self) -> String {
        report::html(&report::page(&[(String::new(), self.document.clone())]))
    }
}

impl Run {
    /// Simulates the scenario, while other threads of Python go on.
    ///
    /// A run that asks algorithms in Python holds Python's lock: if it took the lock for each packet, it
    /// would wait for a busy thread each time. Other threads have their turns within the algorithms' methods,
    /// as in all code of Python, and when the [`Listener`] listens.
    pub(crate) fn simulate(
        py: Python<'_>,
        scenario: &::scenario::Scenario,
        records: Records,
        progress: Option<Py<PyAny>>,
        queues: Vec<Attached>,
    ) -> PyResult<Self> {
        let series = records.series.map(|step| (step, Arc::default()));
        let packets: Option<Arc<Mutex<Packets>>> = records.packets.then(Arc::default);
        let raised = Raised::default();
        let foreign = aqm::queues(py, queues, scenario, &raised)?;
        let holds_lock = !foreign.is_empty();
        let mut listener = Listener { progress, calls: 0, holds_lock, raised: raised.clone() };
        let simulate = || {
            let options = Options {
                series: series.as_ref().map(|(step, all)| SeriesOptions::to_memory(all, *step)),
                packets: packets.clone().map(|all| Box::new(all) as Box<dyn FateSink + Send>),
                timeline: Some(sim::timeline_step(scenario)),
                progress: Some(Box::new(|part| listener.goes_on(part))),
                foreign,
                ..Options::default()
            };
            sim::run(scenario, options)
        };
        let result = if holds_lock { simulate() } else { py.detach(simulate) };
        if let Some(raised) = raised.take() {
            return Err(raised);
        }
        let document = result.map_err(run_error)?;
        let series = series.map(|(_, all)| columns::series(&taken(all)));
        let packets = packets.map(|all| taken(all).finish());
        let table = |made: PyResult<Table>| Py::new(py, made?);
        let (series, packets) = (series.map(table).transpose()?, packets.map(table).transpose()?);
        Ok(Self { document, series, packets })
    }
}

/// What a run has recorded: the run is over, and nobody else has it.
fn taken<T: Default>(all: Arc<Mutex<T>>) -> T {
    let all = Arc::into_inner(all).map(Mutex::into_inner);
    all.map(|it| it.unwrap_or_else(PoisonError::into_inner)).unwrap_or_default()
}

/// What a run asks while it goes on: whether somebody has pressed Ctrl-C, and the caller's function.
struct Listener {
    progress: Option<Py<PyAny>>,
    calls: u32,
    /// True if the run holds Python's lock.
    holds_lock: bool,
    raised: Raised,
}

impl Listener {
    /// False if the run is to end.
    fn goes_on(&mut self, part: f64) -> bool {
        /// The number of calls, about a millisecond apart, from one look at Python to the next.
        const EACH: u32 = 32;
        if self.raised.is_some() {
            return false;
        }
        self.calls += 1;
        if !self.calls.is_multiple_of(EACH) {
            return true;
        }
        let heard = Python::attach(|py| {
            if self.holds_lock {
                py.detach(|| ());
            }
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |told| told.call1(py, (part,)).map(drop))
        });
        heard.map_err(|error| self.raised.note(error)).is_ok()
    }
}
