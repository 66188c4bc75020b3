//! Where the figures of `docs/performance.md` and `docs/fidelity.md` come from.
//!
//! `bench` measures how fast the simulator is and `bench replay` how fast captures are replayed;
//! `bench fidelity` holds the simulator against a Linux kernel.

mod child;
mod fidelity;
mod machine;
mod measurement;
mod replay;
mod speed;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use measurement::Measurement;
use table::Format;

/// How fast the simulator is, and how close to a Linux kernel.
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
    /// Simulates what a Linux kernel did, and prints the two side by side.
    Fidelity(FidelityArguments),
    /// Measures how fast a capture is replayed.
    Replay(Measurement),
    /// Runs one scenario and prints its result, for a measurement in a process of its own.
    #[command(hide = true)]
    Child {
        /// Which.
        name: String,
    },
    /// Replays the capture and prints the result, likewise.
    #[command(hide = true)]
    ReplayChild {
        /// Through which queue.
        queue: String,
    },
}

/// What `bench fidelity` can be told.
#[derive(clap::Args)]
struct FidelityArguments {
    /// The cases, in the columns of bench/reference/linux-6.1-qdiscs.csv [default: that file]
    csv: Option<PathBuf>,
    /// Only cases whose name contains this.
    #[arg(long, default_value = "")]
    case: String,
    /// How many seeds to take the median of.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Write the tables of docs/fidelity.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        None => speed::run(&arguments.measurement),
        Some(Command::Replay(measurement)) => replay::run(&measurement),
        Some(Command::Child { name }) => speed::child(&name),
        Some(Command::ReplayChild { queue }) => replay::child(&queue),
        Some(Command::Fidelity(FidelityArguments { csv, case, seeds, markdown, json })) => {
            let format = match (markdown, json) {
                (true, _) => Format::Markdown,
                (_, true) => Format::Json,
                _ => Format::Text,
            };
            fidelity::run(csv.as_deref(), &case, seeds, format)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}
