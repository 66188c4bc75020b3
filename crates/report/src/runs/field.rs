//! A varied field: its values as names, and as numbers if they are numbers.

use std::collections::BTreeSet;

use results::{Runs, VariedField};
use units::{Bytes, Prob, Rate, Span};

use crate::figure::{Axis, Scale};

/// Ratio of the largest to the least value from which a logarithmic scale is used.
pub(super) const WIDE: f64 = 20.0;

/// A field, its values, and the value of each run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Varied<'a> {
    /// The path, as in `--set`.
    pub path: &'a str,
    /// The values as the sweep writes them, without repetition: numbers ascending, others in the
    /// sweep's order.
    pub names: Vec<&'a str>,
    /// The values as numbers; `None` unless all are numbers of one kind.
    pub numbers: Option<Numbers>,
    /// Index of the value of each run.
    pub of_run: Vec<usize>,
}

/// Values with a unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// Values as numbers, one for each name.
    pub values: Vec<f64>,
    /// The unit; empty if the values have none.
    pub unit: &'static str,
}

/// A way to read a text as a number.
type Reading = fn(&str) -> Option<f64>;

/// The ways in which numbers may be written, with the unit into which each is converted.
const READINGS: [(&str, Reading); 5] = [
    ("", |text| text.trim().parse().ok().filter(|value: &f64| value.is_finite())),
    ("Mbit/s", |text| Some(text.parse::<Rate>().ok()?.as_mbit_f64())),
    ("ms", |text| Some(text.parse::<Span>().ok()?.as_millis_f64())),
    ("kB", |text| Some(text.parse::<Bytes>().ok()?.0 as f64 / 1e3)),
    ("%", |text| Some(text.parse::<Prob>().ok()?.get() * 100.0)),
];

impl<'a> Varied<'a> {
    /// All fields of a table.
    pub(crate) fn all(runs: &'a Runs) -> Vec<Self> {
        runs.fields.iter().map(Self::of).collect()
    }

    fn of(field: &'a VariedField) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for value in &field.values {
            if !names.contains(&&**value) {
                names.push(value);
            }
        }
        let numbers = READINGS.iter().find_map(|(unit, read)| {
            let values = names.iter().map(|name| read(name)).collect::<Option<Vec<f64>>>()?;
            (!values.is_empty()).then_some(Numbers { values, unit })
        });
        let mut varied = Varied { path: &field.path, names, numbers, of_run: Vec::new() };
        varied.sort();
        let which = |value: &String| varied.names.iter().position(|name| name == value);
        varied.of_run = field.values.iter().map(|value| which(value).unwrap_or_default()).collect();
        varied
    }

    /// Sorts the values if they are numbers.
    fn sort(&mut self) {
        let Some(numbers) = &mut self.numbers else { return };
        let mut both: Vec<(f64, &str)> =
            numbers.values.iter().copied().zip(self.names.iter().copied()).collect();
        both.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        (numbers.values, self.names) = both.into_iter().unzip();
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// True if the field is the seed, whose values make runs differ only by chance.
    pub(crate) fn is_seed(&self) -> bool {
        self.last() == "seed"
    }

    /// True if the field's values are queues.
    pub(crate) fn is_queue(&self) -> bool {
        self.last() == "queue"
    }

    /// True if the field has several values, is not the seed, and was not varied together with the
    /// field `taken`.
    pub(crate) fn is_free(&self, taken: Option<&Varied<'_>>) -> bool {
        self.count() > 1 && !self.is_seed() && taken.is_none_or(|taken| !self.goes_with(taken))
    }

    /// True if the two were varied together, so that each value of one belongs to one value of the
    /// other.
    fn goes_with(&self, other: &Varied<'_>) -> bool {
        let pairs: BTreeSet<_> = self.of_run.iter().zip(&other.of_run).collect();
        pairs.len() == self.count() && pairs.len() == other.count()
    }

    /// The last word of the field's path.
    fn last(&self) -> &'a str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// The axis of the field's names.
    pub(crate) fn named_axis(&self) -> Axis {
        Axis::named(self.path, self.names.iter().copied())
    }

    /// The axis of the field's numbers, or of its names if it has no numbers.
    pub(crate) fn axis(&self) -> Axis {
        let Some(Numbers { values, unit }) = &self.numbers else { return self.named_axis() };
        let scale = if are_factors(values) { Scale::Log } else { Scale::Linear };
        Axis { scale, ..Axis::linear(self.path, unit) }
    }

    /// The place of value number `index` on that axis.
    pub(crate) fn place(&self, index: usize) -> f64 {
        let number = self.numbers.as_ref().and_then(|numbers| numbers.values.get(index).copied());
        number.unwrap_or(index as f64)
    }
}

/// True if a logarithmic scale suits these ascending numbers: if their range is wide, or if they
/// are spaced more evenly on that scale, as 5, 15 and 50 are, but not 10, 20 and 30.
fn are_factors(values: &[f64]) -> bool {
    /// Ratio of the largest to the least value below which a logarithmic scale is too short.
    const SHORT: f64 = 4.0;
    let (Some(low), Some(high)) = (values.first(), values.last()) else { return false };
    if *low <= 0.0 || high / low < SHORT {
        return false;
    }
    // The ratio of the largest gap to the smallest.
    let unevenness = |place: fn(f64) -> f64| {
        let gaps = || values.windows(2).map(|pair| place(pair[1]) - place(pair[0]));
        gaps().fold(0.0, f64::max) / gaps().fold(f64::INFINITY, f64::min)
    };
    let is_even = || values.len() > 2 && unevenness(libm::log10) < unevenness(|value| value);
    high / low >= WIDE || is_even()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(path: &str, values: &[&str]) -> VariedField {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        VariedField { path: path.into(), values }
    }

    #[test]
    fn what_all_is_a_rate_is_numbers_that_ascend() {
        let field = field("link.up.rate", &["10mbit", "500kbit", "10mbit", "1gbit"]);
        let varied = Varied::of(&field);
        assert_eq!(varied.names, ["500kbit", "10mbit", "1gbit"]);
        assert_eq!(varied.of_run, [1, 0, 1, 2]);
        let axis = varied.axis();
        assert_eq!((axis.unit.as_str(), axis.scale), ("Mbit/s", Scale::Log));
        assert_eq!((varied.place(0), varied.place(2)), (0.5, 1000.0));
    }

    #[test]
    fn times_sizes_counts_and_shares_are_numbers_too() {
        for (values, unit, last) in [
            (["5ms", "1s"], "ms", 1000.0),
            (["30kB", "1500B"], "kB", 30.0),
            (["0", "50"], "", 50.0),
            (["0.1%", "5%"], "%", 5.0),
        ] {
            let field = field("x", &values);
            let varied = Varied::of(&field);
            assert_eq!(varied.numbers.as_ref().map(|numbers| numbers.unit), Some(unit));
            assert!((varied.place(1) - last).abs() < 1e-9, "{values:?}");
        }
        for (values, scale) in [
            (&["2", "4"][..], Scale::Linear),
            (&["1", "19"], Scale::Linear),
            (&["1", "20"], Scale::Log),
            (&["0", "50"], Scale::Linear),
            (&["5", "15", "50"], Scale::Log),
            (&["1", "2", "4", "8"], Scale::Log),
            (&["10", "20", "30", "40"], Scale::Linear),
            (&["1", "2", "3"], Scale::Linear),
        ] {
            assert_eq!(Varied::of(&field("x", values)).axis().scale, scale, "{values:?}");
        }
    }

    #[test]
    fn fields_that_were_varied_together_are_known() {
        let [down, up, seed] =
            [&["1mbit", "1mbit", "9mbit"], &["2mbit", "2mbit", "3mbit"], &["1", "2", "1"]]
                .map(|values| field("x", values));
        let [down, up, seed] = [&down, &up, &seed].map(Varied::of);
        assert!(down.goes_with(&up) && up.goes_with(&down));
        assert!(!down.goes_with(&seed) && !seed.goes_with(&down));
    }

    #[test]
    fn others_are_names_in_the_order_of_the_sweep() {
        let field = field("link.up.queue", &["pie", "codel", "pie", "10"]);
        let varied = Varied::of(&field);
        assert_eq!(
            (&varied.names[..], varied.numbers.clone()),
            (&["pie", "codel", "10"][..], None)
        );
        assert!(varied.is_queue() && !varied.is_seed());
        assert_eq!(varied.axis().names, ["pie", "codel", "10"]);
        assert_eq!(varied.place(2), 2.0);
    }
}
