//! What was typed after `unbloat test`.

use std::path::PathBuf;

use clap::value_parser;
use measure::protocol::PORT;
use report::Threshold;
use units::{Excerpt, Span, UnitError};

use super::{DrawArgs, Volume};

#[derive(Debug, clap::Args)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "tests are made on Linux only"))]
pub(crate) struct TestArgs {
    /// Where `unbloat serve` runs: a name or an address [default port: 8517]; with --responsiveness
    /// the URL of any such server
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

    /// How long at most, when a buffer is so deep that it is still filling [default: 60s, or --time]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    #[arg(conflicts_with = "KindArgs")]
    pub(crate) max: Option<Span>,

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

    /// Exit with 4 if this is so, or cannot be known, such as `p95 > 30ms`; repeatable
    #[arg(long, value_name = "FIGURE > VALUE")]
    pub(crate) fail_if: Vec<Threshold>,

    /// Write the measurement as Flent has it: FILE ends in .flent.gz
    #[arg(long, value_name = "FILE", value_parser = flent)]
    pub(crate) flent: Option<PathBuf>,

    /// Write all that was seen, so that `unbloat report` can judge it again: FILE ends in .json.gz
    #[arg(long, value_name = "FILE", value_parser = packed)]
    pub(crate) observations: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    #[command(flatten)]
    pub(crate) kind: KindArgs,

    #[cfg(feature = "responsiveness")]
    #[command(flatten)]
    pub(crate) ietf: IetfArgs,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// Tests as Flent has them, in place of ours.
#[derive(Debug, clap::Args)]
#[group(multiple = false, conflicts_with_all = ["up", "down"])]
#[command(next_help_heading = "In place of our own test")]
pub(crate) struct KindArgs {
    /// Realtime Response Under Load: 4 flows each way, marked BE, BK, CS5, EF, and beside them a call
    /// and pages
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

/// The IETF's test in place of ours.
#[cfg(feature = "responsiveness")]
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The IETF's responsiveness")]
pub(crate) struct IetfArgs {
    /// Round trips a minute under working conditions, over HTTP/2 and TLS, as
    /// draft-ietf-ippm-responsiveness-09 has it; --time is then the longest for each direction
    #[arg(long, conflicts_with_all = ["KindArgs", "flows", "ipv4", "ipv6", "token_file", "max"])]
    #[arg(conflicts_with_all = ["fail_if", "flent", "observations", "report", "plot"])]
    pub(crate) responsiveness: bool,

    /// Believe any certificate, as that of a server that made its own: whoever is on the way could
    /// answer in its place
    #[arg(long, requires = "responsiveness")]
    pub(crate) insecure: bool,

    /// How often it is asked whether things have settled; the draft had 1 s, and now has 5 s
    #[arg(long, value_name = "TIME", default_value = "5s", allow_hyphen_values = true)]
    #[arg(value_parser = interval, requires = "responsiveness")]
    pub(crate) interval: Span,
}

/// A time between two looks.
#[cfg(feature = "responsiveness")]
fn interval(text: &str) -> Result<Span, String> {
    const BOUNDS: [Span; 2] = [Span::from_millis(100), Span::from_secs(60)];
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    match (BOUNDS[0]..=BOUNDS[1]).contains(&time) {
        true => Ok(time),
        false => Err(format!("{} is no interval; write 100ms to 60s", Excerpt(text))),
    }
}

/// A time that a test can take.
fn time(text: &str) -> Result<Span, String> {
    const SHORTEST: Span = Span::from_secs(5);
    const LONGEST: Span = Span::from_secs(3600);
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    match (SHORTEST..=LONGEST).contains(&time) {
        true => Ok(time),
        false => Err(format!("{} is no time for a test; write {SHORTEST} to 1h", Excerpt(text))),
    }
}

/// Other programs know by their ending that a file is packed.
fn packed(text: &str) -> Result<PathBuf, String> {
    match text.ends_with(".json.gz") {
        true => Ok(text.into()),
        false => Err("they are packed by gzip, so their names end in .json.gz".into()),
    }
}

/// Flent knows its files by their ending.
fn flent(text: &str) -> Result<PathBuf, String> {
    match text.ends_with(".flent.gz") {
        true => Ok(text.into()),
        false => Err("Flent opens files whose names end in .flent.gz".into()),
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
    unbloat test far.example.net --rrul --flent rrul.flent.gz
  As the IETF does it:
    unbloat test --responsiveness https://nq.example.net
  In continuous integration:
    unbloat test far.example.net --fail-if \"p95 > 30ms\" --fail-if \"download.rate < 50mbit\"

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted,
4 a threshold of --fail-if was crossed. Interrupted once, it ends within a second and keeps what it
has.";
