//! Tail loss probes: a segment that asks for an acknowledgement when none has come for too long.
//!
//! After the last segments of a transfer there are none whose delivery could show their loss. So
//! after two round trips without an acknowledgement one segment is sent, new data if there is any,
//! else the last one again. Its acknowledgement starts recovery sooner than a timeout would. If the
//! probe itself repaired the only loss, the window is reduced too.
//!
//! Specification: RFC 8985 section 7; Linux 6.1 `tcp_schedule_loss_probe`, `tcp_process_tlp_ack`.
//! Deviations: RFC 8985 section 7.2 adds the peer's delay only for a lone segment; Linux adds two
//! ticks of its clock otherwise.

use units::Span;

/// The least timeout: two ticks of 4 ms, with the 250 Hz of a distribution's kernel (Linux
/// `TCP_TIMEOUT_MIN`).
pub(crate) const TICKS: Span = Span::from_millis(8);
/// The longest delay of an acknowledgement: TLP.max_ack_delay (RFC 8985 section 7.2).
const MAX_ACK_DELAY: Span = Span::from_millis(200);
/// The timeout before any round-trip sample (RFC 8985 section 7.2).
const WITHOUT_SAMPLE: Span = Span::from_secs(1);

/// The outstanding probe.
#[derive(Clone, Debug, Default)]
pub(crate) struct TailLossProbe {
    /// The next sequence number when the probe was sent: TLP.end_seq; `None` if no probe is
    /// outstanding.
    end: Option<u64>,
    /// True if the probe was a retransmission: TLP.is_retrans.
    retransmission: bool,
}

/// The parts of an acknowledgement that matter to a probe.
pub(crate) struct ProbeAck {
    pub(crate) ack: u64,
    /// True if the acknowledgement reported the probe itself as a duplicate.
    pub(crate) reports_probe: bool,
    /// True if the acknowledgement is a duplicate that delivered nothing.
    pub(crate) pure_duplicate: bool,
}

impl TailLossProbe {
    /// The time until a probe: TLP_calc_PTO of RFC 8985 section 7.2, but for the limit by the
    /// retransmission timer. `srtt` is the smoothed round-trip time; `None` before any sample.
    pub(crate) fn timeout(srtt: Option<Span>, packets_out: u32) -> Span {
        let Some(srtt) = srtt else { return WITHOUT_SAMPLE };
        srtt * 2 + if packets_out == 1 { MAX_ACK_DELAY } else { TICKS }
    }

    pub(crate) const fn is_out(&self) -> bool {
        self.end.is_some()
    }

    /// Notes that the probe is sent; `next` is the next sequence number after it (RFC 8985 section
    /// 7.3).
    pub(crate) fn on_sent(&mut self, next: u64, retransmission: bool) {
        (self.end, self.retransmission) = (Some(next), retransmission);
    }

    /// Drops the probe, because a recovery has begun, which repairs all losses.
    pub(crate) fn cancel(&mut self) {
        self.end = None;
    }

    /// True if the outstanding probe ended at `end`.
    pub(crate) fn ends_at(&self, end: u64) -> bool {
        self.end == Some(end)
    }

    /// True if the probe repaired a loss that nothing else will show (RFC 8985 section 7.4.2).
    pub(crate) fn on_ack(&mut self, ack: &ProbeAck) -> bool {
        let Some(end) = self.end.filter(|&end| ack.ack >= end) else { return false };
        let beyond = ack.ack > end;
        if !self.retransmission || ack.reports_probe || beyond || ack.pure_duplicate {
            self.end = None;
        }
        self.retransmission && beyond && !ack.reports_probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(ack: u64, reports_probe: bool, pure_duplicate: bool) -> ProbeAck {
        ProbeAck { ack, reports_probe, pure_duplicate }
    }

    #[test]
    fn waits_longer_for_a_lone_segment() {
        let srtt = Some(Span::from_millis(50));
        assert_eq!(TailLossProbe::timeout(None, 2), Span::from_secs(1));
        assert_eq!(TailLossProbe::timeout(srtt, 2), Span::from_millis(108));
        assert_eq!(TailLossProbe::timeout(srtt, 1), Span::from_millis(300));
    }

    #[test]
    fn only_an_advance_beyond_a_repeated_segment_shows_a_loss() {
        for (sent_again, content, lost, still_out) in [
            (true, ack(99, false, false), false, true),
            (true, ack(100, false, false), false, true),
            (true, ack(100, false, true), false, false),
            (true, ack(100, true, false), false, false),
            (true, ack(101, true, false), false, false),
            (true, ack(101, false, false), true, false),
            (false, ack(101, false, false), false, false),
        ] {
            let mut probe = TailLossProbe::default();
            probe.on_sent(100, sent_again);
            assert_eq!((probe.on_ack(&content), probe.is_out()), (lost, still_out));
        }
    }
}
