//! A metric of many runs, with its words and its scale.

use results::RunMetric;
use stats::interpolated_quantile;

use super::field::WIDE;
use crate::figure::{Axis, Scale};

/// Least wait that is drawn on a logarithmic scale, in milliseconds, which has no zero.
const FLOOR_MS: f64 = 0.01;

/// A metric, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured<'a> {
    /// Name of the metric in the table.
    pub name: &'a str,
    /// Name of the metric in words, as within a sentence: `median wait in the queue`.
    pub words: String,
    /// Unit of the metric; empty for a pure number.
    pub unit: &'static str,
    /// The scale of the metric's axis.
    pub scale: Scale,
    /// Values, one for each run, in that unit; `None` where a run has none.
    pub values: Vec<Option<f64>>,
    /// Number of values that were raised to the least that the scale shows.
    raised: usize,
}

impl<'a> Measured<'a> {
    pub(crate) fn of(metric: &'a RunMetric) -> Self {
        let (words, unit, factor) = words(&metric.name);
        let finite = |value: &Option<f64>| value.map(|v| v * factor).filter(|v| v.is_finite());
        let mut values: Vec<Option<f64>> = metric.values.iter().map(finite).collect();
        let scale = scale(&values, unit);
        let mut raised = 0;
        for value in values.iter_mut().flatten().filter(|_| scale == Scale::Log && unit == "ms") {
            if *value < FLOOR_MS {
                (*value, raised) = (FLOOR_MS, raised + 1);
            }
        }
        Measured { name: &metric.name, words, unit, scale, values, raised }
    }

    /// True if at least one run has the metric.
    pub(crate) fn exists(&self) -> bool {
        self.values.iter().any(Option::is_some)
    }

    /// The value of a run; `None` if it has none.
    pub(crate) fn at(&self, run: usize) -> Option<f64> {
        self.values.get(run).copied().flatten()
    }

    /// The name of the metric in words, as at the beginning of a sentence.
    pub(crate) fn title(&self) -> String {
        let mut letters = self.words.chars();
        let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
        first.unwrap_or_default() + letters.as_str()
    }

    pub(crate) fn axis(&self) -> Axis {
        Axis { scale: self.scale, ..Axis::linear(&self.title(), self.unit) }
    }

    /// A blank and a sentence about values that the scale cannot show; empty if there are none.
    pub(crate) fn remark(&self) -> String {
        if self.raised == 0 {
            String::new()
        } else {
            format!(" Waits below {FLOOR_MS} ms count as {FLOOR_MS} ms.")
        }
    }
}

/// The scale for these values: logarithmic if their range is wide, the least and the largest
/// twentieth left out.
fn scale(values: &[Option<f64>], unit: &str) -> Scale {
    let mut all: Vec<f64> = values.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let can_be_raised = unit == "ms" && all.first().is_some_and(|least| *least >= 0.0);
    if !can_be_raised && all.first().is_none_or(|least| *least <= 0.0) {
        return Scale::Linear;
    }
    let end = |q| interpolated_quantile(&all, q).map(|value| value.max(FLOOR_MS));
    match (end(0.05), end(0.95)) {
        (Some(low), Some(high)) if high / low >= WIDE => Scale::Log,
        _ => Scale::Linear,
    }
}

/// The words for a metric, its unit, and the factor by which the table's values are multiplied for
/// that unit.
fn words(name: &str) -> (String, &'static str, f64) {
    let (figure, place) = place(name);
    let (words, unit, factor) = match figure {
        "utilisation" => ("utilisation".into(), "%", 100.0),
        "rate_mbit" => ("throughput".into(), "Mbit/s", 1.0),
        "goodput_mbit" if place.is_empty() => ("goodput of all bulk flows".into(), "Mbit/s", 1.0),
        "goodput_mbit" => ("goodput".into(), "Mbit/s", 1.0),
        "delivered_bytes" => ("delivered data".into(), "MB", 1e-6),
        "drops.full" => ("drops from a full queue".into(), "", 1.0),
        "drops.aqm" => ("drops by choice of the queue".into(), "", 1.0),
        "drops.loss" => ("losses on the wire".into(), "", 1.0),
        "drops.total" => ("drops".into(), "", 1.0),
        "drops.share" => ("share of packets dropped".into(), "%", 100.0),
        "lost_share" => ("share of packets lost".into(), "%", 100.0),
        "jain_goodput" => ("Jain's index of the flows' goodputs".into(), "", 1.0),
        "jain_drops" => ("Jain's index of the flows' drop shares".into(), "", 1.0),
        "mos" => ("mean opinion score".into(), "", 1.0),
        _ => statistic(figure),
    };
    (words + &place, unit, factor)
}

/// The last part of a name, and the words for the measured object.
fn place(name: &str) -> (&str, String) {
    let parts: Vec<&str> = name.splitn(4, '.').collect();
    match parts[..] {
        ["link", link, way, figure] => (figure, format!(" at {link}, {way}")),
        ["flow", flow, ..] => {
            (name.get(5 + flow.len() + 1..).unwrap_or_default(), format!(" of {flow}"))
        }
        _ => (name, String::new()),
    }
}

/// The words for a statistic such as `sojourn_ms.p50`.
fn statistic(figure: &str) -> (String, &'static str, f64) {
    let (of, which) = figure.split_once('.').unwrap_or((figure, ""));
    let units = [("_ms", "ms"), ("_s", "s"), ("_mbit", "Mbit/s"), ("_packets", "packets")];
    let unit = units.into_iter().find(|(end, _)| of.ends_with(end));
    let (bare, unit) = unit.map_or((of, ""), |(end, unit)| (of.trim_end_matches(end), unit));
    let what = match bare {
        "sojourn" => "wait in the queue",
        "rtt" => "round trip",
        "delay" => "one-way delay",
        "completion" => "time to complete",
        other => other,
    };
    let words = match which {
        "" => what.to_owned(),
        "mean" => format!("mean {what}"),
        "p50" => format!("median {what}"),
        "min" => format!("least {what}"),
        "max" => format!("largest {what}"),
        "count" => return (format!("number of values of {what}"), "", 1.0),
        _ => match which.strip_prefix('p') {
            Some(percent) => format!("{what}, {percent}th percentile"),
            None => format!("{what}, {which}"),
        },
    };
    (words, unit, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str, values: impl IntoIterator<Item = f64>) -> RunMetric {
        RunMetric { name: name.into(), values: values.into_iter().map(Some).collect() }
    }

    #[test]
    fn metrics_have_words_and_units() {
        for (name, expected) in [
            ("sojourn_ms.p50", "median wait in the queue / ms"),
            ("sojourn_ms.p95", "wait in the queue, 95th percentile / ms"),
            ("utilisation", "utilisation / %"),
            ("goodput_mbit", "goodput of all bulk flows / Mbit/s"),
            ("flow.ftp.goodput_mbit", "goodput of ftp / Mbit/s"),
            ("flow.web.completion_s.p95", "time to complete, 95th percentile of web / s"),
            ("flow.voice.mos", "mean opinion score of voice / "),
            ("link.down.reverse.drops.share", "share of packets dropped at down, reverse / %"),
            ("backlog_packets.max", "largest backlog / packets"),
            ("marks", "marks / "),
        ] {
            let metric = metric(name, [1.0]);
            let measured = Measured::of(&metric);
            assert_eq!(format!("{} / {}", measured.words, measured.unit), expected);
        }
    }

    #[test]
    fn values_of_many_sizes_are_seen_by_factors_and_a_wait_of_nothing_has_a_place() {
        let waits = metric("sojourn_ms.p50", [0.0, 0.5, 5.0, 500.0]);
        let measured = Measured::of(&waits);
        assert_eq!((measured.scale, measured.at(0)), (Scale::Log, Some(0.01)));
        assert!(measured.remark().contains("0.01 ms"));
        let drops = metric("drops.total", [0.0, 1.0, 50_000.0]);
        assert_eq!(Measured::of(&drops).scale, Scale::Linear, "no drop is no drop");
        let busy = metric("utilisation", [0.25, 0.5]);
        let measured = Measured::of(&busy);
        assert_eq!((measured.scale, measured.at(1)), (Scale::Linear, Some(50.0)));
        assert_eq!(measured.title(), "Utilisation");
    }

    #[test]
    fn what_is_no_number_is_no_value() {
        let odd = metric("marks", [f64::NAN, f64::INFINITY]);
        assert!(!Measured::of(&odd).exists());
    }
}
