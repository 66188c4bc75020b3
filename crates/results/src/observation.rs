//! What a measurement saw, before anyone has judged it.
//!
//! Whoever measures writes this: `unbloat test` on a real path, the simulator and the lab where the
//! truth is known. Whoever judges reads nothing else, so that a verdict can be tested.
//!
//! Two ends, two clocks: *ours*, of the end that was asked to measure, and *theirs*, of the server.
//! Neither knows the other's time; every [`Time`] says whose it is.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span, Time};

/// All that was seen, in the order in which it happened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Observations {
    /// Was it IPv6, whose headers are 20 bytes longer than those of IPv4?
    pub ipv6: bool,
    /// What the load was, one after the other.
    pub stages: Vec<Stage>,
    /// Small packets that were sent and answered, one stream for each class of service.
    pub probes: Vec<ProbeStream>,
    /// TCP connections that loaded the path.
    pub flows: Vec<LoadFlow>,
    /// Packets whose time to live ended on the way, or that reached the server.
    pub hops: Vec<HopProbe>,
    /// New connections that were made beside the load (the foreign probes of the IETF's responsiveness).
    pub foreign: Vec<Foreign>,
    /// The frames of a call that was made beside it all, if there was one: probes too, but larger, and
    /// one each 20 ms.
    pub voice: Option<ProbeStream>,
    /// ICMP echo requests to the server, in the order in which they were sent; none where the system
    /// allows none.
    pub pings: Vec<Ping>,
    /// Pages that were loaded beside it all, if they were.
    pub pages: Option<Pages>,
    /// What our own machine was doing.
    pub host: Vec<HostSample>,
    /// What the server's machine was doing, as far as it tells.
    pub server: Vec<ServerSample>,
    /// What our own interface is like, if that is known.
    pub interface: Option<Interface>,
    /// The most that the server sends or takes in a direction, if it said so.
    pub server_rate: Option<Rate>,
    /// Tests that the server was doing for others, at most, while it did ours.
    pub other_tests: u32,
    /// Times at which the path's address changed under us, by our clock.
    pub rebinds: Vec<Time>,
}

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heading {
    /// From us to the server: upload.
    Up,
    /// From the server to us: download.
    Down,
}

impl Heading {
    /// The other one.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// A time in which the load was the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// What was loaded.
    pub load: Load,
    /// From here, by our clock: the flows begin to start.
    pub start: Time,
    /// To here, by our clock: the flows are told to stop.
    pub end: Time,
    /// Why it ended.
    pub ended: Ended,
}

/// What is loaded in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Load {
    /// Nothing: the path as it is.
    Idle,
    /// One direction, with packets as large as they get.
    One(Heading),
    /// One direction, with small packets: what tells a limit in bytes from one in packets.
    Small(Heading),
    /// Both directions.
    Both,
    /// Nothing any more, and what waits in the queues drains.
    Drain,
}

impl Load {
    /// Does it load this direction?
    pub fn loads(self, direction: Heading) -> bool {
        match self {
            Self::One(heading) | Self::Small(heading) => heading == direction,
            Self::Both => true,
            Self::Idle | Self::Drain => false,
        }
    }
}

/// Why a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// Its time was over.
    Planned,
    /// It was made longer, because the queue still grew, until it did not.
    Settled,
    /// It was made longer, and the queue still grew when the time for the whole test was over.
    StillGrowing,
    /// The test was told to stop.
    Interrupted,
    /// The server or the path was lost.
    Lost,
    /// Large packets did not come through, and small ones did.
    LargeLost,
    /// This machine slept, or this program stood still.
    StoodStill,
}

/// Probes of one class of service, in the order in which they were sent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProbeStream {
    /// Differentiated Services code point, 0 to 63.
    pub dscp: u8,
    /// Bytes of each as an IP packet, both ways alike.
    pub bytes: Bytes,
    /// The probes.
    pub probes: Vec<Probe>,
}

/// One probe: up it went, and down came its answer. What is missing was lost, or the test ended
/// before it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// Handed to our kernel, by our clock.
    pub sent: Time,
    /// Handed by our kernel to our device, by our clock, where the kernel tells.
    pub departed: Option<Time>,
    /// Arrived at the server, by its clock.
    pub reached: Option<Time>,
    /// Answered by the server, by its clock.
    pub answered: Option<Time>,
    /// The answer arrived, by our clock.
    pub returned: Option<Time>,
}

/// One TCP connection that loaded the path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadFlow {
    /// Which way its data went.
    pub heading: Heading,
    /// Differentiated Services code point, 0 to 63.
    pub dscp: u8,
    /// Which congestion control the sender had: `cubic`.
    pub congestion: String,
    /// Connected, by our clock.
    pub start: Time,
    /// Told to stop, by our clock.
    pub stop: Time,
    /// What the receiver had got, from time to time: by its own clock, ours for
    /// [`Down`](Heading::Down) and the server's for [`Up`](Heading::Up).
    pub received: Vec<Receipt>,
    /// How the sender saw it, from time to time, by the sender's clock: ours for
    /// [`Up`](Heading::Up) and the server's for [`Down`](Heading::Down).
    pub sender: Vec<SenderSample>,
}

/// What a receiver had got in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// When, by the receiver's clock.
    pub at: Time,
    /// Application bytes, in order.
    pub bytes: Bytes,
    /// Segments with data, those that came twice among them; nothing where the kernel does not tell.
    pub segments: Option<u64>,
}

/// How a sender saw its connection (`TCP_INFO`); sums count from its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderSample {
    /// When, by the sender's clock.
    pub at: Time,
    /// Smoothed round trip.
    pub srtt: Option<Span>,
    /// The least round trip that it has seen.
    pub min_rtt: Option<Span>,
    /// Congestion window in segments.
    pub cwnd: u32,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes that the peer has acknowledged.
    pub acknowledged: Bytes,
    /// Segments sent, and those among them that were sent once more.
    pub sent: u64,
    /// Segments sent once more.
    pub retransmitted: u64,
    /// Segments that came back: acknowledgements; 0 where the kernel does not tell.
    pub heard: u64,
    /// Segments that the peer has acknowledged, selectively or all up to them; 0 where the kernel does
    /// not tell.
    #[serde(default)]
    pub delivered: u64,
    /// How long it had something to send.
    pub busy: Span,
    /// How long of that the receiver's window held it back.
    pub receiver_limited: Span,
    /// How long of that its own buffer held it back.
    pub buffer_limited: Span,
    /// How fast data arrives, as the sender estimates it.
    pub delivery_rate: Option<Rate>,
}

/// A packet that was meant to end at a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopProbe {
    /// Time to live: 1 ends at the first router.
    pub hop: u8,
    /// Sent, by our clock.
    pub sent: Time,
    /// Who answered, and when by our clock; nothing if nobody did.
    pub answer: Option<HopAnswer>,
}

/// The answer to a [`HopProbe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopAnswer {
    /// Who.
    pub from: IpAddr,
    /// When, by our clock.
    pub at: Time,
    /// Is it the server itself? Otherwise it is a router on the way.
    pub is_server: bool,
}

/// A new connection beside the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    /// Begun, by our clock.
    pub at: Time,
    /// From SYN to SYN-ACK.
    pub connect: Span,
    /// From a small request to its answer.
    pub exchange: Span,
}

/// One ICMP echo request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ping {
    /// Sent, by our clock.
    pub sent: Time,
    /// Its answer arrived, by our clock; nothing if none did.
    pub returned: Option<Time>,
}

/// A page that is loaded again and again, one at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pages {
    /// Its parts, each over a new connection, one after the other.
    pub objects: u32,
    /// What each of them has.
    pub bytes: Bytes,
    /// Each time that it was loaded.
    pub loads: Vec<PageLoad>,
}

/// A page, loaded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLoad {
    /// Begun, by our clock.
    pub at: Time,
    /// Until all of it was there; nothing if it never was.
    pub took: Option<Span>,
}

/// What the server's machine was doing since the sample before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerSample {
    /// When, by its clock.
    pub at: Time,
    /// Which part of its busiest processor was busy, 0 to 1.
    pub busiest: Option<f64>,
    /// Which part of one processor the server itself took.
    pub own: Option<f64>,
}

/// What our machine was doing since the sample before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSample {
    /// When, by our clock.
    pub at: Time,
    /// Which part of all processors was busy, 0 to 1.
    pub busy: Option<f64>,
    /// Which part of its busiest processor was busy, 0 to 1.
    pub busiest: Option<f64>,
    /// Which part of one processor this test itself took.
    pub own: Option<f64>,
    /// How late the thread that sends probes was at worst.
    pub lateness: Span,
    /// What waits in the queue of our own interface.
    pub backlog: Option<Bytes>,
    /// Packets that the queue of our own interface has dropped, in all.
    pub drops: Option<u64>,
    /// How our Wi-Fi was doing, if our interface is that; not in every sample.
    pub wireless: Option<Wireless>,
}

/// Our Wi-Fi's connection to its access point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wireless {
    /// The rate of the last packet to it, as the radio counts: TCP gets about half of that.
    pub sends: Option<Rate>,
    /// The rate of the last packet from it.
    pub receives: Option<Rate>,
    /// How strong that was, in dBm.
    pub signal: Option<i8>,
}

/// Our own end of the path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// Its name: `wlan0`.
    pub name: String,
    /// Is it Wi-Fi?
    pub wireless: bool,
    /// Its queue as `tc` names it: `fq_codel`.
    pub qdisc: Option<String>,
    /// The rate that it has agreed upon, if it is wired and says so. Of Wi-Fi it varies: see
    /// [`HostSample::wireless`].
    pub rate: Option<Rate>,
    /// The largest IP packet that it takes.
    pub mtu: Option<Bytes>,
}
