//! The command line.

mod autorate;
mod defaults;
mod device;
mod doctor;
mod file;
mod fix;
mod follow;
#[cfg(feature = "simulate")]
mod lab;
#[cfg(feature = "simulate")]
mod pcap;
#[cfg(feature = "simulate")]
mod qdisc_stats;
#[cfg(feature = "simulate")]
mod race;
#[cfg(feature = "simulate")]
mod replay;
mod report;
#[cfg(feature = "simulate")]
mod reproduce;
#[cfg(feature = "simulate")]
mod scenario;
mod serve;
mod setup;
mod shape;
#[cfg(feature = "simulate")]
mod sim;
#[cfg(feature = "simulate")]
mod sweep;
mod test;
mod time;
#[cfg(feature = "watch")]
mod watch;

#[cfg(feature = "simulate")]
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Parser, Subcommand};
#[cfg(feature = "simulate")]
use clap::{Command, FromArgMatches};

use crate::terminal::When;
use crate::version;

pub(crate) use autorate::AutorateArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use fix::{FixArgs, LINES};
pub(crate) use follow::FollowArgs;
#[cfg(all(feature = "simulate", target_os = "linux"))]
pub(crate) use lab::Ports;
pub(crate) use report::ReportArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use setup::ConfigArgs;
#[cfg(feature = "setup")]
pub(crate) use setup::{CompletionsArgs, ManArgs};
pub(crate) use shape::ShapeArgs;
#[cfg(target_os = "linux")]
pub(crate) use shape::{OnStarvation, ShapeSetArgs, ShapeVerb};
pub(crate) use test::TestArgs;
#[cfg(feature = "watch")]
pub(crate) use watch::WatchArgs;
#[cfg(all(feature = "watch", target_os = "linux"))]
pub(crate) use watch::{ExportArgs, ExportFormat, ExportWhat, MarkArgs, WatchVerb};
#[cfg(feature = "simulate")]
pub(crate) use {
    lab::{LabArgs, LinkArgs},
    pcap::PcapArgs,
    qdisc_stats::QdiscStats,
    race::{RaceArgs, Raced, RulesName},
    replay::ReplayArgs,
    reproduce::ReproduceArgs,
    scenario::{RecordArgs, RequestedQueue, ScenarioArgs},
    sim::SimArgs,
    sweep::{Format, SweepArgs},
};

/// Heading of the options that are the same in all verbs that have them.
const COMMON: &str = "Common options";

/// Place of the options of every verb: behind those of one.
const LAST: usize = 1000;

/// Heading of the options that name files to be written.
const FILES: &str = "Files to write";

/// Finds bufferbloat, explains it and fixes it.
#[derive(Debug, Parser)]
#[command(name = "unbloat", bin_name = "unbloat", about, after_help = EXAMPLES)]
#[command(version = version::SHORT, long_version = version::LONG)]
#[command(disable_help_flag = true, disable_version_flag = true, max_term_width = ::report::WIDTH)]
pub(crate) struct Args {
    /// The verb; without one, the program says what to type first.
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    version: VersionArg,
}

impl Args {
    /// The meaning of `unbloat sim ...` if this is what was typed, and if it is right; otherwise `None`.
    ///
    /// Scripts run it thousands of times, for a millisecond each. To set up the options of all other verbs
    /// takes a third of one, but only help and errors need them.
    #[cfg(feature = "simulate")]
    pub(crate) fn of_sim(typed: &[OsString]) -> Option<Self> {
        typed.get(1).filter(|verb| *verb == "sim")?;
        let sim = <SimArgs as clap::Args>::augment_args(Command::new("sim"));
        let command = <CommonArgs as clap::Args>::augment_args(Command::new("unbloat"));
        let command = <VersionArg as clap::Args>::augment_args(command.disable_help_flag(true));
        let command = command.version(version::SHORT).disable_version_flag(true).subcommand(sim);
        let matches = command.try_get_matches_from(typed).ok()?;
        Self::from_arg_matches(&matches).ok()
    }
}

/// The option that prints the version.
#[derive(Debug, clap::Args)]
struct VersionArg {
    /// Print version; with --version also commit, features and target
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = COMMON, display_order = LAST)]
    version: Option<bool>,
}

/// The options of every verb.
#[derive(Debug, clap::Args)]
pub(crate) struct CommonArgs {
    /// Colours: auto, where a terminal shows them; always; or never [default: auto]
    #[arg(long, global = true, value_name = "WHEN", hide_possible_values = true)]
    #[arg(help_heading = COMMON, display_order = LAST)]
    pub(crate) color: Option<When>,

    /// Print help
    #[arg(short, long, global = true, action = ArgAction::Help)]
    #[arg(help_heading = COMMON, display_order = LAST)]
    help: Option<bool>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[cfg(feature = "simulate")]
    /// Simulate a scenario: links, queues, TCP and traffic, in virtual time
    #[command(after_help = sim::EXAMPLES, override_usage = sim::USAGE)]
    Sim(SimArgs),
    #[cfg(feature = "simulate")]
    /// Simulate a scenario many times with different values, and keep the results
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(Box<SweepArgs>),
    #[cfg(feature = "simulate")]
    /// Run any program, or a scenario, with real TCP behind a slow link
    #[command(after_help = lab::EXAMPLES, override_usage = lab::USAGE)]
    Lab(Box<LabArgs>),
    /// Test a line: the delay it adds when busy, where the queue is, and what to do
    #[command(after_help = test::EXAMPLES)]
    Test(Box<TestArgs>),
    #[cfg(feature = "simulate")]
    /// Send recorded packets, from a CSV or a capture, through one queue
    #[command(after_help = replay::EXAMPLES)]
    Replay(ReplayArgs),
    #[cfg(feature = "simulate")]
    /// Show why the connections of a capture were slow
    #[command(after_help = pcap::EXAMPLES)]
    Pcap(PcapArgs),
    #[cfg(feature = "simulate")]
    /// Repeat the experiments of a paper, and compare the figures
    #[command(after_help = reproduce::EXAMPLES)]
    Reproduce(ReproduceArgs),
    #[cfg(feature = "simulate")]
    /// Compare rules for shapers on lines whose rate changes
    #[command(after_help = race::EXAMPLES)]
    Race(RaceArgs),
    /// Run the server of `unbloat test`, on a machine at the far end
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArgs),
    /// Put queues of unbloat on an interface, for a kernel without CAKE
    #[command(after_help = shape::EXAMPLES)]
    Shape(Box<ShapeArgs>),
    /// Adjust the rates of the kernel's CAKE to a line whose rate changes
    #[command(after_help = autorate::EXAMPLES)]
    Autorate(Box<AutorateArgs>),
    /// Write the configuration that fixes bufferbloat, for your router
    #[command(after_help = fix::after_help())]
    Fix(FixArgs),
    /// Find faults in the queues of this machine
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(DoctorArgs),
    #[cfg(feature = "watch")]
    /// Watch targets around the clock: when they were slow, and what caused it
    #[command(after_help = watch::EXAMPLES)]
    Watch(Box<watch::WatchArgs>),
    /// Draw earlier results as a page or a picture
    #[command(after_help = report::EXAMPLES, mut_arg("plot", |it| it.help(report::PLOT)))]
    Report(ReportArgs),
    /// Show your own defaults, such as the server, and the source of each
    #[command(after_help = setup::CONFIG_EXAMPLES)]
    Config(ConfigArgs),
    #[cfg(feature = "setup")]
    /// Print the completions for your shell
    #[command(after_help = setup::COMPLETIONS_EXAMPLES)]
    Completions(setup::CompletionsArgs),
    #[cfg(feature = "setup")]
    /// Write the manual pages
    #[command(after_help = setup::MAN_EXAMPLES)]
    Man(setup::ManArgs),
}

/// The drawings beside a result.
#[derive(Debug, clap::Args)]
pub(crate) struct DrawArgs {
    /// Write a page with verdict, tables and plots: one HTML file that needs no network
    #[arg(long, value_name = "FILE.html", help_heading = FILES, value_parser = file::output())]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) plot: PlotArgs,
}

impl DrawArgs {
    /// The options with their files, in the order in which messages name them.
    pub(crate) fn files(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--report", self.report.as_deref()), ("--plot", self.plot.plot.as_deref())]
    }
}

/// The picture of a result, and the plots in it.
#[derive(Debug, clap::Args)]
pub(crate) struct PlotArgs {
    /// Write the plots as a picture; FILE ends in .svg or .png
    #[arg(long, value_name = "FILE", help_heading = FILES, value_parser = file::output())]
    pub(crate) plot: Option<PathBuf>,

    /// Put only these plots into the picture, such as `delay,cdf`; the page names each
    #[arg(long, value_name = "PLOT", value_delimiter = ',', requires = "plot", help_heading = FILES)]
    pub(crate) only: Vec<String>,
}

/// The amount of messages on stderr.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Volume {
    /// Print only errors on stderr
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "verbose", help_heading = COMMON)]
    pub(crate) quiet: bool,

    /// Print on stderr what is done, and how much time and memory it took
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = COMMON)]
    pub(crate) verbose: bool,
}

#[cfg(not(feature = "simulate"))]
const EXAMPLES: &str = "\
Examples:
  On a machine at the far end:
    unbloat serve
  And here:
    unbloat test far.example.net
    unbloat fix far.example.net --for openwrt";

#[cfg(feature = "simulate")]
const EXAMPLES: &str = "\
Examples:
  unbloat test far.example.net
  unbloat fix far.example.net --for openwrt
  unbloat sim scenarios/home-uplink.toml
  unbloat sweep scenarios/sweeps/queues.toml
  unbloat lab --rate 2mbit --rtt 20ms --queue fq_codel -- curl http://peer/1MB
  unbloat reproduce

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted, 4 a condition
of --fail-if is true, `doctor` found a fault, or `fix` took its change back.
After one Ctrl-C, the program ends within a second and keeps the result so far. After a second one,
it stops at once.";

#[cfg(all(test, feature = "simulate"))]
mod tests;
