//! The counts of some thousand buckets, in about a byte a bucket.
//!
//! The low byte of a count lies in an array with those of its neighbours, so that counting touches
//! one byte in few cache lines. The carry out of that byte lies in a short list. The array spans
//! the counted buckets, in whole blocks.

/// Number of buckets by which the array grows: a cache line.
const BLOCK: usize = 64;

/// The counts of all buckets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// The bucket that the array begins with, a multiple of [`BLOCK`].
    first: usize,
    /// The low bytes of the counts.
    low: Vec<u8>,
    /// Buckets counted 256 times and more, ascending, with their counts without the low byte.
    high: Vec<(u16, u64)>,
}

impl Counts {
    /// Empty counts, which have allocated nothing.
    pub(super) const fn new() -> Self {
        Self { first: 0, low: Vec::new(), high: Vec::new() }
    }

    /// Adds `times` to the count of `bucket`, a number of at most 16 bits. Memory is allocated only
    /// if `bucket` lies outside the array, or when the count of `bucket` passes 255.
    #[inline]
    pub(super) fn add(&mut self, bucket: usize, times: u64) {
        let low = match self.low.get_mut(bucket.wrapping_sub(self.first)) {
            Some(low) => low,
            None => self.stretch(bucket),
        };
        let sum = u64::from(*low) + times;
        *low = sum as u8;
        if sum >> u8::BITS > 0 {
            self.carry(bucket, sum >> u8::BITS);
        }
    }

    /// The buckets with a count above 0, ascending, with their counts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let mut high = self.high.iter().peekable();
        (self.first..).zip(&self.low).filter_map(move |(bucket, low)| {
            let carried = high.next_if(|(carried, _)| usize::from(*carried) == bucket);
            let count = carried.map_or(0, |(_, count)| count << u8::BITS) + u64::from(*low);
            (count > 0).then_some((bucket, count))
        })
    }

    /// Makes the array span `bucket`, and returns its low byte.
    #[cold]
    fn stretch(&mut self, bucket: usize) -> &mut u8 {
        let block = bucket - bucket % BLOCK;
        if self.low.is_empty() {
            self.first = block;
        }
        let ahead = self.first.saturating_sub(block);
        let end = (self.first + self.low.len()).max(block + BLOCK);
        self.first -= ahead;
        let mut low = vec![0; end - self.first];
        low[ahead..ahead + self.low.len()].copy_from_slice(&self.low);
        self.low = low;
        &mut self.low[bucket - self.first]
    }

    #[cold]
    fn carry(&mut self, bucket: usize, count: u64) {
        match self.high.binary_search_by_key(&bucket, |(carried, _)| usize::from(*carried)) {
            Ok(place) => self.high[place].1 += count,
            Err(place) => self.high.insert(place, (bucket as u16, count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a map, with counts of one byte and of several.
        #[test]
        fn agrees_with_a_map(added in vec((0..20_000_usize, 0..40_u32, 1..200_u64), 1..100)) {
            let (mut counts, mut map) = (Counts::new(), BTreeMap::new());
            for (bucket, shift, times) in added {
                // Most buckets are near each other, so that some are counted several times.
                let (bucket, times) = (bucket >> (shift % 12), times << (shift % 30));
                counts.add(bucket, times);
                *map.entry(bucket).or_insert(0) += times;
            }
            prop_assert_eq!(counts.iter().collect::<Vec<_>>(), map.into_iter().collect::<Vec<_>>());
        }
    }

    /// Round trips of 50 to 82 ms fall into 192 buckets; a histogram of them is a few cache lines.
    #[test]
    fn takes_a_byte_for_each_bucket_between() {
        let mut counts = Counts::new();
        (5000..5190).rev().for_each(|bucket| counts.add(bucket, 200));
        assert_eq!((counts.low.capacity(), counts.high.capacity()), (256, 0));
        (5000..5190).for_each(|bucket| counts.add(bucket, 55));
        assert_eq!(counts.high.capacity(), 0);
        counts.add(5000, 1);
        assert_eq!(counts.iter().next(), Some((5000, 256)));
    }
}
