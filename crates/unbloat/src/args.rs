//! What was typed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Parser, Subcommand};
use qdisc::{QdiscSpec, SpecError};
use scenario::{Override, ScenarioError};
use units::Span;

/// Finds bufferbloat, explains it and fixes it.
#[derive(Debug, Parser)]
#[command(name = "unbloat", version, about, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Simulate a scenario: links, queues, TCP and traffic, in virtual time
    #[command(after_help = SIM_EXAMPLES, override_usage = SIM_USAGE)]
    Sim(SimArgs),
    /// Repeat a paper's experiments, its figures beside ours
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SimArgs {
    /// The scenario (TOML or JSON); see docs/sim.md, and scenarios/ for some to start from
    #[arg(required_unless_present = "schema")]
    pub(crate) file: Option<PathBuf>,

    /// Override a field of the scenario; repeatable
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = change)]
    pub(crate) overrides: Vec<Override>,

    /// Override the scenario's seed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: Option<u64>,

    /// Run once with each of these queues on the bottleneck, and compare
    #[arg(long, value_name = "QUEUE", num_args = 1.., value_parser = Queue::parse)]
    pub(crate) compare: Vec<Queue>,

    /// Which queue to replace [default: that of the slowest link that a flow's data crosses]
    #[arg(long, value_name = "LINK[.reverse]", requires = "compare")]
    pub(crate) compare_link: Option<String>,

    /// Print the result document instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Write queues, rates and windows over time, as CSV or Parquet: FILE ends in .csv or .parquet
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub(crate) series: Option<PathBuf>,

    /// How far apart the rows of the series are
    #[arg(long, value_name = "TIME", default_value = "100ms", requires = "series")]
    pub(crate) series_step: Span,

    /// Write the fate of each packet on each link, as CSV
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub(crate) packets: Option<PathBuf>,

    /// Print the JSON Schema of the scenario file, and do nothing else
    #[arg(long, exclusive = true)]
    pub(crate) schema: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Which paper; without it, lists what there is
    pub(crate) name: Option<String>,

    /// Print the reproduction document instead of a table
    #[arg(long, requires = "name")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// How much to say on stderr.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Volume {
    /// Say nothing on stderr but errors
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say on stderr what is done, and what it cost
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(crate) verbose: bool,
}

/// A queue, and in which words it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) typed: String,
    pub(crate) spec: QdiscSpec,
}

impl Queue {
    fn parse(text: &str) -> Result<Self, String> {
        let refuse = |error: SpecError| match looks_like_a_file(text) {
            true => "this is a file and not a queue; FILE comes before --compare, which takes all \
                     that follows: unbloat sim FILE --compare QUEUE..."
                .into(),
            false => error.to_string(),
        };
        Ok(Self { typed: text.trim().to_owned(), spec: text.parse().map_err(refuse)? })
    }
}

fn looks_like_a_file(text: &str) -> bool {
    let path = Path::new(text);
    let ending = path.extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| matches!(ending, "toml" | "json")) || path.is_file()
}

fn change(text: &str) -> Result<Override, String> {
    text.parse().map_err(|error: ScenarioError| error.message)
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// FILE first: `--compare` takes all that follows it.
const SIM_USAGE: &str = "unbloat sim <FILE> [OPTIONS]\n       unbloat sim --schema";

const EXAMPLES: &str = "\
Examples:
  unbloat sim scenarios/home-uplink.toml
  unbloat reproduce

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted twice.
Interrupted once, it finishes early and keeps the result so far.";

const SIM_EXAMPLES: &str = "\
Examples:
  A table and a verdict:
    unbloat sim scenarios/home-uplink.toml
  The same line under three queues, written as tc writes them:
    unbloat sim scenarios/home-uplink.toml --compare \"pfifo limit 300\" codel fq_codel
  Another rate, another seed, for a program:
    unbloat sim scenarios/home-uplink.toml --set link.uplink.rate=5mbit --seed 7 --json
  How the queue fills, ten times a second:
    unbloat sim scenarios/home-uplink.toml --series uplink.csv --series-step 100ms";

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  What there is:
    unbloat reproduce
  One of them, for a program:
    unbloat reproduce gijsbers --json";
