//! The program as its users meet it.

mod bad_input;
mod bench;
mod verbs;
