//! Finds bufferbloat, explains it and fixes it.
//!
//! Each verb goes the same way: `args` is what was typed, `intent` is what was meant by it (read,
//! checked, and nothing begun), and the file named like the verb does it.

mod args;
mod cost;
mod failure;
mod intent;
mod interrupt;
mod output;
mod progress;
mod reproduce;
mod sim;

use std::process::ExitCode;

use args::{Args, Verb};
use clap::Parser;

fn main() -> ExitCode {
    let done = match Args::parse().verb {
        Verb::Sim(args) => sim::sim(&args),
        Verb::Reproduce(args) => reproduce::reproduce(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
