//! Finds bufferbloat, explains it and fixes it.
//!
//! Each verb takes the same steps: `args` holds what was typed, `intent` reads and checks it before
//! anything runs, and the file named after the verb does the work.

mod args;
mod autorate;
#[cfg(feature = "simulate")]
mod cost;
mod doctor;
mod drawings;
mod failure;
#[cfg(target_os = "linux")]
mod figures;
mod files;
mod fix;
#[cfg(target_os = "linux")]
mod follow;
#[cfg(feature = "simulate")]
mod input;
#[cfg(feature = "simulate")]
mod intent;
mod interrupt;
mod judged;
mod kept;
#[cfg(feature = "simulate")]
mod lab;
mod machine;
mod message;
mod output;
#[cfg(feature = "simulate")]
mod pcap;
#[cfg(feature = "simulate")]
mod plots;
#[cfg(feature = "simulate")]
mod pool;
#[cfg(feature = "simulate")]
mod progress;
#[cfg(feature = "simulate")]
mod qdisc_stats;
#[cfg(feature = "simulate")]
mod race;
#[cfg(feature = "simulate")]
mod replay;
mod report;
#[cfg(feature = "simulate")]
mod reproduce;
mod screen;
mod serve;
#[cfg(target_os = "linux")]
mod service;
mod shape;
#[cfg(feature = "simulate")]
mod sim;
mod staged;
#[cfg(feature = "simulate")]
mod sweep;
mod temporary;
mod test;
#[cfg(feature = "watch")]
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use args::{Args, Verb};
use clap::Parser;
use failure::Failure;

fn main() -> ExitCode {
    #[cfg(all(feature = "simulate", target_os = "linux"))]
    if let Some(exit) = ::lab::init() {
        return exit;
    }
    #[cfg(unix)]
    if let Err(error) = interrupt::begin() {
        return Failure::Run(format!("cannot listen for interrupts: {error}")).report();
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refused(&error),
    };
    let done = match args.verb {
        #[cfg(feature = "simulate")]
        Verb::Sim(args) => sim::sim(&args),
        #[cfg(feature = "simulate")]
        Verb::Sweep(args) => sweep::sweep(&args),
        #[cfg(feature = "simulate")]
        Verb::Lab(args) => {
            return lab::lab(&args).unwrap_or_else(|failure| failure.report());
        }
        Verb::Test(args) => test::test(&args),
        #[cfg(feature = "simulate")]
        Verb::Replay(args) => replay::replay(&args),
        #[cfg(feature = "simulate")]
        Verb::Pcap(args) => pcap::pcap(&args),
        #[cfg(feature = "simulate")]
        Verb::Reproduce(args) => reproduce::reproduce(&args),
        #[cfg(feature = "simulate")]
        Verb::Race(args) => race::race(&args),
        Verb::Serve(args) => serve::serve(&args),
        Verb::Shape(args) => shape::shape(&args),
        Verb::Autorate(args) => autorate::autorate(&args),
        Verb::Fix(args) => fix::fix(&args),
        Verb::Doctor(args) => doctor::doctor(&args),
        #[cfg(feature = "watch")]
        Verb::Watch(args) => watch::watch(&args),
        Verb::Report(args) => report::report(&args),
    };
    match done {
        Ok(()) => interrupt::exit(),
        Err(failure) => failure.report(),
    }
}

/// Prints clap's help or error and returns the exit code. Where an argument contains control
/// characters, an error is printed plainly, so that these cannot paint the terminal.
fn refused(error: &clap::Error) -> ExitCode {
    let rude = |typed: OsString| typed.to_string_lossy().contains(char::is_control);
    if error.use_stderr() && std::env::args_os().any(rude) {
        message::note(error.render().to_string().trim_end());
        return ExitCode::from(2);
    }
    let code = ExitCode::from(error.exit_code() as u8);
    match error.print().and_then(|()| io::stdout().flush()) {
        Err(failed) if !error.use_stderr() => Failure::writing("the help", &failed).report(),
        // Where stderr cannot be written, the exit code alone tells of the error.
        _ => code,
    }
}
