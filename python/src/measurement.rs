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
    Shown {
        json: report::json(&measurement),
        text: report::measurement_text(&measurement, Style::Plain),
        page: report::measurement_page(&measurement),
    }
}

fn measurement(text: &str) -> Result<Measurement, String> {
    let broken = |error: serde_json::Error| report::printable(&error.to_string());
    let document: Value = serde_json::from_str(text).map_err(broken)?;
    match document.get("schema").and_then(Value::as_str) {
        Some("unbloat.measurement") => serde_json::from_str(text).map_err(broken),
        Some("unbloat.observations") => serde_json::from_str::<Recording>(text)
            .map(|it| ::diagnose::recorded(&it))
            .map_err(broken),
        Some(other) => Err(format!("`{}` is no measurement of a path", report::printable(other))),
        None if document.get("x_values").is_some() => {
            flent::read(text.as_bytes()).map_err(|error| error.to_string())
        }
        None if document.get("round_trips").is_some() => {
            irtt::read(text.as_bytes()).map_err(|error| error.to_string())
        }
        None => Err("this JSON is no measurement of unbloat, Flent or irtt".into()),
    }
}
