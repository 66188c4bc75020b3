//! The arguments of `unbloat shape`.

use std::net::SocketAddr;

use clap::{ArgGroup, Subcommand, ValueEnum};
use qdisc::{QdiscSpec, SpecError};
use units::{Rate, Span};

use super::device::device;

use super::COMMON;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ShapeArgs {
    #[command(subcommand)]
    pub(crate) set: Option<ShapeVerb>,

    /// Interface to the provider: `eth0`, `pppoe-wan`
    #[arg(value_name = "DEV", required = true, value_parser = device)]
    pub(crate) interface: Option<String>,

    /// Queue of outgoing packets, as tc writes it: "cake bandwidth 18mbit nat"
    #[arg(long, value_name = "QUEUE", value_parser = queue)]
    pub(crate) up: Option<QdiscSpec>,

    /// Queue of incoming packets: "cake bandwidth 90mbit ingress"
    #[arg(long, value_name = "QUEUE", value_parser = queue)]
    pub(crate) down: Option<QdiscSpec>,

    /// Rate of --up, for a queue that has none of its own: every queue but cake
    #[arg(long, value_name = "RATE", requires = "up", value_parser = super::fix::rate)]
    pub(crate) up_rate: Option<Rate>,

    /// Rate of --down, for a queue that has none of its own
    #[arg(long, value_name = "RATE", requires = "down", value_parser = super::fix::rate)]
    pub(crate) down_rate: Option<Rate>,

    /// Let both rates follow the line; the queues' rates are the base rates, which the line has
    /// most of the time
    #[arg(long, requires = "up")]
    pub(crate) autorate: bool,

    #[command(flatten)]
    pub(crate) follow: super::FollowArgs,

    /// What to do if this machine is too busy to shape: `pass`, let packets pass for ten seconds,
    /// then try again; or `shape`, go on as well as it can
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnStarvation::Pass)]
    #[arg(hide_possible_values = true)]
    pub(crate) on_starvation: OnStarvation,

    /// Serve the figures of the shaper to Prometheus: `127.0.0.1:9817`
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = super::device::listener(9817))]
    pub(crate) metrics: Option<SocketAddr>,

    /// End after this time, such as `10min`
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) duration: Option<Span>,

    /// Show the queues of the running shaper, as `tc -s qdisc` shows them
    #[arg(long, conflicts_with_all = OF_A_BEGINNING)]
    pub(crate) status: bool,

    /// Explain the queues of the running shaper in sentences, until Ctrl-C
    #[arg(long, conflicts_with_all = OF_A_BEGINNING, conflicts_with = "status")]
    pub(crate) live: bool,

    /// Print the state as JSON, with --status
    #[arg(long, help_heading = COMMON, requires = "status", conflicts_with_all = OF_A_BEGINNING, conflicts_with = "live")]
    pub(crate) json: bool,

    /// Print only errors on stderr
    #[arg(short, long, help_heading = COMMON)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShapeVerb {
    /// Change the queues of the running shaper without losing a packet
    #[command(after_help = SET_EXAMPLES, override_usage = "unbloat shape set [OPTIONS] <DEV>")]
    Set(ShapeSetArgs),
}

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("changes").args(CHANGES).required(true).multiple(true))]
pub(crate) struct ShapeSetArgs {
    /// Interface of the shaper
    #[arg(value_name = "DEV", value_parser = device)]
    pub(crate) interface: String,

    /// New settings for outgoing packets; options that are not named stay, as with `tc qdisc
    /// change`
    #[arg(long, value_name = "QUEUE")]
    pub(crate) up: Option<String>,

    /// New settings for incoming packets
    #[arg(long, value_name = "QUEUE")]
    pub(crate) down: Option<String>,

    /// New rate of outgoing packets, for a queue that has none of its own: every queue but cake
    #[arg(long, value_name = "RATE", value_parser = super::fix::rate)]
    pub(crate) up_rate: Option<Rate>,

    /// New rate of incoming packets, for a queue that has none of its own
    #[arg(long, value_name = "RATE", value_parser = super::fix::rate)]
    pub(crate) down_rate: Option<Rate>,

    /// Print the state as JSON
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,
}

/// The arguments with which a shaper begins, and which mean nothing to one that is at work.
const OF_A_BEGINNING: [&str; 13] = [
    "up",
    "down",
    "up_rate",
    "down_rate",
    "autorate",
    "server",
    "token_file",
    "reflectors",
    "up_range",
    "down_range",
    "on_starvation",
    "metrics",
    "duration",
];

/// The arguments that change a shaper that is at work: one at least.
const CHANGES: [&str; 4] = ["up", "down", "up_rate", "down_rate"];

/// The choices of a shaper that cannot keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnStarvation {
    /// Let packets pass for ten seconds, then try again
    Pass,
    /// Go on as well as it can
    Shape,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  unbloat shape eth0 --up \"cake bandwidth 18mbit\" \\
      --down \"cake bandwidth 90mbit ingress\"
  unbloat shape eth0 --up \"fq_codel\" --up-rate 18mbit
  unbloat shape eth0 --down \"cake bandwidth 90mbit ingress\" \\
      --metrics 127.0.0.1:9817
  unbloat shape wwan0 --autorate --reflectors 1.1.1.1,9.9.9.9,8.8.8.8 \\
      --up \"cake bandwidth 8mbit\" --up-range 1mbit-20mbit \\
      --down \"cake bandwidth 30mbit ingress\" --down-range 3mbit-80mbit
  unbloat shape eth0 --status
  unbloat shape eth0 --live
  unbloat shape set eth0 --down \"cake bandwidth 80mbit\"

It runs until Ctrl-C, or for the time of --for. However it ends, the interface is then as it was before. It needs \
Linux 6.6 or later, and CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF, which root has.

Exit codes: 0 ended or undone, 1 failed while running, 2 bad usage or bad input.";

const SET_EXAMPLES: &str = "\
Examples:
  unbloat shape set eth0 --down \"cake bandwidth 80mbit\"
  unbloat shape set eth0 --up \"cake bandwidth 15mbit ack-filter\" --json
  unbloat shape set eth0 --up-rate 15mbit";

fn queue(text: &str) -> Result<QdiscSpec, String> {
    text.parse().map_err(|error: SpecError| error.to_string())
}

fn duration(text: &str) -> Result<Span, String> {
    super::time::time(text, ["1s", "8760h"], "no time to shape for")
}
