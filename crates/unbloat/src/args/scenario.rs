//! The arguments that concern a scenario, whichever clock runs it, and the files that are written
//! about the run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use qdisc::{QdiscSpec, SpecError};
use scenario::Override;
use units::{Bytes, Span};

use super::FILES;

/// Changes of the scenario.
#[derive(Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// Override a field of the scenario; repeatable
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = change)]
    pub(crate) overrides: Vec<Override>,

    /// Override the scenario's seed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: Option<u64>,
}

/// Files that are written about a run beside its result.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordArgs {
    /// Write queues, rates and windows over time, as CSV or Parquet: FILE ends in .csv or .parquet
    #[arg(long, value_name = "FILE", help_heading = FILES, value_parser = super::file::output())]
    pub(crate) series: Option<PathBuf>,

    /// Time between two rows of the series
    #[arg(long, value_name = "TIME", default_value = "100ms", requires = "series")]
    #[arg(allow_hyphen_values = true, help_heading = FILES)]
    pub(crate) series_step: Span,

    /// Write the fate of each packet on each link, as CSV
    #[arg(long, value_name = "FILE", help_heading = FILES, value_parser = super::file::output())]
    pub(crate) packets: Option<PathBuf>,

    /// Write the packets that pass one end of a link, as a capture: FILE ends in .pcapng
    #[arg(long, value_name = "FILE", help_heading = FILES, value_parser = super::file::output())]
    pub(crate) pcap: Option<PathBuf>,

    /// Direction of a link, LINK or LINK.reverse; packets are captured in front of its queue
    /// [default: that of the slowest link that data over TCP crosses]
    #[arg(long, value_name = "LINK", requires = "pcap", help_heading = FILES)]
    pub(crate) pcap_link: Option<String>,

    /// Keep at most this many bytes of a packet, such as `108B` [default: whole packets]
    #[arg(long, value_name = "SIZE", requires = "pcap", allow_hyphen_values = true)]
    #[arg(help_heading = FILES)]
    pub(crate) pcap_snap: Option<Bytes>,
}

/// A queue, with the words in which it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct RequestedQueue {
    pub(crate) typed: String,
    pub(crate) spec: QdiscSpec,
}

impl RequestedQueue {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
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
    text.parse()
}

/// Reads a seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}
