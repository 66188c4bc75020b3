//! The runs in a folder: their table, and what is shown of them.

use std::path::{Path, PathBuf};

use ::sweep::Folder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use report::{PlotError, RunsPlot, Style};
use results::{GroupTable, SweepSummary};

use crate::columns;
use crate::errors::run_error;
use crate::sweep::failed;
use crate::table::Table;

/// Fails unless this is a folder of runs.
#[pyfunction]
pub(crate) fn check_runs(folder: PathBuf) -> PyResult<()> {
    ::sweep::manifest_in(&folder).map(drop).map_err(failed)
}

/// The runs in a folder that are done, as a table, and those that failed, with their errors.
#[pyfunction]
pub(crate) fn read_runs(py: Python<'_>, folder: PathBuf) -> PyResult<(Table, Vec<(u64, String)>)> {
    let there = read(py, &folder)?;
    Ok((columns::runs(there.runs)?, there.failed))
}

/// The groups of runs as `unbloat sweep` prints them.
#[pyfunction]
pub(crate) fn runs_text(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let there = read(py, &folder)?;
    Ok(py.detach(|| report::sweep_tables(&summary(&there, &folder), Style::Plain)))
}

/// The groups of runs as `unbloat sweep --json` prints them.
#[pyfunction]
pub(crate) fn runs_json(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let there = read(py, &folder)?;
    Ok(py.detach(|| report::json(&summary(&there, &folder))))
}

fn summary(there: &Folder, folder: &Path) -> SweepSummary {
    there.summary(folder, GroupTable::usual(&there.runs))
}

/// The page of the runs, as `unbloat report` writes it.
#[pyfunction]
pub(crate) fn runs_html(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let there = read(py, &folder)?;
    if there.runs.index.is_empty() {
        let folder = folder.display();
        return Err(PyValueError::new_err(format!("{folder} has no successful run yet")));
    }
    let page = py.detach(|| {
        let figures = report::runs_figures(&there.runs, &RunsPlot::default())?;
        let mut page = report::runs_page(&there.runs, figures);
        page.verdict.extend(report::runs_lacking(&there.summary(&folder, Vec::new())));
        Ok(report::html(&page))
    });
    page.map_err(|error: PlotError| run_error(error))
}

fn read(py: Python<'_>, folder: &Path) -> PyResult<Folder> {
    py.detach(|| ::sweep::read_folder(folder)).map_err(failed)
}
