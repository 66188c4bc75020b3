//! The words about groups whose runs do not depend on the seed.

use results::{GroupTable, RunGroup};

use super::choice::RunsView;
use super::field::Varied;
use crate::text::printable;

/// Largest number of groups that are named.
const FEW: usize = 4;

/// Sentences that name the groups of `table` whose runs do not depend on the seed; `None` if there
/// are none.
pub(super) fn seed_note(table: &GroupTable) -> Option<String> {
    let same: Vec<&RunGroup> = table.groups.iter().filter(|group| group.seed_independent).collect();
    if same.is_empty() {
        return None;
    }
    if same.len() == table.groups.len() {
        return Some(
            "The seed changes nothing: runs that differ only in their seed are the same. One seed \
             is enough, and there are no confidence intervals. To vary the runs, give a flow a \
             random start: start = [\"0s\", \"500ms\"]."
                .into(),
        );
    }
    let names: Vec<String> =
        same.iter().take(FEW).map(|group| printable(&group.values.join(" "))).collect();
    let more = match same.len().saturating_sub(FEW) {
        0 => String::new(),
        1 => " and 1 more group".into(),
        more => format!(" and {more} more groups"),
    };
    Some(format!(
        "The seed changes nothing for {}{more}: these runs are the same for all seeds, so they \
         have no confidence interval.",
        names.join(", ")
    ))
}

/// True if a group has a confidence interval.
pub(super) fn has_intervals(table: &GroupTable) -> bool {
    let mut figures = table.groups.iter().flat_map(|group| group.metrics.values());
    figures.any(|figure| figure.interval_95.is_some())
}

/// A sentence about seeds that are too few for an interval; `None` unless all groups have too few.
pub(super) fn few_note(table: &GroupTable) -> Option<String> {
    let mut groups = table.groups.iter();
    let is_few = |group: &RunGroup| group.seeds.is_some_and(|seeds| seeds < 6);
    let are_few = !table.groups.is_empty() && groups.all(|it| is_few(it) && !it.seed_independent);
    are_few
        .then(|| "A 95 % confidence interval needs 6 seeds or more, such as seed=1..10.".to_owned())
}

/// A blank and [`seed_note`] for a plot whose groups have the same values of these fields; empty if
/// the seed changes all of them, and for one of all plots, which stand beside a table with the note.
pub(super) fn plot_note(view: &RunsView<'_>, fields: &[Option<&Varied<'_>>]) -> String {
    if view.plot.kind.is_none() {
        return String::new();
    }
    let paths: Vec<&str> = fields.iter().flatten().map(|field| field.path).collect();
    let by: Vec<_> =
        view.runs.fields.iter().filter(|field| paths.contains(&field.path.as_str())).collect();
    seed_note(&GroupTable::of(view.runs, &by)).map_or(String::new(), |note| format!(" {note}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(same: &[bool]) -> GroupTable {
        let group = |(index, same): (usize, &bool)| RunGroup {
            values: vec!["codel".into(), format!("{index}mbit")],
            seed_independent: *same,
            ..RunGroup::default()
        };
        GroupTable { by: Vec::new(), groups: same.iter().enumerate().map(group).collect() }
    }

    #[test]
    fn too_few_seeds_are_named() {
        let of = |seeds: Option<u64>, same: bool| {
            let mut table = table(&[same, false]);
            table.groups.iter_mut().for_each(|group| group.seeds = seeds);
            few_note(&table)
        };
        assert!(of(Some(5), false).is_some_and(|note| note.contains("6 seeds")));
        assert_eq!((of(Some(6), false), of(None, false), of(Some(5), true)), (None, None, None));
        assert_eq!(few_note(&table(&[])), None);
    }

    #[test]
    fn groups_are_named_unless_they_are_all_or_many() {
        assert_eq!(seed_note(&table(&[false, false])), None);
        assert_eq!(seed_note(&table(&[])), None);
        let starts = |same: &[bool], start: &str| {
            let note = seed_note(&table(same)).unwrap();
            assert!(note.starts_with(start), "{note}");
        };
        starts(&[true, true], "The seed changes nothing: runs ");
        starts(&[true, false, true], "The seed changes nothing for codel 0mbit, codel 2mbit: ");
        let many = [[true; 6], [false; 6]].concat();
        let four = "codel 0mbit, codel 1mbit, codel 2mbit, codel 3mbit";
        starts(&many, &format!("The seed changes nothing for {four} and 2 more groups: "));
    }
}
