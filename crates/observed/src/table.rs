//! A table of quantities over time.

use std::collections::BTreeMap;

/// A table whose columns are found by name.
pub(crate) struct SeriesTable {
    columns: BTreeMap<String, Vec<Option<f64>>>,
    step: f64,
}

impl SeriesTable {
    /// Parses a table that has a row for each `step` seconds.
    pub(crate) fn new(text: &str, step: f64) -> Self {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let mut columns: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
        for line in lines {
            for (name, cell) in names.iter().zip(line.split(',')) {
                columns.entry((*name).to_owned()).or_default().push(cell.parse().ok());
            }
        }
        Self { columns, step }
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
