//! A watch in words: its events, and what a terminal shows meanwhile.

mod cause;
mod event;
mod screen;

pub use event::watch_event;
pub use screen::{WATCH_ONGOING, WatchedRow, watch_screen};
