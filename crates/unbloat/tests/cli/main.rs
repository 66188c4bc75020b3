//! The program as its users meet it.

mod bad_input;
mod bench;
#[cfg(unix)]
mod interrupts;
mod series;
mod verbs;
