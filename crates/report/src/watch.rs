//! A watch in words: its events, and what a terminal shows meanwhile.

mod cause;
mod event;
mod page;
mod screen;

pub use event::watch_event;
pub use page::{watch_page, watch_part};
pub use screen::{WATCH_ONGOING, WatchedRow, watch_screen};
