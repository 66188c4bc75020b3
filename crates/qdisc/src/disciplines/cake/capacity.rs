//! The estimate of the rate at which packets come, for `autorate-ingress`: a shaper behind the
//! bottleneck follows it from just below.
//!
//! Specification: Linux, net/sched/sch_cake.c, the end of `cake_enqueue`.

use units::{Bytes, Span, Time};

use super::delays::moved;

/// The longest gap between packets that counts.
const LONGEST_GAP: Span = Span::from_secs(1);

/// The estimate. What has not happened yet was long ago: in Linux the clock has run since boot, and
/// these times begin at zero, so that already the first packet lowers the rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    /// `None` before the first packet.
    last_packet: Option<Time>,
    /// `None` before the first packet.
    window_begin: Option<Time>,
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
            last_packet: None,
            window_begin: None,
            mean_gap: 0,
            window_bytes: 0,
            peak: bytes_per_sec,
        }
    }

    /// The estimate in bytes per second.
    pub(super) const fn bytes_per_sec(&self) -> u64 {
        self.peak
    }

    /// Counts an arrival that replaced an acknowledgement of `superseded` bytes, or none. Returns the
    /// rate to shape at in bytes per second, 15/16 of the estimate, if the arrival ends a window; else
    /// `None`. Linux compares with the time of the last change, 250 ms, but never notes that time, so
    /// that it changes the rate with each window.
    pub(super) fn observe(&mut self, bytes: Bytes, superseded: Bytes, now: Time) -> Option<u64> {
        self.window_bytes = (self.window_bytes + bytes.0).saturating_sub(superseded.0);
        let gap = self.last_packet.map_or(LONGEST_GAP, |last| now.since(last).min(LONGEST_GAP));
        let gap = gap.as_nanos();
        // A burst, as Wi-Fi's aggregates are, has gaps below the mean; the window ends after it.
        self.mean_gap = moved(self.mean_gap, gap, if gap > self.mean_gap { 2 } else { 8 });
        self.last_packet = Some(now);
        if gap <= self.mean_gap {
            return None;
        }
        let rate = self.window_begin.map_or(0, |begin| {
            let window = now.since(begin).as_nanos().max(1);
            (u128::from(self.window_bytes) * 1_000_000_000 / u128::from(window)) as u64
        });
        self.peak = moved(self.peak, rate, if rate > self.peak { 2 } else { 8 });
        (self.window_bytes, self.window_begin) = (0, Some(now));
        Some((self.peak * 15) >> 4)
    }

    /// Notes that a packet came while nobody asks for an estimate.
    pub(super) const fn skip(&mut self, now: Time) {
        (self.window_bytes, self.last_packet) = (0, Some(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.1 showed 9922 kbit/s of 10 Mbit/s, two steps of 1/256, and shaped at 15/16 of it,
    /// when its first flow began.
    #[test]
    fn the_first_packet_lowers_the_rate() {
        let mut capacity = Capacity::new(1_250_000);
        let told = capacity.observe(Bytes(98), Bytes(0), Time::from_nanos(70)).unwrap();
        assert_eq!(capacity.bytes_per_sec(), 1_250_000 - 1_250_000 / 256);
        assert_eq!(told, capacity.bytes_per_sec() * 15 / 16);
    }

    /// Linux 6.1 shaped at 15/16 of the estimate that it showed at any time. The mean gap has forgotten the
    /// time before the first packet after some seconds.
    #[test]
    fn each_window_changes_the_rate() {
        let mut capacity = Capacity::new(500_000);
        for burst in 1_u64..2000 {
            for packet in 0..4 {
                let now = Time::from_nanos(burst * 1_500_000 + packet * 10_000);
                let told = capacity.observe(Bytes(1414), Bytes::ZERO, now);
                let rate = capacity.bytes_per_sec() * 15 / 16;
                assert!(told.is_none_or(|told| told == rate), "{told:?} of {rate}");
                assert!(burst < 1900 || told.is_some() == (packet == 0), "{packet} of {burst}");
            }
        }
    }

    /// Bursts of four packets of 1250 bytes each 4 ms are 10 Mbit/s; acknowledgements that replace
    /// others add nothing.
    #[test]
    fn the_rate_follows_from_below() {
        let mut capacity = Capacity::new(125_000);
        let mut told = None;
        for burst in 1_u64..2000 {
            for packet in 0..4 {
                let now = Time::from_nanos(burst * 4_000_000 + packet * 10_000);
                told = capacity.observe(Bytes(1250), Bytes::ZERO, now).or(told);
                told = capacity.observe(Bytes(64), Bytes(64), now).or(told);
            }
        }
        let told = told.unwrap();
        assert!((1_100_000..=1_250_000).contains(&told), "{told}");
        assert!(capacity.bytes_per_sec().abs_diff(1_250_000) < 62_500, "{capacity:?}");
    }
}
