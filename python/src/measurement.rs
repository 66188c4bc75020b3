//! Measurements of paths: of `unbloat test`, of Flent and of irtt.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use report::{LARGEST, Style, flent, irtt};
use results::{Measurement, Recording};
use serde_json::Value;

use crate::errors::file_error;
use crate::shown::Shown;

/// The documents that are measurements, for errors.
const WANTED: &str = "wanted is what `unbloat test HOST --json` prints, what its --observations writes, or a \
                      file of Flent's or irtt's";

/// Reads a measurement from a file, which gzip may have packed.
#[pyfunction]
pub(crate) fn read_measurement(py: Python<'_>, path: PathBuf) -> PyResult<Shown> {
    let named = |why: String| PyValueError::new_err(format!("{}: {why}", path.display()));
    let mut bytes = Vec::new();
    let file = File::open(&path);
    file.and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| file_error(&path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(named("it is larger than 128 MiB, which no measurement is".into()));
    }
    let read = py.detach(|| {
        let text = report::unpacked(&bytes).map_err(|error| error.to_string())?;
        measurement(&text)
    });
    read.map(shown).map_err(named)
}

/// The findings of a document: of observations they are found anew, by the rules of this version.
#[pyfunction]
pub(crate) fn diagnose(py: Python<'_>, text: &str) -> PyResult<Shown> {
    let named = |why| PyValueError::new_err(format!("document: {why}"));
    py.detach(|| measurement(text)).map(shown).map_err(named)
}

fn shown(measurement: Measurement) -> Shown {
    let measurement = report::told(measurement);
    let text = report::measurement_text(&measurement, Style::Plain);
    Shown::new(report::json(&measurement), text, report::measurement_page(&measurement))
}

fn measurement(text: &str) -> Result<Measurement, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| broken(text, &error))?;
    match document.get("schema").and_then(Value::as_str) {
        Some("unbloat.measurement") => serde_json::from_str(text).map_err(|error| unread(&error)),
        Some("unbloat.observations") => serde_json::from_str::<Recording>(text)
            .map(|it| ::diagnose::recorded(&it))
            .map_err(|error| unread(&error)),
        Some(other) => {
            Err(format!("`{}` is no measurement of a path; {WANTED}", report::printable(other)))
        }
        None if document.get("x_values").is_some() => {
            flent::read(text.as_bytes()).map_err(|error| error.to_string())
        }
        None if document.get("round_trips").is_some() => {
            irtt::read(text.as_bytes()).map_err(|error| error.to_string())
        }
        None => Err(format!("this JSON is no measurement of unbloat, Flent or irtt; {WANTED}")),
    }
}

/// What is wrong with a document of ours.
fn unread(error: &serde_json::Error) -> String {
    format!("this measurement cannot be read: {}", report::printable(&error.to_string()))
}

/// What is wrong with a text that is no JSON.
fn broken(text: &str, error: &serde_json::Error) -> String {
    let start = text.trim_start();
    if start.is_empty() {
        format!("it is empty; {WANTED}")
    } else if start.starts_with(['{', '[']) {
        format!("this JSON is broken: {}; {WANTED}", report::printable(&error.to_string()))
    } else {
        format!("it is not JSON; {WANTED}")
    }
}
