//! A sweep as tables: its runs in groups, with median and range of each.

use results::{GroupTable, MedianAndRange, RunGroup, SweepSummary};

use super::seeds::seed_note;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent, significant};
use crate::style::{Style, Tone};
use crate::text::{printable, room, truncate, width, wrap};

const COLUMNS: [Column; 7] = [
    Column::number("", "runs"),
    Column::optional("sojourn ms", "p50"),
    Column::optional("sojourn ms", "range"),
    Column::optional("sojourn ms", "p95"),
    Column::optional("used", "%"),
    Column::optional("dropped", "%"),
    Column::optional("goodput", "Mbit/s"),
];

/// Largest width of a group's name that leaves room for a range.
const ROOM: usize = 40;

/// The sweep as text: the folder of the runs, and a table for each grouping.
pub fn sweep_tables(summary: &SweepSummary, style: Style) -> String {
    let SweepSummary { title, folder, bottleneck, points, done, failed, tables, .. } = summary;
    let mut text = style.paint(&truncate(&printable(title), room()), Tone::Title) + "\n";
    let part = if done == points { String::new() } else { format!(" of {}", count(*points)) };
    let bad = if failed.is_empty() { String::new() } else { format!(", {} failed", failed.len()) };
    let place = printable(&format!("in {folder}; queue and drops of {bottleneck}"));
    text += &style.paint(&format!("{}{part} runs{bad}, {place}", count(*done)), Tone::Faint);
    text.push('\n');
    for table in tables.iter().filter(|table| !table.groups.is_empty()) {
        text += "\n";
        text += &one(table, style);
    }
    text
}

fn one(table: &GroupTable, style: Style) -> String {
    let columns = [&[Column::name("")][..], &COLUMNS].concat();
    let mut grid = Grid::new(&columns);
    let widths = widths(table);
    for group in &table.groups {
        grid.row(row(group, &widths));
    }
    let by = match &table.by[..] {
        [] => "Medians".to_owned(),
        by => format!("By {}: medians", printable(&by.join(", "))),
    };
    let note = seed_note(table).map_or(String::new(), |note| wrap(&note) + "\n");
    by + " of the runs\n" + &grid.render(style) + &note
}

/// The largest width of each value in the groups' names.
fn widths(table: &GroupTable) -> Vec<usize> {
    let widest = |at: usize| {
        let values = table.groups.iter().map(|group| width(&printable(&group.values[at])));
        values.max().unwrap_or(0)
    };
    (0..table.by.len()).map(widest).collect()
}

fn row(group: &RunGroup, widths: &[usize]) -> Vec<Cell> {
    let values = group.values.iter().zip(widths).map(|(value, room)| {
        let value = printable(value);
        let blank = " ".repeat(room.saturating_sub(width(&value)));
        value + &blank
    });
    let name = values.collect::<Vec<_>>().join("  ");
    let name = if widths.is_empty() { "all" } else { name.trim_end() };
    let middle = |name: &str| group.metrics.get(name).copied();
    let median = |name: &str| middle(name).map(|middle| middle.median);
    // A single run has no range.
    let has_range = group.runs > 1 && widths.iter().sum::<usize>() <= ROOM;
    let range = middle("sojourn_ms.p50").filter(|_| has_range);
    vec![
        Cell::text(name),
        Cell::number(Some(group.runs), count),
        Cell::number(median("sojourn_ms.p50"), millis),
        Cell::number(range, |MedianAndRange { min, max, .. }| {
            format!("{}–{}", millis(min), millis(max))
        }),
        Cell::number(median("sojourn_ms.p95"), millis),
        Cell::number(median("utilisation"), percent),
        Cell::number(median("drops.share"), percent),
        Cell::number(median("goodput_mbit"), significant),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(values: &[&str], runs: u64, p50: f64) -> RunGroup {
        let middle = MedianAndRange { median: p50, min: p50 / 2.0, max: p50 * 2.0 };
        let used = MedianAndRange { median: 0.987, min: 0.5, max: 1.0 };
        let metrics = [("sojourn_ms.p50".to_owned(), middle), ("utilisation".to_owned(), used)];
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        RunGroup { values, runs, metrics: metrics.into_iter().collect(), ..RunGroup::default() }
    }

    fn example() -> SweepSummary {
        let by = vec!["link.up.queue".to_owned(), "link.up.rate".to_owned()];
        let groups = vec![
            group(&["codel", "1mbit"], 10, 5.0),
            group(&["pfifo limit 300", "10mbit"], 10, 250.0),
        ];
        SweepSummary {
            title: "Queues".into(),
            folder: "queues.runs".into(),
            bottleneck: "up.forward".into(),
            points: 30,
            done: 20,
            tables: vec![GroupTable { by, groups }],
            ..SweepSummary::default()
        }
    }

    #[test]
    fn a_group_is_a_row() {
        let expected = "\
Queues
20 of 30 runs, in queues.runs; queue and drops of up.forward

By link.up.queue, link.up.rate: medians of the runs
                               ─ sojourn ms ─  used
                         runs   p50     range     %
codel            1mbit     10   5.0  2.5–10.0  98.7
pfifo limit 300  10mbit    10   250   125–500  98.7
";
        assert_eq!(sweep_tables(&example(), Style::Plain), expected);
    }

    #[test]
    fn groups_that_do_not_depend_on_the_seed_are_named_below() {
        let mut summary = example();
        summary.tables[0].groups[1].seed_independent = true;
        let text = sweep_tables(&summary, Style::Plain);
        let note =
            "\nThe seed changes nothing for pfifo limit 300 10mbit: these runs are the same ";
        assert!(text.contains(note), "{text}");
    }

    #[test]
    fn a_single_run_has_no_range_and_no_field_is_all() {
        let mut summary = example();
        summary.tables[0] = GroupTable { by: Vec::new(), groups: vec![group(&[], 1, 5.0)] };
        let text = sweep_tables(&summary, Style::Plain);
        assert!(!text.contains("range") && !text.contains("By "), "{text}");
        assert!(text.contains("\nMedians of the runs\n"), "{text}");
        assert!(text.contains("\nall "), "{text}");
    }
}
