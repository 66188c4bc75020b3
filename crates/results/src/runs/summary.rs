//! The summary of a sweep: its runs in groups, and the figures of each group.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use stats::{median, median_interval};

use super::pairs::{Axis, PairedRuns};
use super::replicates::{CONFIDENCE, are_replicates, is_seed_independent};
use super::{Runs, VariedField};
use crate::Version;

/// The output of `unbloat sweep --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepSummary {
    /// `"unbloat.sweep"`; reading anything else is an error.
    pub schema: SweepSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The title of the sweep, in one line.
    pub title: String,
    /// The folder that holds all runs.
    pub folder: String,
    /// The direction of a link to which figures without a link refer: `uplink.forward`.
    pub bottleneck: String,
    /// Number of runs in the sweep.
    pub points: u64,
    /// Number of runs that are done, failed ones included.
    pub done: u64,
    /// True if the sweep was interrupted before all the requested runs were done.
    #[serde(default)]
    pub interrupted: bool,
    /// The runs that failed.
    pub failed: Vec<FailedRun>,
    /// The other runs, in groups; more than one table if one would be too long.
    pub tables: Vec<GroupTable>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SweepSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.sweep")]
    Sweep,
}

/// A run that failed, and has no figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedRun {
    /// Number of the run in the sweep.
    pub run: u64,
    /// The reason why it failed, in a sentence.
    pub error: String,
    /// The command that repeats the run.
    pub command: String,
}

/// Runs in groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupTable {
    /// The fields whose values the runs of a group share. Without fields there is one group.
    pub by: Vec<String>,
    /// The groups, in the order of the sweep.
    pub groups: Vec<RunGroup>,
}

/// Runs that have the same values of some fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunGroup {
    /// Values of those fields, in the order of [`GroupTable::by`].
    pub values: Vec<String>,
    /// Number of runs.
    pub runs: u64,
    /// Number of seeds, if the runs differ only in their seed; `None` otherwise.
    #[serde(default)]
    pub seeds: Option<u64>,
    /// True if some of the runs differ only in their seed, and all such runs have the same figures:
    /// the range of a figure is then not due to chance.
    #[serde(default)]
    pub seed_independent: bool,
    /// Figures by name: all that at least one of the runs has.
    pub metrics: IndexMap<String, MedianAndRange>,
    /// The comparisons with other groups, run by run: one for each varied field of
    /// [`GroupTable::by`] whose first value another group has. That group has the same values of
    /// all other fields.
    #[serde(default)]
    pub comparisons: Vec<PairedRuns>,
}

/// The median and the range of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MedianAndRange {
    /// The median.
    pub median: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// Bounds of the median over all seeds, with a confidence of at least 95 %: order statistics, as
    /// in [`median_interval`]. `None` if the runs do not differ only in their seed, if they do not
    /// depend on it, or if there are fewer than 6.
    #[serde(default)]
    pub interval_95: Option<[f64; 2]>,
}

impl MedianAndRange {
    /// The median and the range of these values; `None` if there are none. Sorts the values.
    pub fn of(values: &mut [f64]) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        Some(Self { median: median(values)?, min, max, interval_95: None })
    }

    /// The same with the bounds of the median, for values that are independent samples.
    fn of_samples(values: &mut [f64]) -> Option<Self> {
        let known = Self::of(values)?;
        Some(Self { interval_95: median_interval(values, CONFIDENCE), ..known })
    }
}

impl GroupTable {
    /// The largest number of groups that one table should have.
    const MOST_GROUPS: usize = 40;

    /// Groups by all varied fields but the seed together or, if that makes too many groups, by each
    /// field alone.
    pub fn usual(runs: &Runs) -> Vec<Self> {
        let varies = |field: &&VariedField| {
            !field.is_seed() && field.values.iter().any(|value| *value != field.values[0])
        };
        let fields: Vec<&VariedField> = runs.fields.iter().filter(varies).collect();
        let together = Self::of(runs, &fields);
        if together.groups.len() <= Self::MOST_GROUPS || fields.len() < 2 {
            return vec![together];
        }
        fields.into_iter().map(|field| Self::of(runs, &[field])).collect()
    }

    /// The table of groups by these fields.
    pub fn of(runs: &Runs, by: &[&VariedField]) -> Self {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut known = BTreeMap::new();
        for row in 0..runs.index.len() {
            let values: Vec<&str> = by.iter().map(|field| field.values[row].as_str()).collect();
            let group = *known.entry(values).or_insert(rows.len());
            match rows.get_mut(group) {
                Some(rows) => rows.push(row),
                None => rows.push(vec![row]),
            }
        }
        let mut groups: Vec<RunGroup> = rows.iter().map(|rows| group(runs, by, rows)).collect();
        for axis in Axis::all(runs, by) {
            for (index, rows_of) in rows.iter().enumerate() {
                let first = known.get(&axis.with_first_value(rows_of[0], by));
                let first = first.filter(|first| **first != index);
                let compared = first.and_then(|first| axis.compare(rows_of, &rows[*first]));
                groups[index].comparisons.extend(compared);
            }
        }
        Self { by: by.iter().map(|field| field.path.clone()).collect(), groups }
    }
}

fn group(runs: &Runs, by: &[&VariedField], rows: &[usize]) -> RunGroup {
    let values = by.iter().map(|field| field.values[rows[0]].clone()).collect();
    let seed_independent = is_seed_independent(runs, rows);
    let are_replicates = are_replicates(runs, rows);
    let of = if are_replicates && !seed_independent {
        MedianAndRange::of_samples
    } else {
        MedianAndRange::of
    };
    let middle = |values: &[Option<f64>]| {
        of(&mut rows.iter().filter_map(|row| values[*row]).collect::<Vec<f64>>())
    };
    let metrics = runs.metrics.iter();
    let metrics = metrics.filter_map(|metric| Some((metric.name.clone(), middle(&metric.values)?)));
    RunGroup {
        values,
        runs: rows.len() as u64,
        seeds: are_replicates.then_some(rows.len() as u64),
        seed_independent,
        metrics: metrics.collect(),
        comparisons: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunMetric;

    /// Two queues, `rates` rates, three seeds.
    fn example(rates: u64) -> Runs {
        let (mut queue, mut rate, mut seed) =
            (VariedField::default(), VariedField::default(), VariedField::default());
        let mut delay = RunMetric { name: "sojourn_ms.p50".into(), values: Vec::new() };
        let nothing = RunMetric { name: "mos".into(), values: vec![None; 6 * rates as usize] };
        for point in 0..6 * rates {
            queue.values.push(["codel", "pfifo"][(point / (3 * rates)) as usize].into());
            rate.values.push(format!("{}mbit", point / 3 % rates));
            seed.values.push((point % 3).to_string());
            delay.values.push((point != 4).then_some(point as f64));
        }
        queue.path = "link.up.queue".into();
        rate.path = "link.up.rate".into();
        seed.path = "seed".into();
        let index = (0..6 * rates).collect();
        let (fields, metrics) = (vec![queue, rate, seed], vec![delay, nothing]);
        Runs { title: "A sweep".into(), index, fields, metrics }
    }

    #[test]
    fn runs_that_differ_in_their_seed_are_one_group() {
        let tables = GroupTable::usual(&example(2));
        let [table] = &tables[..] else { panic!("{tables:?}") };
        assert_eq!(table.by, ["link.up.queue", "link.up.rate"]);
        let groups: Vec<_> =
            table.groups.iter().map(|group| (group.values.join(" "), group.runs)).collect();
        let expected = ["codel 0mbit", "codel 1mbit", "pfifo 0mbit", "pfifo 1mbit"];
        assert_eq!(groups, expected.map(|values| (values.to_owned(), 3)));
        let delays = |group: usize| table.groups[group].metrics["sojourn_ms.p50"];
        assert_eq!(
            delays(0),
            MedianAndRange { median: 1.0, min: 0.0, max: 2.0, interval_95: None }
        );
        assert_eq!(
            delays(1),
            MedianAndRange { median: 4.0, min: 3.0, max: 5.0, interval_95: None },
            "one has no value"
        );
        assert_eq!(table.groups[0].metrics.len(), 1, "nobody has a MOS");
    }

    #[test]
    fn too_many_groups_are_several_tables() {
        let tables = GroupTable::usual(&example(21));
        let by: Vec<_> = tables.iter().map(|table| table.by.join(",")).collect();
        assert_eq!(by, ["link.up.queue", "link.up.rate"]);
        assert_eq!(tables[0].groups.len(), 2);
        assert_eq!(tables[0].groups[1].runs, 63);
        assert_eq!(tables[1].groups.len(), 21);
    }

    /// One run of five alone differs from another only in its seed.
    #[test]
    fn a_group_is_known_to_be_the_same_for_all_seeds() {
        let field = |path: &str, values: [&str; 5]| VariedField {
            path: path.into(),
            values: values.map(str::to_owned).into(),
        };
        let queue = field("queue", ["codel", "codel", "pie", "pie", "red"]);
        let seed = field("seed", ["1", "2", "1", "2", "1"]);
        let values = [5.0, 5.0, 7.0, 8.0, 9.0].map(Some).into();
        let metrics = vec![RunMetric { name: "marks".into(), values }];
        let mut runs = Runs { index: (0..5).collect(), metrics, ..Runs::default() };
        let same = |runs: &Runs| -> Vec<bool> {
            let tables = GroupTable::usual(runs);
            tables[0].groups.iter().map(|group| group.seed_independent).collect()
        };
        runs.fields = vec![queue.clone(), seed];
        assert_eq!(same(&runs), [true, false, false], "pie is random, red has one run");
        // Runs that differ in something else are no matter of the seed.
        let rate = field("rate", ["1mbit", "1mbit", "1mbit", "2mbit", "1mbit"]);
        runs.fields.push(rate);
        assert_eq!(GroupTable::of(&runs, &[&queue]).groups[1].runs, 2);
        assert!(!GroupTable::of(&runs, &[&queue]).groups[1].seed_independent, "nothing to compare");
        assert!(GroupTable::of(&runs, &[&queue]).groups[0].seed_independent);
        runs.fields = vec![queue];
        assert_eq!(same(&runs), [false; 3], "no seed was varied");
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        assert_eq!(MedianAndRange::of(&mut []), None);
        let empty = Runs::default();
        assert_eq!(GroupTable::usual(&empty), [GroupTable::default()]);
    }
}
