//! Fast retransmit and fast recovery without SACK.
//!
//! The third duplicate acknowledgement means a loss. In recovery each further one inflates the
//! window by the segment that has left the network. An acknowledgement of only a part of the
//! outstanding data means that the next segment is lost too.
//!
//! Specification: RFC 5681 section 3.2, RFC 6582 section 3.2 (NewReno), RFC 3042 (limited
//! transmit). Deviations: none; of RFC 6582's choices, `recover` guards against false fast
//! retransmits without heuristics (section 4), and the timer is the slow-but-steady variant's, as
//! in Linux: recovery repairs one loss a round trip, however many there are.

/// The number of duplicate acknowledgements that show a loss (RFC 5681 section 3.2).
const DUPLICATE_THRESHOLD: u32 = 3;

/// The variables of NewReno.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewReno {
    /// The number of duplicate acknowledgements in a row.
    duplicates: u32,
    /// The next sequence number at the time at which the last recovery began.
    recover: u64,
}

impl NewReno {
    /// Counts a duplicate acknowledgement of `una`. Returns true if it is the third, and shows a
    /// loss.
    pub(crate) fn on_duplicate(&mut self, una: u64) -> bool {
        self.duplicates = self.duplicates.saturating_add(1);
        // RFC 6582 section 3.2 step 1: duplicate acknowledgements up to `recover` may only mean
        // that data was sent twice.
        self.duplicates == DUPLICATE_THRESHOLD && una > self.recover
    }

    /// Begins a recovery, or the time after a timeout, with `next` to be sent.
    pub(crate) fn begin(&mut self, next: u64) {
        self.recover = next;
    }

    /// Notes that the cumulative acknowledgement advanced.
    pub(crate) fn on_advance(&mut self) {
        self.duplicates = 0;
    }

    /// True if all data outstanding when recovery began is acknowledged.
    pub(crate) const fn is_full(&self, una: u64) -> bool {
        una >= self.recover
    }

    /// The number of segments that may be sent beyond the window (RFC 3042 section 2).
    pub(crate) fn limited_transmit(&self) -> u32 {
        self.duplicates.min(DUPLICATE_THRESHOLD - 1)
    }
}
