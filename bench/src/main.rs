//! Where the figures of `docs/performance.md` and `docs/fidelity.md` come from.
//!
//! `bench` measures how fast the simulator is; `bench fidelity` holds it against a Linux kernel.

mod fidelity;
mod machine;
mod speed;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use table::Format;

/// How fast the simulator is, and how close to a Linux kernel.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    speed: speed::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Simulates what a Linux kernel did, and prints the two side by side.
    Fidelity(FidelityArguments),
    /// Runs one scenario and prints its result, for a measurement in a process of its own.
    #[command(hide = true)]
    Child {
        /// Which.
        name: String,
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
        None => speed::run(&arguments.speed),
        Some(Command::Child { name }) => speed::child(&name),
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
