//! The argument for statistics of queues.

use clap::ValueEnum;

/// The form in which the statistics of queues are printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum QdiscStats {
    /// As `tc -s qdisc show` prints them
    Text,
    /// As `tc -s -j qdisc show` prints them
    Json,
}
