//! A table of quantities over time.

use std::collections::BTreeMap;

use tables::Series;

/// A table whose columns are found by name.
pub(crate) struct SeriesTable {
    columns: BTreeMap<String, Vec<Option<f64>>>,
    step: f64,
}

impl SeriesTable {
    /// The table of a series that has a row for each `step` seconds.
    pub(crate) fn new(series: &Series, step: f64) -> Self {
        let cells = |column: usize| series.rows().map(|(_, row)| row[column]).collect();
        let names = series.columns().iter().enumerate();
        Self { columns: names.map(|(column, name)| (name.clone(), cells(column))).collect(), step }
    }

    /// The rows of a column up to this time.
    fn rows(&self, name: &str, at: f64) -> &[Option<f64>] {
        let column = &self.columns[name];
        &column[..((at / self.step).round() as usize).min(column.len())]
    }

    pub(crate) fn sum(&self, name: &str, at: f64) -> f64 {
        self.rows(name, at).iter().flatten().sum()
    }

    pub(crate) fn latest(&self, name: &str, at: f64) -> Option<f64> {
        self.rows(name, at).iter().rev().flatten().next().copied()
    }
}
