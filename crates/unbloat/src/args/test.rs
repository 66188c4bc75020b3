//! What was typed after `unbloat test`.

use std::path::PathBuf;

use clap::value_parser;
use measure::protocol::PORT;
use units::{Span, UnitError};

use super::Volume;

#[derive(Debug, clap::Args)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "tests are made on Linux only"))]
pub(crate) struct TestArgs {
    /// Where `unbloat serve` runs: a name or an address [default port: 8517]
    #[arg(value_name = "HOST[:PORT]")]
    pub(crate) server: String,

    /// Load only the way to the server
    #[arg(long, conflicts_with = "down")]
    pub(crate) up: bool,

    /// Load only the way from the server
    #[arg(long)]
    pub(crate) down: bool,

    /// How long, in all but what drains in between; of --rrul and its like, the load alone
    /// [default: 20s, of these 60s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    pub(crate) time: Option<Span>,

    /// How long at most, when a buffer is so deep that it is still filling
    #[arg(long, value_name = "TIME", default_value = "60s", allow_hyphen_values = true)]
    #[arg(value_parser = time)]
    pub(crate) max: Span,

    /// So many flows in each direction [default: 4, and more where they do not fill the path]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=64))]
    pub(crate) flows: Option<u32>,

    /// Use IPv4 only
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(crate) ipv4: bool,

    /// Use IPv6 only
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,

    /// The file with the token that the server wants
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Print the measurement document instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) kind: KindArgs,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// Tests as Flent has them, in place of ours.
#[derive(Debug, clap::Args)]
#[group(multiple = false, conflicts_with_all = ["up", "down"])]
#[command(next_help_heading = "In place of our own test")]
pub(crate) struct KindArgs {
    /// Realtime Response Under Load: 4 flows each way, marked BE, BK, CS5, EF
    #[arg(long, conflicts_with = "flows")]
    pub(crate) rrul: bool,

    /// The same, with all packets marked alike
    #[arg(long, conflicts_with = "flows")]
    pub(crate) rrul_be: bool,

    /// N flows upwards (--flows) [default: 4]
    #[arg(long)]
    pub(crate) tcp_nup: bool,

    /// N flows downwards (--flows) [default: 4]
    #[arg(long)]
    pub(crate) tcp_ndown: bool,
}

/// A time that a test can take.
fn time(text: &str) -> Result<Span, String> {
    const SHORTEST: Span = Span::from_secs(5);
    const LONGEST: Span = Span::from_secs(3600);
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    match (SHORTEST..=LONGEST).contains(&time) {
        true => Ok(time),
        false => Err(format!("{time} is no time for a test; write {SHORTEST} to 1h")),
    }
}

// The help names it.
const _: () = assert!(PORT == 8517);

pub(super) const EXAMPLES: &str = "\
Examples:
  On a machine at the far end, such as one in a data centre:
    unbloat serve
  And here:
    unbloat test far.example.net
  Only the upload, for a program:
    unbloat test far.example.net --up --json
  As Flent does it:
    unbloat test far.example.net --rrul

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted before there was
anything to keep, or twice. Interrupted once, it keeps what it has.";
