//! Errors as exceptions of Python.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    unbloat,
    ScenarioError,
    PyValueError,
    "A mistake in a scenario or in an override.\n\n\
     `message` says what is wrong and what would be right, `field` is the field as an override \
     names it, and `file`, `line` and `column` are its place; `line` and `column` are None where \
     the mistake is in an override or in the file as a whole."
);

create_exception!(
    unbloat,
    RunError,
    PyRuntimeError,
    "A run that the simulator could not do, or not to its end."
);

/// The exception for a mistake in a scenario.
pub(crate) fn scenario_error(py: Python<'_>, error: &::scenario::ScenarioError) -> PyErr {
    // The option of the program that replaces a field is an argument here.
    let file = error.file.replacen("--set ", "override ", 1);
    let error = ::scenario::ScenarioError { file, ..error.clone() };
    let text = error.to_string();
    let exception = ScenarioError::new_err(text.trim_start_matches("error: ").to_owned());
    match describe(exception.value(py), &error) {
        Ok(()) => exception,
        Err(failure) => failure,
    }
}

fn describe(value: &Bound<'_, PyAny>, error: &::scenario::ScenarioError) -> PyResult<()> {
    value.setattr("message", &error.message)?;
    value.setattr("field", &error.field)?;
    value.setattr("file", &error.file)?;
    value.setattr("line", error.position.map(|position| position.line))?;
    value.setattr("column", error.position.map(|position| position.column))
}

/// The exception for a run that failed.
pub(crate) fn run_error(message: impl ToString) -> PyErr {
    RunError::new_err(message.to_string())
}
