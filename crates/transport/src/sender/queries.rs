//! The public getters of a sender.

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

    /// Smoothed round-trip time; `None` before any sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    /// The smallest round-trip time of the last five minutes; `None` before any sample.
    pub fn min_rtt(&self) -> Option<Span> {
        self.min_rtt.get()
    }

    /// Retransmission timeout, with its back-off.
    pub fn rto(&self) -> Span {
        self.rtt.rto()
    }

    /// The number of sequence numbers sent and not acknowledged: bytes, and one for the FIN.
    pub fn unacked(&self) -> u64 {
        self.stream.next() - self.una
    }

    /// The latest round-trip sample since the last call, timed from the sending of a segment that
    /// was sent once; `None` if there is none. The estimator also takes samples from timestamps of
    /// other segments, in whole milliseconds.
    pub fn take_rtt_sample(&mut self) -> Option<Span> {
        self.sample.take()
    }

    /// True if everything is acknowledged, FIN included.
    pub fn is_done(&self) -> bool {
        self.stream.is_over() && self.una == self.stream.next()
    }

    /// The sender's state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Counters since the connection began.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}
