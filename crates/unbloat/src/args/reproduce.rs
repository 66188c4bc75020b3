//! What is typed of `reproduce`.

use super::{DrawArgs, Queue, Volume};

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

pub(super) const EXAMPLES: &str = "\
Examples:
  What there is:
    unbloat reproduce
  One of them, for a program:
    unbloat reproduce gijsbers --json
  A page with the paper's figures:
    unbloat reproduce gettys --report gettys.html
  A queue of one's own, judged as RFC 7928 asks:
    unbloat reproduce rfc7928 --queue \"codel target 10ms\" --report codel.html";
