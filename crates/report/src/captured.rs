//! The connections of a capture, for people.

mod figures;
mod long;
mod page;
mod probes;
mod sender;
mod sentences;
mod table;
mod verdict;

pub use long::{captured_letters, captured_long};
pub use page::captured_page;
pub use sender::captured_worst;
pub use table::captured_table;
