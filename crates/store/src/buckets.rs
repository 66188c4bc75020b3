//! Round trips of a minute or an hour: a sparse histogram whose buckets are never wider than 1/32 (3.1 %) of
//! the values in them, so that the middle of a bucket is within 1.6 % of each.
//!
//! Values are whole microseconds. Those below 32 have buckets of their own; each octave above is cut into 32
//! of the same width. As bytes:
//!
//! ```text
//! layout (1)                              one byte
//! number of buckets that are not empty    varint
//! bucket, less the one before             varint  \ for each
//! how many values                         varint  /
//! smallest value, microseconds            varint  \ unless all are empty
//! largest value less the smallest         varint  /
//! ```
//!
//! Two histograms are merged by adding bucket by bucket, and nothing is lost by that: a percentile of a merged
//! one is that of all values. An average of percentiles would be no percentile of anything.

use std::collections::BTreeMap;

use stats::Histogram;
use units::Span;

use crate::error::Damage;
use crate::varint::{Bytes, put};

const LAYOUT: u8 = 1;
/// Buckets in an octave, as a power of two.
const BITS: u32 = 5;
/// The largest number of buckets: an octave for each further bit.
const MOST: u64 = ((u64::BITS - BITS + 1) as u64) << BITS;

/// How many values lie in each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    counts: BTreeMap<u16, u64>,
    least: u64,
    most: u64,
}

impl Default for Buckets {
    fn default() -> Self {
        Self { counts: BTreeMap::new(), least: u64::MAX, most: 0 }
    }
}

impl Buckets {
    /// Counts a round trip.
    pub(crate) fn record(&mut self, round_trip: Span) {
        let micros = round_trip.as_nanos() / 1000;
        *self.counts.entry(bucket(micros)).or_default() += 1;
        self.least = self.least.min(micros);
        self.most = self.most.max(micros);
    }

    /// Adds all counts of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (&bucket, &count) in &other.counts {
            let sum = self.counts.entry(bucket).or_default();
            *sum = sum.saturating_add(count);
        }
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// The values in nanoseconds, each in the middle of its bucket; the smallest and the largest exactly.
    pub fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        let last = self.counts.len().saturating_sub(1);
        for (index, (&bucket, &count)) in self.counts.iter().enumerate() {
            let mut count = count;
            let ends = [(index == 0).then_some(self.least), (index == last).then_some(self.most)];
            for end in ends.into_iter().flatten().take(usize::try_from(count).unwrap_or(2)) {
                histogram.record(end.saturating_mul(1000));
                count -= 1;
            }
            let middle = middle(bucket).clamp(self.least, self.most);
            histogram.record_many(middle.saturating_mul(1000), count);
        }
        histogram
    }

    /// The histogram as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![LAYOUT];
        put(&mut bytes, self.counts.len() as u64);
        let mut before = 0;
        for (&bucket, &count) in &self.counts {
            put(&mut bytes, (bucket - before).into());
            put(&mut bytes, count);
            before = bucket;
        }
        if !self.counts.is_empty() {
            put(&mut bytes, self.least);
            put(&mut bytes, self.most - self.least);
        }
        bytes
    }

    /// The histogram that the bytes stand for.
    ///
    /// # Errors
    /// If the bytes are not those of a histogram.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damage> {
        let mut bytes = Bytes(bytes);
        match bytes.byte()? {
            LAYOUT => {}
            other => return Err(Damage::Layout(other)),
        }
        let mut buckets = Self::default();
        let mut at = 0_u64;
        for index in 0..bytes.count()? {
            let step = bytes.number()?;
            at = at.saturating_add(step);
            let count = bytes.number()?;
            if (index > 0 && step == 0) || at >= MOST || count == 0 || count > u64::from(u32::MAX) {
                return Err(Damage::Range);
            }
            buckets.counts.insert(at as u16, count);
        }
        if !buckets.counts.is_empty() {
            buckets.least = bytes.number()?;
            buckets.most = buckets.least.checked_add(bytes.number()?).ok_or(Damage::Range)?;
            buckets.check()?;
        }
        bytes.end()?;
        Ok(buckets)
    }

    /// The smallest and the largest value lie in the first and in the last bucket.
    fn check(&self) -> Result<(), Damage> {
        let first = self.counts.first_key_value().map(|(bucket, _)| *bucket);
        let last = self.counts.last_key_value().map(|(bucket, _)| *bucket);
        let fits = first == Some(bucket(self.least)) && last == Some(bucket(self.most));
        if fits { Ok(()) } else { Err(Damage::Range) }
    }
}

/// The bucket of a value: its octave, then the `BITS` bits behind the leading one.
const fn bucket(micros: u64) -> u16 {
    let octave = (u64::BITS - micros.leading_zeros()).saturating_sub(BITS);
    let shift = octave.saturating_sub(1);
    ((octave as u64) << BITS | (micros >> shift & ((1 << BITS) - 1))) as u16
}

/// The value in the middle of a bucket.
const fn middle(bucket: u16) -> u64 {
    let (octave, part) = (bucket as u32 >> BITS, bucket as u64 & ((1 << BITS) - 1));
    if octave == 0 {
        return part;
    }
    let shift = octave - 1;
    (((1 << BITS) | part) << shift) + ((1 << shift) / 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Buckets {
        let mut buckets = Buckets::default();
        values.iter().for_each(|it| buckets.record(Span::from_micros(*it)));
        buckets
    }

    fn values() -> impl Strategy<Value = Vec<u64>> {
        let value = prop_oneof![0..u64::MAX / 1000, 0..100_000_u64];
        proptest::collection::vec(value, 0..100)
    }

    #[test]
    fn buckets_are_narrow_and_follow_each_other() {
        for bucket_of in 0..MOST as u16 {
            assert_eq!(bucket(middle(bucket_of)), bucket_of);
        }
        for value in (0..100_000_u64).chain([u64::MAX / 1000, u64::MAX]) {
            let middle = middle(bucket(value));
            assert!(middle.abs_diff(value) <= value / 64 + 1, "{value} is in {middle}");
            assert!(bucket(value) <= bucket(value.saturating_add(1)));
        }
    }

    /// The middle of the percentiles of these two minutes would be 505 ms, which no percentile is.
    #[test]
    fn percentiles_are_those_of_all_values() {
        let mut quiet = of(&[10_000; 590]);
        quiet.merge(&of(&[1_000_000; 10]));
        let quantile = |q| quiet.histogram().quantile(q).unwrap() as f64 / 1e6;
        assert!((quantile(0.5) - 10.0).abs() < 0.2, "{}", quantile(0.5));
        assert!((quantile(0.98) - 10.0).abs() < 0.2, "{}", quantile(0.98));
        assert!((quantile(0.99) - 1000.0).abs() < 16.0, "{}", quantile(0.99));
    }

    proptest! {
        #[test]
        fn histograms_are_read_as_written(values in values()) {
            let buckets = of(&values);
            prop_assert_eq!(Buckets::decode(&buckets.encode()), Ok(buckets.clone()));
            let histogram = buckets.histogram();
            prop_assert_eq!(histogram.count(), values.len() as u64);
            prop_assert_eq!(histogram.min(), values.iter().min().map(|it| it * 1000));
            prop_assert_eq!(histogram.max(), values.iter().max().map(|it| it * 1000));
        }

        #[test]
        fn merged_histograms_are_those_of_all_values(one in values(), other in values()) {
            let mut merged = of(&one);
            merged.merge(&of(&other));
            prop_assert_eq!(merged, of(&[one, other].concat()));
        }

        #[test]
        fn any_bytes_are_read_or_refused(mut bytes: Vec<u8>) {
            if let Some(first) = bytes.first_mut() {
                *first = LAYOUT;
            }
            if let Ok(buckets) = Buckets::decode(&bytes) {
                buckets.histogram();
                prop_assert_eq!(Buckets::decode(&buckets.encode()), Ok(buckets));
            }
        }
    }
}
