//! The public getters of a sender.

use units::Span;

use super::{CongestionState, Sender, SenderStats};

impl Sender {
    /// The congestion window in segments.
    pub fn cwnd(&self) -> u32 {
        self.window.cwnd()
    }

    /// The slow start threshold in segments; `u32::MAX` before the first congestion event.
    pub fn ssthresh(&self) -> u32 {
        self.window.ssthresh()
    }

    /// The number of segments believed to be in the network (RFC 6675 section 4: pipe).
    pub fn in_flight(&self) -> u32 {
        self.losses.board().pipe()
    }

    /// The smoothed round-trip time; `None` before any sample.
    pub fn srtt(&self) -> Option<Span> {
        self.round_trips.srtt()
    }

    /// The smallest round-trip time of the last five minutes; `None` before any sample.
    pub fn min_rtt(&self) -> Option<Span> {
        self.round_trips.min()
    }

    /// The retransmission timeout, with its back-off.
    pub fn rto(&self) -> Span {
        self.round_trips.rto()
    }

    /// The count of sequence numbers sent and not acknowledged: bytes, and one for the FIN.
    pub fn unacked(&self) -> u64 {
        self.sequence.next() - self.sequence.una()
    }

    /// Takes the latest round-trip sample, timed from the sending of a segment that was sent once;
    /// `None` if there is none since the last call. The estimator also takes samples from
    /// timestamps of other segments, in whole milliseconds.
    pub fn take_rtt_sample(&mut self) -> Option<Span> {
        self.round_trips.take_latest()
    }

    /// True if everything is acknowledged, FIN included.
    pub fn is_done(&self) -> bool {
        self.sequence.is_done()
    }

    /// The congestion state.
    pub fn state(&self) -> CongestionState {
        self.phase.state()
    }

    /// The counters since the connection began.
    pub fn stats(&self) -> SenderStats {
        let sent = self.output.sent();
        SenderStats {
            segments: sent.segments,
            retransmitted: sent.retransmitted,
            bytes: sent.bytes,
            timeouts: self.phase.timeouts(),
            tail_loss_probes: sent.tail_loss_probes,
            window_probes: sent.window_probes,
            lost: self.losses.board().lost_ever(),
            recoveries: self.phase.recoveries(),
            ecn_reductions: self.phase.ecn_reductions(),
            spurious: self.undo.restored(),
            max_rtt: self.round_trips.max(),
        }
    }
}
