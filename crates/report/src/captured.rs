//! The connections of a capture, for people.

mod long;
mod sender;
mod sentences;
mod table;

pub use long::{captured_letters, captured_long};
pub use table::captured_table;
