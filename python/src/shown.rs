//! Documents that are no runs of the simulator.

use pyo3::prelude::*;
use report::Page;

/// A document, with what is shown of it.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Shown {
    json: String,
    text: String,
    page: Html,
}

/// A page, which is written when it is asked for.
enum Html {
    Page(Box<Page>),
    Written(String),
}

#[pymethods]
impl Shown {
    /// The document of these texts: what `pickle` calls.
    #[new]
    fn unpickled(json: String, text: String, html: String) -> Self {
        Self { json, text, page: Html::Written(html) }
    }

    fn __getnewargs__(&self) -> (&str, &str, String) {
        (&self.json, &self.text, self.html())
    }

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
        match &self.page {
            Html::Page(page) => report::html(page),
            Html::Written(html) => html.clone(),
        }
    }
}

impl Shown {
    /// The document with its text and its page.
    pub(crate) fn new(json: String, text: String, page: Page) -> Self {
        Self { json, text, page: Html::Page(Box::new(page)) }
    }
}
