//! The report of a measurement: sentences first, then tables, then plots.

mod advice;
mod beside;
mod certainty;
#[cfg(test)]
pub(crate) mod example;
mod figures;
mod findings;
mod page;
mod queue;
mod remarks;
mod table;
mod text;
mod verdict;
mod words;

pub use advice::measurement_advice;
pub use figures::MEASUREMENT_FIGURES;
pub use page::measurement_page;
pub use table::measurement_table;
pub use text::measurement_text;
pub use verdict::measurement_verdict;

#[cfg(test)]
mod tests;
