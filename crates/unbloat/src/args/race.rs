//! The arguments of `unbloat race`.

use std::path::PathBuf;

use clap::ValueEnum;
use units::Span;

use super::{COMMON, DrawArgs, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct RaceArgs {
    /// Subject of the race: `autorate`, the rules of shapers that follow a line whose rate changes
    #[arg(hide_possible_values = true)]
    pub(crate) what: Raced,

    /// Rules to race, beside an oracle that knows the line: `unbloat`, `cake-autorate` (3.5),
    /// `sqm-autorate`, `qosmate`, `stormguard` (of LibreQoS); repeatable, or separated by commas
    /// [default: all]
    #[arg(long, value_name = "RULES", value_delimiter = ',', hide_possible_values = true)]
    pub(crate) rules: Vec<RulesName>,

    /// First seed
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = super::scenario::seed)]
    pub(crate) seed: u64,

    /// Number of seeds, each of which gives a line of each kind
    #[arg(long, value_name = "N", default_value_t = 4, allow_negative_numbers = true, value_parser = seeds)]
    pub(crate) seeds: u64,

    /// Time of each run, at least 10s
    #[arg(long, value_name = "TIME", default_value = "120s")]
    pub(crate) time: Span,

    /// Race on this line only, in both directions: a trace in the format of mahimahi
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) trace: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    /// Print the race document instead of a table
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The things that can be raced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Raced {
    /// Rules of shapers that follow a line whose rate changes
    Autorate,
}

/// The rules, by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesName {
    /// Those of this program
    Unbloat,
    /// Those of cake-autorate 3.5
    CakeAutorate,
    /// Those of sqm-autorate
    SqmAutorate,
    /// Those of QoSmate
    Qosmate,
    /// Those of LibreQoS
    Stormguard,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  All rules on all kinds of lines:
    unbloat race autorate
  Other seeds, and a page with the curves:
    unbloat race autorate --seed 1001 --report race.html
  Two of them on a line of your own:
    unbloat race autorate --rules unbloat,cake-autorate \\
        --trace scenarios/traces/fading.trace

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted.";

fn seeds(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (1..=10_000).contains(number));
    number.ok_or_else(|| "write a whole number from 1 to 10000".into())
}
