//! The case that seeds change nothing.

use results::{GroupTable, Runs, VariedField};

/// True if there are runs that differ only in their seed, and all such runs have the same results.
pub(super) fn are_idle(runs: &Runs) -> bool {
    let others: Vec<&VariedField> =
        runs.fields.iter().filter(|field| field.path != "seed").collect();
    if others.len() == runs.fields.len() {
        return false;
    }
    let table = GroupTable::of(runs, &others);
    let all_same = table
        .groups
        .iter()
        .flat_map(|group| group.metrics.values())
        .all(|middle| middle.min == middle.max);
    all_same && table.groups.iter().any(|group| group.runs > 1)
}

#[cfg(test)]
mod tests {
    use results::RunMetric;

    use super::*;

    fn runs(fields: &[(&str, &[&str])], values: &[f64]) -> Runs {
        let field = |(path, values): &(&str, &[&str])| VariedField {
            path: (*path).into(),
            values: values.iter().map(|value| (*value).into()).collect(),
        };
        Runs {
            index: (0..values.len() as u64).collect(),
            fields: fields.iter().map(field).collect(),
            metrics: vec![RunMetric {
                name: "marks".into(),
                values: values.iter().copied().map(Some).collect(),
            }],
            ..Runs::default()
        }
    }

    #[test]
    fn seeds_are_idle_if_nothing_else_makes_a_difference() {
        let queue = ("queue", &["codel", "codel", "pie", "pie"][..]);
        let seed = ("seed", &["1", "2", "1", "2"][..]);
        assert!(are_idle(&runs(&[queue, seed], &[5.0, 5.0, 7.0, 7.0])));
        assert!(!are_idle(&runs(&[queue, seed], &[5.0, 5.0, 7.0, 8.0])));
        assert!(!are_idle(&runs(&[queue], &[5.0, 5.0, 5.0, 5.0])), "no seed was varied");
        let one = ("seed", &["1"][..]);
        assert!(!are_idle(&runs(&[one], &[5.0])), "one run alone is not the same as another");
    }
}
