//! The file as it is written: the keys, their meaning, and the spelling of their values.
//!
//! These types are the only list of keys: reading, writing and the JSON Schema derive from them,
//! and their comments are the schema's descriptions. Optional keys may be left out;
//! [`check`](crate::check) decides what they are then.

mod leaf;
mod plan;
mod sweep;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Rate, Span};

pub(crate) use leaf::{Count, Name, Number, Octets, Quantity};
pub(crate) use plan::{
    AckFile, Between, BurstFile, Equal, IdleFile, LossFile, ObjectsFile, PerWindow, RateFile, Step,
    TraceFile, Unlimited, UpTo, WindowFile,
};

pub(crate) use sweep::SweepFile;

use crate::tree::At;
use crate::{Codec, Congestion};

/// A scenario of unbloat: links, flows over them, and how long to watch.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a scenario")]
pub(crate) struct ScenarioFile {
    /// Where the schema of this file lies, for editors; not looked at.
    #[serde(rename = "$schema")]
    pub(crate) schema: Option<String>,
    /// One line for people. Default: the name of the file.
    pub(crate) title: Option<String>,
    /// How long the run lasts, as in `"60s"`; at most a week.
    pub(crate) duration: At<Quantity<Span>>,
    /// How much of the beginning is left out of the statistics. Default: nothing.
    pub(crate) warmup: Option<At<Quantity<Span>>>,
    /// What all randomness is derived from: the same seed gives the same numbers. Default: 1.
    pub(crate) seed: Option<Count>,
    /// The links, at least one.
    pub(crate) link: At<Vec<At<LinkFile>>>,
    /// The flows, at least one.
    pub(crate) flow: At<Vec<At<FlowFile>>>,
    /// What `unbloat sweep` varies; all else passes it over.
    pub(crate) sweep: Option<SweepFile>,
}

/// A wire between two nodes with a queue at each end. A node exists by being named here.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a link")]
#[schemars(rename = "Link")]
pub(crate) struct LinkFile {
    /// A name of its own: letters, digits, `_` and `-`.
    pub(crate) name: At<Name>,
    /// The node at one end.
    pub(crate) from: At<Name>,
    /// The node at the other end.
    pub(crate) to: At<Name>,
    /// How fast the wire is, from `from` to `to` and, unless `reverse` says otherwise, back:
    /// `"10mbit"`; or a schedule, `[["0s", "100mbit"], ["50s", "10mbit"]]`; or a mahimahi trace,
    /// `{ trace = "file" }`; or `"unlimited"`, which takes no time. Default: unlimited.
    pub(crate) rate: Option<At<RateFile>>,
    /// Propagation, one way. Default: none.
    pub(crate) delay: Option<At<Quantity<Span>>>,
    /// The queue in front of the wire, as tc writes it: `"pfifo limit 1000"`, `"codel"`,
    /// `"fq_codel target 5ms"`. Default: `pfifo limit 1000`.
    pub(crate) queue: Option<At<String>>,
    /// Bytes added to each IP packet on this wire (14 is Ethernet as Linux counts it).
    /// Default: 0.
    pub(crate) overhead: Option<At<Octets>>,
    /// Is the rate kept by a shaper (HTB, TBF, CAKE), from which a packet goes at once while the
    /// next one must wait, and not by a wire, on which each takes its time? Default: `false`.
    pub(crate) shaper: Option<At<bool>>,
    /// Of a shaper: how many bytes it saves up while idle, as HTB's and TBF's `burst`. Default: 0.
    pub(crate) burst: Option<At<Octets>>,
    /// What the wire loses after the queue: `"1%"` of the packets at random, or
    /// `{ rate = "1%", burst = 5 }` in bursts of 5 packets on average. Default: nothing.
    pub(crate) loss: Option<At<LossFile>>,
    /// The way back, from `to` to `from`, where it differs.
    pub(crate) reverse: Option<ReverseFile>,
}

/// The way back over a link: what is left out is as on the way there.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of the way back")]
#[schemars(rename = "Reverse")]
pub(crate) struct ReverseFile {
    /// How fast the wire is, written as for the link.
    pub(crate) rate: Option<At<RateFile>>,
    /// Propagation, one way.
    pub(crate) delay: Option<At<Quantity<Span>>>,
    /// The queue in front of the wire, as tc writes it.
    pub(crate) queue: Option<At<String>>,
    /// Bytes added to each IP packet on this wire.
    pub(crate) overhead: Option<At<Octets>>,
    /// Is the rate kept by a shaper and not by a wire?
    pub(crate) shaper: Option<At<bool>>,
    /// Of a shaper: how many bytes it saves up while idle.
    pub(crate) burst: Option<At<Octets>>,
    /// What the wire loses after the queue, written as for the link.
    pub(crate) loss: Option<At<LossFile>>,
}

/// Data from one node to another. Which keys there are depends on `traffic`.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a flow")]
#[schemars(rename = "Flow")]
pub(crate) struct FlowFile {
    /// A name of its own: letters, digits, `_` and `-`.
    pub(crate) name: At<Name>,
    /// The node that sends the data (of a page or a web load: where the servers are).
    pub(crate) from: At<Name>,
    /// The node that receives the data (of a page or a web load: where the browsers are).
    pub(crate) to: At<Name>,
    /// What is sent.
    pub(crate) traffic: Kind,
    /// When it begins. Default: `"0s"`.
    pub(crate) start: Option<At<Quantity<Span>>>,
    /// When the application stops sending. Default: never.
    pub(crate) stop: Option<At<Quantity<Span>>>,
    /// How many flows like this there are. Default: 1.
    pub(crate) count: Option<At<Count>>,

    /// How much: of a `transfer` in all (required), of a `periodic` each time (required), of a
    /// `bulk` in all (default: no end), of a `ping` the ICMP payload (default: 56).
    pub(crate) bytes: Option<At<Octets>>,
    /// Of a `periodic`: from the beginning of one to the beginning of the next.
    pub(crate) every: Option<At<Quantity<Span>>>,
    /// Of a `periodic`, instead of `every`: from the end of one to the beginning of the next,
    /// `"10s"` or at random between two times, `["5s", "15s"]`.
    pub(crate) idle: Option<At<IdleFile>>,
    /// Of a `cbr`: UDP payload per second. Of a `bulk` or `transfer`: the application writes at
    /// most at this rate. Default there: no limit.
    pub(crate) rate: Option<At<Quantity<Rate>>>,
    /// Of a `bulk` or `transfer`: the application sends so much first, and waits for the answer
    /// before it sends more. Default: it does not wait.
    pub(crate) greeting: Option<At<Octets>>,
    /// Of a `cbr`: bytes of UDP payload in a packet.
    pub(crate) packet: Option<At<Octets>>,
    /// Of a `voip`: `"cbr64"`, 64 kbit/s in IP packets of 100 bytes, or `"g711"`, IP packets of 200
    /// bytes each 20 ms. Default: `"cbr64"`.
    pub(crate) codec: Option<Codec>,
    /// Of a `voip`: is there a way back too, a second flow called `NAME-back`? Default: true.
    pub(crate) two_way: Option<bool>,
    /// Of a `ping`: from one request to the next. Default: `"1s"`.
    pub(crate) interval: Option<At<Quantity<Span>>>,
    /// Of a `page`: how many TCP connections are opened in parallel. Default: 6.
    pub(crate) connections: Option<At<Count>>,
    /// Of a `page`: the sizes of its objects, `["20kB", "5kB"]` or `{ count = 60, bytes = "20kB" }`.
    pub(crate) objects: Option<At<ObjectsFile>>,
    /// Of a `page`: from the end of a load to the beginning of the next. Default: load it once.
    pub(crate) pause: Option<At<Quantity<Span>>>,
    /// Of a `packmime`: new connections each second in the mean; 0 for none at all.
    pub(crate) connections_per_second: Option<At<Number>>,

    /// What TCP is like where the keys below do not say otherwise. Default: `linux`.
    pub(crate) tcp: Option<Era>,
    /// The congestion control. Default: `cubic`.
    pub(crate) congestion: Option<At<Congestion>>,
    /// With `ledbat`: how long it lets its packets wait in the queue. Default: `"100ms"`.
    pub(crate) ledbat_target: Option<At<Quantity<Span>>>,
    /// With `ledbat`: by how many segments its window grows each round trip while there is no
    /// queue. RFC 6817 allows 1 at most. Default: 1.
    pub(crate) ledbat_gain: Option<At<Number>>,
    /// Bytes of payload in a full segment. Default: 1448, without timestamps 1460.
    pub(crate) mss: Option<At<Octets>>,
    /// What the receiver lets be in flight: `"auto"` grows with what the application reads,
    /// `{ auto = "3MiB" }` also says how far, and `"64kB"` is fixed. Default: `{ auto = "3MiB" }`.
    pub(crate) receive_window: Option<At<WindowFile>>,
    /// Segments sent before the first acknowledgement. Default: 10, with `ledbat` 2.
    pub(crate) initial_window: Option<At<Count>>,
    /// Where the first slow start ends at the latest, as in `"64kB"`. Default: nowhere; with
    /// `tcp = "reno1990"` 65535 bytes (RFC 2001).
    pub(crate) initial_ssthresh: Option<At<Octets>>,
    /// Selective acknowledgements (RFC 2018). Default: true.
    pub(crate) sack: Option<bool>,
    /// Timestamps (RFC 7323). Default: true.
    pub(crate) timestamps: Option<bool>,
    /// Window scaling (RFC 7323); without it the window is at most 65535 bytes. Default: true.
    pub(crate) window_scaling: Option<bool>,
    /// Acknowledge every second segment (true), each (false), or once per receive window
    /// (`"per_window"`). Default: true.
    pub(crate) delayed_ack: Option<At<AckFile>>,
    /// Acknowledge the first segments at once although ACKs are delayed. Default: true if they
    /// are.
    pub(crate) quick_ack: Option<At<bool>>,
    /// Leave slow start when the round trip grows. Default: true with `cubic`.
    pub(crate) hystart: Option<At<bool>>,
    /// What a loss leaves of CUBIC's window, from 0.5 to 0.95. Default: 0.7 (RFC 9438); Linux
    /// 2.6.22 had 0.8, and so has ns-2.
    pub(crate) beta: Option<At<Number>>,
    /// Spread the packets over the round trip. Default: false.
    pub(crate) pacing: Option<bool>,
    /// Send several segments as one super-packet (TSO, GSO). Default: true.
    pub(crate) offload: Option<bool>,
    /// Explicit congestion notification (RFC 3168). Default: false.
    pub(crate) ecn: Option<bool>,
    /// React less to a mark than to a loss (RFC 8511). Default: false.
    pub(crate) abe: Option<bool>,
    /// Find losses by time, and probe the tail (RFC 8985). Default: as `sack`.
    pub(crate) rack: Option<At<bool>>,
    /// Lower bound of the retransmission timeout. Default: `"200ms"`.
    pub(crate) min_rto: Option<At<Quantity<Span>>>,
}

/// What an application sends.
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "a kind of traffic such as \"bulk\"")]
pub(crate) enum Kind {
    /// One TCP connection that always has more to send.
    #[default]
    Bulk,
    /// One TCP connection that sends so much and closes.
    Transfer,
    /// One TCP connection to which so much is handed again and again.
    Periodic,
    /// Packets of one size at one rate over UDP, as a call sends them.
    Cbr,
    /// A call over UDP, both ways, judged by the E-model.
    Voip,
    /// ICMP echo, there and back.
    Ping,
    /// A web page: several TCP connections, each fetching one object after the other.
    Page,
    /// The web load of a crowd: PackMime-HTTP.
    Packmime,
}

impl Kind {
    /// The word that the file has for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Transfer => "transfer",
            Self::Periodic => "periodic",
            Self::Cbr => "cbr",
            Self::Voip => "voip",
            Self::Ping => "ping",
            Self::Page => "page",
            Self::Packmime => "packmime",
        }
    }
}

/// What TCP was like at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"linux\" or \"reno1990\"")]
pub(crate) enum Era {
    /// Today's Linux.
    Linux,
    /// As in the papers of the Reno era: `reno`, MSS 536, initial window 2, no SACK, timestamps,
    /// window scaling or delayed ACKs, timeouts of at least 1 s.
    Reno1990,
}
