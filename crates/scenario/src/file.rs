//! The file as it is written: the keys, their meaning, and the spelling of their values.
//!
//! These types are the only list of keys: reading, writing and the JSON Schema derive from them,
//! and their comments are the schema's descriptions. Optional keys may be left out;
//! [`check`](crate::check) gives them their defaults.

mod dscp;
mod flow;
mod leaf;
mod plan;
mod sweep;
mod tcp;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Rate, Span};

pub(crate) use dscp::DscpFile;
pub(crate) use flow::{
    BulkFile, CbrFile, CommonFile, FlowFile, PackmimeFile, PageFile, PeriodicFile, PingFile,
    TrafficFile, TransferFile, VoipFile,
};
pub(crate) use leaf::{Count, Name, Number, Octets, Quantity};
pub(crate) use plan::{
    AckFile, Between, BurstFile, Equal, LossFile, ObjectsFile, PerWindow, RateFile, Step,
    TimesFile, TraceFile, Unlimited, UpTo, WindowFile,
};
pub(crate) use sweep::SweepFile;
pub(crate) use tcp::{CongestionFile, Era, TcpFile};

use crate::tree::At;

/// A scenario of unbloat: links, flows over them, and how long to watch.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a scenario")]
pub(crate) struct ScenarioFile {
    /// The place of this file's schema, for editors; the program ignores it.
    #[serde(rename = "$schema")]
    pub(crate) schema: Option<String>,
    /// One line for people. Default: the name of the file.
    pub(crate) title: Option<String>,
    /// The duration of the run, as in `"60s"`; at most a week.
    pub(crate) duration: At<Quantity<Span>>,
    /// The time at the beginning that the statistics leave out. Default: nothing.
    pub(crate) warmup: Option<At<Quantity<Span>>>,
    /// The seed of all randomness: the same seed gives the same numbers. Default: 1.
    pub(crate) seed: Option<Count>,
    /// The links, at least one.
    pub(crate) link: At<Vec<At<LinkFile>>>,
    /// The flows, at least one.
    pub(crate) flow: At<Vec<At<FlowFile>>>,
    /// The changes of links while the run lasts. Default: none.
    pub(crate) change: Option<At<Vec<At<ChangeFile>>>>,
    /// The fields that `unbloat sweep` varies; other verbs ignore this table.
    pub(crate) sweep: Option<SweepFile>,
}

/// A wire between two nodes with a queue at each end. A node exists if a link names it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a link")]
#[schemars(rename = "Link")]
pub(crate) struct LinkFile {
    /// The name of the link, used once: letters, digits, `_` and `-`.
    pub(crate) name: At<Name>,
    /// The node at one end.
    pub(crate) from: At<Name>,
    /// The node at the other end.
    pub(crate) to: At<Name>,
    /// The rate of the wire, from `from` to `to` and, unless `reverse` has another, back:
    /// `"10mbit"`; or a schedule, `[["0s", "100mbit"], ["50s", "10mbit"]]`; or a mahimahi trace,
    /// `{ trace = "file" }`; or `"unlimited"`, which takes no time. Default: unlimited.
    pub(crate) rate: Option<At<RateFile>>,
    /// The propagation delay, one way. Default: none.
    pub(crate) delay: Option<At<Quantity<Span>>>,
    /// The queue in front of the wire, as tc writes it: `"pfifo limit 1000"`, `"codel"`,
    /// `"fq_codel target 5ms"`. Default: `pfifo limit 1000`.
    pub(crate) queue: Option<At<String>>,
    /// Bytes added to each IP packet on this wire (14 is Ethernet as Linux counts it).
    /// Default: 0.
    pub(crate) overhead: Option<At<Octets>>,
    /// The cells in which this wire carries packets with their overhead: `"atm"` (ADSL), 53 bytes
    /// for each 48; `"ptm"` (VDSL2), 65 for each 64; or `"none"`. Default: `"none"`.
    pub(crate) cells: Option<CellsFile>,
    /// True if a shaper (HTB, TBF, CAKE) and not a wire keeps the rate. From a shaper a packet goes
    /// at once, and the next one must wait; on a wire each packet takes its time. Default: `false`.
    pub(crate) shaper: Option<At<bool>>,
    /// The number of bytes that a shaper saves up while it is idle, as HTB's and TBF's `burst`.
    /// Default: 0.
    pub(crate) burst: Option<At<Octets>>,
    /// The losses of the wire after the queue: `"1%"` of the packets at random, or
    /// `{ rate = "1%", burst = 5 }` in bursts of 5 packets on average. Default: nothing.
    pub(crate) loss: Option<At<LossFile>>,
    /// The node at one end that puts its own address in place of those behind it, as a home router
    /// does: the source of what it sends over this link, and the destination of what comes back.
    /// Default: neither.
    pub(crate) nat: Option<At<Name>>,
    /// The settings of the way back, from `to` to `from`, where they differ.
    pub(crate) reverse: Option<ReverseFile>,
}

/// The way back over a link. Keys that are left out are as on the way there.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of the way back")]
#[schemars(rename = "Reverse")]
pub(crate) struct ReverseFile {
    /// The rate of the wire, written as for the link.
    pub(crate) rate: Option<At<RateFile>>,
    /// The propagation delay, one way.
    pub(crate) delay: Option<At<Quantity<Span>>>,
    /// The queue in front of the wire, as tc writes it.
    pub(crate) queue: Option<At<String>>,
    /// Bytes added to each IP packet on this wire.
    pub(crate) overhead: Option<At<Octets>>,
    /// The cells in which this wire carries packets.
    pub(crate) cells: Option<CellsFile>,
    /// True if a shaper and not a wire keeps the rate.
    pub(crate) shaper: Option<At<bool>>,
    /// The number of bytes that a shaper saves up while it is idle.
    pub(crate) burst: Option<At<Octets>>,
    /// The losses of the wire after the queue, written as for the link.
    pub(crate) loss: Option<At<LossFile>>,
}

/// New settings of a link from a time on. Packets that wait stay, except for those that no longer
/// fit.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a change")]
#[schemars(rename = "Change")]
pub(crate) struct ChangeFile {
    /// The time of the change, as in `"20s"`.
    pub(crate) at: At<Quantity<Span>>,
    /// The name of the link.
    pub(crate) link: At<Name>,
    /// The direction of the link. Default: `"forward"`.
    pub(crate) direction: Option<WayFile>,
    /// Settings of the queue as `tc qdisc change` takes them, `"fq_codel target 10ms"`. The kind of
    /// queue must stay the same. Options that are not named stay as they are where they do in tc.
    pub(crate) queue: Option<At<String>>,
    /// The new rate of the wire or the shaper, which must have one constant rate.
    pub(crate) rate: Option<At<Quantity<Rate>>>,
}

/// A direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"forward\" or \"reverse\"")]
#[schemars(rename = "Way")]
pub(crate) enum WayFile {
    /// The direction from `from` to `to`.
    #[default]
    Forward,
    /// The direction from `to` to `from`.
    Reverse,
}

/// The cells of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"atm\", \"ptm\" or \"none\"")]
#[schemars(rename = "Cells")]
pub(crate) enum CellsFile {
    /// None: a packet takes the bytes that it has.
    None,
    /// ATM.
    Atm,
    /// PTM.
    Ptm,
}
