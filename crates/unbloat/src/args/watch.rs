//! The arguments of `unbloat watch`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use units::Span;

use super::COMMON;
use crate::staged;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct WatchArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<WatchVerb>,

    /// Target: HOST (pings), server:HOST (an `unbloat serve`), irtt:HOST, tcp:HOST:PORT, dns:RESOLVER,
    /// https://HOST; or NAME=TARGET
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,

    /// File of further targets, one a line, with comments after `#`
    #[arg(long = "targets", value_name = "FILE", value_parser = super::file::input())]
    pub(crate) targets_file: Option<PathBuf>,

    /// Keep all probes and events in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Time between two regular probes of a target. To hosts of others at least 1s for pings, 5s for tcp
    /// and dns, 30s for https [default: these, but 1s for your own hosts except for https]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = every)]
    pub(crate) every: Option<Span>,

    /// All targets are yours: probe them as often as you like
    #[arg(long)]
    pub(crate) own: bool,

    /// Probe by IPv4 only
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(crate) ipv4: bool,

    /// Probe by IPv6 only
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,

    /// Number of hops on the path that are probed as well; 0 for none
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(..=8))]
    pub(crate) hops: u8,

    /// File with the token that servers ask for
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) token_file: Option<PathBuf>,

    /// End after this time
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub(crate) duration: Option<Span>,

    /// Test the path at this time of the day, as `unbloat test` does; repeatable
    #[arg(long, value_name = "HH:MM", allow_hyphen_values = true, value_parser = time_of_day)]
    pub(crate) test_at: Vec<jiff::civil::Time>,

    /// Test the path, as `unbloat test` does, when answers have been late or missing for 5 s and still
    /// are; needs a server, and loads the line for half a minute. A spike that begins within 65 s of the
    /// end of a test starts none
    #[arg(long)]
    pub(crate) test_on_spike: bool,

    /// Server to test with, HOST or HOST:PORT of an `unbloat serve` [default: the first server: target]
    #[arg(long, value_name = "SERVER")]
    pub(crate) test_server: Option<String>,

    /// Largest number of tests in a day
    #[arg(long, value_name = "N", default_value_t = 4, allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) tests_a_day: u8,

    /// Run this shell command for each event, with the event as a JSON document on its stdin
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_event: Option<String>,

    /// Post each event to this address, as a JSON document with a `text` for people
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "URL")]
    pub(crate) webhook: Option<webhook::Address>,

    /// Serve the page of the watch: `127.0.0.1:8080`; without --store from a folder that is deleted at the
    /// end
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = super::device::listener(8080))]
    pub(crate) page: Option<SocketAddr>,

    /// Serve the figures to Prometheus: `127.0.0.1:9819`
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = super::device::listener(9819))]
    pub(crate) metrics: Option<SocketAddr>,

    /// Print a JSON document for each event and for each minute of each target
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    /// Print only errors on stderr
    #[arg(short, long, help_heading = COMMON)]
    pub(crate) quiet: bool,
}

/// What is done with a store beside watching.
#[derive(Debug, Subcommand)]
pub(crate) enum WatchVerb {
    /// Write the data of a store as a table, for other tools
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArgs),
    /// Mark a change, such as a new queue: the page compares the time before with the time after
    Mark(MarkArgs),
}

/// What is written for other tools.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// Folder of `unbloat watch --store`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// What to write: each of the `probes`, `minutes` or `hours` of each target, the `seconds` or the
    /// minutes of this machine (`machine`), or the `events`
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = ExportWhat::Minutes)]
    #[arg(hide_possible_values = true)]
    pub(crate) what: ExportWhat,

    /// First time, such as `2026-11-27T04:00Z`
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub(crate) from: Option<jiff::Timestamp>,

    /// Time at which to end
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub(crate) to: Option<jiff::Timestamp>,

    /// Form of the table: `csv`, `parquet` or `jsonl`, a JSON object a line [default: that of the
    /// FILE's ending, or csv]
    #[arg(long, value_name = "FORM", value_enum, hide_possible_values = true)]
    format: Option<ExportFormat>,

    /// File to write: it ends in .csv, .parquet or .jsonl [default: -, stdout]
    #[arg(short, long, value_name = "FILE", value_parser = super::file::output())]
    pub(crate) out: Option<PathBuf>,
}

impl ExportArgs {
    /// The form of the table; `None` if neither --format nor the name of the file tells it.
    pub(crate) fn format(&self) -> Option<ExportFormat> {
        let of_ending = |file: &Path| match file.extension().and_then(|it| it.to_str()) {
            Some("csv") => Some(ExportFormat::Csv),
            Some("parquet") => Some(ExportFormat::Parquet),
            Some("jsonl") => Some(ExportFormat::Jsonl),
            _ => staged::is_stdout(file).then_some(ExportFormat::Csv),
        };
        self.format.or_else(|| self.out.as_deref().map_or(Some(ExportFormat::Csv), of_ending))
    }
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportWhat {
    /// Each probe
    Probes,
    /// Each minute of each target
    Minutes,
    /// Each hour of each target
    Hours,
    /// Each second of this machine
    Seconds,
    /// Each minute of this machine: its load, lateness, and Wi-Fi
    Machine,
    /// Each event
    Events,
}

/// The forms of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Comma-separated values
    Csv,
    /// Apache Parquet
    Parquet,
    /// A JSON object a line
    Jsonl,
}

/// A mark of a change.
#[derive(Debug, clap::Args)]
pub(crate) struct MarkArgs {
    /// Folder of `unbloat watch --store`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// Words for the change: "CAKE at 18 Mbit/s"
    #[arg(value_name = "TEXT", value_parser = words)]
    pub(crate) text: String,
}

fn timestamp(text: &str) -> Result<jiff::Timestamp, String> {
    let written = || text.parse().ok();
    // Without seconds too.
    let short = || text.strip_suffix('Z').and_then(|it| format!("{it}:00Z").parse().ok());
    let time: Option<jiff::Timestamp> = written().or_else(short);
    time.ok_or_else(|| {
        "write a date and a time in UTC, or with its offset: 2026-11-27T04:00Z".into()
    })
}

fn words(text: &str) -> Result<String, String> {
    const MOST: usize = 200;
    match text.trim() {
        "" => Err("a mark has words: \"CAKE at 18 Mbit/s\"".into()),
        words if words.chars().count() > MOST => {
            Err(format!("a mark has at most {MOST} characters"))
        }
        words => Ok(words.to_owned()),
    }
}

fn every(text: &str) -> Result<Span, String> {
    super::time::time(text, ["10ms", "1h"], "no time between probes")
}

fn time_of_day(text: &str) -> Result<jiff::civil::Time, String> {
    let is_written = |it: &str| it.len() == 5 && it.as_bytes()[2] == b':';
    let time = is_written(text).then(|| text.parse().ok()).flatten();
    time.ok_or_else(|| "write hours and minutes: 04:00".into())
}

fn duration(text: &str) -> Result<Span, String> {
    super::time::time(text, ["1s", "8760h"], "no time to watch for")
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  unbloat watch export home > minutes.csv
  unbloat watch export home --what probes --from 2026-11-27T04:00Z \\
      -o probes.parquet
  unbloat watch export home --what events --format jsonl";

pub(super) const EXAMPLES: &str = "\
Examples:
  unbloat watch 1.1.1.1 9.9.9.9
  unbloat watch server:vps.example.net 1.1.1.1 dns:9.9.9.9 --store home
  unbloat watch router=192.168.1.1 dns=dns:9.9.9.9 --targets sites.txt
  unbloat watch 192.168.1.1 https://example.org --json > watch.jsonl
  unbloat watch 1.1.1.1 9.9.9.9 --store home --page 127.0.0.1:8080
  unbloat watch server:vps.example.net --store home --test-at 04:00
  unbloat watch mark home \"CAKE at 18 Mbit/s\"
  unbloat report home --out home.html

Every target is probed around the clock, and so are the first hops on the path. \
A late answer counts as late, not as lost. Each spike is reported with its cause: the \
load of this machine, the Wi-Fi, the router, the line behind it, or the target. \
Hosts of others are probed less often: see --every. No privilege is needed where the kernel \
lets users ping.

Exit codes: 0 ended, 1 failed while running, 2 bad usage or bad input.";
