//! The table of many runs: the result of a sweep, from which plots and summaries are made.

mod figures;
mod pairs;
mod replicates;
mod summary;

pub use figures::{LinkDirection, figures_of};
pub use pairs::{PairedFigure, PairedMedian, PairedRuns};
pub use summary::{FailedRun, GroupTable, MedianAndRange, RunGroup, SweepSchema, SweepSummary};

/// A table of many runs: the varied fields and the results, one row a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    /// The subject of all runs, in one line.
    pub title: String,
    /// The number of each run in the sweep, ascending, which names the row.
    pub index: Vec<u64>,
    /// The fields that were varied, in the order of the sweep.
    pub fields: Vec<VariedField>,
    /// The measured figures.
    pub metrics: Vec<RunMetric>,
}

/// A varied field of the scenario, with its value in each run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariedField {
    /// Path of the field, as in `--set`: `link.uplink.queue`.
    pub path: String,
    /// Values of the field as the sweep writes them, one a run: `10mbit`.
    pub values: Vec<String>,
}

impl VariedField {
    /// True if the field is the seed, whose values make runs differ only by chance.
    pub fn is_seed(&self) -> bool {
        self.path == "seed"
    }
}

/// A figure, with its value in each run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunMetric {
    /// Name of the figure, as in [`figures_of`]: `sojourn_ms.p50`.
    pub name: String,
    /// Values, one a run; `None` where a run has no such figure.
    pub values: Vec<Option<f64>>,
}

impl Runs {
    /// The field with this path, or the only one whose path ends with it: `queue` is
    /// `link.uplink.queue` if no other queue was varied. `None` if there is no such field, or
    /// several.
    pub fn field(&self, path: &str) -> Option<&VariedField> {
        if let Some(field) = self.fields.iter().find(|field| field.path == path) {
            return Some(field);
        }
        let ends = |field: &&VariedField| {
            field.path.strip_suffix(path).is_some_and(|before| before.ends_with('.'))
        };
        let mut candidates = self.fields.iter().filter(ends);
        candidates.next().filter(|_| candidates.next().is_none())
    }

    /// The metric with this name; `None` if there is none.
    pub fn metric(&self, name: &str) -> Option<&RunMetric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_the_end_of_its_path() {
        let field = |path: &str| VariedField { path: path.into(), values: Vec::new() };
        let fields = ["link.up.queue", "link.up.rate", "link.down.rate", "seed"].map(field);
        let runs = Runs { fields: fields.into(), ..Runs::default() };
        let found = |path| runs.field(path).map(|field| field.path.as_str());
        assert_eq!(found("queue"), Some("link.up.queue"));
        assert_eq!(found("up.queue"), Some("link.up.queue"));
        assert_eq!(found("seed"), Some("seed"));
        assert_eq!(found("down.rate"), Some("link.down.rate"));
        for unclear in ["rate", "ueue", "eed", ""] {
            assert_eq!(found(unclear), None, "{unclear}");
        }
    }
}
