//! The kinds of queues.

use serde::{Deserialize, Serialize};

/// Kinds of queues that can be distinguished from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum QueueKind {
    /// First in, first out, with a limit in bytes.
    ByteFifo,
    /// First in, first out, with a limit in packets.
    PacketFifo,
    /// First in, first out; it is not known whether the limit is in bytes or in packets.
    Fifo,
    /// The queue drops or marks before it is full, and keeps its delay short (CoDel, PIE, RED).
    Aqm,
    /// Each flow has its own queue, and the loading flows do not delay the others.
    FairQueueing,
    /// Packets above the rate are dropped, and none waits.
    Policer,
    /// The rate varies, and the delay with it (Wi-Fi, mobile).
    VariableRate,
    /// No queue was seen: the load did not build one.
    None,
    /// The signs contradict each other.
    #[default]
    Unknown,
}
