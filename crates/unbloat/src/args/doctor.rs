//! The arguments of `unbloat doctor`.

use remedy::LinkKind;
use remote::Destination;
use units::{Rate, Span};

use super::device::device;
use super::fix::{Links, rate};
use super::time::time;

use super::COMMON;

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Interface to the provider, or the output of `unbloat test --json` from this machine, with the
    /// rates and the delay of the line
    #[arg(value_name = "DEV|MEASUREMENT.json", value_parser = super::file::input_or_name())]
    pub(crate) source: Option<String>,

    /// Look at another machine, by your ssh: ssh://root@192.168.1.1 [default: this machine]
    #[arg(long, value_name = "URL")]
    pub(crate) over: Option<Destination>,

    /// Interface to the provider, beside a measurement [default: that of the default route]
    #[arg(long, value_name = "DEV", value_parser = device)]
    pub(crate) wan: Option<String>,

    /// Kind of the line, as `unbloat fix --help` lists them
    #[arg(long, value_name = "KIND", value_parser = Links, hide_possible_values = true)]
    pub(crate) link: Option<&'static LinkKind>,

    /// Upload rate of the line, in place of the measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) up: Option<Rate>,

    /// Download rate of the line, in place of the measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) down: Option<Rate>,

    /// Explain in sentences what the queues of this device do now, in place of a checkup: ten times
    /// a second on a terminal, otherwise once; with --json an object a line, ten times a second
    #[arg(long, value_name = "DEV", value_parser = device)]
    #[arg(conflicts_with_all = ["source", "wan", "link", "up", "down"])]
    pub(crate) explain: Option<String>,

    /// Time for which counters are watched: 100ms to 24h; without --explain it is rounded up to
    /// whole seconds [default: 2s; with --explain 1s, and on a terminal until interrupted]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = watched)]
    pub(crate) time: Option<Span>,

    /// Print the checkup document instead of text
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,
}

impl DoctorArgs {
    /// The time for which a checkup watches: whole seconds, since no others are known to every
    /// `sleep`.
    pub(crate) fn pause(&self) -> Span {
        let time = self.time.unwrap_or(Span::from_secs(2));
        Span::from_secs(time.as_nanos().div_ceil(1_000_000_000))
    }
}

/// The time for which counters are watched.
fn watched(text: &str) -> Result<Span, String> {
    time(text, ["100ms", "24h"], "no time to watch counters for")
}

pub(super) const EXAMPLES: &str = "\
Examples:
  Look at this machine; load the line meanwhile, so that counters move:
    unbloat doctor --time 10s
  With what is known of the line:
    unbloat doctor --up 2mbit --down 20mbit --link vdsl2-pppoe
  At a router, by ssh:
    unbloat doctor --over ssh://root@192.168.1.1 --up 2mbit --down 20mbit
  With a test from this machine:
    unbloat test far.example.net --json > before.json
    unbloat doctor before.json
  What the shaper does, live, here or on a router:
    unbloat doctor --explain eth0
    unbloat doctor --explain eth0 --over ssh://root@192.168.1.1

Nothing is changed, and no rights are needed; root sees more.
Exit codes: 0 nothing is wrong, 1 failed while running, 2 bad usage or bad input, 3 interrupted, \
4 something is wrong.";
