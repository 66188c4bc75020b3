//! The arguments of `unbloat reproduce`.

use super::{COMMON, DrawArgs, RequestedQueue, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Paper to reproduce; without it, the papers are listed
    pub(crate) name: Option<String>,

    /// Only these parts of the paper, if it has parts; `unbloat reproduce` lists them
    #[arg(value_name = "PART", requires = "name")]
    pub(crate) parts: Vec<String>,

    /// Queue to judge, as tc writes it; repeatable
    #[arg(long = "queue", value_name = "QUEUE", value_parser = RequestedQueue::parse, requires = "name")]
    pub(crate) queues: Vec<RequestedQueue>,

    #[command(flatten)]
    pub(crate) draw: DrawArgs,

    /// Print the reproduction document instead of a table; without a paper, the list of papers
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  What there is:
    unbloat reproduce
  One of them, for a program:
    unbloat reproduce gijsbers --json
  A page with the paper's figures:
    unbloat reproduce gettys --report gettys.html
  A queue of your own, judged as RFC 7928 asks:
    unbloat reproduce rfc7928 --queue \"codel target 10ms\" --report codel.html

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted.";
