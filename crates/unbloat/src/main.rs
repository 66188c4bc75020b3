//! Finds bufferbloat, explains it and fixes it.
//!
//! Each verb takes the same steps: `args` holds what was typed, `intent` reads and checks it before
//! anything runs, and the file named after the verb does the work.
#![cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        reason = "several verbs work on Linux only; their arguments are known everywhere"
    )
)]

mod args;
mod autorate;
mod config;
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
mod guide;
#[cfg(feature = "simulate")]
mod input;
#[cfg(feature = "simulate")]
mod intent;
mod interrupt;
mod kept;
#[cfg(feature = "simulate")]
mod lab;
mod machine;
#[cfg(feature = "setup")]
mod manual;
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
mod settings;
mod shape;
#[cfg(feature = "simulate")]
mod sim;
mod staged;
#[cfg(feature = "simulate")]
mod sweep;
mod temporary;
mod terminal;
mod test;
mod typing;
mod version;
#[cfg(feature = "watch")]
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use args::{Args, Verb};
use clap::{CommandFactory, FromArgMatches, ValueEnum};
use failure::Failure;
use settings::Settings;
use terminal::When;

fn main() -> ExitCode {
    #[cfg(all(feature = "simulate", target_os = "linux"))]
    if let Some(exit) = ::lab::init() {
        return exit;
    }
    #[cfg(unix)]
    if let Err(error) = interrupt::begin() {
        return Failure::Run(format!("cannot listen for interrupts: {error}")).report();
    }
    match run() {
        Ok(exit) => exit,
        Err(failure) => failure.report(),
    }
}

/// Does what was typed, and returns the exit code.
fn run() -> Result<ExitCode, Failure> {
    terminal::set_color(typed_color().unwrap_or_default());
    let typed: Vec<OsString> = std::env::args_os().collect();
    typing::check_quotes(&typed)?;
    #[cfg(feature = "simulate")]
    if let Some(args) = Args::of_sim(&typed) {
        return act(args);
    }
    let command = Args::command().color(terminal::choice());
    if typing::asks_version(&command, &typed) {
        output::print(&command.render_long_version())?;
        return Ok(ExitCode::SUCCESS);
    }
    let parsed = command.try_get_matches().and_then(|mut it| Args::from_arg_matches_mut(&mut it));
    match parsed {
        Ok(args) => act(args),
        Err(mut error) => {
            typing::suggest(&mut error, &Args::command(), &typed);
            Ok(refused(&error))
        }
    }
}

/// Does what these arguments say, and returns the exit code.
fn act(mut args: Args) -> Result<ExitCode, Failure> {
    let needs_none = match args.verb {
        // It tells what is wrong with the settings itself.
        None | Some(Verb::Config(_)) => true,
        #[cfg(feature = "setup")]
        Some(Verb::Completions(_) | Verb::Man(_)) => true,
        _ => false,
    };
    let settings = if needs_none { Settings::default() } else { Settings::load()? };
    terminal::set_color(args.common.color.unwrap_or_else(|| settings.color()));
    ::report::fit(terminal::columns());
    args.complete(&settings);
    let Some(verb) = args.verb else {
        output::print(&guide::first())?;
        return Ok(ExitCode::SUCCESS);
    };
    let done = match verb {
        #[cfg(feature = "simulate")]
        Verb::Sim(args) => sim::sim(&args),
        #[cfg(feature = "simulate")]
        Verb::Sweep(args) => sweep::sweep(&args),
        #[cfg(feature = "simulate")]
        Verb::Lab(args) => return lab::lab(&args),
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
        Verb::Config(args) => config::config(&args),
        #[cfg(feature = "setup")]
        Verb::Completions(args) => manual::completions(&args),
        #[cfg(feature = "setup")]
        Verb::Man(args) => manual::man(&args),
    };
    done.map(|()| interrupt::exit())
}

/// The choice of `--color`, before the command line is parsed: its errors have colours, too.
fn typed_color() -> Option<When> {
    let typed: Vec<OsString> = std::env::args_os().take_while(|it| it != "--").collect();
    let after = |pair: &[OsString]| (pair[0] == "--color").then(|| pair[1].clone());
    let apart = typed.windows(2).filter_map(after);
    let joined = typed.iter().filter_map(|it| Some(it.to_str()?.strip_prefix("--color=")?.into()));
    apart.chain(joined).find_map(|word| When::from_str(word.to_str()?, false).ok())
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
    if error.use_stderr() {
        message::refuse(error);
        return code;
    }
    match error.print().and_then(|()| io::stdout().flush()) {
        Err(failed) => Failure::writing("the help", &failed).report(),
        Ok(()) => code,
    }
}
