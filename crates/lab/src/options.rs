//! What is wanted of a run besides its result.

use std::io::Write;
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;

use live::PortKind;
use qdisc::Backlog;
use results::SeriesFormat;
use units::Span;

/// Who is told how things are, and answers whether to go on.
pub type Progress<'a> = Box<dyn FnMut(&Status) -> bool + 'a>;

/// What else serves at the far end of a command's link, on a thread of its own, until the flag is set.
/// It is given the far end's addresses.
pub type AtPeer<'a> = Box<dyn FnOnce([IpAddr; 2], &AtomicBool) + Send + 'a>;

/// What is wanted of a run besides its result.
#[derive(Default)]
pub struct Options<'a> {
    /// What ports are to be made of; `None` for what the machine has.
    pub ports: Option<PortKind>,
    /// No super-packets: each packet goes through the queue on its own.
    pub no_gso: bool,
    /// The congestion control of sockets that choose none; one of
    /// [`congestion_controls`](crate::congestion_controls), or `None` for the kernel's own choice.
    /// For commands: the flows of a scenario choose theirs.
    pub congestion: Option<String>,
    /// Serves beside the peer's own services. For commands.
    pub at_peer: Option<AtPeer<'a>>,
    /// Writes a table of quantities over time.
    pub series: Option<SeriesOptions>,
    /// Writes what became of each packet on each link.
    pub packets: Option<Box<dyn Write + Send>>,
    /// Writes the packets that pass one end of a link.
    pub pcap: Option<PcapOptions>,
    /// How long a step of the result's timeline is, more than zero; with it come the distributions.
    pub timeline: Option<Span>,
    /// Is told about ten times a second how things are, on the calling thread. If it answers
    /// `false` the run ends there.
    pub progress: Option<Progress<'a>>,
}

impl Options<'_> {
    /// Is each packet to go through the queue on its own? A row of the table of packets is about
    /// one packet, so that it can be written only then.
    pub(crate) fn one_by_one(&self) -> bool {
        self.no_gso || self.packets.is_some()
    }
}

/// Where to write a table of quantities over time, and how.
pub struct SeriesOptions {
    /// Buffered; flushed at the end of the run.
    pub writer: Box<dyn Write + Send>,
    /// As what.
    pub format: SeriesFormat,
    /// From one row to the next; more than zero.
    pub step: Span,
}

/// Where to write a capture (pcapng), and what is in it.
pub struct PcapOptions {
    /// Buffered; flushed at the end of the run.
    pub writer: Box<dyn Write + Send>,
    /// Which link of the scenario.
    pub link: usize,
    /// At which of its ends: that from which packets go forward, before their queue, and at which
    /// the others arrive; or else that at the far end.
    pub forward: bool,
    /// The most bytes that are kept of a packet, its Ethernet header included; 0 for all.
    pub snap: u32,
}

/// How things are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// How long the run has lasted.
    pub elapsed: Span,
    /// Each direction of each link, `uplink.forward` and `uplink.reverse` and so on.
    pub directions: Vec<DirectionStatus>,
}

/// How things are in one direction of a link: since the beginning, but for the backlog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionStatus {
    /// `uplink.forward`.
    pub name: String,
    /// What has arrived at the far end, in bytes with framing.
    pub delivered_bytes: u64,
    /// Packets that have left the queue, ...
    pub departed: u64,
    /// ... and how long they had waited, summed.
    pub waited: Span,
    /// Packets that did not arrive.
    pub drops: u64,
    /// Packets that were marked.
    pub marks: u64,
    /// What waits now.
    pub backlog: Backlog,
}
