//! What can be asked of a sender.

use units::Span;

use super::{Sender, SenderStats, State};

impl Sender {
    /// Congestion window in segments.
    pub fn cwnd(&self) -> u32 {
        self.window.cwnd
    }

    /// Slow start threshold in segments; `u32::MAX` before the first congestion event.
    pub fn ssthresh(&self) -> u32 {
        self.window.ssthresh
    }

    /// Segments believed to be in the network (RFC 6675 section 4: pipe).
    pub fn in_flight(&self) -> u32 {
        self.board.pipe()
    }

    /// Smoothed round-trip time, once there is a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    /// The smallest round-trip time of the last five minutes, once there is a sample.
    pub fn min_rtt(&self) -> Option<Span> {
        self.min_rtt.get()
    }

    /// Retransmission timeout, backed off.
    pub fn rto(&self) -> Span {
        self.rtt.rto()
    }

    /// Sequence numbers sent and not acknowledged: bytes, and one for the FIN.
    pub fn unacked(&self) -> u64 {
        self.stream.next() - self.una
    }

    /// The latest round trip since this was last asked: of a segment that was sent once, from when
    /// it was. The estimator also takes what timestamps say of others, in whole milliseconds.
    pub fn take_rtt_sample(&mut self) -> Option<Span> {
        self.sample.take()
    }

    /// Is everything acknowledged, FIN included?
    pub fn is_done(&self) -> bool {
        self.stream.is_over() && self.una == self.stream.next()
    }

    /// What the sender believes about the path.
    pub fn state(&self) -> State {
        self.state
    }

    /// Counters since the connection began.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}
