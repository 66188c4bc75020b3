//! The sources of the figures in `docs/performance.md`, `docs/fidelity.md`, `docs/accuracy.md` and
//! `docs/fix.md`.
//!
//! `bench` measures the simulator's speed, `bench queues` that of queues alone, `bench profile`
//! finds the parts that take its time, `bench replay` measures the speed of replayed captures and
//! `bench lab` that of the lab; `bench peers` runs other simulators beside ours, `bench fidelity`
//! compares ours with a Linux kernel, `bench measure` compares `unbloat test` with the queues of
//! the lab, `bench truth` with those of the kernel, `bench virtual` judges the diagnosis on random
//! paths of the simulator, `bench tcptrace` compares our figures of captures with those of
//! tcptrace, `bench tshark` what we say of each packet with what tshark says of it, and `bench cure` judges the plans of `unbloat fix` on random lines.

mod captures;
mod child;
mod cure;
mod fidelity;
#[cfg(target_os = "linux")]
mod lab;
mod machine;
#[cfg(target_os = "linux")]
mod measure;
mod measurement;
mod pcap;
mod peers;
mod process;
mod profile;
mod replay;
mod speed;
mod table;
mod tcptrace;
#[cfg(target_os = "linux")]
mod truth;
mod tshark;
mod virtual_paths;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use measurement::Measurement;
use table::Format;

/// Measures the simulator's speed, and its distance from a Linux kernel.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    measurement: Measurement,
}

#[derive(Subcommand)]
enum Command {
    /// Simulates the runs of a Linux kernel, and prints both results side by side.
    Fidelity(FidelityArguments),
    /// Measures what a packet costs a queue alone.
    Queues(Measurement),
    /// Measures the speed of a capture's replay.
    Replay(Measurement),
    /// Counts the instructions and cache misses of a packet, by part of the program (takes
    /// valgrind, and minutes).
    Profile(Measurement),
    /// Runs the same scenarios in ns-3 and ns-2, which it fetches, beside ours (takes minutes).
    Peers(peers::Settings),
    /// Measures the lab beside the kernel's own forwarding and shaping (Linux; takes minutes).
    #[cfg(target_os = "linux")]
    Lab(Measurement),
    /// Measures `unbloat shape` beside the kernel's own forwarding and shaping (Linux 6.6, root; takes
    /// minutes).
    #[cfg(target_os = "linux")]
    Shape(Measurement),
    /// Compares `unbloat test` with the truth, over paths of the lab (Linux; takes half an hour).
    #[cfg(target_os = "linux")]
    Measure(measure::Settings),
    /// Judges the statements of a test about random paths in virtual time.
    Virtual(virtual_paths::Settings),
    /// Judges what `unbloat pcap` tells of the queues of random lines in virtual time.
    Captures(captures::Settings),
    /// Measures what `unbloat pcap` costs beside tcptrace, on one capture in one run.
    Pcap(pcap::Settings),
    /// Tells whose the spikes of random homes were, beside the truth.
    Watch(watch::Settings),
    /// Compares our figures of captures with those that tcptrace has printed of them.
    Tcptrace(tcptrace::Settings),
    /// Compares what we say of the packets of captures with what tshark says of them.
    Tshark(tshark::Settings),
    /// Applies the plans of `unbloat fix` to random lines in virtual time.
    Cure(cure::Settings),
    /// Compares the statements of `unbloat test` with random paths of this kernel (Linux, root;
    /// takes minutes).
    #[cfg(target_os = "linux")]
    Truth(truth::Settings),
    /// Runs one path of `truth` and prints the result.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    TruthChild(truth::ChildSettings),
    /// Runs one case of `watch --kernel` and prints what was told.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    WatchChild(watch::ChildSettings),
    /// Runs one case of `measure` and prints the result.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    MeasureChild(measure::ChildSettings),
    /// Runs one case of `lab` and prints the result.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    LabChild {
        /// Name of the case.
        case: String,
        /// Maker of the link.
        way: String,
    },
    /// Runs one case of `fidelity --lab` in the lab and prints the result.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    FidelityChild {
        /// Name of the case.
        case: String,
        /// Duration in seconds.
        seconds: u32,
    },
    /// Runs one scenario and prints its result, for a measurement in a process of its own.
    #[command(hide = true)]
    Child {
        /// Name of the scenario.
        name: String,
        /// Duration in seconds, in place of the scenario's own.
        seconds: Option<u32>,
        /// Measure no time, which programs that observe this one may not be able to tell.
        #[arg(long)]
        untimed: bool,
    },
    /// Replays the capture and prints the result, for a measurement in a process of its own.
    #[command(hide = true)]
    ReplayChild {
        /// Queue through which the capture is replayed.
        queue: String,
    },
}

/// The options of `bench fidelity`.
#[derive(clap::Args)]
struct FidelityArguments {
    /// The cases, in the columns of a table in bench/reference [default: those tables]
    csv: Option<PathBuf>,
    /// Only cases whose name contains this.
    #[arg(long, default_value = "")]
    case: String,
    /// Number of seeds of which the median is taken.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Write the tables of docs/fidelity.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    lab: fidelity::lab::Settings,
}

impl FidelityArguments {
    fn run(&self) -> Result<(), String> {
        let format = match (self.markdown, self.json) {
            (true, _) => Format::Markdown,
            (_, true) => Format::Json,
            _ => Format::Text,
        };
        #[cfg(target_os = "linux")]
        if self.lab.lab {
            return fidelity::lab::run(&self.lab, &self.case, self.seeds, format);
        }
        fidelity::run(self.csv.as_deref(), &self.case, self.seeds, format)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        None => speed::run(&arguments.measurement),
        Some(Command::Peers(settings)) => peers::run(&settings),
        Some(Command::Profile(measurement)) => profile::run(&measurement),
        Some(Command::Queues(measurement)) => speed::run_queues(&measurement),
        Some(Command::Replay(measurement)) => replay::run(&measurement),
        Some(Command::Virtual(settings)) => virtual_paths::run(&settings),
        Some(Command::Captures(settings)) => captures::run(&settings),
        Some(Command::Pcap(settings)) => pcap::run(&settings),
        Some(Command::Watch(settings)) => watch::run(&settings),
        Some(Command::Tcptrace(settings)) => tcptrace::run(&settings),
        Some(Command::Tshark(settings)) => tshark::run(&settings),
        Some(Command::Cure(settings)) => cure::run(&settings),
        #[cfg(target_os = "linux")]
        Some(Command::Lab(measurement)) => lab::run(&measurement, &lab::LAB),
        #[cfg(target_os = "linux")]
        Some(Command::Shape(measurement)) => lab::run(&measurement, &lab::SHAPE),
        #[cfg(target_os = "linux")]
        Some(Command::Measure(settings)) => measure::run(&settings),
        #[cfg(target_os = "linux")]
        Some(Command::MeasureChild(settings)) => measure::child(&settings),
        #[cfg(target_os = "linux")]
        Some(Command::Truth(settings)) => truth::run(&settings),
        #[cfg(target_os = "linux")]
        Some(Command::TruthChild(settings)) => truth::child(&settings),
        #[cfg(target_os = "linux")]
        Some(Command::WatchChild(settings)) => watch::child(&settings),
        #[cfg(target_os = "linux")]
        Some(Command::LabChild { case, way }) => lab::child(&case, &way),
        Some(Command::Child { name, seconds, untimed }) => speed::child(&name, seconds, untimed),
        Some(Command::ReplayChild { queue }) => replay::child(&queue),
        Some(Command::Fidelity(arguments)) => arguments.run(),
        #[cfg(target_os = "linux")]
        Some(Command::FidelityChild { case, seconds }) => fidelity::lab::child(&case, seconds),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}
