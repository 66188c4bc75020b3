//! Data that was received ahead of a gap.
//!
//! The data is kept as disjoint ranges in ascending order. A retransmission almost always touches
//! the first range and new data the last one, so a ring that is cheap at both ends is enough;
//! ranges in between are found by bisection.
//!
//! Specification: RFC 9293 section 3.10.7.4 (segments with higher sequence numbers may be held).
//!
//! Deviations: none.

use std::collections::VecDeque;

/// The sequence numbers `start..end`.
pub(crate) type Range = (u64, u64);

/// The result of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    /// The whole contiguous range that now contains the inserted one.
    pub(crate) block: Range,
    /// The first part of the inserted range that was held before; `None` if all of it is new.
    pub(crate) duplicate: Option<Range>,
}

/// Ranges beyond the next expected sequence number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    /// The ranges: ascending, disjoint, not adjacent.
    ranges: VecDeque<Range>,
    held: u64,
}

impl Reassembly {
    /// True if no data is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The count of sequence numbers held.
    pub(crate) const fn held(&self) -> u64 {
        self.held
    }

    /// Adds `start..end`, which must not be empty.
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Insertion {
        let first = self.ranges.partition_point(|range| range.1 < start);
        let (mut block, mut duplicate, mut last) = ((start, end), None, first);
        while let Some(&(from, to)) = self.ranges.get(last).filter(|range| range.0 <= end) {
            let overlap = (from.max(start), to.min(end));
            if duplicate.is_none() && overlap.0 < overlap.1 {
                duplicate = Some(overlap);
            }
            block = (block.0.min(from), block.1.max(to));
            self.held -= to - from;
            last += 1;
        }
        self.held += block.1 - block.0;
        match last - first {
            0 => self.ranges.insert(first, block),
            touched => {
                self.ranges[first] = block;
                if touched > 1 {
                    self.ranges.drain(first + 1..last);
                }
            }
        }
        Insertion { block, duplicate }
    }

    /// Removes the ranges that are contiguous with the data below `next`, all of which has been
    /// received. Returns the end of the contiguous data.
    pub(crate) fn advance(&mut self, mut next: u64) -> u64 {
        while let Some(&(start, end)) = self.ranges.front().filter(|range| range.0 <= next) {
            next = next.max(end);
            self.held -= end - start;
            self.ranges.pop_front();
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn merges_what_touches() {
        let mut reassembly = Reassembly::default();
        assert_eq!(reassembly.insert(10, 20).block, (10, 20));
        assert_eq!(reassembly.insert(30, 40).block, (30, 40));
        let filled = reassembly.insert(20, 30);
        assert_eq!(filled, Insertion { block: (10, 40), duplicate: None });
        let over = reassembly.insert(35, 50);
        assert_eq!((over.block, over.duplicate), ((10, 50), Some((35, 40))));
        assert_eq!((reassembly.held(), reassembly.advance(5)), (40, 5));
        assert_eq!((reassembly.advance(10), reassembly.held()), (50, 0));
        assert!(reassembly.is_empty());
    }

    proptest! {
        /// Against a bitmap.
        #[test]
        fn holds_what_was_put_in(pieces in prop::collection::vec((1_u64..200, 1_u64..20), 1..60)) {
            let mut reassembly = Reassembly::default();
            let mut bitmap = [false; 220];
            for (start, len) in pieces {
                let known = (start..start + len).find(|&at| bitmap[at as usize]);
                let insertion = reassembly.insert(start, start + len);
                prop_assert_eq!(insertion.duplicate.map(|range| range.0), known);
                for at in start..start + len {
                    bitmap[at as usize] = true;
                }
                let (from, to) = insertion.block;
                prop_assert!(from <= start && start + len <= to);
                prop_assert!((from..to).all(|at| bitmap[at as usize]));
                prop_assert!(!bitmap[from as usize - 1] && !bitmap[to as usize]);
                let held = bitmap.iter().filter(|&&there| there).count();
                prop_assert_eq!(reassembly.held(), held as u64);
            }
            let reach = (1..).find(|&at| !bitmap[at]).unwrap_or(0) as u64;
            prop_assert_eq!(reassembly.advance(1), reach);
        }
    }
}
