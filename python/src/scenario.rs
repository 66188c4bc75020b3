//! A scenario that has been read and checked.

use std::io;
use std::path::{Path, PathBuf};

use ::scenario::Override;
use pyo3::prelude::*;

use crate::errors::{run_error, scenario_error};
use crate::run::Run;

/// A scenario that has been read and checked, with its overrides.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Scenario(::scenario::Scenario);

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

    /// Simulates the scenario. `progress`, if given, is called with the part that is done, from 0 to 1.
    #[pyo3(signature = (progress = None))]
    fn run(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Run> {
        Run::simulate(py, &self.0, progress)
    }
}

impl Scenario {
    /// The scenario, if the simulator has all that it asks for.
    fn fit(scenario: ::scenario::Scenario) -> PyResult<Self> {
        sim::fit(&scenario).map_err(run_error)?;
        Ok(Self(scenario))
    }
}

fn changes(overrides: Vec<(String, String)>) -> Vec<Override> {
    overrides.into_iter().map(|(path, value)| Override { path, value }).collect()
}

/// The JSON Schema of scenarios.
#[pyfunction]
pub(crate) fn schema() -> String {
    report::json(&::scenario::schema())
}
