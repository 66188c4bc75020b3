//! The interarrival jitter of packets.
//!
//! Specification: RFC 3550 section 6.4.1, interarrival jitter: the moving mean of the difference
//! between the transit times of two packets that were received one after the other. Each new
//! difference has a weight of one sixteenth.

/// Weight of a new difference. RFC 3550 section 6.4.1 chooses it for "a good noise reduction ratio
/// while maintaining a reasonable rate of convergence".
const GAIN: f64 = 1.0 / 16.0;

/// The interarrival jitter of a stream so far. Its unit is that of the transit times.
///
/// ```
/// let mut jitter = stats::Jitter::default();
/// assert_eq!(jitter.record(100.0), 0.0);
/// assert_eq!(jitter.record(116.0), 1.0);
/// assert_eq!(jitter.record(100.0), 1.9375);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Jitter {
    before: Option<f64>,
    jitter: f64,
}

impl Jitter {
    /// Adds the next packet that was received, with its transit time, and returns the jitter. The
    /// two clocks of a transit time may differ by a constant.
    pub fn record(&mut self, transit: f64) -> f64 {
        if let Some(before) = self.before.replace(transit) {
            self.jitter += ((transit - before).abs() - self.jitter) * GAIN;
        }
        self.jitter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transit times that always differ by 8 ms: J(n) = 8 (1 - (15/16)^n).
    #[test]
    fn it_comes_near_what_it_always_is() {
        let mut jitter = Jitter::default();
        let last = (0..=100).map(|packet| jitter.record(f64::from(packet % 2) * 8.0)).last();
        let left = (0..100).fold(1.0, |left, _| left * 15.0 / 16.0);
        let wanted = 8.0 * (1.0 - left);
        assert!(last.is_some_and(|last| (last - wanted).abs() < 1e-9), "{last:?}");
    }

    #[test]
    fn what_is_always_as_late_has_none() {
        let mut jitter = Jitter::default();
        assert!((0..50).all(|_| jitter.record(1_000.0) == 0.0));
    }
}
