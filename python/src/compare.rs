//! Several runs side by side.

use pyo3::prelude::*;
use results::Document;

use crate::run::Run;

/// The comparison of runs, each with its label, as `unbloat sim --compare` prints it.
#[pyfunction]
pub(crate) fn compare_text(py: Python<'_>, runs: Vec<(String, Py<Run>)>) -> String {
    let runs = documents(runs);
    py.detach(|| report::comparison(&runs, &[]))
}

/// The page of these runs, as `unbloat report` draws several results.
#[pyfunction]
pub(crate) fn compare_html(py: Python<'_>, runs: Vec<(String, Py<Run>)>) -> String {
    let runs = documents(runs);
    py.detach(|| report::html(&report::page(&runs)))
}

fn documents(runs: Vec<(String, Py<Run>)>) -> Vec<(String, Document)> {
    runs.into_iter().map(|(label, run)| (label, run.get().document().clone())).collect()
}
