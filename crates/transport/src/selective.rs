//! A receiver's report about the data that it holds beyond a gap.
//!
//! The block with the segment that came last is reported first, then those reported before it. So
//! each block is reported several times, in case acknowledgements are lost. Only four blocks are
//! remembered, so that the cost does not depend on the number of gaps.
//!
//! Specification: RFC 2018 section 4 (order of the blocks), RFC 2883 section 4 (a duplicate is
//! reported once, as the first block).
//!
//! Deviations: none.

use crate::reassembly::Range;
use crate::segment::SackBlocks;

/// The most blocks that the option space holds (RFC 2018 section 3).
const MOST_BLOCKS: usize = 4;
/// The number of blocks that every acknowledgement has room for (Linux `TCP_SACK_BLOCKS_EXPECTED`).
const SURE_BLOCKS: usize = 2;

/// The blocks reported last, and a duplicate still to be reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Selective {
    /// The blocks, the most recent first.
    blocks: [Range; MOST_BLOCKS],
    count: usize,
    duplicate: Option<Range>,
}

impl Selective {
    /// Makes `block`, to which the latest segment went, the first to be reported. Returns true if
    /// `block` is none of the two reported last, so that the second of them may find no room.
    pub(crate) fn report(&mut self, block: Range) -> bool {
        let apart = |old: &Range| old.1 < block.0 || old.0 > block.1;
        let recent = &self.blocks[..self.count.min(SURE_BLOCKS)];
        let displaces = recent.len() == SURE_BLOCKS && recent.iter().all(apart);
        self.keep(|old| apart(&old));
        self.count = (self.count + 1).min(MOST_BLOCKS);
        self.blocks[..self.count].rotate_right(1);
        self.blocks[0] = block;
        displaces
    }

    /// Notes that `range` was received again.
    pub(crate) fn report_duplicate(&mut self, range: Range) {
        self.duplicate = Some(range);
    }

    /// Notes that everything below `next` is acknowledged cumulatively.
    pub(crate) fn advance(&mut self, next: u64) {
        if self.count > 0 {
            self.keep(|old| old.0 > next);
        }
    }

    /// True if there is nothing to report.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.duplicate.is_none()
    }

    /// Takes at most `most` blocks for an acknowledgement. The duplicate is then forgotten.
    pub(crate) fn take(&mut self, most: usize) -> SackBlocks {
        let mut reported = SackBlocks::EMPTY;
        let blocks = &self.blocks[..self.count];
        for &(start, end) in self.duplicate.take().iter().chain(blocks).take(most) {
            reported.push(start, end);
        }
        reported
    }

    fn keep(&mut self, wanted: impl Fn(Range) -> bool) {
        let mut kept = 0;
        for index in 0..self.count {
            if wanted(self.blocks[index]) {
                self.blocks[kept] = self.blocks[index];
                kept += 1;
            }
        }
        self.count = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(selective: &mut Selective, most: usize) -> Vec<Range> {
        selective.take(most).near(1).collect()
    }

    #[test]
    fn most_recent_first() {
        let mut selective = Selective::default();
        for start in [100, 300, 500, 700, 900] {
            selective.report((start, start + 50));
        }
        assert_eq!(reported(&mut selective, 3), [(900, 950), (700, 750), (500, 550)]);
        assert_eq!(reported(&mut selective, 4).len(), 4);
        selective.report((500, 600));
        assert_eq!(reported(&mut selective, 3), [(500, 600), (900, 950), (700, 750)]);
    }

    /// Linux `tcp_sack_new_ofo_skb`.
    #[test]
    fn a_third_block_displaces_one() {
        let mut selective = Selective::default();
        assert!(!selective.report((100, 200)));
        assert!(!selective.report((300, 400)));
        assert!(!selective.report((100, 250)), "known");
        assert!(!selective.report((300, 450)), "known");
        assert!(selective.report((500, 600)), "new");
        assert!(selective.report((100, 270)), "known, but third");
        assert!(!selective.report((270, 520)), "joins the two latest");
    }

    #[test]
    fn a_filled_gap_joins_two_blocks() {
        let mut selective = Selective::default();
        selective.report((100, 200));
        selective.report((400, 500));
        selective.report((300, 400));
        selective.report((100, 500));
        assert_eq!(reported(&mut selective, 4), [(100, 500)]);
    }

    #[test]
    fn what_is_acknowledged_is_not_told() {
        let mut selective = Selective::default();
        selective.report((100, 200));
        selective.report((300, 400));
        selective.advance(200);
        assert_eq!(reported(&mut selective, 4), [(300, 400)]);
    }

    /// RFC 2883 section 4.1: the duplicate first, and only once.
    #[test]
    fn a_duplicate_is_told_once() {
        let mut selective = Selective::default();
        selective.report((300, 400));
        selective.report_duplicate((1, 50));
        assert_eq!(reported(&mut selective, 4), [(1, 50), (300, 400)]);
        assert_eq!(reported(&mut selective, 4), [(300, 400)]);
    }
}
