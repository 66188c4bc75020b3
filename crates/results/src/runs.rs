//! Many runs in one table: the result of a sweep, from which its plots and summaries are made.

mod figures;
mod summary;

pub use figures::figures_of;
pub use summary::{FailedRun, Group, GroupTable, Middle, SweepSchema, SweepSummary};

/// Many runs in one table: the varied fields and the results, one row a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    /// The subject of all runs, in one line.
    pub title: String,
    /// The number of each run in its sweep, ascending, which names its row.
    pub index: Vec<u64>,
    /// The fields that were varied, in the order of the sweep.
    pub fields: Vec<Field>,
    /// The measured figures.
    pub metrics: Vec<Metric>,
}

/// One field of the scenario, and its value in each run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its path, as in `--set`: `link.uplink.queue`.
    pub path: String,
    /// Its values as the sweep writes them, one a run: `10mbit`.
    pub values: Vec<String>,
}

/// One figure, and its value in each run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metric {
    /// Its name, as in [`figures_of`]: `sojourn_ms.p50`.
    pub name: String,
    /// One value a run; `None` where a run has no such figure.
    pub values: Vec<Option<f64>>,
}

impl Runs {
    /// The field with this path, or the only one whose path ends with it: `queue` is
    /// `link.uplink.queue` if no other queue was varied. `None` if there is no such field, or
    /// several.
    pub fn field(&self, path: &str) -> Option<&Field> {
        if let Some(field) = self.fields.iter().find(|field| field.path == path) {
            return Some(field);
        }
        let ends = |field: &&Field| {
            field.path.strip_suffix(path).is_some_and(|before| before.ends_with('.'))
        };
        let mut candidates = self.fields.iter().filter(ends);
        candidates.next().filter(|_| candidates.next().is_none())
    }

    /// The metric with this name.
    pub fn metric(&self, name: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_the_end_of_its_path() {
        let field = |path: &str| Field { path: path.into(), values: Vec::new() };
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
