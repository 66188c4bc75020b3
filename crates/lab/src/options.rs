//! The options of a run, and its progress.

use std::io::Write;
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;

use live::PortKind;
use meter::{QueueState, StayOptions};
use qdisc::Backlog;
use tables::SeriesFormat;
use units::Span;

/// A function that gets the progress of the run, and returns false to end it.
pub type Progress<'a> = Box<dyn FnMut(&Status) -> bool + 'a>;

/// A service at the far end of a command's link. It runs on a thread of its own until the flag is
/// set, and gets the far end's addresses.
pub type AtPeer<'a> = Box<dyn FnOnce([IpAddr; 2], &AtomicBool) + Send + 'a>;

/// The options of a run.
#[derive(Default)]
pub struct Options<'a> {
    /// The kind of ports; `None` for the best that the machine has.
    pub ports: Option<PortKind>,
    /// True to switch super-packets off: each packet goes through the queue on its own.
    pub no_gso: bool,
    /// The congestion control of sockets that choose none: one of
    /// [`congestion_controls`](crate::congestion_controls), or `None` for the kernel's own choice.
    /// For commands only, since the flows of a scenario choose theirs.
    pub congestion: Option<String>,
    /// A service beside the peer's own, for commands; `None` for no further service.
    pub at_peer: Option<AtPeer<'a>>,
    /// The table of quantities over time; `None` for no table.
    pub series: Option<SeriesOptions>,
    /// The destination of the table of the fate of each packet on each link; `None` for no table.
    pub packets: Option<Box<dyn Write + Send>>,
    /// The capture of the packets that pass one end of a link; `None` for no capture.
    pub pcap: Option<PcapOptions>,
    /// The step of the result's timeline, more than zero; `None` for neither timeline nor
    /// distributions.
    pub timeline: Option<Span>,
    /// The place for the state of each queue at the end of the run, in the order of the directions;
    /// `None` for none.
    pub queues: Option<&'a mut Vec<QueueState>>,
    /// The queue whose packets are wanted one by one, in some stretches of a scenario's run; `None` for none.
    pub stays: Option<StayOptions<'a>>,
    /// A function that is called about ten times a second with the status, on the calling thread.
    /// The run ends if it returns `false`. `None` for a run that nobody watches.
    pub progress: Option<Progress<'a>>,
}

impl Options<'_> {
    /// True if each packet is to go through the queue on its own. A row of the table of packets is
    /// about one packet, so that table needs it too.
    pub(crate) fn one_by_one(&self) -> bool {
        self.no_gso || self.packets.is_some()
    }
}

/// A table of quantities over time: where to write it, and how.
pub struct SeriesOptions {
    /// The destination, which is flushed at the end of the run.
    pub writer: Box<dyn Write + Send>,
    /// The file format.
    pub format: SeriesFormat,
    /// The time from one row to the next; more than zero.
    pub step: Span,
}

/// A capture (pcapng): where to write it, and which packets it has.
pub type PcapOptions = meter::CaptureOptions<Box<dyn Write + Send>>;

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// The time since the run began.
    pub elapsed: Span,
    /// Each direction of each link: `uplink.forward`, `uplink.reverse` and so on.
    pub directions: Vec<DirectionStatus>,
}

/// The state of one direction of a link: totals since the beginning, and the backlog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionStatus {
    /// The name, such as `uplink.forward`.
    pub name: String,
    /// The bytes that have been delivered at the far end, with framing.
    pub delivered_bytes: u64,
    /// The packets that have left the queue.
    pub departed: u64,
    /// The sum of the sojourns of the packets that have left the queue.
    pub waited: Span,
    /// The packets that were dropped or lost, without those of a filter of acknowledgements.
    pub drops: u64,
    /// The packets that were marked.
    pub marks: u64,
    /// The packets and bytes that wait now.
    pub backlog: Backlog,
}
