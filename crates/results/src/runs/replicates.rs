//! Runs that differ only in their seed.

use std::collections::BTreeMap;

use super::{Runs, VariedField};

/// Confidence of the intervals of figures whose runs differ only in their seed.
pub(super) const CONFIDENCE: f64 = 0.95;

/// True if these rows, at least two, have the same values of all fields but the seed.
pub(super) fn are_replicates(runs: &Runs, rows: &[usize]) -> bool {
    let mut others = runs.fields.iter().filter(|field| !field.is_seed());
    let is_same =
        |field: &VariedField| rows.iter().all(|row| field.values[*row] == field.values[rows[0]]);
    rows.len() > 1 && others.all(is_same)
}

/// True if some of these rows differ only in their seed, and all such rows have the same figures.
pub(super) fn is_seed_independent(runs: &Runs, rows: &[usize]) -> bool {
    let others: Vec<&VariedField> = runs.fields.iter().filter(|field| !field.is_seed()).collect();
    let mut first = BTreeMap::new();
    for row in rows {
        let values: Vec<&str> = others.iter().map(|field| field.values[*row].as_str()).collect();
        let first = *first.entry(values).or_insert(*row);
        if runs.metrics.iter().any(|metric| metric.values[first] != metric.values[*row]) {
            return false;
        }
    }
    others.len() < runs.fields.len() && first.len() < rows.len()
}
