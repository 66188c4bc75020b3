//! A run and its result.

use std::sync::{Arc, Mutex, PoisonError};

use ::scenario::Scenario;
use pyo3::prelude::*;
use results::Document;
use sim::{ForeignCongestion, ForeignQueue, Options, SeriesOptions};
use tables::{FateSink, Series};
use units::Span;

use crate::columns::{self, Packets};
use crate::congestion;
use crate::errors::run_error;
use crate::queues;
use crate::raised::Raised;
use crate::table::Table;

/// A run that has ended.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Run {
    document: Document,
    series: Option<Py<Table>>,
    packets: Option<Py<Table>>,
    /// True if a congestion control was in Python, of which the document does not know.
    replaced_congestion: bool,
}

/// The parts of a run that are in Python, as the package passes them.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) queues: Vec<queues::Attached>,
    pub(crate) congestion: Vec<congestion::Attached>,
}

impl Parts {
    /// True if there is a part in Python.
    pub(crate) fn any(&self) -> bool {
        !(self.queues.is_empty() && self.congestion.is_empty())
    }

    /// The parts as the simulator takes them. The first exception of one goes to `raised`.
    pub(crate) fn made(
        self,
        py: Python<'_>,
        scenario: &Scenario,
        raised: &Raised,
    ) -> PyResult<(Vec<ForeignQueue>, Vec<ForeignCongestion>)> {
        let queues = queues::queues(py, self.queues, scenario, raised)?;
        Ok((queues, congestion::congestion(self.congestion, scenario, raised)?))
    }
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
    /// The run with this result document: what `pickle` calls.
    #[new]
    fn unpickled(
        json: &str,
        series: Option<Py<Table>>,
        packets: Option<Py<Table>>,
        replaced_congestion: bool,
    ) -> PyResult<Self> {
        let document = serde_json::from_str(json).map_err(run_error)?;
        Ok(Self { document, series, packets, replaced_congestion })
    }

    fn __getnewargs__(
        &self,
        py: Python<'_>,
    ) -> (String, Option<Py<Table>>, Option<Py<Table>>, bool) {
        (self.json(), self.series(py), self.packets(py), self.replaced_congestion)
    }

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
    /// A run that asks parts in Python holds Python's lock: if it took the lock for each packet, it
    /// would wait for a busy thread each time. Other threads have their turns within the methods of these
    /// parts, as in all code of Python, and when the [`Listener`] listens.
    pub(crate) fn simulate(
        py: Python<'_>,
        scenario: &Scenario,
        records: Records,
        progress: Option<Py<PyAny>>,
        parts: Parts,
    ) -> PyResult<Self> {
        let recorded = Recorded::new(records);
        let raised = Raised::default();
        let (holds_lock, replaced_congestion) = (parts.any(), !parts.congestion.is_empty());
        let (foreign, congestion) = parts.made(py, scenario, &raised)?;
        let mut listener = Listener { progress, calls: 0, holds_lock, raised: raised.clone() };
        let simulate = || {
            let options = Options {
                series: recorded.series_options(),
                packets: recorded.packets_sink(),
                timeline: Some(sim::timeline_step(scenario)),
                progress: Some(Box::new(|part| listener.goes_on(part))),
                foreign,
                congestion,
                ..Options::default()
            };
            sim::run(scenario, options)
        };
        let result = if holds_lock { simulate() } else { py.detach(simulate) };
        if let Some(raised) = raised.take() {
            return Err(raised);
        }
        Self::of(py, result.map_err(run_error)?, recorded, replaced_congestion)
    }

    /// The result document.
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// True if a congestion control was in Python, of which the document does not know.
    pub(crate) fn replaced_congestion(&self) -> bool {
        self.replaced_congestion
    }

    /// The replay with this result, and the fates of its packets if they were recorded.
    pub(crate) fn replayed(
        py: Python<'_>,
        document: Document,
        fates: Option<Table>,
    ) -> PyResult<Self> {
        let packets = fates.map(|table| Py::new(py, table)).transpose()?;
        Ok(Self { document, series: None, packets, replaced_congestion: false })
    }

    /// The run with this result.
    pub(crate) fn of(
        py: Python<'_>,
        document: Document,
        recorded: Recorded,
        replaced_congestion: bool,
    ) -> PyResult<Self> {
        let series = recorded.series.map(|(_, all)| columns::series(&taken(all)));
        let packets = recorded.packets.map(|all| taken(all).finish());
        let table = |made: PyResult<Table>| Py::new(py, made?);
        let (series, packets) = (series.map(table).transpose()?, packets.map(table).transpose()?);
        Ok(Self { document, series, packets, replaced_congestion })
    }
}

/// What a run has recorded up to now.
pub(crate) struct Recorded {
    series: Option<(Span, Arc<Mutex<Series>>)>,
    packets: Option<Arc<Mutex<Packets>>>,
}

impl Recorded {
    /// Nothing yet.
    pub(crate) fn new(records: Records) -> Self {
        Self {
            series: records.series.map(|step| (step, Arc::default())),
            packets: records.packets.then(Arc::default),
        }
    }

    /// The simulator's option for the series.
    pub(crate) fn series_options(&self) -> Option<SeriesOptions> {
        self.series.as_ref().map(|(step, all)| SeriesOptions::to_memory(all, *step))
    }

    /// The destination of the packets.
    pub(crate) fn packets_sink(&self) -> Option<Box<dyn FateSink + Send>> {
        self.packets.clone().map(|all| Box::new(all) as Box<dyn FateSink + Send>)
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
