//! The arguments of `unbloat pcap`.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
use units::Span;

#[cfg(target_os = "linux")]
use super::time::time;
use super::{COMMON, DrawArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct PcapArgs {
    /// The captures: pcap, pcapng, snoop, ERF and others (docs/pcap.md), also packed by
    /// gzip or zstd; - is stdin
    #[arg(value_name = "FILE", required = true, value_parser = super::file::input())]
    #[cfg_attr(target_os = "linux", arg(required = false, required_unless_present = "interface"))]
    pub(crate) files: Vec<PathBuf>,

    /// Read the packets of this interface instead of a file, until Ctrl-C
    #[cfg(target_os = "linux")]
    #[arg(short, long, value_name = "DEV", value_parser = super::device::device, conflicts_with = "files")]
    pub(crate) interface: Option<String>,

    /// Follow the interface for this time
    #[cfg(target_os = "linux")]
    #[arg(long = "for", value_name = "TIME", value_parser = duration, requires = "interface", conflicts_with = "files")]
    pub(crate) duration: Option<Span>,

    /// Print all figures of each connection, with the names of `tcptrace -l -r -W`
    #[arg(long)]
    pub(crate) long: bool,

    /// Write graphs of each connection for xplot and jPlot into a new folder, as `tcptrace -S -N -R -T`
    #[arg(long, value_name = "DIR")]
    pub(crate) xplot: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    /// Draw the plots of this many directions, the longest waits first
    #[arg(long, value_name = "COUNT", default_value_t = 4)]
    pub(crate) top: usize,

    /// Print the document `unbloat.capture`, one line for each file
    #[arg(long, help_heading = COMMON, conflicts_with = "long")]
    pub(crate) json: bool,

    /// Print only errors on stderr
    #[arg(short, long, help_heading = COMMON)]
    pub(crate) quiet: bool,
}

/// How long an interface is followed.
#[cfg(target_os = "linux")]
fn duration(text: &str) -> Result<Span, String> {
    time(text, ["1s", "10080min"], "no time to follow an interface")
}

pub(super) const EXAMPLES: &str = "\
Examples:
  unbloat pcap slow.pcap
  unbloat pcap slow.pcapng.gz --long
  unbloat pcap slow.pcap --report slow.html
  unbloat pcap slow.pcap --xplot graphs && xplot graphs/a2b_tsg.xpl
  sudo unbloat pcap -i eth0 --for 30s
  unbloat pcap *.pcap --json > connections.jsonl

Exit codes: 0 done, 1 a file is damaged or cannot be read to its end, 2 bad usage or no capture, \
3 interrupted.";
