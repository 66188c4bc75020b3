//! Documents that are no runs of the simulator.

use pyo3::prelude::*;
use report::Page;

/// A document, with what is shown of it.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Shown {
    pub(crate) json: String,
    pub(crate) text: String,
    pub(crate) page: Page,
}

#[pymethods]
impl Shown {
    /// The document as JSON, as the program prints it.
    fn json(&self) -> &str {
        &self.json
    }

    /// The document as text, as the program prints it.
    fn text(&self) -> &str {
        &self.text
    }

    /// The page of the document, as the program writes it.
    fn html(&self) -> String {
        report::html(&self.page)
    }
}
