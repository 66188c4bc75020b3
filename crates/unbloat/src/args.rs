//! What was typed.

mod lab;
mod sweep;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Parser, Subcommand, value_parser};
use qdisc::{QdiscSpec, SpecError};
use scenario::{Override, ScenarioError};
use units::{Bytes, Rate, Span, UnitError};

#[cfg(target_os = "linux")]
pub(crate) use lab::Ports;
pub(crate) use lab::{LabArgs, LinkArgs};
pub(crate) use sweep::{Format, SweepArgs};

/// Finds bufferbloat, explains it and fixes it.
#[derive(Debug, Parser)]
#[command(name = "unbloat", version, about, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Simulate a scenario: links, queues, TCP and traffic, in virtual time
    #[command(after_help = SIM_EXAMPLES, override_usage = SIM_USAGE)]
    Sim(SimArgs),
    /// Simulate a scenario many times, with other values each time, and keep what comes of it
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(Box<SweepArgs>),
    /// Run a scenario, or any program, over the same queues with real TCP
    #[command(after_help = lab::EXAMPLES, override_usage = lab::USAGE)]
    Lab(Box<LabArgs>),
    /// Send recorded arrivals, from a CSV or a capture, through one queue
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// Repeat a paper's experiments, its figures beside ours
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Draw results made earlier as a page or a picture
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SimArgs {
    /// The scenario (TOML or JSON); see docs/sim.md, and scenarios/ for some to start from
    #[arg(required_unless_present = "schema")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Run once with each of these queues on the bottleneck, and compare
    #[arg(long, value_name = "QUEUE", num_args = 1.., value_parser = Queue::parse)]
    #[arg(conflicts_with_all = ["series", "packets", "pcap"])]
    pub(crate) compare: Vec<Queue>,

    /// Which queue to replace [default: that of the slowest link that a flow's data crosses]
    #[arg(long, value_name = "LINK[.reverse]", requires = "compare")]
    pub(crate) compare_link: Option<String>,

    /// Print the result document instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) watch: WatchArgs,

    /// Print the JSON Schema of the scenario file, and do nothing else
    #[arg(long, exclusive = true)]
    pub(crate) schema: bool,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// The arrivals: a CSV with the header `time_s,bytes[,flow,ecn,dscp]`, or a pcap or pcapng
    /// capture; see docs/replay.md
    pub(crate) file: PathBuf,

    /// The queue that they meet, as tc writes it
    #[arg(long, value_name = "QUEUE")]
    pub(crate) queue: QdiscSpec,

    /// How fast the link behind the queue is, such as `10mbit`
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
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Print the result document instead of the fates or the summary
    #[arg(long)]
    pub(crate) json: bool,

    /// What a queue's randomness is derived from
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Which paper; without it, lists what there is
    pub(crate) name: Option<String>,

    /// Only these parts of it, if it has parts; `unbloat reproduce` lists them
    #[arg(value_name = "PART", requires = "name")]
    pub(crate) parts: Vec<String>,

    /// The queue to judge, as tc writes it; repeatable
    #[arg(long = "queue", value_name = "QUEUE", value_parser = Queue::parse, requires = "name")]
    pub(crate) queues: Vec<Queue>,

    /// Print the reproduction document instead of a table
    #[arg(long, requires = "name")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Result documents, as `unbloat sim --json` prints them, with --compare or without; several
    /// are drawn together. Or the folder of a sweep; or a path measured: `unbloat test --json`, or
    /// a file of Flent's (`.flent.gz`) or irtt's
    #[arg(required = true, value_name = "RESULT.json|DIR")]
    pub(crate) files: Vec<PathBuf>,

    /// Where to write the page [default: report.html, unless only --plot is given]; of a sweep with
    /// --plot KIND, the plot, as .svg, .png or .html [default: KIND.svg]
    #[arg(short, long, visible_alias = "report", value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) plot: PlotArgs,

    /// Of a sweep: the field to the right, or for `cdf` and `tradeoff` the metric; the end of its
    /// name will do
    #[arg(long, value_name = "PATH")]
    pub(crate) x: Option<String>,

    /// Of a sweep: the metric upwards, such as `sojourn_ms.p95`; of `heat`, the one coloured
    #[arg(long, value_name = "METRIC")]
    pub(crate) y: Option<String>,

    /// Of a sweep: the field of which each value has a colour; of `heat`, the one upwards
    #[arg(long, value_name = "PATH")]
    pub(crate) by: Option<String>,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// What is changed about the scenario.
#[derive(Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// Override a field of the scenario; repeatable
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = change)]
    pub(crate) overrides: Vec<Override>,

    /// Override the scenario's seed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: Option<u64>,
}

/// What is written about a run beside its result.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Write queues, rates and windows over time, as CSV or Parquet: FILE ends in .csv or .parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) series: Option<PathBuf>,

    /// How far apart the rows of the series are
    #[arg(long, value_name = "TIME", default_value = "100ms", requires = "series")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) series_step: Span,

    /// Write the fate of each packet on each link, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) packets: Option<PathBuf>,

    /// Write the packets that pass one end of a link, as a capture: FILE ends in .pcapng
    #[arg(long, value_name = "FILE")]
    pub(crate) pcap: Option<PathBuf>,

    /// Where to capture: where packets enter this direction of a link, before its queue
    /// [default: that of the slowest link that a flow's data crosses]
    #[arg(long, value_name = "LINK[.reverse]", requires = "pcap")]
    pub(crate) pcap_link: Option<String>,

    /// Keep no more than so many bytes of a packet, such as `108B` [default: whole packets]
    #[arg(long, value_name = "SIZE", requires = "pcap", allow_hyphen_values = true)]
    pub(crate) pcap_snap: Option<Bytes>,
}

/// What is drawn beside the result.
#[derive(Debug, clap::Args)]
pub(crate) struct DrawArgs {
    /// Write a page with verdict, tables and plots: one HTML file that needs no network
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) plot: PlotArgs,
}

impl DrawArgs {
    /// The options with their files, in the order in which they are told.
    pub(crate) fn files(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--report", self.report.as_deref()), ("--plot", self.plot.plot.as_deref())]
    }
}

/// A picture.
#[derive(Debug, clap::Args)]
pub(crate) struct PlotArgs {
    /// Write the plots as a picture: FILE ends in .svg or .png; of a sweep also a kind of plot,
    /// `box`, `cdf`, `tradeoff`, `heat` or `line`
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Put only these plots into the picture, such as `delay,cdf`; the page names each
    #[arg(long, value_name = "PLOT", value_delimiter = ',', requires = "plot")]
    pub(crate) only: Vec<String>,
}

/// How much to say on stderr.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Volume {
    /// Say nothing on stderr but errors
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say on stderr what is done, and what it cost
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(crate) verbose: bool,
}

/// A queue, and in which words it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) typed: String,
    pub(crate) spec: QdiscSpec,
}

impl Queue {
    fn parse(text: &str) -> Result<Self, String> {
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
    text.parse().map_err(|error: ScenarioError| error.message)
}

fn link_rate(text: &str) -> Result<Rate, String> {
    const FASTEST: Rate = Rate::from_mbit(1_000_000);
    let rate: Rate = text.parse().map_err(|error: UnitError| error.to_string())?;
    match rate <= FASTEST {
        true => Ok(rate),
        false => Err(format!("{rate} is too fast; write at most {FASTEST}")),
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// FILE first: `--compare` takes all that follows it.
const SIM_USAGE: &str = "unbloat sim <FILE> [OPTIONS]\n       unbloat sim --schema";

const EXAMPLES: &str = "\
Examples:
  unbloat sim scenarios/home-uplink.toml
  unbloat sweep scenarios/sweeps/queues.toml
  unbloat lab --rate 2mbit --rtt 20ms --queue fq_codel -- curl http://peer/1MB
  unbloat reproduce

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted twice (a sweep or a paper: before its end).
Interrupted once, it finishes early and keeps the result so far.";

const SIM_EXAMPLES: &str = "\
Examples:
  A table and a verdict:
    unbloat sim scenarios/home-uplink.toml
  The same line under three queues, written as tc writes them:
    unbloat sim scenarios/home-uplink.toml --compare \"pfifo limit 300\" codel fq_codel
  Another rate, another seed, for a program:
    unbloat sim scenarios/home-uplink.toml --set link.uplink.rate=5mbit --seed 7 --json
  A page with plots, to look at and to keep:
    unbloat sim scenarios/home-uplink.toml --compare \"pfifo limit 300\" fq_codel --report home.html
  One plot as a picture:
    unbloat sim scenarios/home-uplink.toml --plot delay.svg --only delay
  How the queue fills, ten times a second:
    unbloat sim scenarios/home-uplink.toml --series uplink.csv --series-step 100ms
  Its packets, as a computer behind the link would capture them, for Wireshark:
    unbloat sim scenarios/home-uplink.toml --pcap uplink.pcapng --pcap-snap 108B";

const REPLAY_EXAMPLES: &str = "\
Examples:
  What becomes of each packet that a computer sent, had it sent it over a slow link:
    tcpdump -i eth0 -s 128 -w upload.pcap \"outbound and port 443\"
    unbloat replay --queue \"pfifo limit 300\" --rate 2mbit upload.pcap --out fates.csv
  The same under another queue, for a program:
    unbloat replay --queue fq_codel --rate 2mbit upload.pcap --json
  From a pipe, the first rows only:
    zcat upload.pcap.gz | unbloat replay --queue codel --rate 2mbit /dev/stdin | head";

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  What there is:
    unbloat reproduce
  One of them, for a program:
    unbloat reproduce gijsbers --json
  A page with the paper's figures:
    unbloat reproduce gettys --report gettys.html
  A queue of one's own, judged as RFC 7928 asks:
    unbloat reproduce rfc7928 --queue \"codel target 10ms\" --report codel.html";

const REPORT_EXAMPLES: &str = "\
Examples:
  A result that was kept, as a page:
    unbloat sim scenarios/home-uplink.toml --json > home.json
    unbloat report home.json --out home.html
  Two results on one page, and their delays as a picture:
    unbloat report before.json after.json --out both.html --plot delay.png --only delay
  The runs of a sweep, as a page, and as boxes:
    unbloat report queues.runs
    unbloat report queues.runs --plot box --x link.uplink.rate --y sojourn_ms.p50 --by queue";
