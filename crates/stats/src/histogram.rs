//! A histogram that records millions of values in little memory.
//!
//! Each octave (from one power of two to the next) is cut into 256 buckets of the same width, so a
//! bucket is never wider than 1/256 of the values in it, and its middle is never further than 1/512
//! (0.2 %) from any of them. Only the buckets from the lowest value to the highest take memory.

mod counts;

use crate::finite;
use crate::quantile::nearest_rank;
use counts::Counts;

/// Buckets in an octave.
const BUCKETS: usize = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 8;
/// The distribution of `u64` values (nanoseconds, bytes): count, sum, minimum and maximum exactly,
/// quantiles to 0.2 %.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    counts: Counts,
}

impl Histogram {
    /// An empty histogram, which has allocated nothing.
    pub const fn new() -> Self {
        Self { count: 0, sum: 0, min: u64::MAX, max: 0, counts: Counts::new() }
    }

    /// Counts `value`. Memory is allocated only if `value` lies outside the range so far, or if it
    /// is the 256th value of its bucket.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.add(value, 1);
    }

    /// Counts `value` this many times, in constant time.
    #[inline]
    pub fn record_many(&mut self, value: u64, times: u64) {
        if times > 0 {
            self.add(value, times);
        }
    }

    /// Counts `value` `times` times; `times` is not zero.
    #[inline]
    fn add(&mut self, value: u64, times: u64) {
        self.count += times;
        self.sum += u128::from(value) * u128::from(times);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.counts.add(bucket(value), times);
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        other.counts.iter().for_each(|(bucket, times)| self.counts.add(bucket, times));
    }

    /// The number of recorded values.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The smallest value, exactly; `None` if there is none.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value, exactly; `None` if there is none.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The arithmetic mean, from the exact sum; `None` if there are no values.
    pub fn mean(&self) -> Option<f64> {
        finite(self.sum as f64 / self.count as f64)
    }

    /// The `q`-quantile by nearest rank: the smallest value that at least the part `q` of all
    /// values do not exceed; `None` if there are no values. `q` is clamped to 0..=1; 0 gives the
    /// minimum.
    ///
    /// The result is the middle of that value's bucket, clamped between minimum and maximum: at
    /// most 1/512 (0.2 %) from the value itself, and exact for the first and the last rank and for
    /// values below 512.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let rank = nearest_rank(self.count, q)?;
        if rank == 1 {
            return self.min();
        }
        if rank == self.count {
            return self.max();
        }
        let mut below = 0;
        let mut buckets = self.counts.iter();
        let reached = buckets.find(|(_, count)| {
            below += count;
            below >= rank
        });
        reached.map(|(bucket, _)| middle(bucket).clamp(self.min, self.max))
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// The bucket that `value` belongs to. Each value below [`BUCKETS`] has its own bucket; the octaves
/// follow.
#[inline]
fn bucket(value: u64) -> usize {
    // A bucket does not distinguish the bits below the leading `BUCKET_BITS` + 1.
    let bits = u64::BITS - value.leading_zeros();
    let octave = bits.saturating_sub(BUCKET_BITS);
    let shift = octave.saturating_sub(1);
    octave as usize * BUCKETS + (value >> shift) as usize % BUCKETS
}

/// The value in the middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let (octave, bucket) = (bucket / BUCKETS, bucket % BUCKETS);
    let (bucket, shift) = match octave {
        0 => (bucket, 0),
        _ => (BUCKETS + bucket, octave - 1),
    };
    ((bucket as u64) << shift) + (1 << shift) / 2
}

#[cfg(test)]
mod tests;
