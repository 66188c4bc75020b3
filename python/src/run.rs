//! A run and its result.

use pyo3::prelude::*;
use results::Document;
use sim::Options;

use crate::errors::run_error;

/// A run that has ended.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Run {
    document: Document,
}

#[pymethods]
impl Run {
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
    pub(crate) fn simulate(
        py: Python<'_>,
        scenario: &::scenario::Scenario,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let mut listener = Listener { progress, calls: 0, raised: None };
        let result = py.detach(|| {
            let options = Options {
                timeline: Some(sim::timeline_step(scenario)),
                progress: Some(Box::new(|part| listener.goes_on(part))),
                ..Options::default()
            };
            sim::run(scenario, options)
        });
        match listener.raised {
            Some(raised) => Err(raised),
            None => Ok(Self { document: result.map_err(run_error)? }),
        }
    }
}

/// What a run asks while it goes on: whether somebody has pressed Ctrl-C, and the caller's function.
struct Listener {
    progress: Option<Py<PyAny>>,
    calls: u32,
    /// The exception that ends the run; `None` as long as there was none.
    raised: Option<PyErr>,
}

impl Listener {
    /// False if the run is to end.
    fn goes_on(&mut self, part: f64) -> bool {
        /// The number of calls, about a millisecond apart, from one look at Python to the next.
        const EACH: u32 = 32;
        self.calls += 1;
        if !self.calls.is_multiple_of(EACH) {
            return true;
        }
        let heard = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |told| told.call1(py, (part,)).map(drop))
        });
        self.raised = heard.err();
        self.raised.is_none()
    }
}
