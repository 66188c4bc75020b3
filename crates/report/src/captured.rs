//! The connections of a capture, for people.

mod long;

pub use long::captured_long;
