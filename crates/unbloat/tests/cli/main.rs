//! The program as its users meet it.

mod bad_input;
mod bench;
mod captures;
mod drawings;
#[cfg(unix)]
mod interrupts;
mod replay;
mod series;
mod verbs;
