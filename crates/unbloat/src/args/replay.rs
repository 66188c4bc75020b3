//! The arguments of `unbloat replay`.

use std::path::PathBuf;

use clap::value_parser;
use qdisc::{QdiscSpec, SpecError};
use units::{Rate, UnitError};

use super::scenario::seed;
use super::{COMMON, DrawArgs, FILES, QdiscStats, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// The arrivals: a CSV with the header `time_s,bytes[,flow,ecn,dscp]`, or a capture (pcap,
    /// pcapng and others), or - for stdin; see docs/replay.md
    #[arg(value_parser = super::file::input())]
    pub(crate) file: PathBuf,

    /// Queue through which the arrivals are sent, as tc writes it
    #[arg(long, value_name = "QUEUE", value_parser = queue)]
    pub(crate) queue: QdiscSpec,

    /// Rate of the link behind the queue, such as `10mbit`
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = link_rate)]
    pub(crate) rate: Rate,

    /// Bytes that the link adds to each IP packet of a capture; 14 is Ethernet as Linux counts it
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    #[arg(allow_negative_numbers = true, value_parser = value_parser!(u32).range(..=1000))]
    pub(crate) overhead: u32,

    /// The longest IP packet on the link; longer ones of a capture are super-packets, and are cut
    #[arg(long, value_name = "BYTES", default_value_t = 1500)]
    #[arg(allow_negative_numbers = true, value_parser = value_parser!(u32).range(68..=1 << 20))]
    pub(crate) mtu: u32,

    /// Write the fates to a file, and the summary to stdout
    #[arg(short, long, value_name = "FILE", help_heading = FILES, value_parser = super::file::output())]
    pub(crate) out: Option<PathBuf>,

    /// Print the statistics of the queues at the end instead of the fates or the summary: `text`, as `tc -s
    /// qdisc show` prints them, or `json`, as `tc -s -j qdisc show` does
    #[arg(long, value_name = "FORM", hide_possible_values = true, conflicts_with = "json")]
    pub(crate) qdisc_stats: Option<QdiscStats>,

    /// Seed of the queue's random decisions
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    /// Print the result document instead of the fates or the summary
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// A queue that asks for no more than recorded arrivals have.
fn queue(text: &str) -> Result<QdiscSpec, String> {
    let spec: QdiscSpec = text.parse().map_err(|error: SpecError| error.to_string())?;
    replay::check_queue(&spec).map(|()| spec).map_err(str::to_owned)
}

fn link_rate(text: &str) -> Result<Rate, String> {
    let rate: Rate = text.parse().map_err(|error: UnitError| error.to_string())?;
    replay::check_rate(rate).map(|()| rate)
}

pub(super) const EXAMPLES: &str = "\
Examples:
  What a slow link would have done to each packet that a computer sent:
    tcpdump -i eth0 -s 128 -w upload.pcap \"outbound and port 443\"
    unbloat replay --queue \"pfifo limit 300\" --rate 2mbit upload.pcap \\
        --out fates.csv
  The same under another queue, for a program:
    unbloat replay --queue fq_codel --rate 2mbit upload.pcap --json
  From a pipe, the first rows only:
    zcat upload.pcap.gz | unbloat replay --queue codel --rate 2mbit - | head

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted.";
