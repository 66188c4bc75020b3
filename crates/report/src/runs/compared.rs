//! Groups of runs compared run by run: ratios or differences, with their confidence intervals.

use results::{GroupTable, PairedFigure, PairedMedian, PairedRuns, RunGroup};

use crate::number::{fixed, millis, percent, significant};
use crate::text::printable;

/// A way to write a number.
pub(super) type Format = fn(f64) -> String;

/// The comparisons of one table along one axis.
pub(super) struct Compared<'a> {
    /// The fields of the axis.
    pub fields: &'a [String],
    /// The values to which all ratios refer, as one name.
    pub to: String,
    /// The compared groups.
    pub groups: Vec<(&'a RunGroup, &'a PairedRuns)>,
}

impl<'a> Compared<'a> {
    /// The comparisons of a table: those of queues first.
    pub(super) fn all(table: &'a GroupTable) -> Vec<Self> {
        let mut axes: Vec<Self> = Vec::new();
        for group in &table.groups {
            for paired in &group.comparisons {
                match axes.iter_mut().find(|axis| axis.fields == paired.fields) {
                    Some(axis) => axis.groups.push((group, paired)),
                    None => axes.push(Self {
                        fields: &paired.fields,
                        to: printable(&paired.to.join(" ")),
                        groups: vec![(group, paired)],
                    }),
                }
            }
        }
        let is_queue = |axis: &Self| axis.fields.iter().any(|field| field.ends_with("queue"));
        axes.sort_by_key(|axis| !is_queue(axis));
        axes
    }

    /// The heading: what is divided by what, and the meaning of the cells.
    pub(super) fn heading(&self) -> String {
        let ratio = format!("Ratio to {}, ", self.to);
        match self.figures().any(|figure| figure.difference.interval_95.is_some()) {
            true => ratio + "seed by seed: median (95 % confidence interval)",
            false => ratio + "run by run: median",
        }
    }

    /// A sentence about the values that are differences; `None` if there are none.
    pub(super) fn note(&self, shown: &[&str]) -> Option<String> {
        let groups = self.groups.iter();
        let figures =
            groups.flat_map(|(_, paired)| shown.iter().map(|name| paired.metrics.get(*name)));
        let is_difference = figures.flatten().any(|figure| figure.ratio.is_none());
        is_difference
            .then(|| "A value with a sign is a difference: there is no ratio to 0.".to_owned())
    }

    fn figures(&self) -> impl Iterator<Item = &PairedFigure> {
        self.groups.iter().flat_map(|(_, paired)| paired.metrics.values())
    }
}

/// The ratio, such as `0.0083 (0.0081–0.0085)`, or the difference, such as `+5.1 ms (4.9–5.2)`.
pub(super) fn cell(name: &str, figure: &PairedFigure) -> String {
    match figure.ratio {
        Some(ratio) => factor(ratio.median) + &interval(&ratio, factor),
        None => {
            let (format, unit): (Format, _) = match name {
                name if name.contains("_ms") => (millis, " ms"),
                name if name.ends_with("_mbit") => (significant, " Mbit/s"),
                _ => (percent, " %"),
            };
            let difference = figure.difference;
            let sign = if difference.median > 0.0 { "+" } else { "" };
            let median = format(difference.median);
            format!("{sign}{median}{unit}{}", interval(&difference, format))
        }
    }
}

/// A blank and the interval in brackets; empty without one.
pub(super) fn bounds(interval: Option<[f64; 2]>, format: Format) -> String {
    let text = |bounds: [f64; 2]| {
        let [low, high] = bounds.map(format);
        let to = if low.starts_with('-') { " to " } else { "–" };
        format!(" ({low}{to}{high})")
    };
    interval.map(text).unwrap_or_default()
}

fn interval(value: &PairedMedian, format: Format) -> String {
    bounds(value.interval_95, format)
}

/// A ratio: three significant digits, of small ones two.
fn factor(value: f64) -> String {
    match value {
        ..0.00095 => fixed(value, 5),
        ..0.0095 => fixed(value, 4),
        _ => significant(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(ratio: Option<f64>, difference: f64) -> PairedFigure {
        let around = |median: f64| PairedMedian {
            median,
            interval_95: Some([median - median.abs() / 50.0, median + median.abs() / 50.0]),
        };
        PairedFigure { difference: around(difference), ratio: ratio.map(around) }
    }

    #[test]
    fn a_ratio_has_its_interval_and_a_difference_its_sign() {
        let cases = [
            ("sojourn_ms.p50", Some(0.0083), "0.0083 (0.0081–0.0085)"),
            ("goodput_mbit", Some(1.0), "1.00 (0.980–1.02)"),
            ("sojourn_ms.p50", None, "-5.0 ms (-5.1 to -4.9)"),
            ("drops.share", None, "-500.0 % (-510.0 to -490.0)"),
        ];
        for (name, ratio, expected) in cases {
            assert_eq!(cell(name, &figure(ratio, -5.0)), expected);
        }
        assert_eq!(cell("sojourn_ms.p50", &figure(None, 5.0)), "+5.0 ms (4.9–5.1)");
        let exact = PairedMedian { median: 2.0, interval_95: None };
        let figure = PairedFigure { ratio: Some(exact), difference: exact };
        assert_eq!(cell("marks", &figure), "2.00");
    }
}
