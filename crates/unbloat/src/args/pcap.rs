//! The arguments of `unbloat pcap`.

use std::path::PathBuf;

use super::DrawArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct PcapArgs {
    /// The captures: pcap or pcapng, also packed by gzip or zstd
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Print all figures of each connection, with the names of `tcptrace -l -r -W`
    #[arg(long)]
    pub(crate) long: bool,

    /// Print the document `unbloat.capture`, one line a file
    #[arg(long, conflicts_with = "long")]
    pub(crate) json: bool,

    /// Write graphs of each connection for xplot and jPlot into a new folder, as `tcptrace -S -N -R -T`
    #[arg(long, value_name = "DIR")]
    pub(crate) xplot: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    /// Draw the plots of so many directions, those whose packets wait longest
    #[arg(long, value_name = "COUNT", default_value_t = 4)]
    pub(crate) top: usize,

    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  unbloat pcap slow.pcap
  unbloat pcap slow.pcapng.gz --long
  unbloat pcap slow.pcap --report slow.html
  unbloat pcap slow.pcap --xplot graphs && xplot graphs/a2b_tsg.xpl
  unbloat pcap *.pcap --json > connections.jsonl";
