//! The arguments of `unbloat test`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::value_parser;
use measure::protocol::PORT;
use report::Threshold;
use units::Span;

use super::{COMMON, DrawArgs, FILES, Volume, file};

#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// Name or address of the machine that runs `unbloat serve` [default port: 8517]; with
    /// --responsiveness the URL of any such server
    #[arg(value_name = "HOST[:PORT]")]
    pub(crate) server: Option<String>,

    /// Load only the direction to the server
    #[arg(long, conflicts_with = "down")]
    pub(crate) up: bool,

    /// Load only the direction from the server
    #[arg(long)]
    pub(crate) down: bool,

    /// Duration of the test, from 5s to 1h, without the pauses that empty the queues between its
    /// parts [default: 20s]. For a Flent test, such as --rrul: the duration of the load [default: 60s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    pub(crate) time: Option<Span>,

    /// Longest duration. The test goes on after --time while a deep buffer is still filling
    /// [default: 60s, or --time if that is longer]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    #[arg(conflicts_with = "KindArgs")]
    pub(crate) max: Option<Span>,

    /// Number of flows in each direction [default: 4; the test adds flows if 4 do not fill the path]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=64))]
    pub(crate) flows: Option<u32>,

    /// Use IPv4 only
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(crate) ipv4: bool,

    /// Use IPv6 only
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,

    /// File with the token that the server asks for
    #[arg(long, value_name = "FILE", value_parser = file::input())]
    pub(crate) token_file: Option<PathBuf>,

    /// Exit with 4 if this condition, such as `p95 > 30ms`, is true or cannot be checked;
    /// repeatable
    #[arg(long, value_name = "CONDITION")]
    pub(crate) fail_if: Vec<Threshold>,

    /// Write the measurement in the format of Flent: FILE ends in .flent.gz
    #[arg(long, value_name = "FILE", help_heading = FILES, value_parser = flent())]
    pub(crate) flent: Option<PathBuf>,

    /// Write all observations, so that `unbloat report` can judge them again: FILE ends in .json.gz
    #[arg(long, value_name = "FILE", help_heading = FILES, value_parser = packed())]
    pub(crate) observations: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    #[command(flatten)]
    pub(crate) kind: KindArgs,

    #[cfg(feature = "responsiveness")]
    #[command(flatten)]
    pub(crate) ietf: IetfArgs,

    /// Print the measurement document instead of a table
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The tests of Flent, which are made in place of ours.
#[derive(Debug, clap::Args)]
#[group(multiple = false, conflicts_with_all = ["up", "down"])]
#[command(next_help_heading = "In place of our own test")]
pub(crate) struct KindArgs {
    /// Realtime Response Under Load: 4 flows each way, marked BE, BK, CS5, EF, with a call and
    /// pages
    #[arg(long, conflicts_with = "flows")]
    pub(crate) rrul: bool,

    /// RRUL with all packets marked alike
    #[arg(long, conflicts_with = "flows")]
    pub(crate) rrul_be: bool,

    /// N flows in the upload direction (--flows) [default: 4]
    #[arg(long)]
    pub(crate) tcp_nup: bool,

    /// N flows in the download direction (--flows) [default: 4]
    #[arg(long)]
    pub(crate) tcp_ndown: bool,
}

/// The options of the IETF's test, which is made in place of ours.
#[cfg(feature = "responsiveness")]
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The IETF's responsiveness")]
pub(crate) struct IetfArgs {
    /// Round trips a minute under working conditions, over HTTP/2 and TLS, as
    /// draft-ietf-ippm-responsiveness-09 defines them; --time is then the longest duration of each
    /// direction
    #[arg(long, conflicts_with_all = ["KindArgs", "flows", "ipv4", "ipv6", "token_file", "max"])]
    #[arg(conflicts_with_all = ["fail_if", "flent", "observations", "report", "plot"])]
    pub(crate) responsiveness: bool,

    /// Accept any certificate, such as one that the server made itself: an attacker on the path
    /// could answer in its place
    #[arg(long, requires = "responsiveness")]
    pub(crate) insecure: bool,

    /// Time between two checks of whether the figures are stable. The draft says 5 s; its earlier
    /// versions said 1 s
    #[arg(long, value_name = "TIME", default_value = "5s", allow_hyphen_values = true)]
    #[arg(value_parser = interval, requires = "responsiveness")]
    pub(crate) interval: Span,
}

/// The interval of a text: from 100 ms to 60 s.
#[cfg(feature = "responsiveness")]
fn interval(text: &str) -> Result<Span, String> {
    super::time::time(text, ["100ms", "60s"], "no interval")
}

/// The duration of a test in a text: from 5 s to an hour.
fn time(text: &str) -> Result<Span, String> {
    super::time::time(text, ["5s", "1h"], "no time for a test")
}

/// The parser of a file compressed by gzip.
fn packed() -> impl TypedValueParser<Value = PathBuf> {
    file::packed(".json.gz", "they are packed by gzip")
}

/// The parser of a file for Flent.
fn flent() -> impl TypedValueParser<Value = PathBuf> {
    file::packed(".flent.gz", "Flent opens no others")
}

// The help text names the port.
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
    unbloat test far.example.net --rrul --flent rrul.flent.gz
  As the IETF does it:
    unbloat test --responsiveness https://nq.example.net
  In continuous integration:
    unbloat test far.example.net --fail-if \"p95 > 30ms\" \\
        --fail-if \"download.rate < 50mbit\"

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted, \
4 a threshold of --fail-if was crossed. After one Ctrl-C, the test ends within a second and keeps \
the results so far.";
