//! Errors as exceptions of Python.

use std::io;
use std::path::Path;

use ::scenario::{Notation, Override, Vary};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::{create_exception, import_exception};

import_exception!(unbloat._errors, ScenarioError);

create_exception!(
    unbloat,
    RunError,
    PyRuntimeError,
    "A run that the simulator could not do, or not to its end."
);

create_exception!(
    unbloat._unbloat,
    BusyError,
    PyRuntimeError,
    "A call that did nothing because another thread is at the same object."
);

/// Settings as Python has them.
const PYTHON: Notation = Notation {
    set: |Override { path, value }| format!("override {path}={value}"),
    vary: |Vary { path, values }| format!("vary={{{path:?}: {values:?}}}"),
};

/// The exception for a mistake in a scenario.
pub(crate) fn scenario_error(error: &::scenario::ScenarioError) -> PyErr {
    let (text, message) = (error.written(&PYTHON), error.advice(&PYTHON));
    let (line, column) = error.position.map(|it| (it.line, it.column)).unzip();
    let (field, file) = (error.field.clone(), error.origin.written(&PYTHON));
    ScenarioError::new_err((text, message, field, file, line, column))
}

/// The exception for a file that could not be read, with its path.
pub(crate) fn file_error(path: &Path, error: &io::Error) -> PyErr {
    let (text, name) = (error.to_string(), path.as_os_str().to_owned());
    match error.raw_os_error() {
        // `OSError` makes the exception of its subclass from the number.
        Some(number) => {
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, name))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}

/// The exception for a run that failed.
pub(crate) fn run_error(message: impl ToString) -> PyErr {
    RunError::new_err(message.to_string())
}
