//! The arguments of `unbloat sim`.

use std::path::PathBuf;

use super::{COMMON, DrawArgs, QdiscStats, RecordArgs, RequestedQueue, ScenarioArgs, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct SimArgs {
    /// The scenario (TOML or JSON), or - for stdin; see docs/sim.md, and scenarios/ for some to
    /// start from
    #[arg(required_unless_present = "schema", value_parser = super::file::input())]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Run once with each of these queues on the bottleneck, and compare; separated by blanks or
    /// commas
    #[arg(long, value_name = "QUEUE", num_args = 1.., value_delimiter = ',')]
    #[arg(value_parser = RequestedQueue::parse)]
    pub(crate) compare: Vec<RequestedQueue>,

    /// Direction of a link whose queue is replaced, LINK or LINK.reverse [default: that of the slowest
    /// link that data over TCP crosses]
    #[arg(long, value_name = "LINK", requires = "compare")]
    pub(crate) compare_link: Option<String>,

    /// Print the statistics of the queues at the end instead of a table: `text`, as `tc -s
    /// qdisc show` prints them, or `json`, as `tc -s -j qdisc show` does
    #[arg(long, value_name = "FORM", hide_possible_values = true, conflicts_with = "json")]
    pub(crate) qdisc_stats: Option<QdiscStats>,

    #[command(flatten)]
    pub(crate) record: RecordArgs,

    /// Print the JSON Schema of the scenario file, and do nothing else
    #[arg(long, exclusive = true)]
    pub(crate) schema: bool,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    /// Print the result document instead of a table
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The forms of the command, with FILE first: `--compare` takes all that follows it.
pub(super) const USAGE: &str = "unbloat sim <FILE> [OPTIONS]\n       unbloat sim --schema";

pub(super) const EXAMPLES: &str = "\
Examples:
  A table and a verdict:
    unbloat sim scenarios/home-uplink.toml
  The same line under three queues, written as tc writes them:
    unbloat sim scenarios/home-uplink.toml \\
        --compare \"pfifo limit 300\" codel fq_codel
  Another rate, another seed, for a program:
    unbloat sim scenarios/home-uplink.toml --set link.uplink.rate=5mbit \\
        --seed 7 --json
  A page with plots, to look at and to keep:
    unbloat sim scenarios/home-uplink.toml \\
        --compare \"pfifo limit 300\" fq_codel --report home.html
  One plot as a picture:
    unbloat sim scenarios/home-uplink.toml --plot delay.svg --only delay
  Its queues at the end, as tc -s would show them:
    unbloat sim scenarios/voice-tin.toml --qdisc-stats text
  How the queue fills, ten times a second:
    unbloat sim scenarios/home-uplink.toml --series uplink.csv \\
        --series-step 100ms
  Its packets as a capture for Wireshark, as a computer behind the link would see them:
    unbloat sim scenarios/home-uplink.toml --pcap uplink.pcapng --pcap-snap 108B

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted.";
