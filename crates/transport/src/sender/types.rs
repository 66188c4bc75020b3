//! The inputs, outputs and counters of the sender.

use units::{Bytes, Span};

use crate::segment::SackBlocks;

/// The options that the handshake agreed on for this direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Negotiated {
    /// Payload bytes of a full segment.
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

/// The acknowledgement in one arriving segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Next sequence number that the peer expects.
    pub ack: u64,
    /// Receive window in bytes, already scaled.
    pub window: u64,
    /// SACK option.
    pub sack: SackBlocks,
    /// TSecr, if the segment carried timestamps.
    pub echo: Option<u32>,
    /// TSval, if the segment carried timestamps.
    pub stamp: Option<u32>,
    /// ECN echo flag.
    pub ece: bool,
    /// True if the segment carries data or a FIN, so that it is no duplicate acknowledgement
    /// (RFC 5681 section 2).
    pub carries_data: bool,
}

/// One segment to put on the wire.
///
/// A segment without payload and FIN is a probe of a closed window: the peer answers it with an
/// acknowledgement, because its sequence number lies before the one that the peer expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// First sequence number.
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// FIN flag.
    pub fin: bool,
    /// PSH flag.
    pub push: bool,
    /// True if it was sent before.
    pub retransmission: bool,
    /// True if it is sent as ECN-capable.
    pub ect: bool,
    /// CWR flag.
    pub cwr: bool,
}

/// The sender's view of the path (Linux's congestion avoidance states).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing unusual.
    #[default]
    Open,
    /// Duplicate or selective acknowledgements came, but too few to show a loss.
    Disorder,
    /// The window falls because of a congestion mark.
    Cwr,
    /// Lost segments are sent again; the window falls.
    Recovery,
    /// The retransmission timer ran out; everything not acknowledged is sent again.
    Loss,
}

/// Counters since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Segments sent, retransmissions included, window probes not.
    pub segments: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Payload sent, retransmissions included.
    pub bytes: Bytes,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Tail loss probes.
    pub tail_loss_probes: u64,
    /// Probes of a closed window.
    pub window_probes: u64,
    /// Segments taken for lost, once for each transmission.
    pub lost: u64,
    /// Times that recovery was entered.
    pub recoveries: u64,
    /// Reductions of the window for congestion marks.
    pub ecn_reductions: u64,
    /// Reductions that were taken back because nothing had been lost.
    pub spurious: u64,
    /// Longest round trip of a segment that was sent once.
    pub max_rtt: Span,
}
