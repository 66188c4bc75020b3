//! The result of repeating a paper.

use report::{Figure, Page};
use results::{Characterisation, Reproduction};

/// The result of repeating a paper, in each form of output.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The result document as JSON.
    pub json: String,
    /// A table, as text.
    pub table: String,
    /// A page, with the paper's plots drawn again.
    pub page: Page,
}

impl Repeated {
    /// The paper's numbers beside ours, and its plots drawn again.
    pub(crate) fn reproduction(reproduction: &Reproduction, figures: Vec<Figure>) -> Self {
        Self {
            json: report::json(reproduction),
            table: report::reproduction_table(reproduction),
            page: report::reproduction_page(reproduction, figures),
        }
    }

    /// Queues beside tail drop, where a paper has no numbers.
    pub(crate) fn characterisation(document: &Characterisation) -> Self {
        Self {
            json: report::json(document),
            table: report::characterisation_table(document),
            page: report::characterisation_page(document),
        }
    }
}
