//! The estimate of the rate at which packets come, for `autorate-ingress`: a shaper behind the
//! bottleneck follows it from just below.
//!
//! Specification: Linux, net/sched/sch_cake.c, the end of `cake_enqueue`.

use units::{Bytes, Span, Time};

use super::delays::moved;

/// The longest gap between packets that counts.
const LONGEST_GAP: Span = Span::from_secs(1);
/// The shortest time between two changes of the rate.
const BETWEEN_CHANGES: Span = Span::from_millis(250);

/// The estimate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    last_packet: Time,
    window_begin: Time,
    last_change: Time,
    /// Moving average of the gap between packets, in nanoseconds.
    mean_gap: u64,
    window_bytes: u64,
    /// Bytes per second.
    peak: u64,
}

impl Capacity {
    /// An estimate that begins with this number of bytes per second.
    pub(super) const fn new(bytes_per_sec: u64) -> Self {
        Self {
            last_packet: Time::ZERO,
            window_begin: Time::ZERO,
            last_change: Time::ZERO,
            mean_gap: 0,
            window_bytes: 0,
            peak: bytes_per_sec,
        }
    }

    /// The estimate in bytes per second.
    pub(super) const fn bytes_per_sec(&self) -> u64 {
        self.peak
    }

    /// Counts an arrival. Returns the rate to shape at in bytes per second, 15/16 of the estimate,
    /// when it is time to change it; else `None`.
    pub(super) fn observe(&mut self, bytes: Bytes, now: Time) -> Option<u64> {
        self.window_bytes += bytes.0;
        let gap = now.since(self.last_packet).min(LONGEST_GAP).as_nanos();
        // A burst, as Wi-Fi's aggregates are, has gaps below the mean; the window ends after it.
        self.mean_gap = moved(self.mean_gap, gap, if gap > self.mean_gap { 2 } else { 8 });
        self.last_packet = now;
        if gap <= self.mean_gap {
            return None;
        }
        let window = now.since(self.window_begin).as_nanos().max(1);
        let rate = (u128::from(self.window_bytes) * 1_000_000_000 / u128::from(window)) as u64;
        self.peak = moved(self.peak, rate, if rate > self.peak { 2 } else { 8 });
        (self.window_bytes, self.window_begin) = (0, now);
        let is_due = now.since(self.last_change) > BETWEEN_CHANGES;
        is_due.then(|| {
            self.last_change = now;
            (self.peak * 15) >> 4
        })
    }

    /// Notes that a packet came while nobody asks for an estimate.
    pub(super) const fn skip(&mut self, now: Time) {
        (self.window_bytes, self.last_packet) = (0, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bursts of four packets of 1250 bytes each 4 ms are 10 Mbit/s.
    #[test]
    fn the_rate_follows_from_below() {
        let mut capacity = Capacity::new(125_000);
        let mut told = None;
        for burst in 1_u64..2000 {
            for packet in 0..4 {
                let now = Time::from_nanos(burst * 4_000_000 + packet * 10_000);
                told = capacity.observe(Bytes(1250), now).or(told);
            }
        }
        let told = told.unwrap();
        assert!((1_100_000..=1_250_000).contains(&told), "{told}");
        assert!(capacity.bytes_per_sec().abs_diff(1_250_000) < 62_500, "{capacity:?}");
    }
}
