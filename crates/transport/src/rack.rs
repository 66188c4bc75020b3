//! RACK: a segment is lost if one sent sufficiently later has been delivered.
//!
//! Of all delivered segments the one sent last is remembered. A segment that was sent before it
//! and is still missing after one round trip and a reordering window is lost; so is such a
//! retransmission. The window is zero until reordering is seen (once three segments are delivered
//! above a hole, or in recovery), then a quarter of the smallest round-trip time, and more for each
//! round trip in which the receiver reports duplicates.
//!
//! Specification: RFC 8985 section 6 with the details of Linux 6.1 (`tcp_recovery.c`).
//! Deviations: RFC 8985 section 6.2 step 2 orders transmissions of the same time by sequence
//! number; here transmissions are numbered, which that rule approximates. Linux counts a round of
//! DSACKs by deliveries; here it is counted by sequence numbers, as in RFC 8985 section 6.2 step 4.

use units::{Span, Time};

use crate::scoreboard::{Mark, Record, Scoreboard};

/// The number of recoveries without DSACK until the window is small again (RFC 8985 section 6.2
/// step 4).
const PERSISTENCE: u8 = 16;
/// The number of segments delivered above a hole that show its loss: DupThresh (RFC 5681 section
/// 3.2).
const DUPLICATE_THRESHOLD: u32 = 3;

/// The variables of RACK.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    /// The number of the latest transmission that was delivered; 0 before any, as the first
    /// transmission has the number 1.
    newest: u32,
    /// The round-trip time of the segment delivered last.
    rtt: Span,
    /// True if a segment was delivered since the last search for losses.
    advanced: bool,
    reordering: bool,
    /// The largest distance of reordered segments, in segments (Linux's `reordering`).
    degree: u64,
    /// The reordering window in quarters of the smallest round-trip time: RACK.reo_wnd_mult.
    steps: u8,
    persist: u8,
    /// The sequence number from whose acknowledgement on DSACKs count again: RACK.dsack_round.
    /// `None` if they count now.
    dsack_round: Option<u64>,
}

/// The values that the reordering window depends on.
pub(crate) struct Circumstances {
    pub(crate) in_recovery: bool,
    pub(crate) min_rtt: Span,
    pub(crate) srtt: Span,
}

impl Rack {
    pub(crate) const fn new() -> Self {
        Self {
            newest: 0,
            rtt: Span::ZERO,
            advanced: false,
            reordering: false,
            degree: DUPLICATE_THRESHOLD as u64,
            steps: 1,
            persist: 0,
            dsack_round: None,
        }
    }

    /// Takes notice that a segment has just been delivered, whose state before was `record` (RFC
    /// 8985 section 6.2 step 2).
    pub(crate) fn on_delivered(&mut self, record: &Record, min_rtt: Option<Span>, now: Time) {
        let rtt = now.since(record.sent);
        // An acknowledgement sooner than any round trip is that of the first transmission.
        if record.is(Mark::AMBIGUOUS) && min_rtt.is_some_and(|min| rtt < min) {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        if is_before(self.newest, record.transmission) {
            self.newest = record.transmission;
        }
    }

    /// Takes notice that a segment sent once was delivered after later ones, the last of which ends
    /// `distance` segments further on (RFC 8985 section 6.2 step 3).
    pub(crate) fn on_reordering(&mut self, distance: u64) {
        self.reordering = true;
        self.degree = self.degree.max(distance);
    }

    /// True if segments are reordered by more than three segments.
    pub(crate) const fn is_degree_high(&self) -> bool {
        self.degree > DUPLICATE_THRESHOLD as u64
    }

    /// Takes notice that the receiver reported a duplicate (RFC 8985 section 6.2 step 4).
    pub(crate) fn on_duplicate(&mut self, una: u64, next: u64) {
        // Linux ignores duplicates that cannot come from reordering.
        if self.reordering && self.dsack_round.is_none_or(|round| una >= round) {
            self.dsack_round = Some(next);
            self.steps = self.steps.saturating_add(1);
            self.persist = PERSISTENCE;
        }
    }

    /// Takes notice that a recovery ended (RFC 8985 section 6.2 step 4).
    pub(crate) fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// Requests a search for losses, although nothing was delivered.
    pub(crate) fn reconsider(&mut self) {
        self.advanced = true;
    }

    /// True if a segment was delivered, or a search requested, since the last call.
    pub(crate) fn take_advanced(&mut self) -> bool {
        core::mem::take(&mut self.advanced)
    }

    /// Marks lost segments (RFC 8985 section 6.2 step 5). Returns the time until the last of the
    /// other overtaken segments is lost too; `None` if there are none.
    pub(crate) fn detect(
        &self,
        board: &mut Scoreboard,
        circumstances: &Circumstances,
        now: Time,
    ) -> Option<Span> {
        let patience = self.rtt + self.reordering_window(board, circumstances);
        while let Some(last) = board.overtaken(|record| self.has_overtaken(record)) {
            // The cursor is not empty, so neither is the list, and its front is overtaken.
            let first = board.sent_first()?;
            if now.since(board.get(first).sent) < patience {
                let waited = now.since(board.get(last).sent);
                return Some(patience.saturating_sub(waited));
            }
            board.mark_lost(first);
        }
        None
    }

    /// True if, at a timeout, `record` was sent too recently to be taken for lost (Linux
    /// `tcp_timeout_mark_lost`).
    pub(crate) fn is_recent(&self, record: &Record, now: Time) -> bool {
        now.since(record.sent) < self.rtt
    }

    fn has_overtaken(&self, record: &Record) -> bool {
        is_before(record.transmission, self.newest)
    }

    /// The reordering window: RACK_update_reo_wnd of RFC 8985 section 6.2 step 4.
    fn reordering_window(&self, board: &Scoreboard, circumstances: &Circumstances) -> Span {
        let proven = circumstances.in_recovery || board.sacked() >= DUPLICATE_THRESHOLD;
        if proven && !self.reordering {
            return Span::ZERO;
        }
        (circumstances.min_rtt / 4 * u64::from(self.steps)).min(circumstances.srtt)
    }
}

/// True if transmission `a` was before `b`. The numbers wrap.
const fn is_before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8985 section 6.2 step 4: the window stays wide for 16 recoveries without duplicates.
    #[test]
    fn a_window_that_duplicates_widened_stays_so_for_16_recoveries() {
        let mut rack = Rack::new();
        rack.on_reordering(1);
        rack.on_duplicate(1, 2);
        for recovery in 1..16 {
            rack.on_recovered();
            assert_eq!(rack.steps, 2, "{recovery}");
        }
        rack.on_recovered();
        assert_eq!(rack.steps, 1);
    }
}
