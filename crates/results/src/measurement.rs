//! The measurement document: what `unbloat test --json` prints.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::{
    Call, Finding, Grade, Histogram, PageLoads, PageSeries, Processors, Remark, Ungraded, Version,
    short,
};

/// What a measurement of a path found. Missing values are `None`, in JSON `null`: never 0 or NaN.
///
/// Fields unknown to this version are ignored when read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// `"unbloat.measurement"`; reading anything else is an error.
    pub schema: MeasurementSchema,
    /// `2`; reading anything else is an error. Version 1 had bare sentences where this has remarks.
    pub version: Version<2>,
    /// The test's name: `test`, or as Flent has it `rrul`, `rrul_be`, `tcp_nup`, `tcp_ndown`.
    pub test: String,
    /// The server as it was named.
    pub server: String,
    /// The address and port that were measured.
    pub address: String,
    /// When it began, from which all seconds here are counted: RFC 3339, UTC, to the microsecond.
    pub started: String,
    /// How long it took, in seconds.
    pub duration_s: f64,
    /// Why it is not whole, in a sentence; `None` if it is.
    pub partial: Option<String>,
    /// The whole measurement in words, the most important one first.
    pub verdict: Vec<Remark>,
    /// The worse of the grades of both directions: see docs/grade.md.
    pub grade: Option<Grade>,
    /// Why there is no grade; `None` if there is one.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// Our one number, in milliseconds: see docs/test.md.
    pub lag_ms: Option<f64>,
    /// Round trips a minute as draft-ietf-ippm-responsiveness defines them, over the loaded stages.
    pub responsiveness_rpm: Option<f64>,
    /// The round trip of an idle path: its median, in milliseconds.
    pub idle_ms: Option<f64>,
    /// What the delay does to those who use the path meanwhile.
    pub effects: Option<Effects>,
    /// Loaded from the server to us.
    pub download: Option<LoadedDirection>,
    /// Loaded from us to the server.
    pub upload: Option<LoadedDirection>,
    /// Both loaded at once: the directions as they were then.
    pub both: Option<BothLoaded>,
    /// A call that was made beside the load, if it was.
    pub call: Option<Call>,
    /// A page that was loaded beside the load, if it was.
    pub page: Option<PageLoads>,
    /// How busy both machines were.
    pub processors: Option<Processors>,
    /// Our own interface towards the server, if the kernel told.
    #[serde(default)]
    pub interface: Option<OwnInterface>,
    /// Where the queue of the worse direction is.
    pub offender: Option<Offender>,
    /// The way to the server, as far as it answers.
    pub hops: Vec<Hop>,
    /// What the test itself may have limited, or why its figures are only bounds.
    pub limits: Vec<Remark>,
    /// What to do about it, if anything.
    pub advice: Vec<Remark>,
    /// What it is all drawn from.
    pub series: Option<MeasuredSeries>,
}

/// Our own end of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnInterface {
    /// Its name: `eth0`.
    pub name: String,
    /// Is it Wi-Fi?
    pub wireless: bool,
    /// Its queue as `tc` names it: `fq_codel`.
    pub qdisc: Option<String>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeasurementSchema {
    /// The only one there is.
    #[default]
    #[serde(rename = "unbloat.measurement")]
    Measurement,
}

/// One direction under load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadedDirection {
    /// The part of the test that all this is about, in seconds from its beginning: the load was
    /// there and had settled.
    pub window_s: [f64; 2],
    /// What the load brought through the bottleneck in IP packets, the probes among them, in Mbit/s: less than
    /// the line carries where it was not `saturated`, or where a finding
    /// [leaves that open](crate::FindingKind::leaves_rate_open).
    pub rate_mbit: Option<f64>,
    /// Application bytes received, Mbit/s.
    pub goodput_mbit: Option<f64>,
    /// Delay beyond the path's least, of the probes, in milliseconds.
    pub added_delay_ms: DelaySpread,
    /// Round trips of the loading flows beyond their least, in milliseconds.
    pub flow_delay_ms: DelaySpread,
    /// The delay that probes in the opposite direction had meanwhile, beyond the least.
    pub opposite_delay_ms: DelaySpread,
    /// Part of the probes that never arrived, 0 to 1. Those that came late are not lost.
    pub loss: Option<f64>,
    /// Part of the loading flows' segments that were sent once more.
    pub retransmitted: Option<f64>,
    /// How sure rate and added delay are.
    pub certainty: Certainty,
    /// How large the buffer is, where it has a size.
    pub buffer: Option<Buffer>,
    /// What kind of queue it is.
    pub queue: Option<QueueFinding>,
    /// What else was found, the surest first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The part of the line that others may have had, 0 to 1, by the slowest fall of the queue in a pause of the load;
    /// `None` if no pause tells.
    #[serde(default)]
    pub others_part: Option<f64>,
    /// Where it is.
    pub offender: Option<Offender>,
    /// The grade of this direction alone, by DSLReports' bounds: see docs/grade.md.
    pub grade: Option<Grade>,
    /// Why there is no grade; `None` if there is one.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// Round trips a minute as draft-ietf-ippm-responsiveness defines them, of this load alone.
    pub responsiveness_rpm: Option<f64>,
    /// Is it known that the load filled the path? If not, its figures say little of the path. That it did not
    /// fill it is said by `grade_reason`.
    pub saturated: bool,
    /// Loading connections.
    pub flows: u32,
    /// Their congestion controls: `cubic, reno`.
    pub congestion: String,
}

/// Both directions while both were loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BothLoaded {
    /// From the server to us.
    pub download: LoadedDirection,
    /// From us to the server.
    pub upload: LoadedDirection,
}

/// Percentiles of a delay, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DelaySpread {
    /// Median.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The longest.
    pub max: Option<f64>,
}

impl DelaySpread {
    /// Of a histogram of nanoseconds.
    pub fn of(nanos: &Histogram) -> Self {
        let percentile = |q| nanos.quantile(q).map(|nanos| nanos as f64 / 1e6);
        Self {
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: percentile(1.0),
        }
    }
}

/// Between which bounds a figure would have been in 95 of 100 tests of the same path at other times,
/// as far as the one that was made tells; nothing if it was too short for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Certainty {
    /// Of the rate at the bottleneck, Mbit/s.
    pub rate_mbit: Option<[f64; 2]>,
    /// Of the median of the added delay, in milliseconds.
    pub added_p50_ms: Option<[f64; 2]>,
    /// Of its 95th percentile.
    pub added_p95_ms: Option<[f64; 2]>,
    /// Of its 99th percentile.
    pub added_p99_ms: Option<[f64; 2]>,
    /// Of the part of the probes that is lost, 0 to 1.
    pub loss: Option<[f64; 2]>,
}

/// A buffer's size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// In bytes of IP packets.
    pub bytes: Option<f64>,
    /// In packets, where it is counted so.
    pub packets: Option<f64>,
    /// How long a packet waits in it while it is full, at the bottleneck's rate, in milliseconds.
    pub full_ms: Option<f64>,
    /// Is it only known to be at least so large?
    pub at_least: bool,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
}

/// What kind of queue a direction has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueFinding {
    /// Its kind.
    pub kind: QueueKind,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
}

/// Kinds of queues that can be told apart from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueKind {
    /// First in, first out, full at so many bytes.
    ByteFifo,
    /// First in, first out, full at so many packets.
    PacketFifo,
    /// First in, first out; what it counts did not show.
    Fifo,
    /// It drops or marks before it is full, and keeps its delay short (CoDel, PIE, RED).
    Aqm,
    /// Flows have queues of their own, and those that load do not delay the others.
    FairQueueing,
    /// What is too much is dropped, and nothing waits.
    Policer,
    /// The rate varies, and the delay with it (Wi-Fi, mobile).
    VariableRate,
    /// No queue was seen: the load did not make one.
    None,
    /// The signs contradict each other.
    #[default]
    Unknown,
}

impl QueueKind {
    /// In two words at most, as people read it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::ByteFifo => "byte FIFO",
            Self::PacketFifo => "packet FIFO",
            Self::Fifo => "FIFO",
            Self::Aqm => "AQM",
            Self::FairQueueing => "fair queueing",
            Self::Policer => "policer",
            Self::VariableRate => "variable rate",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// Where a queue is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offender {
    /// Who holds the queue, counted from us: 0 is our own machine, 1 the first router. On the way to
    /// the server it is the queue of what this hop sends on, on the way back of what it sends towards
    /// us. `None` if it cannot be told.
    pub hop: Option<u8>,
    /// The last hop that may hold it, where several may: routers between that do not answer.
    pub last_hop: Option<u8>,
    /// That router's address.
    pub address: Option<IpAddr>,
    /// On the way to the server, or back.
    pub leg: Leg,
    /// In words that people use.
    pub place: Place,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// What it was concluded from, in a sentence.
    pub evidence: String,
}

/// A part of the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// From us to the server.
    #[default]
    Forward,
    /// From the server to us.
    Return,
}

/// Whose a queue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Our own machine.
    OwnHost,
    /// The first hop: Wi-Fi, or the network at home.
    FirstHop,
    /// The router or modem at home, or the provider's first device: the access line.
    AccessLine,
    /// Further away.
    Beyond,
    /// It cannot be told.
    #[default]
    Unknown,
}

/// A router on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hop {
    /// Counted from us; 1 is the first router.
    pub hop: u8,
    /// Who answered; `None` if nobody did.
    pub address: Option<IpAddr>,
    /// Is it the server?
    pub is_server: bool,
    /// Probes sent, and answers.
    pub sent: u32,
    /// Answers.
    pub answered: u32,
    /// The least round trip, in milliseconds.
    pub min_ms: Option<f64>,
    /// Median round trip while the download was loaded.
    pub download_ms: Option<f64>,
    /// Median round trip while the upload was loaded.
    pub upload_ms: Option<f64>,
}

/// What people notice while the path is loaded in its worse direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    /// A call's mean opinion score, 1 to 4.5 (the E-model, ITU-T G.107).
    pub call_mos: Option<f64>,
    /// How long a game waits for what it did, in milliseconds: the lag.
    pub game_ms: Option<f64>,
    /// How long a page takes that needs ten round trips one after the other, in seconds: each the
    /// least one, and the median of the added delay.
    pub page_s: Option<f64>,
}

/// What was measured over time, for drawing. Times are seconds from the beginning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredSeries {
    /// What was loaded when.
    pub stages: Vec<MeasuredStage>,
    /// Delays of probes, a list for each class.
    pub probes: Vec<ProbeSeries>,
    /// Rates of loading flows, and their round trips.
    pub flows: Vec<FlowSeries>,
    /// Round trips of hops.
    pub hops: Vec<HopSeries>,
    /// ICMP echo requests, if they were sent and allowed: round trips only.
    pub pings: Option<ProbeSeries>,
    /// The frames of a call, if one was made.
    pub call: Option<ProbeSeries>,
    /// Pages, if they were loaded.
    pub pages: Option<PageSeries>,
}

/// A stage of the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredStage {
    /// `idle`, `download`, `upload`, `both`, `download_small`, `upload_small`, `drain`.
    pub name: String,
    /// From, in seconds.
    pub start_s: f64,
    /// To, in seconds.
    pub end_s: f64,
}

/// Delays of probes of one class, one value a probe, in the order in which they were sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeSeries {
    /// The class: `BE`, `BK`, `CS5`, `EF`.
    pub class: String,
    /// Sent at, in seconds.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Delay up beyond the least, in milliseconds; `None` if it was lost on that way.
    #[serde(serialize_with = "short::list_or_missing")]
    pub up_ms: Vec<Option<f64>>,
    /// Delay down beyond the least.
    #[serde(serialize_with = "short::list_or_missing")]
    pub down_ms: Vec<Option<f64>>,
    /// The whole round trip, without the server's part.
    #[serde(serialize_with = "short::list_or_missing")]
    pub round_trip_ms: Vec<Option<f64>>,
}

/// One loading flow over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSeries {
    /// `up` or `down`.
    pub heading: String,
    /// The class: `BE`, `BK`, `CS5`, `EF`.
    pub class: String,
    /// The end of each interval, in seconds.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Goodput at the receiver in the interval, Mbit/s.
    #[serde(serialize_with = "short::list_or_missing")]
    pub goodput_mbit: Vec<Option<f64>>,
    /// The sender's smoothed round trip at its end, in milliseconds.
    #[serde(serialize_with = "short::list_or_missing")]
    pub srtt_ms: Vec<Option<f64>>,
    /// The sender's congestion window at its end, in segments.
    #[serde(serialize_with = "short::list_or_missing")]
    pub cwnd: Vec<Option<f64>>,
}

/// Answers of one hop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HopSeries {
    /// Counted from us.
    pub hop: u8,
    /// Sent at, in seconds.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Round trip in milliseconds; `None` if it was not answered.
    #[serde(serialize_with = "short::list_or_missing")]
    pub round_trip_ms: Vec<Option<f64>>,
}
