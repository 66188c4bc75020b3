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
             is enough, and the ranges are no spread by chance. To vary the runs, give a flow a \
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
        "The seed changes nothing for {}{more}: these runs are the same for all seeds, and their \
         ranges are no spread by chance.",
        names.join(", ")
    ))
}

/// A blank and [`seed_note`] for a plot whose groups have the same values of these fields; empty if
/// the seed changes all of them.
pub(super) fn plot_note(view: &RunsView<'_>, fields: &[Option<&Varied<'_>>]) -> String {
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
