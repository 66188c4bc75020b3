//! Series on one grid of times, as in `results` of Flent's files.

use serde_json::{Map, Value, json};

/// A time in seconds and a value.
pub(super) type Point = (f64, f64);

/// Largest number of rows; for longer tests the step becomes longer.
const MOST_ROWS: f64 = 100_000.0;

/// Largest distance to a measured value at which values are interpolated, in steps: the same as
/// Flent's.
const REACH_STEPS: f64 = 5.0;

/// The grid, and the series on it.
pub(super) struct TimeGrid {
    step_s: f64,
    rows: usize,
    columns: Vec<Column>,
}

struct Column {
    name: String,
    unit: &'static str,
    values: Vec<Option<f64>>,
    /// True if the column is computed from other columns.
    computed: bool,
}

impl TimeGrid {
    /// An empty table for this duration.
    pub(super) fn new(duration_s: f64, step_s: f64) -> Self {
        let duration_s = duration_s.max(0.0);
        let step_s = step_s.max(duration_s / MOST_ROWS);
        // The number is at most `MOST_ROWS`, so the cast is exact.
        let rows = (duration_s / step_s).ceil().min(MOST_ROWS) as usize + 1;
        Self { step_s, rows, columns: Vec::new() }
    }

    /// The interval between the rows, in seconds.
    pub(super) fn step_s(&self) -> f64 {
        self.step_s
    }

    /// Adds a series from its points, which are in the order of time.
    pub(super) fn add(&mut self, name: String, unit: &'static str, points: Vec<Point>) {
        let reach = REACH_STEPS * self.step_s;
        let values =
            (0..self.rows).map(|row| interpolated(&points, row as f64 * self.step_s, reach));
        self.columns.push(Column { name, unit, values: values.collect(), computed: false });
    }

    /// Adds a series that is computed from all measured ones whose names begin with `start`: in
    /// each row from those that have a value.
    pub(super) fn compute(
        &mut self,
        start: &str,
        name: String,
        unit: &'static str,
        of: impl Fn(&[f64]) -> Option<f64>,
    ) {
        let from: Vec<&Column> = self
            .columns
            .iter()
            .filter(|column| !column.computed && column.name.starts_with(start))
            .collect();
        if from.is_empty() {
            return;
        }
        let row = |row: usize| {
            let values: Vec<f64> = from.iter().filter_map(|column| column.values[row]).collect();
            of(&values)
        };
        let values = (0..self.rows).map(row).collect();
        self.columns.push(Column { name, unit, values, computed: true });
    }

    /// The time of each row.
    pub(super) fn times(&self) -> Value {
        (0..self.rows).map(|row| row as f64 * self.step_s).collect()
    }

    /// The values of each series.
    pub(super) fn results(&self) -> Value {
        self.columns.iter().map(|column| (column.name.clone(), json!(column.values))).collect()
    }

    /// The unit of each series, and its index.
    pub(super) fn units(&self) -> Map<String, Value> {
        let units = self.columns.iter().enumerate().map(|(index, column)| {
            (column.name.clone(), json!({ "UNITS": column.unit, "IDX": index }))
        });
        units.collect()
    }
}

/// The value interpolated between the two nearest points; `None` if one of them is further away
/// than `reach`.
fn interpolated(points: &[Point], at: f64, reach: f64) -> Option<f64> {
    let after = points.partition_point(|point| point.0 < at);
    let right = *points.get(after)?;
    if right.0 == at {
        return Some(right.1);
    }
    let left = points[after.checked_sub(1)?];
    let near = at - left.0 <= reach && right.0 - at <= reach;
    near.then(|| left.1 + (right.1 - left.1) * ((at - left.0) / (right.0 - left.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_between_the_nearest() {
        let points = [(1.0, 10.0), (2.0, 20.0), (9.0, 90.0)];
        for (at, wanted) in [
            (0.5, None),
            (1.0, Some(10.0)),
            (1.5, Some(15.0)),
            (5.0, None),
            (9.0, Some(90.0)),
            (9.1, None),
        ] {
            assert_eq!(interpolated(&points, at, 1.0), wanted, "at {at}");
        }
    }

    #[test]
    fn what_is_computed_is_not_computed_from() {
        let sum = |values: &[f64]| Some(values.iter().sum());
        let mut table = TimeGrid::new(0.4, 0.2);
        table.add("TCP upload a".into(), "Mbits/s", vec![(0.0, 1.0), (0.4, 1.0)]);
        table.add("TCP upload b".into(), "Mbits/s", vec![(0.0, 2.0), (0.2, 2.0)]);
        table.compute("TCP upload", "TCP upload sum".into(), "Mbits/s", sum);
        table.compute("TCP", "TCP totals".into(), "Mbits/s", sum);
        table.compute("Ping", "Ping (ms) avg".into(), "ms", sum);
        assert_eq!(table.times(), json!([0.0, 0.2, 0.4]));
        let results = table.results();
        assert_eq!(results["TCP upload sum"], json!([3.0, 3.0, 1.0]));
        assert_eq!(results["TCP totals"], results["TCP upload sum"]);
        assert_eq!(results.get("Ping (ms) avg"), None);
    }

    #[test]
    fn no_measurement_is_too_long() {
        let table = TimeGrid::new(1e300, 0.2);
        assert_eq!(table.times().as_array().unwrap().len(), 100_001);
        assert_eq!(TimeGrid::new(f64::NAN, 0.2).times(), json!([0.0]));
    }
}
