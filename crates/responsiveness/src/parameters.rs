//! The parameters of the test, with the draft's defaults.

use results::Confidence;
use units::Span;

use crate::score::Means;

/// The parameters of a test.
///
/// Specification: draft-ietf-ippm-responsiveness-09, "Test Parameters", whose abbreviations are in
/// brackets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The number of intervals in a moving average, and of moving averages that must agree (MAD):
    /// 4.
    pub distance: usize,
    /// The interval between checks whether the figures have settled (ID): 5 s.
    pub interval: Span,
    /// The part of the probes that counts, the fastest first, in percent (TMP): 95.
    pub kept_percent: usize,
    /// The largest standard deviation of the moving averages, as a part of the last one (SDT):
    /// 0.05.
    pub tolerance: f64,
    /// The load-generating connections at the start (INP): 1.
    pub initial_connections: usize,
    /// The load-generating connections added with each interval (INC): 1.
    pub added_connections: usize,
    /// The most load-generating connections (MNP): 16.
    pub most_connections: usize,
    /// The most probes a second, of both kinds together (MPS): 100.
    pub most_probes: u32,
    /// The part of the capacity that probes may take (PTC): 0.05.
    pub probe_share: f64,
    /// The intervals after which a direction ends, settled or not: 16. The draft leaves this number
    /// open; figures that settle at once need 11.
    pub most_intervals: usize,
}

impl Parameters {
    /// The highest confidence that this number of probes of either kind justifies.
    ///
    /// Specification: none. The draft asks only whether moving averages have settled ("Confidence
    /// of Test-Results"), and averages of five probes may agree by chance. *High* needs enough
    /// probes for a trimmed mean to leave one out (TMP), and a standard error within the tolerance
    /// (SDT); *medium* needs one probe in each interval.
    pub(crate) fn confidence_of(&self, probes: usize, means: &Means) -> Confidence {
        let trimmed = 100_usize.div_ceil(100_usize.saturating_sub(self.kept_percent).max(1));
        let error = means.rpm_error().zip(means.rpm()).map(|(error, rpm)| error / rpm);
        match error {
            Some(error) if probes >= trimmed && error <= self.tolerance => Confidence::High,
            _ if probes >= self.distance => Confidence::Medium,
            _ => Confidence::Low,
        }
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            distance: 4,
            interval: Span::from_secs(5),
            kept_percent: 95,
            tolerance: 0.05,
            initial_connections: 1,
            added_connections: 1,
            most_connections: 16,
            most_probes: 100,
            probe_share: 0.05,
            most_intervals: 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Foreign;

    /// The confidence of this many probes of each kind, with delays of 100 ms, every other one
    /// longer by `more`.
    fn confidence(probes: usize, more: u64) -> Confidence {
        let times = (0..probes as u64).map(|n| Span::from_millis(100 + n % 2 * more));
        let times: Vec<_> = times.collect();
        let foreign = times.iter().map(|time| Foreign { tcp: *time, tls: *time, http: *time });
        let means = Means::of(&foreign.collect::<Vec<_>>(), &times, 95);
        Parameters::default().confidence_of(probes, &means)
    }

    #[test]
    fn few_probes_are_no_high_confidence() {
        let found = [0, 3, 4, 19, 20, 100].map(|probes| confidence(probes, 10));
        use Confidence::{High, Low, Medium};
        assert_eq!(found, [Low, Low, Medium, Medium, High, High]);
    }

    #[test]
    fn nor_are_probes_that_lie_far_apart() {
        assert_eq!(confidence(30, 500), Confidence::Medium);
        assert_eq!(confidence(300, 500), Confidence::High);
    }
}
