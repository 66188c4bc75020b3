//! The observations of a measurement, before they are judged.
//!
//! Observations are written by `unbloat test` on a real path, and by the simulator and the lab,
//! where the truth is known. The diagnosis reads nothing else, so that its verdict can be tested.
//!
//! There are two clocks: ours, of the machine that runs the test, and the server's. They are not
//! synchronised; the doc of every [`Time`] names its clock.

mod captured;
mod incomplete;
mod watched;

use std::net::IpAddr;

pub use captured::{CapturedFlow, CapturedPassing, CapturedRoundTrip, Stamps};
pub use incomplete::Incomplete;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span, Time};
pub use watched::{LATE, PATIENCE, ProbeFailure, ProbeOutcome, WatchedProbe, WatchedSecond};

/// All observations of a test, each list in order of time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Observations {
    /// True if the path was measured by IPv6, whose headers are 20 bytes longer than those of IPv4.
    pub ipv6: bool,
    /// The stages of the load, one after the other.
    pub stages: Vec<Stage>,
    /// Small packets that were sent and answered, one stream for each class of service.
    pub probes: Vec<ProbeStream>,
    /// TCP connections that loaded the path.
    pub flows: Vec<LoadFlow>,
    /// Packets whose time to live ended on the way, or that reached the server.
    pub hops: Vec<HopProbe>,
    /// New connections that were opened beside the load (the foreign probes of the IETF's
    /// responsiveness).
    pub foreign: Vec<ForeignProbe>,
    /// The frames of a call beside the load, which are larger probes, one each 20 ms; `None` if
    /// there was no call.
    pub voice: Option<ProbeStream>,
    /// ICMP echo requests to the server, in the order in which they were sent; empty where the
    /// system does not allow them.
    pub pings: Vec<Ping>,
    /// A page that was loaded beside the load; `None` if there was none.
    pub pages: Option<Pages>,
    /// Samples of our own machine.
    pub host: Vec<HostSample>,
    /// Samples of the server's machine, as far as it reports them.
    pub server: Vec<ServerSample>,
    /// Our own interface; `None` if it is not known.
    pub interface: Option<Interface>,
    /// The bound that the server sets on the rate in each direction; `None` if it reported none.
    pub server_rate: Option<Rate>,
    /// The largest number of other tests that the server did at any time during this test.
    pub other_tests: u32,
    /// Times at which our address on the path changed, by our clock.
    pub rebinds: Vec<Time>,
    /// What the path does to ECN.
    #[serde(default)]
    pub ecn: EcnPassages,
}

/// What becomes of the code points of Explicit Congestion Notification (RFC 3168 section 5) on the
/// way in each direction; `None` if it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EcnPassages {
    /// From us to the server.
    pub upload: Option<EcnPassage>,
    /// From the server to us.
    pub download: Option<EcnPassage>,
}

/// What becomes of a packet that says that its sender understands ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EcnPassage {
    /// It arrives as it was sent, or with the mark of a queue.
    Kept,
    /// It arrives as a packet without ECN, so a queue behind that place drops where it could mark.
    Bleached,
}

impl EcnPassage {
    /// The passage of a packet that was sent with ECT(0), by the class of service with which it
    /// arrived: the whole byte, ECN in its two low bits.
    pub const fn of_class(class: u8) -> Self {
        match class & 3 {
            0 => Self::Bleached,
            _ => Self::Kept,
        }
    }
}

impl EcnPassages {
    /// True if both directions are known.
    pub const fn is_whole(&self) -> bool {
        self.upload.is_some() && self.download.is_some()
    }

    /// The passage in a direction.
    pub const fn of(&self, heading: Heading) -> Option<EcnPassage> {
        match heading {
            Heading::Up => self.upload,
            Heading::Down => self.download,
        }
    }
}

/// The direction in which data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Heading {
    /// The direction from us to the server: upload.
    Up,
    /// The direction from the server to us: download.
    Down,
}

impl Heading {
    /// Both directions, upload first.
    pub const BOTH: [Self; 2] = [Self::Up, Self::Down];

    /// The name of the direction in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }

    /// The direction in a sentence, in the name of a stage, and in Flent's names of flows.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Up => "upload",
            Self::Down => "download",
        }
    }

    /// The opposite direction.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// A period of constant load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The load of the stage.
    pub load: Load,
    /// Beginning of the stage, by our clock: the flows begin to start.
    pub start: Time,
    /// End of the stage, by our clock: the flows are told to stop.
    pub end: Time,
    /// The reason why the stage ended.
    pub ended: Ended,
}

/// The load in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Load {
    /// No load: the idle path.
    Idle,
    /// Load in one direction, with packets of full size.
    One(Heading),
    /// Load in one direction, with small packets, which distinguish a limit in bytes from one in
    /// packets.
    Small(Heading),
    /// Both directions.
    Both,
    /// No load any more, while the queues drain.
    Drain,
}

impl Load {
    /// True if the load uses this direction.
    pub fn loads(self, direction: Heading) -> bool {
        match self {
            Self::One(heading) | Self::Small(heading) => heading == direction,
            Self::Both => true,
            Self::Idle | Self::Drain => false,
        }
    }
}

/// The reason why a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// The planned time was over.
    Planned,
    /// The stage was made longer because the queue still grew, and ended when the queue no longer
    /// grew.
    Settled,
    /// The stage was made longer, and the queue still grew at the end of the time for the whole
    /// test.
    StillGrowing,
    /// The test was told to stop.
    Interrupted,
    /// The server or the path was lost.
    Lost,
    /// Large packets were lost, while small ones came through.
    LargeLost,
    /// This machine slept, or this program stood still.
    StoodStill,
}

/// Probes of one class of service, in the order in which they were sent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProbeStream {
    /// Differentiated Services code point, 0 to 63.
    pub dscp: u8,
    /// Size of each probe and of each answer as an IP packet, in bytes.
    pub bytes: Bytes,
    /// The probes.
    pub probes: Vec<Probe>,
}

/// A probe, which goes up, and its answer, which comes down. A time is `None` if the probe or the
/// answer was lost, or if the test ended before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// Time at which the probe was handed to our kernel, by our clock.
    pub sent: Time,
    /// Time at which our kernel handed the probe to our device, by our clock; `None` where the
    /// kernel does not report it.
    pub departed: Option<Time>,
    /// Time at which the probe reached the server, by the server's clock; `None` if it is not
    /// known.
    pub reached: Option<Time>,
    /// Time at which the server sent the answer, by the server's clock; `None` if it is not known.
    pub answered: Option<Time>,
    /// Time at which the answer was received, by our clock; `None` if none came.
    pub returned: Option<Time>,
}

/// A TCP connection that loaded the path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadFlow {
    /// The direction of the data.
    pub heading: Heading,
    /// Differentiated Services code point, 0 to 63.
    pub dscp: u8,
    /// The sender's congestion control, by the name that Linux gives it: `cubic`.
    pub congestion: String,
    /// Time at which the connection was established, by our clock.
    pub start: Time,
    /// Time at which the flow was told to stop, by our clock.
    pub stop: Time,
    /// Samples of what the receiver had received, by the receiver's clock: ours for
    /// [`Down`](Heading::Down) and the server's for [`Up`](Heading::Up).
    pub received: Vec<Receipt>,
    /// Samples of the sender's state, by the sender's clock: ours for [`Up`](Heading::Up) and the
    /// server's for [`Down`](Heading::Down).
    pub sender: Vec<SenderSample>,
}

/// A sample of what a receiver had received since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Time of the sample, by the receiver's clock.
    pub at: Time,
    /// Application bytes received in order.
    pub bytes: Bytes,
    /// Segments with data that were received, duplicates included; `None` where the kernel does not
    /// report them.
    pub segments: Option<u64>,
}

/// A sample of a sender's state (`TCP_INFO`). Counts are from the beginning of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderSample {
    /// Time of the sample, by the sender's clock.
    pub at: Time,
    /// Smoothed round trip; `None` before the first measurement of one.
    pub srtt: Option<Span>,
    /// The least round trip that the sender has measured; `None` before the first.
    pub min_rtt: Option<Span>,
    /// Congestion window in segments.
    pub cwnd: u32,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes that the peer has acknowledged.
    pub acknowledged: Bytes,
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Segments that were retransmitted.
    pub retransmitted: u64,
    /// Segments that came from the receiver, which are acknowledgements; 0 where the kernel does
    /// not report them.
    pub heard: u64,
    /// Segments that the peer has acknowledged, selectively or cumulatively; 0 where the kernel
    /// does not report them.
    #[serde(default)]
    pub delivered: u64,
    /// Time for which the sender had data to send.
    pub busy: Span,
    /// Part of `busy` for which the receiver's window limited the sender.
    pub receiver_limited: Span,
    /// Part of `busy` for which the sender's own send buffer limited it.
    pub buffer_limited: Span,
    /// Part of `busy` for which the sender's program had no more data; zero where this is not known,
    /// or where such time is no part of `busy`.
    #[serde(default)]
    pub program_limited: Span,
    /// The sender's estimate of the rate at which data is delivered; `None` before the first
    /// estimate.
    pub delivery_rate: Option<Rate>,
}

/// A packet that was meant to end at a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopProbe {
    /// Time to live of the packet: with 1 the packet ends at the first router.
    pub hop: u8,
    /// Time at which the packet was sent, by our clock.
    pub sent: Time,
    /// The answer; `None` if none came.
    pub answer: Option<HopAnswer>,
}

/// The answer to a [`HopProbe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopAnswer {
    /// The address that answered.
    pub from: IpAddr,
    /// Time at which the answer was received, by our clock.
    pub at: Time,
    /// True if the server itself answered, and not a router on the path.
    pub is_server: bool,
}

/// A new connection that was opened beside the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignProbe {
    /// Time at which the connection began, by our clock.
    pub at: Time,
    /// Time from SYN to SYN-ACK.
    pub connect: Span,
    /// Time from a small request to its answer.
    pub exchange: Span,
}

/// An ICMP echo request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ping {
    /// Time at which the request was sent, by our clock.
    pub sent: Time,
    /// Time at which the answer was received, by our clock; `None` if none came.
    pub returned: Option<Time>,
}

/// A page that is loaded again and again, one at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pages {
    /// Number of the parts of the page, which are loaded one after the other, each over a new
    /// connection.
    pub objects: u32,
    /// Size of each part, in bytes.
    pub bytes: Bytes,
    /// All loads of the page.
    pub loads: Vec<PageLoad>,
}

/// A load of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLoad {
    /// Time at which the load began, by our clock.
    pub at: Time,
    /// Time until the whole page had been delivered; `None` if it was never delivered.
    pub took: Option<Span>,
}

/// Activity of the server's machine since the previous sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerSample {
    /// Time of the sample, by the server's clock.
    pub at: Time,
    /// Busy part of the busiest processor, 0 to 1; `None` if it is not known.
    pub busiest: Option<f64>,
    /// Processor time that the server program took, as a part of one processor; `None` if it is not
    /// known.
    pub own: Option<f64>,
}

/// Activity of our machine since the previous sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSample {
    /// Time of the sample, by our clock.
    pub at: Time,
    /// Busy part of all processors, 0 to 1; `None` if it is not known.
    pub busy: Option<f64>,
    /// Busy part of the busiest processor, 0 to 1; `None` if it is not known.
    pub busiest: Option<f64>,
    /// Processor time that this test took, as a part of one processor; `None` if it is not known.
    pub own: Option<f64>,
    /// The greatest lateness of the thread that sends probes.
    pub lateness: Span,
    /// Backlog of the queue of our own interface; `None` if it is not known.
    pub backlog: Option<Bytes>,
    /// Packets that the queue of our own interface has dropped in all; `None` if it is not known.
    pub drops: Option<u64>,
    /// State of our Wi-Fi; `None` if our interface is not Wi-Fi, and in some samples.
    pub wireless: Option<Wireless>,
}

/// Our Wi-Fi's connection to its access point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wireless {
    /// The radio's rate for the last packet to the access point; TCP gets about half of it. `None`
    /// if it is not known.
    pub sends: Option<Rate>,
    /// The radio's rate for the last packet from the access point; `None` if it is not known.
    pub receives: Option<Rate>,
    /// Signal strength of the last packet from the access point, in dBm; `None` if it is not known.
    pub signal: Option<i8>,
}

/// Our own end of the path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// The name of the interface: `wlan0`.
    pub name: String,
    /// True if the interface is Wi-Fi.
    pub wireless: bool,
    /// The interface's queue as `tc` names it: `fq_codel`; `None` if it is not known.
    pub qdisc: Option<String>,
    /// The negotiated rate of a wired link; `None` if it is not known. For Wi-Fi, see
    /// [`HostSample::wireless`].
    pub rate: Option<Rate>,
    /// The length of the largest IP packet that the interface sends; `None` if it is not known.
    pub mtu: Option<Bytes>,
}
