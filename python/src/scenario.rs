//! A scenario that has been read and checked.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::scenario::Override;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use units::{Span, UnitError};

use crate::congestion;
use crate::errors::{run_error, scenario_error};
use crate::queues;
use crate::run::{Parts, Records, Run};
use crate::steered::{Dropper, Steered, Steering};
use crate::stepped::Simulation;

/// A scenario that has been read and checked, with its overrides.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Scenario(Arc<::scenario::Scenario>);

#[pymethods]
impl Scenario {
    /// Reads a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Self> {
        let overrides = changes(overrides);
        let read = py.detach(|| ::scenario::Scenario::load(&path, &overrides));
        Self::fit(read.map_err(|error| scenario_error(py, &error))?)
    }

    /// Reads a text, which messages call `name`. Its traces are relative to the current folder.
    #[staticmethod]
    fn parse(
        py: Python<'_>,
        text: &str,
        name: &str,
        overrides: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let overrides = changes(overrides);
        let read_trace =
            |trace: &str| -> io::Result<String> { std::fs::read_to_string(Path::new(trace)) };
        let read = py.detach(|| ::scenario::Scenario::parse(text, name, &overrides, &read_trace));
        Self::fit(read.map_err(|error| scenario_error(py, &error))?)
    }

    /// The scenario as JSON, with all defaults spelled out.
    fn json(&self) -> String {
        report::json(&self.0.to_json())
    }

    /// Simulates the scenario. `series` is the time from one row of the series to the next, with its unit;
    /// `progress`, if given, is called with the part that is done, from 0 to 1; `queues` and
    /// `congestion` are algorithms in Python in place of those of the scenario.
    #[pyo3(signature = (series = None, packets = false, progress = None, queues = vec![], congestion = vec![]))]
    fn run(
        &self,
        py: Python<'_>,
        series: Option<&str>,
        packets: bool,
        progress: Option<Py<PyAny>>,
        queues: Vec<queues::Attached>,
        congestion: Vec<congestion::Attached>,
    ) -> PyResult<Run> {
        let series = series.map(|text| step(text, self.0.duration)).transpose()?;
        Run::simulate(
            py,
            &self.0,
            Records { series, packets },
            progress,
            Parts { queues, congestion },
        )
    }

    /// A run that the caller advances. `droppers` and `steerings` are parts that the caller sets, in place
    /// of queues and congestion controls of the scenario.
    #[pyo3(signature = (
        series = None, packets = false, queues = vec![], congestion = vec![], droppers = vec![], steerings = vec![]
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn begin(
        &self,
        py: Python<'_>,
        series: Option<&str>,
        packets: bool,
        queues: Vec<queues::Attached>,
        congestion: Vec<congestion::Attached>,
        droppers: Vec<(String, Py<Dropper>)>,
        steerings: Vec<(String, Py<Steering>)>,
    ) -> PyResult<Simulation> {
        let series = series.map(|text| step(text, self.0.duration)).transpose()?;
        let parts = Parts { queues, congestion };
        let steered = Steered { droppers, steerings };
        Simulation::begin(py, &self.0, Records { series, packets }, parts, steered)
    }
}

impl Scenario {
    /// The scenario, if the simulator has all that it asks for.
    fn fit(scenario: ::scenario::Scenario) -> PyResult<Self> {
        sim::fit(&scenario).map_err(run_error)?;
        Ok(Self(Arc::new(scenario)))
    }
}

/// The time between two rows of a series of a run this long.
fn step(text: &str, duration: Span) -> PyResult<Span> {
    let refused = |why: String| PyValueError::new_err(format!("series {why}"));
    let read = text.parse().map_err(|error: UnitError| format!("{text:?}: {error}"));
    let step = read.map_err(refused)?;
    sim::check_series_step(step, duration).map_err(refused)?;
    Ok(step)
}

/// Overrides of the program, of pairs of Python.
pub(crate) fn changes(overrides: Vec<(String, String)>) -> Vec<Override> {
    overrides.into_iter().map(|(path, value)| Override { path, value }).collect()
}

/// The JSON Schema of scenarios.
#[pyfunction]
pub(crate) fn schema() -> String {
    report::json(&::scenario::schema())
}
