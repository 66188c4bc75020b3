//! The measurement document: what `unbloat test --json` prints.

use std::net::IpAddr;

use observation::{EcnPassages, Heading, Incomplete};
use serde::{Deserialize, Serialize};

use crate::{
    Call, DelaySpread, Evidence, Finding, Grade, Limit, PageLoads, PageSeries, Processors,
    QueueKind, Remark, Ungraded, Version, short,
};

/// The result of measuring a path. A value that was not measured is `None`, in JSON `null`: never 0
/// or NaN.
///
/// It is what `unbloat test HOST --json` prints. A later release may add fields without a new
/// version number: readers ignore what they do not know, and the JSON Schema allows it. It may add
/// names too, which only its own JSON Schema has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measurement {
    /// `"unbloat.measurement"`; reading anything else is an error.
    pub schema: MeasurementSchema,
    /// `2`; reading anything else is an error. Version 1 had plain sentences in place of remarks.
    pub version: Version<2>,
    /// The test's name: `test`, or as Flent names it `rrul`, `rrul_be`, `tcp_nup`, `tcp_ndown`.
    pub test: String,
    /// The server, as the user named it.
    pub server: String,
    /// The address and port that were measured.
    pub address: String,
    /// Time of the test's beginning, from which all seconds of the document are counted: RFC 3339,
    /// UTC, to the microsecond.
    pub started: String,
    /// Duration of the test, in seconds.
    pub duration_s: f64,
    /// The reason why the measurement is incomplete, in words as `report` writes them; `None` if it
    /// is complete, and before `report` has written them.
    pub partial: Option<String>,
    /// The reason why the measurement is incomplete; `None` if it is complete, and in documents of
    /// earlier releases, which have the words alone.
    #[serde(default)]
    pub partial_reason: Option<Incomplete>,
    /// The whole measurement in words, the most important remark first, as `report` writes them;
    /// empty before `report` has written them.
    pub verdict: Vec<Remark>,
    /// The worse of the grades of both directions: see docs/grade.md. `None` for the reason in
    /// `grade_reason`.
    pub grade: Option<Grade>,
    /// The reason why there is no grade; `None` if there is one.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// The lag, the single number that sums up a test, in milliseconds: see docs/test.md. `None` if
    /// the round trip or the added delay was not measured.
    pub lag_ms: Option<f64>,
    /// Round trips a minute as draft-ietf-ippm-responsiveness defines them: the least of the loaded
    /// stages; `None` if no stage has a value.
    pub responsiveness_rpm: Option<f64>,
    /// The median round trip of the idle path, in milliseconds; `None` if no probe came back then.
    pub idle_ms: Option<f64>,
    /// The effects of the delay on applications that use the path meanwhile; `None` if none of them
    /// is known.
    pub effects: Option<Effects>,
    /// The direction from the server to us, loaded alone; `None` if it was not.
    pub download: Option<LoadedDirection>,
    /// The direction from us to the server, loaded alone; `None` if it was not.
    pub upload: Option<LoadedDirection>,
    /// Both directions while both were loaded at once; `None` if they were not.
    pub both: Option<BothLoaded>,
    /// A call that was made beside the load; `None` if there was none.
    pub call: Option<Call>,
    /// A page that was loaded beside the load; `None` if there was none.
    pub page: Option<PageLoads>,
    /// The processor load of both machines; `None` if neither machine reports it.
    pub processors: Option<Processors>,
    /// Our own interface towards the server; `None` if the kernel did not report it.
    #[serde(default)]
    pub interface: Option<OwnInterface>,
    /// What the path does to ECN.
    #[serde(default)]
    pub ecn: EcnPassages,
    /// The location of the queue of the worse direction; `None` if it was not sought.
    pub offender: Option<Offender>,
    /// The hops on the path to the server, as far as they answered.
    pub hops: Vec<Hop>,
    /// Limits of the test itself, or reasons why its figures are only bounds.
    pub limits: Vec<Limit>,
    /// Advice on what to do about the delay, if anything, as `report` writes it; empty before
    /// `report` has written it.
    pub advice: Vec<Remark>,
    /// The time series from which plots are drawn; `None` if they were not kept.
    pub series: Option<MeasuredSeries>,
}

impl Measurement {
    /// True if the test ended early, or a flow of its load is missing.
    pub fn is_partial(&self) -> bool {
        self.partial.is_some() || self.partial_reason.is_some()
    }
}

/// Our own end of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnInterface {
    /// Name of the interface: `eth0`.
    pub name: String,
    /// True if the interface is Wi-Fi.
    pub wireless: bool,
    /// Queue of the interface as `tc` names it: `fq_codel`; `None` if it is not known.
    pub qdisc: Option<String>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum MeasurementSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.measurement")]
    Measurement,
}

/// The results of a direction under load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadedDirection {
    /// The part of the test from which these figures are taken, in seconds from its beginning: the
    /// load was running and had settled.
    pub window_s: [f64; 2],
    /// Rate at which the load's IP packets, the probes among them, passed the bottleneck, in
    /// Mbit/s. The line may carry more where it was not `saturated`, or where a finding [leaves
    /// that open](crate::FindingKind::leaves_rate_open). `None` if it was not measured.
    pub rate_mbit: Option<f64>,
    /// Goodput: application bytes received, in Mbit/s; `None` if it was not measured.
    pub goodput_mbit: Option<f64>,
    /// Delay of the probes beyond the path's least, in milliseconds.
    pub added_delay_ms: DelaySpread,
    /// Round trips of the loading flows beyond their least, in milliseconds.
    pub flow_delay_ms: DelaySpread,
    /// Delay of the probes in the opposite direction meanwhile, beyond the least, in milliseconds.
    pub opposite_delay_ms: DelaySpread,
    /// Part of the probes that were never delivered, 0 to 1. Late probes are not lost. `None` if no
    /// probes were sent, or if handshakes took their place.
    pub loss: Option<f64>,
    /// Part of the loading flows' segments that were retransmitted, 0 to 1; `None` if no sender
    /// reported it.
    pub retransmitted: Option<f64>,
    /// Confidence intervals of rate, added delay and loss.
    pub certainty: Certainty,
    /// The size of the buffer; `None` if the queue has none, or if the size is not known.
    pub buffer: Option<Buffer>,
    /// The kind of queue; `None` if it was not judged.
    pub queue: Option<QueueFinding>,
    /// Other findings, the surest first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The part of the line that others may have used, 0 to 1, estimated from the slowest fall of
    /// the queue in a pause of the load; `None` if no pause shows it.
    #[serde(default)]
    pub others_part: Option<f64>,
    /// The location of the queue; `None` if it was not sought.
    pub offender: Option<Offender>,
    /// The grade of this direction alone, by DSLReports' bounds: see docs/grade.md. `None` for the
    /// reason in `grade_reason`.
    pub grade: Option<Grade>,
    /// The reason why there is no grade; `None` if there is one.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// Round trips a minute as draft-ietf-ippm-responsiveness defines them, of this load alone;
    /// `None` if no new connection was made meanwhile, or if the load's round trips are not known.
    pub responsiveness_rpm: Option<f64>,
    /// True if the load is known to have filled the path. If not, the figures say little about the
    /// path. If the load is known not to have filled it, `grade_reason` says so.
    pub saturated: bool,
    /// Number of loading connections.
    pub flows: u32,
    /// Congestion controls of those connections: `cubic, reno`.
    pub congestion: String,
}

/// Both directions while both were loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BothLoaded {
    /// The direction from the server to us.
    pub download: LoadedDirection,
    /// The direction from us to the server.
    pub upload: LoadedDirection,
}

/// Bounds between which a figure would lie in 95 of 100 tests of the same path at other times,
/// estimated from this one test; `None` if the test was too short for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Certainty {
    /// Bounds of the rate at the bottleneck, in Mbit/s.
    pub rate_mbit: Option<[f64; 2]>,
    /// Bounds of the median of the added delay, in milliseconds.
    pub added_p50_ms: Option<[f64; 2]>,
    /// Bounds of the 95th percentile of the added delay, in milliseconds.
    pub added_p95_ms: Option<[f64; 2]>,
    /// Bounds of the 99th percentile of the added delay, in milliseconds.
    pub added_p99_ms: Option<[f64; 2]>,
    /// Bounds of the part of the probes that is lost, 0 to 1.
    pub loss: Option<[f64; 2]>,
}

/// The size of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Buffer {
    /// Size in bytes of IP packets; `None` if it is not known.
    pub bytes: Option<f64>,
    /// Size in packets; `None` if the buffer is not limited in packets.
    pub packets: Option<f64>,
    /// Delay of a packet in the full buffer, at the bottleneck's rate, in milliseconds; `None` if
    /// the rate is not known.
    pub full_ms: Option<f64>,
    /// True if the size is only a lower bound.
    pub at_least: bool,
    /// Confidence, 0 to 1.
    pub confidence: f64,
}

/// The kind of queue of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueueFinding {
    /// The kind.
    pub kind: QueueKind,
    /// Confidence, 0 to 1.
    pub confidence: f64,
}

/// The location of a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offender {
    /// The hop that holds the queue, counted from us: 0 is our own machine, 1 the first router. On
    /// the forward leg the queue is before the hop's interface towards the server, on the return
    /// leg before its interface towards us. `None` if it is not known.
    pub hop: Option<u8>,
    /// The last hop that may hold the queue, where several may because routers between them do not
    /// answer; `None` if only one may.
    pub last_hop: Option<u8>,
    /// The address of that hop; `None` if it did not answer, or if the hop is not known.
    pub address: Option<IpAddr>,
    /// The direction in which the queue is.
    pub leg: Leg,
    /// The part of the network, in everyday words.
    pub place: NetworkPart,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// The evidence; `None` in documents of earlier releases, which have its sentence alone.
    #[serde(default)]
    pub seen: Option<Evidence>,
    /// The evidence in words, as `report` writes them; empty before `report` has written it.
    #[serde(default)]
    pub evidence: String,
}

/// A part of the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// From us to the server.
    #[default]
    Forward,
    /// From the server to us.
    Return,
}

/// The part of the network in which a queue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NetworkPart {
    /// Our own machine.
    OwnHost,
    /// The first hop: Wi-Fi, or the network at home.
    FirstHop,
    /// The router or modem at home, or the provider's first device: the access line.
    AccessLine,
    /// Further away.
    Beyond,
    /// The place is not known.
    #[default]
    Unknown,
}

/// A router on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hop {
    /// Number of the hop, counted from us; 1 is the first router.
    pub hop: u8,
    /// The address that answered; `None` if no answer came.
    pub address: Option<IpAddr>,
    /// True if the hop is the server.
    pub is_server: bool,
    /// Number of probes that were sent to the hop.
    pub sent: u32,
    /// Number of answers that came.
    pub answered: u32,
    /// The least round trip, in milliseconds; `None` if no answer came.
    pub min_ms: Option<f64>,
    /// Median round trip while the download was loaded, in milliseconds; `None` if no answer came
    /// then.
    pub download_ms: Option<f64>,
    /// Median round trip while the upload was loaded, in milliseconds; `None` if no answer came
    /// then.
    pub upload_ms: Option<f64>,
}

/// Effects that people notice while the path is loaded in its worse direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effects {
    /// A call's mean opinion score, 1 to 4.5 (the E-model, ITU-T G.107); `None` if there were too
    /// few probes to know it.
    pub call_mos: Option<f64>,
    /// The time in which a game responds, in milliseconds: the lag. `None` if there is none.
    pub game_ms: Option<f64>,
    /// The time to load a page that needs ten round trips one after the other, in seconds. Each
    /// takes the least round trip and the median of the added delay; `None` if either was not
    /// measured.
    pub page_s: Option<f64>,
}

/// Measured quantities over time, for plots. Times are in seconds from the beginning of the test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredSeries {
    /// The stages of the load.
    pub stages: Vec<MeasuredStage>,
    /// Delays of probes, a list for each class.
    pub probes: Vec<ProbeSeries>,
    /// Rates of loading flows, and their round trips.
    pub flows: Vec<FlowSeries>,
    /// Round trips of hops.
    pub hops: Vec<HopSeries>,
    /// Round trips of ICMP echo requests; `None` if they were not sent, or not allowed.
    pub pings: Option<ProbeSeries>,
    /// Delays of the frames of a call; `None` if there was none.
    pub call: Option<ProbeSeries>,
    /// Loads of a page; `None` if there were none.
    pub pages: Option<PageSeries>,
}

/// A stage of the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredStage {
    /// Name of the stage: `idle`, `download`, `upload`, `both`, `download_small`, `upload_small`,
    /// `drain`.
    pub name: String,
    /// Beginning of the stage, in seconds.
    pub start_s: f64,
    /// End of the stage, in seconds.
    pub end_s: f64,
}

/// Delays of probes of one class, one value a probe, in the order in which they were sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeSeries {
    /// The class: `BE`, `BK`, `CS5`, `EF`.
    pub class: String,
    /// Time of sending of each probe, in seconds.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Delay up beyond the least, in milliseconds; `None` if the probe was lost on the way up.
    #[serde(serialize_with = "short::list_or_missing")]
    pub up_ms: Vec<Option<f64>>,
    /// Delay down beyond the least, in milliseconds; `None` if the probe was lost.
    #[serde(serialize_with = "short::list_or_missing")]
    pub down_ms: Vec<Option<f64>>,
    /// The whole round trip, without the time at the server, in milliseconds; `None` if the probe
    /// was lost.
    #[serde(serialize_with = "short::list_or_missing")]
    pub round_trip_ms: Vec<Option<f64>>,
}

/// A loading flow over time. Values that the kernels did not report are `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowSeries {
    /// The direction of its data.
    pub heading: Heading,
    /// The class: `BE`, `BK`, `CS5`, `EF`.
    pub class: String,
    /// The end of each interval, in seconds.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Goodput at the receiver in the interval, in Mbit/s.
    #[serde(serialize_with = "short::list_or_missing")]
    pub goodput_mbit: Vec<Option<f64>>,
    /// The sender's smoothed round trip at the end of the interval, in milliseconds.
    #[serde(serialize_with = "short::list_or_missing")]
    pub srtt_ms: Vec<Option<f64>>,
    /// The sender's congestion window at the end of the interval, in segments.
    #[serde(serialize_with = "short::list_or_missing")]
    pub cwnd: Vec<Option<f64>>,
}

impl FlowSeries {
    /// A flow in this direction, of this class, without intervals.
    pub fn new(heading: Heading, class: impl Into<String>) -> Self {
        Self {
            heading,
            class: class.into(),
            at_s: Vec::new(),
            goodput_mbit: Vec::new(),
            srtt_ms: Vec::new(),
            cwnd: Vec::new(),
        }
    }
}

/// Round trips to a hop over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HopSeries {
    /// Number of the hop, counted from us.
    pub hop: u8,
    /// Time of sending of each probe, in seconds.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Round trip in milliseconds; `None` if the probe was not answered.
    #[serde(serialize_with = "short::list_or_missing")]
    pub round_trip_ms: Vec<Option<f64>>,
}
