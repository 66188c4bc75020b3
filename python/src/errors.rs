//! Errors as exceptions of Python.

use std::io;
use std::path::Path;

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
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
    let (file, message) = (in_python(&error.file), in_python(&error.message));
    let error = ::scenario::ScenarioError { file, message, ..error.clone() };
    let text = error.to_string();
    let exception = ScenarioError::new_err(text.trim_start_matches("error: ").to_owned());
    match describe(exception.value(py), &error) {
        Ok(()) => exception,
        Err(failure) => failure,
    }
}

/// A message with the arguments of Python in place of the options of the program.
pub(crate) fn in_python(message: &str) -> String {
    const NAMES: [(&str, &str); 5] = [
        ("or --vary PATH=A,B,C", "or the argument vary, as in {\"seed\": range(1, 11)}"),
        ("--set ", "override "),
        ("--vary ", "vary "),
        ("--store", "folder"),
        ("`--queue` is", "`queues` is"),
    ];
    NAMES.iter().fold(message.to_owned(), |text, (option, argument)| text.replace(option, argument))
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
