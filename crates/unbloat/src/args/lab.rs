//! The arguments of `unbloat lab`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use qdisc::QdiscSpec;
use units::{Prob, Rate, Span};

use super::{COMMON, DrawArgs, QdiscStats, RecordArgs, ScenarioArgs, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct LabArgs {
    /// Scenario (TOML or JSON, - for stdin), as for `unbloat sim`; without one, a COMMAND
    /// runs at one end of a link
    #[arg(value_name = "SCENARIO", value_parser = super::file::input())]
    pub(crate) file: Option<PathBuf>,

    /// Command to run behind the link, after `--` [default: a shell]
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// Try each thing that the lab needs, and print what works
    #[arg(long)]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Run the scenario in the simulator too, with the same seed, and compare: `sim`
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    pub(crate) against: Option<Against>,

    /// Show rate, backlog, sojourn and drops while it runs
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) live: bool,

    /// Fail if the machine did not keep time
    #[arg(long)]
    pub(crate) strict: bool,

    /// Kind of device at the ends of links: `tun`, which needs /dev/net/tun, or `packet`, packet
    /// sockets on virtual Ethernet, for anyone [default: tun where it can be opened]
    #[arg(long, value_name = "KIND", hide_possible_values = true)]
    pub(crate) ports: Option<Ports>,

    /// Use no super-packets: more exact, but slower above about 100 Mbit/s
    #[arg(long)]
    pub(crate) no_gso: bool,

    /// Print the statistics of the queues at the end instead of a table: `text`, as `tc -s
    /// qdisc show` prints them, or `json`, as `tc -s -j qdisc show` does; a COMMAND's own output comes first
    #[arg(long, value_name = "FORM", hide_possible_values = true, conflicts_with_all = ["json", "against"])]
    pub(crate) qdisc_stats: Option<QdiscStats>,

    #[command(flatten)]
    pub(crate) record: RecordArgs,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    // The link comes last, because its heading is that of all that follows.
    #[command(flatten)]
    pub(crate) link: LinkArgs,

    /// Print the result document instead of a table; a COMMAND's own output comes first
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The link in front of a command. "Up" is from the command to the world.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The link in front of a COMMAND")]
pub(crate) struct LinkArgs {
    /// Rate of the link, both ways [default: no limit]
    #[arg(long, value_name = "RATE", conflicts_with = "trace", allow_hyphen_values = true)]
    pub(crate) rate: Option<Rate>,

    /// Round trip over the link, half of it each way [default: none]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) rtt: Option<Span>,

    /// Queue in front of the link, both ways, as tc writes it [default: pfifo limit 1000]
    #[arg(long, value_name = "QUEUE")]
    pub(crate) queue: Option<QdiscSpec>,

    /// Part of the packets that the link loses, both ways, such as `1%` [default: none]
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub(crate) loss: Option<Prob>,

    /// A mahimahi trace that says when packets may pass, both ways
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) trace: Option<PathBuf>,

    /// Congestion control of TCP at both ends of the link, where a program does not choose one
    /// [default: cubic]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) congestion: Option<String>,

    /// Upload rate, from the command to the world
    #[arg(long, value_name = "RATE", conflicts_with = "up_trace", allow_hyphen_values = true)]
    pub(crate) up: Option<Rate>,

    /// Download rate
    #[arg(long, value_name = "RATE", conflicts_with = "down_trace", allow_hyphen_values = true)]
    pub(crate) down: Option<Rate>,

    /// Upload queue
    #[arg(long, value_name = "QUEUE")]
    pub(crate) up_queue: Option<QdiscSpec>,

    /// Download queue
    #[arg(long, value_name = "QUEUE")]
    pub(crate) down_queue: Option<QdiscSpec>,

    /// Upload trace
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) up_trace: Option<PathBuf>,

    /// Download trace
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) down_trace: Option<PathBuf>,

    /// Part of the packets that is lost in the upload
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub(crate) up_loss: Option<Prob>,

    /// Part of the packets that is lost in the download
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub(crate) down_loss: Option<Prob>,
}

impl LinkArgs {
    /// The first of these options that was typed; `None` if none was.
    pub(crate) fn first(&self) -> Option<&'static str> {
        let typed = [
            ("--rate", self.rate.is_some()),
            ("--rtt", self.rtt.is_some()),
            ("--queue", self.queue.is_some()),
            ("--loss", self.loss.is_some()),
            ("--trace", self.trace.is_some()),
            ("--congestion", self.congestion.is_some()),
            ("--up", self.up.is_some()),
            ("--down", self.down.is_some()),
            ("--up-queue", self.up_queue.is_some()),
            ("--down-queue", self.down_queue.is_some()),
            ("--up-trace", self.up_trace.is_some()),
            ("--down-trace", self.down_trace.is_some()),
            ("--up-loss", self.up_loss.is_some()),
            ("--down-loss", self.down_loss.is_some()),
        ];
        typed.into_iter().find_map(|(option, is_typed)| is_typed.then_some(option))
    }
}

/// The comparison partner of the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Against {
    /// The simulator, with the same seed
    Sim,
}

/// The kind of device of which a port is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ports {
    /// TUN devices; needs /dev/net/tun
    Tun,
    /// Packet sockets on virtual Ethernet; works for anyone
    Packet,
}

/// The forms of the command.
pub(super) const USAGE: &str = "unbloat lab <SCENARIO> [OPTIONS]\n       \
                                unbloat lab [OPTIONS] -- [COMMAND]...\n       \
                                unbloat lab --check [--json]";

pub(super) const EXAMPLES: &str = "\
Examples:
  What this machine can do:
    unbloat lab --check
  A shell behind a bloated line; `exit` ends it and prints the results:
    unbloat lab --up 2mbit --down 20mbit --rtt 20ms --queue \"bfifo limit 256kB\"
  A line with fq_codel, and a download over it:
    unbloat lab --rate 20mbit --rtt 20ms --queue fq_codel \\
        -- curl -o /dev/null http://peer/100MB
  A recorded line, in the format of mahimahi:
    unbloat lab --down-trace scenarios/traces/fading.trace \\
        -- curl -o /dev/null http://peer/1MB
  A scenario under the kernels' own TCP, and beside it the simulator:
    unbloat lab scenarios/home-uplink.toml --set duration=20s --against sim

Exit codes: with a COMMAND, its own; otherwise 0 done, 1 failed or starved, 2 bad usage or bad \
input, 3 interrupted (with a COMMAND, before or after it).";
