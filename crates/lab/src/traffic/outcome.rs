//! The results of a flow.

use results::FlowResult;
use stats::Histogram;

/// The results of a flow, without those that only the links know (packets sent, lost).
#[derive(Clone, Debug)]
pub(crate) struct FlowOutcome {
    pub(crate) result: FlowResult,
    /// Round trips, or one-way delays of datagrams, in nanoseconds, since the statistics began.
    pub(crate) delays: Histogram,
}
