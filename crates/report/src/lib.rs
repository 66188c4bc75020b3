//! Results as people read them: tables, sentences and JSON.
//!
//! Everything here is a pure function of a result document, whoever made it; nothing is printed.
//! Tables are at most [`WIDTH`] columns wide.

mod compare;
mod congestion;
#[cfg(test)]
mod example;
mod flows;
mod grade;
mod grid;
mod json;
mod links;
mod number;
mod reproduction;
mod style;
mod summary;
mod text;
mod verdict;

pub use compare::comparison;
pub use grade::Grade;
pub use json::json;
pub use reproduction::reproduction_table;
pub use style::Style;
pub use summary::table;
pub use text::{WIDTH, wrap};
pub use verdict::verdict;
