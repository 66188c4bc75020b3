//! Several runs side by side.

use pyo3::prelude::*;
use results::{ComparedRun, Comparison, Document};

use crate::run::Run;

/// The comparison of runs, each with its label, as `unbloat sim --compare` prints it.
#[pyfunction]
pub(crate) fn compare_text(py: Python<'_>, runs: Vec<(String, Py<Run>)>) -> String {
    let is_known = !runs.iter().any(|(_, run)| run.get().replaced_congestion());
    let runs = documents(runs);
    py.detach(|| {
        let only = report::queues_alone(&runs).filter(|_| is_known);
        let only = only.map(|sentence| format!("\n{}\n", report::wrap(&sentence)));
        report::comparison(&runs, &[]) + &only.unwrap_or_default()
    })
}

/// The comparison as JSON, as `unbloat sim --compare --json` prints it.
#[pyfunction]
pub(crate) fn compare_json(py: Python<'_>, runs: Vec<(String, Py<Run>)>) -> String {
    let runs = documents(runs);
    py.detach(|| {
        let link = report::compared_link(&runs);
        let runs = runs.into_iter().map(|(queue, result)| ComparedRun { queue, result }).collect();
        report::json(&Comparison { link, runs, ..Comparison::default() })
    })
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
