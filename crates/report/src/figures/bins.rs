//! Counts over time, summed over stretches that are long enough to give a smooth curve.

use std::fmt;

use crate::number::figure as number;

/// The length of the stretches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) length_s: f64,
    /// True if all series have stretches of this length; those of series with other steps differ
    /// somewhat.
    is_exact: bool,
}

impl Stretch {
    /// The stretches for these series: at most about `most`, none shorter than `least_s`, of a
    /// round number of seconds or as close to one as whole steps allow.
    pub(super) fn of(series: &[Counts<'_>], most: f64, least_s: f64) -> Self {
        let wanted_s = length(total(series), most, least_s);
        let lengths = || series.iter().map(|counts| counts.whole_steps(wanted_s));
        let longest = lengths().reduce(f64::max).unwrap_or(wanted_s);
        let is_longest = |length: f64| (length / longest - 1.0).abs() < 1e-6;
        Self { length_s: longest, is_exact: lengths().all(is_longest) }
    }
}

/// Writes the length as it follows "each": `0.5 s`.
impl fmt::Display for Stretch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.is_exact { "" } else { " or so" };
        write!(formatter, "{} s{about}", number(self.length_s))
    }
}

/// The duration of the longest series, in seconds.
pub(super) fn total(series: &[Counts<'_>]) -> f64 {
    series.iter().map(Counts::total_s).fold(0.0, f64::max)
}

/// The length of a stretch that gives at most `most` of them: a round number of seconds, not less
/// than `least_s`.
fn length(total_s: f64, most: f64, least_s: f64) -> f64 {
    let wanted = (total_s / most).max(least_s);
    let mut unit = 1e-9;
    while unit * 10.0 < wanted && unit < 1e12 {
        unit *= 10.0;
    }
    let round = [1.0, 2.0, 5.0].map(|factor| factor * unit);
    round.into_iter().find(|&round| round >= wanted * 0.999).unwrap_or(unit * 10.0)
}

/// Counts in steps, and the time at which they end.
#[derive(Clone, Copy)]
pub(super) struct Counts<'a> {
    pub(super) values: &'a [u64],
    pub(super) step_s: f64,
    /// End of the counts, which may lie within the last step.
    pub(super) end_s: f64,
}

/// A stretch of time.
pub(super) struct Bin {
    pub(super) from_s: f64,
    pub(super) length_s: f64,
    pub(super) sum: f64,
}

impl Counts<'_> {
    pub(super) fn total_s(&self) -> f64 {
        (self.values.len() as f64 * self.step_s).min(self.end_s)
    }

    /// The number of steps whose length is closest to `length_s`.
    fn merged(&self, length_s: f64) -> usize {
        ((length_s / self.step_s).round() as usize).max(1)
    }

    /// The length in whole steps that is closest to `length_s`.
    fn whole_steps(&self, length_s: f64) -> f64 {
        self.merged(length_s) as f64 * self.step_s
    }

    /// Sums over stretches of about `length_s`; a remainder at the end that is shorter than half a
    /// stretch is left out.
    pub(super) fn bins(&self, length_s: f64) -> Vec<Bin> {
        let merged = self.merged(length_s);
        let bins = self.values.chunks(merged).enumerate().map(|(index, steps)| {
            let from_s = index as f64 * merged as f64 * self.step_s;
            let to_s = (from_s + steps.len() as f64 * self.step_s).min(self.end_s);
            let sum = steps.iter().map(|&number| number as f64).sum();
            Bin { from_s, length_s: to_s - from_s, sum }
        });
        let least = merged as f64 * self.step_s / 2.0;
        let whole = |bin: &Bin| (bin.from_s + bin.length_s).is_finite() && bin.length_s >= least;
        bins.filter(whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round() {
        for (total, least, expected) in [
            (60.0, 0.1, 0.5),
            (300.0, 0.1, 2.0),
            (150.0, 0.1, 1.0),
            (3.0, 0.1, 0.1),
            (3.0, 0.13, 0.2),
            (0.0, 0.0, 1e-9),
        ] {
            let length = length(total, 150.0, least);
            assert!((length / expected - 1.0).abs() < 1e-9, "{total} {least}: {length}");
        }
        assert!(length(f64::INFINITY, 150.0, 0.1).is_finite());
    }

    #[test]
    fn stretches_are_whole_steps_and_say_how_long_they_are() {
        let of = |steps: &[f64]| {
            let counts = |&step_s: &f64| Counts { values: &[1; 1000], step_s, end_s: 60.0 };
            Stretch::of(&steps.iter().map(counts).collect::<Vec<_>>(), 150.0, 0.1)
        };
        assert_eq!(of(&[0.1]).to_string(), "0.5 s");
        assert_eq!(of(&[0.2]).to_string(), "0.6 s");
        assert_eq!(of(&[0.2, 0.2]).to_string(), "0.6 s");
        assert_eq!(of(&[0.1, 0.2]).to_string(), "0.6 s or so");
        assert_eq!(of(&[7.0]).to_string(), "7 s");
        let counts = Counts { values: &[1; 300], step_s: 0.2, end_s: 60.0 };
        let bins = counts.bins(of(&[0.2]).length_s);
        assert_eq!(bins.len(), 100);
        assert!(bins.iter().all(|bin| (bin.length_s - 0.6).abs() < 1e-9 && bin.sum == 3.0));
    }

    fn rates(values: &[u64], end_s: f64) -> Vec<(f64, f64, f64)> {
        let bins = Counts { values, step_s: 0.1, end_s }.bins(0.2);
        bins.iter().map(|bin| (bin.from_s, bin.length_s, bin.sum)).collect()
    }

    #[test]
    fn a_rest_is_as_long_as_it_was_and_left_out_if_short() {
        assert_eq!(rates(&[1, 2, 3, 4], f64::INFINITY), [(0.0, 0.2, 3.0), (0.2, 0.2, 7.0)]);
        assert_eq!(rates(&[1, 2, 3], 0.25), [(0.0, 0.2, 3.0)]);
        let rest = rates(&[1, 2, 3, 4], 0.35);
        assert!(rest.len() == 2 && (rest[1].1 - 0.15).abs() < 1e-12, "{rest:?}");
        assert_eq!(rates(&[], 1.0), []);
        assert_eq!(Counts { values: &[1; 9], step_s: 1e-300, end_s: 1.0 }.bins(0.2).len(), 0);
    }
}
