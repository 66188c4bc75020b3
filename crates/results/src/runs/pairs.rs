//! Groups of runs compared pair by pair: the two runs of a pair have the same seed and the same
//! values of all fields but one.
//!
//! The runs of a pair share their random numbers, so the part of the spread that the seed causes in
//! both is not in their ratio. Source: A. M. Law, "Simulation Modeling and Analysis", 5th edition,
//! 2015, sections 10.2 and 11.2 (paired comparison, common random numbers).

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use stats::{ascending, median, median_interval};

use super::replicates::{CONFIDENCE, are_replicates, is_seed_independent};
use super::{Runs, VariedField};

/// A group of runs compared with the one that has the first value of a field, run by run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedRuns {
    /// The fields in which the two groups differ: one, or several that were varied together.
    pub fields: Vec<String>,
    /// Values of these fields in the other group, to which differences and ratios refer.
    pub to: Vec<String>,
    /// Number of pairs of runs.
    pub pairs: u64,
    /// Figures by name: all that both runs of at least one pair have.
    pub metrics: IndexMap<String, PairedFigure>,
}

/// A figure of the runs of one group, compared with the same figure of another group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedFigure {
    /// The figure less that of the other group.
    pub difference: PairedMedian,
    /// The figure divided by that of the other group; `None` unless all values are positive.
    pub ratio: Option<PairedMedian>,
}

/// The median of a value of each pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedMedian {
    /// The median.
    pub median: f64,
    /// Bounds of the median over all seeds, with a confidence of at least 95 %: order statistics.
    /// `None` if the pairs do not differ only in their seed, if neither group depends on it, or if
    /// there are fewer than 6 pairs.
    pub interval_95: Option<[f64; 2]>,
}

/// A field, or several that were varied together.
pub(super) struct Axis<'a> {
    runs: &'a Runs,
    fields: Vec<&'a VariedField>,
}

impl<'a> Axis<'a> {
    /// The axes of these fields that have several values, without the seed.
    pub(super) fn all(runs: &'a Runs, by: &[&'a VariedField]) -> Vec<Self> {
        let mut axes: Vec<Self> = Vec::new();
        for field in by.iter().filter(|field| !field.is_seed()) {
            match axes.iter_mut().find(|axis| are_together(axis.fields[0], field)) {
                Some(axis) => axis.fields.push(field),
                None => axes.push(Self { runs, fields: vec![field] }),
            }
        }
        axes
    }

    /// The values of the fields `by` in a run, with the first value of this axis.
    pub(super) fn with_first_value(&self, row: usize, by: &[&'a VariedField]) -> Vec<&'a str> {
        let is_ours = |field: &VariedField| self.fields.iter().any(|our| our.path == field.path);
        let row_of = |field: &VariedField| if is_ours(field) { 0 } else { row };
        by.iter().map(|field| field.values[row_of(field)].as_str()).collect()
    }

    /// The group with these `rows`, compared with the group `first`; `None` without any pair.
    pub(super) fn compare(&self, rows: &[usize], first: &[usize]) -> Option<PairedRuns> {
        let mates: BTreeMap<_, _> = first.iter().map(|row| (self.others(*row), *row)).collect();
        let mate = |row: &usize| Some((*row, *mates.get(&self.others(*row))?));
        let pairs: Vec<(usize, usize)> = rows.iter().filter_map(mate).collect();
        let depends = |rows| !is_seed_independent(self.runs, rows);
        let are_samples = are_replicates(self.runs, rows) && (depends(rows) || depends(first));
        let metrics = self.runs.metrics.iter().filter_map(|metric| {
            let both = |(row, mate): &(usize, usize)| metric.values[*row].zip(metric.values[*mate]);
            let values: Vec<(f64, f64)> = pairs.iter().filter_map(both).collect();
            Some((metric.name.clone(), PairedFigure::of(&values, are_samples)?))
        });
        (!pairs.is_empty()).then(|| PairedRuns {
            fields: self.fields.iter().map(|field| field.path.clone()).collect(),
            to: self.fields.iter().map(|field| field.values[first[0]].clone()).collect(),
            pairs: pairs.len() as u64,
            metrics: metrics.collect(),
        })
    }

    /// The values of all other fields in a run, the seed included.
    fn others(&self, row: usize) -> Vec<&'a str> {
        let fields = self.runs.fields.iter();
        let others = fields.filter(|field| self.fields.iter().all(|ours| ours.path != field.path));
        others.map(|field| field.values[row].as_str()).collect()
    }
}

/// True if each value of one field belongs to one value of the other.
fn are_together(one: &VariedField, other: &VariedField) -> bool {
    let (mut forth, mut back) = (BTreeMap::new(), BTreeMap::new());
    one.values.iter().zip(&other.values).all(|(one, other)| {
        *forth.entry(one).or_insert(other) == other && *back.entry(other).or_insert(one) == one
    })
}

impl PairedFigure {
    fn of(pairs: &[(f64, f64)], are_samples: bool) -> Option<Self> {
        let are_positive = pairs.iter().all(|(value, to)| *value > 0.0 && *to > 0.0);
        let middle = |of: fn(&(f64, f64)) -> f64| {
            let values = ascending(pairs.iter().map(of));
            let interval = median_interval(&values, CONFIDENCE).filter(|_| are_samples);
            Some(PairedMedian { median: median(&values)?, interval_95: interval })
        };
        Some(Self {
            difference: middle(|(value, to)| value - to)?,
            ratio: middle(|(value, to)| value / to).filter(|_| are_positive),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GroupTable, RunMetric};

    /// Two queues, two pairs of rates and `seeds` seeds: codel waits `seed` ms at both rates, pfifo
    /// ten times as long.
    fn example(seeds: u64) -> Runs {
        let paths = ["link.up.queue", "link.up.rate", "link.down.rate", "seed"];
        let mut fields = paths.map(|path| VariedField { path: path.into(), values: Vec::new() });
        let (mut wait, mut marks) = (Vec::new(), Vec::new());
        for (queue, factor) in [("pfifo", 10.0), ("codel", 1.0)] {
            for rate in [1, 2] {
                for seed in 1..=seeds {
                    let values =
                        [queue.into(), format!("{rate}mbit"), format!("{}mbit", 10 * rate)];
                    for (field, value) in fields.iter_mut().zip(values) {
                        field.values.push(value);
                    }
                    fields[3].values.push(seed.to_string());
                    wait.push(Some(factor * seed as f64));
                    marks.push(Some(if queue == "codel" { seed as f64 } else { 0.0 }));
                }
            }
        }
        let metric = |name: &str, values| RunMetric { name: name.into(), values };
        Runs {
            index: (0..4 * seeds).collect(),
            fields: fields.into(),
            metrics: vec![metric("sojourn_ms.p50", wait), metric("marks", marks)],
            ..Runs::default()
        }
    }

    #[test]
    fn groups_are_compared_with_the_first_seed_by_seed() {
        let table = &GroupTable::usual(&example(8))[0];
        let [pfifo, faster, codel, last] = &table.groups[..] else { panic!("{table:?}") };
        assert!(pfifo.comparisons.is_empty(), "the first");
        let fields = |group: &crate::RunGroup| -> Vec<_> {
            group.comparisons.iter().map(|it| (it.fields.join(" "), it.to.join(" "))).collect()
        };
        let queue = ("link.up.queue".to_owned(), "pfifo".to_owned());
        let rates = ("link.up.rate link.down.rate".to_owned(), "1mbit 10mbit".to_owned());
        assert_eq!(fields(codel), std::slice::from_ref(&queue));
        assert_eq!(fields(faster), std::slice::from_ref(&rates), "varied together");
        assert_eq!(fields(last), [queue, rates]);
        let [compared] = &codel.comparisons[..] else { panic!() };
        let wait = compared.metrics["sojourn_ms.p50"];
        assert_eq!(compared.pairs, 8);
        assert_eq!(wait.ratio, Some(PairedMedian { median: 0.1, interval_95: Some([0.1, 0.1]) }));
        // Eight pairs: from the first to the last but one, with 99.2 %; the next ranks have 93 %.
        assert_eq!(wait.difference.interval_95, Some([-72.0, -9.0]));
        assert_eq!(compared.metrics["marks"].ratio, None, "a multiple of nothing");
        assert_eq!(compared.metrics["marks"].difference.median, 4.5);
        assert_eq!(codel.metrics["sojourn_ms.p50"].interval_95, Some([1.0, 8.0]));
    }

    #[test]
    fn few_seeds_and_runs_without_a_mate_have_no_interval() {
        let mut runs = example(8);
        for metric in &mut runs.metrics {
            metric.values[..3].fill(None);
        }
        let table = &GroupTable::usual(&runs)[0];
        let ratio = table.groups[2].comparisons[0].metrics["sojourn_ms.p50"].ratio.unwrap();
        assert_eq!(ratio, PairedMedian { median: 0.1, interval_95: None }, "five pairs");
        let runs = example(5);
        let group = &GroupTable::usual(&runs)[0].groups[2];
        assert_eq!(group.metrics["sojourn_ms.p50"].interval_95, None);
    }

    #[test]
    fn runs_that_differ_in_more_than_their_seed_are_no_samples() {
        let runs = example(8);
        let table = GroupTable::of(&runs, &[&runs.fields[0]]);
        let codel = &table.groups[1];
        assert_eq!(codel.metrics["sojourn_ms.p50"].interval_95, None);
        let compared = &codel.comparisons[0];
        assert_eq!(compared.pairs, 16, "the same rate and the same seed");
        let ratio = compared.metrics["sojourn_ms.p50"].ratio;
        assert_eq!(ratio, Some(PairedMedian { median: 0.1, interval_95: None }));
    }

    #[test]
    fn runs_that_do_not_depend_on_the_seed_have_no_interval() {
        let mut runs = example(8);
        let both = |values: &mut Vec<Option<f64>>| values.fill(Some(2.0));
        runs.metrics.iter_mut().for_each(|metric| both(&mut metric.values));
        let codel = &GroupTable::usual(&runs)[0].groups[2];
        assert_eq!(codel.metrics["marks"].interval_95, None);
        assert_eq!(codel.comparisons[0].metrics["marks"].ratio.unwrap().interval_95, None);
    }
}
