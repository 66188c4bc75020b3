//! A scenario that has been read and checked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use ::scenario::Override;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use units::{Span, UnitError};

use crate::congestion;
use crate::errors::{run_error, scenario_error};
use crate::queues;
use crate::run::{Parts, Records, Run};
use crate::stepped::Simulation;

/// A scenario that has been read and checked, with its overrides.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Scenario {
    checked: Arc<::scenario::Scenario>,
    /// The folder to which the paths of its traces are relative.
    folder: PathBuf,
}

#[pymethods]
impl Scenario {
    /// Reads a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Self> {
        let overrides = changes(overrides);
        let read = py.detach(|| ::scenario::Scenario::load(&path, &overrides));
        Self::fit(read.map_err(|error| scenario_error(&error))?, folder_of(&path))
    }

    /// Reads a text, which messages call `name`. Its traces are relative to `folder`.
    #[staticmethod]
    fn parse(
        py: Python<'_>,
        text: &str,
        name: &str,
        overrides: Vec<(String, String)>,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let (overrides, folder) = (changes(overrides), in_current(&folder));
        let read_trace = |trace: &str| fs::read_to_string(folder.join(trace));
        let read = py.detach(|| ::scenario::Scenario::parse(text, name, &overrides, &read_trace));
        Self::fit(read.map_err(|error| scenario_error(&error))?, folder)
    }

    /// The folder to which the paths of traces are relative.
    #[getter]
    fn folder(&self) -> &Path {
        &self.folder
    }

    /// The scenario as JSON, with all defaults spelled out.
    fn json(&self) -> String {
        report::json(&self.checked.to_json())
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
        let series = series.map(|text| step(text, self.checked.duration)).transpose()?;
        Run::simulate(
            py,
            &self.checked,
            Records { series, packets },
            progress,
            Parts { queues, congestion },
        )
    }

    /// A run that the caller advances.
    #[pyo3(signature = (series = None, packets = false, queues = vec![], congestion = vec![]))]
    fn begin(
        &self,
        py: Python<'_>,
        series: Option<&str>,
        packets: bool,
        queues: Vec<queues::Attached>,
        congestion: Vec<congestion::Attached>,
    ) -> PyResult<Simulation> {
        let series = series.map(|text| step(text, self.checked.duration)).transpose()?;
        let parts = Parts { queues, congestion };
        Simulation::begin(py, &self.checked, Records { series, packets }, parts)
    }
}

impl Scenario {
    /// The scenario itself.
    pub(crate) const fn checked(&self) -> &Arc<::scenario::Scenario> {
        &self.checked
    }

    /// The scenario, if the simulator has all that it asks for.
    fn fit(scenario: ::scenario::Scenario, folder: PathBuf) -> PyResult<Self> {
        sim::fit(&scenario).map_err(run_error)?;
        Ok(Self { checked: Arc::new(scenario), folder })
    }
}

/// The folder that holds a scenario's file. What comes from a pipe names its traces as seen from the
/// current folder.
fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("/dev"));
    in_current(folder.unwrap_or(Path::new("")))
}

/// The folder as it is known after a change of the current folder, too.
fn in_current(folder: &Path) -> PathBuf {
    env::current_dir().map_or_else(|_| folder.to_owned(), |current| current.join(folder))
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
