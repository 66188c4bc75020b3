//! A watch in words: its events, and what a terminal shows meanwhile.

mod cause;
mod data;
mod event;
mod failure;
mod overview;
mod page;
mod room;
mod screen;
mod tables;
mod values;

pub use data::watch_part;
pub use event::{watch_event, watch_ongoing};
pub use failure::watch_failure;
pub use page::watch_page;
pub use screen::{WatchedRow, watch_screen};
