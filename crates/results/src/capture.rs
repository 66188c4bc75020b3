//! The capture document: what `unbloat pcap --json` prints.

use serde::{Deserialize, Serialize};

use crate::{
    CaptureAnomaly, CapturedDns, CapturedQuic, CapturedRtp, CapturedTls, CapturedWaits, Finding,
    Grade, QueueFinding, Ungraded, Version,
};

/// The connections of a capture.
///
/// It is what `unbloat pcap --json` prints. A later release may add fields without a new version
/// number: readers ignore what they do not know, and the JSON Schema allows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Capture {
    /// `"unbloat.capture"`; reading anything else is an error.
    pub schema: CaptureSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The name of the file, `-` for standard input, or the name of the interface.
    pub file: String,
    /// True if an interface was followed, so that there is no file.
    #[serde(default)]
    pub is_live: bool,
    /// The packets of the file.
    pub packets: u64,
    /// The time of the first packet in seconds since 1970 (UTC).
    #[serde(default)]
    pub first_s: f64,
    /// The TCP segments among them, which belong to the connections.
    pub segments: u64,
    /// What was wrong with the file.
    pub anomalies: Vec<CaptureAnomaly>,
    /// The connections, in the order of their first segments.
    pub connections: Vec<CapturedConnection>,
    /// Queries to DNS servers and how long their answers took, those with most queries first.
    #[serde(default)]
    pub dns: Vec<CapturedDns>,
    /// The QUIC connections, in the order of their first packets.
    #[serde(default)]
    pub quic: Vec<CapturedQuic>,
    /// The streams of RTP, in the order of their first packets.
    #[serde(default)]
    pub rtp: Vec<CapturedRtp>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CaptureSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.capture")]
    Capture,
}

/// A TCP connection of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedConnection {
    /// How much of it was captured.
    pub completion: CapturedCompletion,
    /// The time of the first segment in seconds since 1970 (UTC).
    pub first_s: f64,
    /// The time from the first segment to the last in seconds.
    pub elapsed_s: f64,
    /// The first messages of its TLS handshake; `None` if it has none, or if they were not captured.
    #[serde(default)]
    pub tls: Option<CapturedTls>,
    /// The two ends, each with what it has sent. The first one has sent the first segment.
    pub ends: [CapturedEnd; 2],
}

/// How much of a connection was captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CapturedCompletion {
    /// SYN and FIN of both ends.
    Complete,
    /// One end has ended it at once (RST).
    Reset,
    /// SYN or FIN is missing.
    #[default]
    Partial,
}

/// An end of a connection, and what it has sent.
///
/// The names in brackets are those of `tcptrace -l`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedEnd {
    /// The address.
    pub address: String,
    /// The port.
    pub port: u16,
    /// The counts.
    #[serde(flatten)]
    pub counts: CapturedCounts,
    /// The largest segment in bytes of data ("max segm size"); `None` without data, as the next two.
    pub largest_segment: Option<u64>,
    /// The smallest segment with data ("min segm size").
    pub smallest_segment: Option<u64>,
    /// The mean segment with data ("avg segm size").
    pub mean_segment: Option<u64>,
    /// The largest window that the end has offered, in bytes ("max win adv").
    pub largest_window: u64,
    /// The smallest window but zero ("min win adv"); 0 if there was none.
    pub smallest_window: u64,
    /// The mean window ("avg win adv").
    pub mean_window: u64,
    /// The segments with a window of zero ("zero win adv").
    pub zero_windows: u64,
    /// The most data in flight, in bytes, and one more ("max owin").
    pub most_in_flight: u64,
    /// The least but zero ("min non-zero owin").
    pub least_in_flight: u64,
    /// The mean over segments ("avg owin").
    pub mean_in_flight: u64,
    /// The mean over time ("wavg owin"); `None` where the connection took no time.
    pub mean_in_flight_over_time: Option<u64>,
    /// The bytes from SYN to FIN ("ttl stream length"); `None` if one of both was not captured.
    pub stream_bytes: Option<u64>,
    /// The bytes of the stream that were not captured ("missed data").
    pub missed_bytes: Option<i64>,
    /// The time from the first to the last segment with data, in seconds ("data xmit time").
    pub data_s: f64,
    /// The longest time without a segment in milliseconds ("idletime max"), up to the end of the
    /// capture where the connection has none; `None` without a segment.
    pub longest_idle_ms: Option<f64>,
    /// The packets that were captured, or sent, twice ("hardware dups").
    pub hardware_duplicates: u64,
    /// The bytes that had not been sent before over the length of the connection, in bytes a second
    /// ("throughput"); `None` where the connection took no time.
    pub throughput_bytes_per_s: Option<f64>,
    /// The bytes that the other end has, by its acknowledgements and their SACK blocks, beyond its first acknowledgement.
    #[serde(default)]
    pub acknowledged_bytes: u64,
    /// Rate in bytes per second at which data arrived, from the first data to the last acknowledgement of new data.
    /// Without acknowledgements, the rate at which new data passed. `None` where it took no time, and for less data than 20
    /// full packets in less than 5 s: one burst shows no rate.
    pub goodput_bytes_per_s: Option<f64>,
    /// The round trips of data that was sent once ("RTT").
    pub round_trips: CapturedTimes,
    /// The round trip of the handshake in milliseconds ("RTT from 3WHS"); `None` if it was not
    /// captured.
    pub handshake_ms: Option<f64>,
    /// The round trips of the largest segments alone ("RTT full_sz").
    pub full_sized_round_trips: CapturedTimes,
    /// The acknowledgements of data before which something was sent again ("post-loss acks").
    pub acks_after_loss: u64,
    /// The times since data was sent last, where it was sent more than once ("RTT (last)").
    pub ambiguous_round_trips: CapturedTimes,
    /// The segments that were acknowledged with later ones ("segs cum acked").
    pub cumulatively_acked: u64,
    /// The duplicate acknowledgements of what the end has sent, by tcptrace's rules ("duplicate acks"): a
    /// FIN may be one, and one may come while nothing is in flight.
    pub duplicate_acks: u64,
    /// The same by RFC 5681 section 2: without data, SYN, FIN or RST, with the same window, while data is
    /// in flight.
    #[serde(default)]
    pub rfc_duplicate_acks: u64,
    /// The third ones of a row ("triple dupacks").
    pub triple_duplicate_acks: u64,
    /// The most times that a segment was sent again ("max # retrans").
    pub most_retransmissions: u64,
    /// The times after which a segment was sent again ("retr time").
    pub retransmission_times: CapturedTimes,
    /// Round trips between the place of the capture and the other end over time, by
    /// acknowledgements; those of data that was sent again are left out.
    pub waits: CapturedWaits,
    /// The same by timestamps, from a packet of this end to the first echo of its timestamp.
    pub waits_by_timestamps: CapturedWaits,
    /// The time from the first place of the capture that the end's data passes to the last one, where it
    /// holds the packets of several, as of all interfaces of a router: what they wait in that machine;
    /// `None` where it does not.
    #[serde(default)]
    pub waits_between: Option<CapturedWaits>,
    /// What kept the end from sending more; `None` if the capture was not made near it.
    pub limited: Option<CapturedLimits>,
    /// What the round trips of the data that the end has sent tell of queues; `None` for an end that
    /// has sent no data.
    pub queue: Option<CapturedQueue>,
}

/// The counts of what an end has sent.
///
/// The names in brackets are those of `tcptrace -l`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedCounts {
    /// The segments ("total packets").
    pub packets: u64,
    /// The segments that end the connection at once ("resets sent").
    pub resets: u64,
    /// The segments that acknowledge ("ack pkts sent").
    pub acks: u64,
    /// Those without data, SYN, FIN or RST ("pure acks sent").
    pub pure_acks: u64,
    /// The segments with SACK blocks ("sack pkts sent").
    pub sacks: u64,
    /// Those whose first block says that data came twice ("dsack pkts sent").
    pub duplicate_sacks: u64,
    /// The most SACK blocks of one segment ("max sack blks/ack").
    pub most_sack_blocks: u64,
    /// All segments with SACK blocks, also those with RST ("sacks sent").
    pub sack_segments: u64,
    /// The bytes of data that had not been sent before ("unique bytes sent").
    pub unique_bytes: u64,
    /// The segments with data ("actual data pkts").
    pub data_packets: u64,
    /// The bytes of data, also of what was sent again ("actual data bytes").
    pub data_bytes: u64,
    /// The segments that were sent again, in part or as a whole ("rexmt data pkts").
    pub retransmitted_packets: u64,
    /// The bytes that were sent again ("rexmt data bytes").
    pub retransmitted_bytes: u64,
    /// The segments that ask an end whose window is zero ("zwnd probe pkts").
    pub window_probes: u64,
    /// The bytes of those ("zwnd probe bytes").
    pub window_probe_bytes: u64,
    /// The segments before which later data had been seen ("outoforder pkts").
    pub out_of_order: u64,
    /// Those of them that come at least a round trip after what they are before: their data was lost before the place of
    /// the capture, and sent again.
    #[serde(default)]
    pub repairs: u64,
    /// The bytes of those.
    #[serde(default)]
    pub repaired_bytes: u64,
    /// The segments with data that the receiver is to hand on ("pushed data pkts").
    pub pushed: u64,
    /// The segments with SYN.
    pub syns: u64,
    /// The segments with FIN.
    pub fins: u64,
    /// The shift of windows that the end has asked for in bits ("adv wind scale"); `None` if it has
    /// not.
    pub window_scale: Option<u8>,
    /// True if the end has sent timestamps ("req 1323 ts").
    pub has_timestamps: bool,
    /// True if the end accepts selective acknowledgements ("req sack").
    pub accepts_sack: bool,
    /// The segments with urgent data ("urgent data pkts").
    pub urgent_packets: u64,
    /// The sum of their urgent pointers ("urgent data bytes").
    pub urgent_bytes: u64,
    /// The maximum segment size that the end has asked for ("mss requested"); `None` if it has not.
    pub mss: Option<u16>,
    /// The bytes that were sent before any data was acknowledged ("initial window").
    pub initial_bytes: u64,
    /// The segments of those.
    pub initial_packets: u64,
    /// The bytes of data that were not captured, though their packet was ("truncated data").
    pub truncated_bytes: u64,
    /// The packets of those ("truncated packets").
    pub truncated_packets: u64,
    /// The packets that arrived with a mark of congestion (CE).
    pub congestion_marks: u64,
}

/// The time with each limit of a sender in seconds, from its first segment with data on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedLimits {
    /// The program had no more data, though the window had room: nothing was in flight, or the latest packet was not full.
    pub application_s: f64,
    /// The receiver's window had no room for a full packet.
    pub receiver_s: f64,
    /// The sender waited for acknowledgements, by its congestion window or its pacing.
    pub path_s: f64,
    /// The end that held the sender back for so much of the time that it limits the rate; `None` if
    /// none did.
    #[serde(default)]
    pub held_back_by: Option<SenderLimit>,
}

/// An end that held a sender back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SenderLimit {
    /// The sender's own program had no more data.
    Program,
    /// The receiver's window had no room.
    Receiver,
}

/// What a capture tells of the queue that the data of one end waits in.
///
/// Kind, findings and grade follow from the rules of `unbloat test`, as far as a capture has their
/// evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedQueue {
    /// Whose queue it is.
    pub whose: QueueOwner,
    /// The round trips that tell of the queue: from the place of the capture to the far end, or, if the
    /// queue is before that place, to the end itself.
    pub waits: CapturedWaits,
    /// The delay that the queue adds to the shortest round trip, at the 95th percentile of time, in
    /// milliseconds; `None` if it is not known.
    pub added_p95_ms: Option<f64>,
    /// The reason why that delay is not known; `None` if it is.
    #[serde(default)]
    pub added_reason: Option<Unmeasured>,
    /// The most delay that it adds, in milliseconds; `None` if it is not known.
    pub added_most_ms: Option<f64>,
    /// The correlation of round trips with the data in flight, from -1 to 1; `None` if it is not
    /// known.
    pub correlation: Option<f64>,
    /// The rate of data with which the queue is emptied, in Mbit/s: the data in flight over the round
    /// trips; `None` if the queue is not the end's own.
    pub rate_mbit: Option<f64>,
    /// The most data of the end that was in the queue, in bytes; `None` as the rate.
    pub most_bytes: Option<u64>,
    /// What the losses tell of the queue.
    pub losses: LossPattern,
    /// The kind of queue; `None` if the capture has too few round trips, or if the queue is not the
    /// end's own.
    #[serde(default)]
    pub kind: Option<QueueFinding>,
    /// Other findings, the surest first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The grade of this direction by what others wait in it; `None` for the reason in
    /// `grade_reason`.
    #[serde(default)]
    pub grade: Option<Grade>,
    /// The reason why there is no grade; `None` if there is one.
    #[serde(default)]
    pub grade_reason: Option<Ungraded>,
    /// The rate of the data that a policer passes, in Mbit/s, without headers; `None` if the losses show
    /// no policer, or not its rate.
    #[serde(default)]
    pub policed_mbit: Option<f64>,
    /// The rate in Mbit/s to which the losses bring TCP at its round trip (M. Mathis et al., "The macroscopic behavior of
    /// the TCP congestion avoidance algorithm", 1997); `None` unless that is about the rate of the data, and nothing else
    /// limits it that the capture shows.
    #[serde(default)]
    pub loss_limited_mbit: Option<f64>,
    /// The mean rate, with headers, in Mbit/s, at which UDP packets from the same host, or to the same host if they were more,
    /// passed the place of the capture while the data did; `None` if that is not more than the rate of the data, or if
    /// nothing waits.
    #[serde(default)]
    pub udp_mbit: Option<f64>,
    /// The packets that a queue has marked in place of dropping them (ECN), as far as the capture
    /// shows it.
    #[serde(default)]
    pub marks: u64,
}

/// The reason why it is not known how long data waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unmeasured {
    /// The other end's packets, or all packets of this end, are not in the capture.
    OneDirection,
    /// The capture was made near the receiver, where only timestamps show waits. The options of TCP are cut off, and with
    /// them the timestamps.
    CutOptions,
    /// The capture was made near the receiver, where only timestamps show waits. The connection has none.
    NoTimestamps,
    /// What waits may be the acknowledgements: the connection has no timestamps, and either its own data does not fill the
    /// queue, or other data that came the other way at that time waited about as long or longer; or the connection began
    /// while they waited.
    WayBack,
    /// There are too few round trips.
    FewRoundTrips,
    /// Round trips are known for less than half of the time in which data was sent: acknowledgements of data that was sent
    /// again tell none.
    Gaps,
}

/// Whose queue it is in which data waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum QueueOwner {
    /// The sender's own data fills it: round trips grow with its data in flight.
    Own,
    /// Something else fills it: round trips grow, and not with the data in flight. Others send, or the
    /// line gets slower.
    Other,
    /// No queue that anybody would notice.
    None,
    /// The capture does not tell.
    #[default]
    Unknown,
}

/// The pattern of losses, by how full the queue was when something was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossPattern {
    /// Nothing was sent again.
    None,
    /// What was lost was lost while the queue was full: a queue that drops what has no room.
    FullQueue,
    /// What was lost was lost while the queue was short: by a queue that drops early, by a policer, or
    /// on the way.
    ShortQueue,
    /// Nothing waits, and what was lost found a bucket of tokens empty: a policer.
    Policer,
    /// There are too few losses, or they tell nothing.
    #[default]
    Unknown,
}

/// Times in milliseconds, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapturedTimes {
    /// The number.
    pub count: u64,
    /// The least; `None` if there is none, as the next two.
    pub min: Option<f64>,
    /// The most.
    pub max: Option<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation of the sample; `None` for fewer than three.
    pub deviation: Option<f64>,
}
