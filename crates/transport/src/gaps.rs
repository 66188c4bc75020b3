//! The data that a receiver holds beyond gaps, and its report about it.
//!
//! A receiver has this state only while data is held or there is something to report; most of the
//! time it has none.

use crate::reassembly::{Range, Reassembly};
use crate::segment::SackBlocks;
use crate::selective::Selective;

/// The data beyond gaps, and the blocks to report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    reassembly: Reassembly,
    selective: Selective,
}

impl Gaps {
    /// True if data is held beyond a gap.
    pub(crate) fn is_open(&self) -> bool {
        !self.reassembly.is_empty()
    }

    /// True if no data is held, and there is nothing to report.
    pub(crate) fn is_over(&self) -> bool {
        self.reassembly.is_empty() && self.selective.is_empty()
    }

    /// The number of bytes held.
    pub(crate) const fn held(&self) -> u64 {
        self.reassembly.held()
    }

    /// Holds `start..end`, and reports it if `sack` was negotiated. Returns true if it goes to none
    /// of the two blocks reported last.
    pub(crate) fn hold(&mut self, start: u64, end: u64, sack: bool) -> bool {
        let insertion = self.reassembly.insert(start, end);
        if !sack {
            return false;
        }
        if let Some(duplicate) = insertion.duplicate {
            self.selective.report_duplicate(duplicate);
        }
        self.selective.report(insertion.block)
    }

    /// Removes the data that is contiguous with that below `next`, all of which has been received.
    /// Returns the end of the contiguous data.
    pub(crate) fn advance(&mut self, next: u64) -> u64 {
        let next = self.reassembly.advance(next);
        self.selective.advance(next);
        next
    }

    /// Notes that `range` was received again.
    pub(crate) fn report_duplicate(&mut self, range: Range) {
        self.selective.report_duplicate(range);
    }

    /// Takes the blocks for an acknowledgement with room for `most`; `None` if there are some, and
    /// there is room for none.
    pub(crate) fn take_report(&mut self, most: usize) -> Option<SackBlocks> {
        if self.selective.is_empty() {
            return Some(SackBlocks::EMPTY);
        }
        (most > 0).then(|| self.selective.take(most))
    }
}
