//! The inputs, outputs and counters of the sender.

use units::{Bytes, Span};

use crate::segment::{Flags, SackBlocks};

/// The options that the handshake agreed on for this direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Negotiated {
    /// The payload of a full segment, in bytes.
    pub mss: u32,
    /// True if the peer may send selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// True if segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// True if ECN was negotiated (RFC 3168 section 6.1.1).
    pub ecn: bool,
    /// The peer's first receive window in bytes, scaled.
    pub window: u64,
}

/// The acknowledgement in one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The next sequence number that the peer expects.
    pub ack: u64,
    /// The receive window in bytes, already scaled.
    pub window: u64,
    /// The SACK option.
    pub sack: SackBlocks,
    /// TSecr; `None` if the segment carried no timestamps.
    pub echo: Option<u32>,
    /// TSval; `None` if the segment carried no timestamps.
    pub stamp: Option<u32>,
    /// The ECN echo flag.
    pub ece: bool,
    /// True if the segment carries data or a FIN, so that it is no duplicate acknowledgement
    /// (RFC 5681 section 2).
    pub carries_data: bool,
}

/// A segment to send.
///
/// A segment without payload and FIN is a probe of a closed window: the peer answers it with an
/// acknowledgement, because its sequence number lies before the one that the peer expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The first sequence number.
    pub seq: u64,
    /// The payload in bytes.
    pub len: u32,
    /// FIN, PSH and CWR, if they are set.
    pub flags: Flags,
    /// True if the segment was sent before.
    pub retransmission: bool,
    /// True if the segment is sent as ECN-capable.
    pub ect: bool,
}

/// The congestion state of a sender (the congestion avoidance states of Linux).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CongestionState {
    /// No congestion and no loss is suspected.
    #[default]
    Open,
    /// Duplicate or selective acknowledgements came, but too few to show a loss.
    Disorder,
    /// The window falls because of a congestion mark.
    Cwr,
    /// Lost segments are sent again; the window falls.
    Recovery,
    /// The retransmission timer ran out; all data that is not acknowledged is sent again.
    Loss,
}

/// Counters of the sending half since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Number of segments sent, retransmissions included, window probes not.
    pub segments: u64,
    /// Number of segments sent again.
    pub retransmitted: u64,
    /// Payload sent, retransmissions included.
    pub bytes: Bytes,
    /// Number of retransmission timeouts.
    pub timeouts: u64,
    /// Number of tail loss probes.
    pub tail_loss_probes: u64,
    /// Number of probes of a closed window.
    pub window_probes: u64,
    /// Number of segments taken for lost, once for each transmission.
    pub lost: u64,
    /// Number of times that recovery was entered.
    pub recoveries: u64,
    /// Number of reductions of the window for congestion marks.
    pub ecn_reductions: u64,
    /// Number of reductions that were taken back because nothing had been lost.
    pub spurious: u64,
    /// The longest round trip of a segment that was sent once.
    pub max_rtt: Span,
}
