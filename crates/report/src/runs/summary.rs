//! A sweep as tables: its runs in groups, each with medians and their confidence intervals, and the
//! groups compared.

use results::{GroupTable, MedianAndRange, RunGroup, SweepSummary};

use super::compared::{Compared, cell};
use super::seeds::{few_note, has_intervals, seed_note};
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent, significant};
use crate::style::{Style, Tone};
use crate::text::{printable, room, truncate, width, wrap};

const COLUMNS: [Column; 8] = [
    Column::number("", "runs"),
    Column::optional("sojourn ms", "p50"),
    Column::optional("sojourn ms", "95 % CI"),
    Column::optional("sojourn ms", "range"),
    Column::optional("sojourn ms", "p95"),
    Column::optional("used", "%"),
    Column::optional("dropped", "%"),
    Column::optional("goodput", "Mbit/s"),
];

/// The compared figures, with the headings of their columns.
const COMPARED: [(&str, &str); 4] = [
    ("sojourn_ms.p50", "sojourn p50"),
    ("sojourn_ms.p95", "sojourn p95"),
    ("utilisation", "used"),
    ("goodput_mbit", "goodput"),
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
    let runs = if *points == 1 { "run" } else { "runs" };
    text += &style.paint(&format!("{}{part} {runs}{bad}, {place}", count(*done)), Tone::Faint);
    text.push('\n');
    for table in tables.iter().filter(|table| !table.groups.is_empty()) {
        text += "\n";
        text += &one(table, style);
    }
    text
}

/// A sentence on the runs that are missing or failed. `None` if none is.
pub fn runs_lacking(summary: &SweepSummary) -> Option<String> {
    let SweepSummary { points, done, failed, .. } = summary;
    let missing = points.saturating_sub(*done);
    let of = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let failed = of(failed.len() as u64, "failed");
    let parts: Vec<String> =
        [of(missing, "are not done yet"), failed].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Of the sweep's {points} runs, {}.", parts.join(" and ")))
}

fn one(table: &GroupTable, style: Style) -> String {
    let columns = [&[Column::name("")][..], &COLUMNS].concat();
    let mut grid = Grid::new(&columns);
    let widths = widths(table);
    let has_intervals = has_intervals(table);
    for group in &table.groups {
        grid.row(row(group, &widths, has_intervals));
    }
    let by = match &table.by[..] {
        [] => "Medians".to_owned(),
        by => format!("By {}: medians", printable(&by.join(", "))),
    };
    let intervals = if has_intervals { ", with 95 % confidence intervals" } else { "" };
    let notes = seed_note(table).into_iter().chain(few_note(table));
    let notes: String = notes.map(|note| wrap(&note) + "\n").collect();
    let compared = Compared::all(table);
    let compared = compared.first().map(|axis| comparison(axis, &widths, style));
    let compared = compared.unwrap_or_default();
    format!("{by} of the runs{intervals}\n{}{notes}{compared}", grid.render(style))
}

/// The groups compared along one axis.
fn comparison(axis: &Compared<'_>, widths: &[usize], style: Style) -> String {
    let columns = COMPARED.map(|(_, heading)| Column::optional("", heading));
    let mut grid = Grid::new(&[&[Column::name("")][..], &columns].concat());
    for (group, paired) in &axis.groups {
        let figures = COMPARED.map(|(figure, _)| {
            Cell::number(paired.metrics.get(figure), |value| cell(figure, value))
        });
        let name = Cell::text(&name(group, widths));
        grid.row([name].into_iter().chain(figures).collect());
    }
    let note = axis.note(&COMPARED.map(|(figure, _)| figure));
    let note = note.map(|note| wrap(&note) + "\n").unwrap_or_default();
    format!("\n{}\n{}{note}", wrap(&axis.heading()), grid.render(style))
}

/// The largest width of each value in the groups' names.
fn widths(table: &GroupTable) -> Vec<usize> {
    let widest = |at: usize| {
        let values = table.groups.iter().map(|group| width(&printable(&group.values[at])));
        values.max().unwrap_or(0)
    };
    (0..table.by.len()).map(widest).collect()
}

/// The values of a group, each as wide as the widest of its field.
fn name(group: &RunGroup, widths: &[usize]) -> String {
    let values = group.values.iter().zip(widths).map(|(value, room)| {
        let value = printable(value);
        let blank = " ".repeat(room.saturating_sub(width(&value)));
        value + &blank
    });
    let name = values.collect::<Vec<_>>().join("  ");
    if widths.is_empty() { "all".into() } else { name.trim_end().into() }
}

fn row(group: &RunGroup, widths: &[usize], has_intervals: bool) -> Vec<Cell> {
    let middle = |name: &str| group.metrics.get(name).copied();
    let median = |name: &str| middle(name).map(|middle| middle.median);
    let delay = middle("sojourn_ms.p50");
    let interval = delay.and_then(|delay| delay.interval_95);
    // A single run has no range, and an interval says more.
    let has_range = group.runs > 1 && widths.iter().sum::<usize>() <= ROOM && !has_intervals;
    let range = delay.filter(|_| has_range).map(|MedianAndRange { min, max, .. }| [min, max]);
    let from_to = |[low, high]: [f64; 2]| format!("{}–{}", millis(low), millis(high));
    vec![
        Cell::text(&name(group, widths)),
        Cell::number(Some(group.runs), count),
        Cell::number(median("sojourn_ms.p50"), millis),
        Cell::number(interval, from_to),
        Cell::number(range, from_to),
        Cell::number(median("sojourn_ms.p95"), millis),
        Cell::number(median("utilisation"), percent),
        Cell::number(median("drops.share"), percent),
        Cell::number(median("goodput_mbit"), significant),
    ]
}

#[cfg(test)]
mod tests {
    use results::{PairedFigure, PairedMedian, PairedRuns};

    use super::*;

    fn group(values: &[&str], runs: u64, p50: f64) -> RunGroup {
        let middle =
            MedianAndRange { median: p50, min: p50 / 2.0, max: p50 * 2.0, interval_95: None };
        let used = MedianAndRange { median: 0.987, min: 0.5, max: 1.0, interval_95: None };
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
    fn groups_with_intervals_are_compared() {
        let mut summary = example();
        let [first, second] = &mut summary.tables[0].groups[..] else { panic!() };
        first.metrics["sojourn_ms.p50"].interval_95 = Some([4.5, 5.5]);
        second.seed_independent = true;
        let ratio = PairedMedian { median: 50.0, interval_95: Some([45.0, 55.0]) };
        let wait = PairedFigure { ratio: Some(ratio), ..PairedFigure::default() };
        let used = PairedMedian { median: 0.1, interval_95: Some([0.1, 0.2]) };
        let used = PairedFigure { ratio: None, difference: used };
        let metrics =
            [("sojourn_ms.p50".to_owned(), wait), ("utilisation".to_owned(), used)].into();
        second.comparisons.push(PairedRuns {
            fields: vec!["link.up.queue".into()],
            to: vec!["codel".into()],
            pairs: 10,
            metrics,
        });
        let expected = "
By link.up.queue, link.up.rate: medians of the runs, with 95 % confidence intervals
                               ─ sojourn ms ─  used
                         runs    p50  95 % CI     %
codel            1mbit     10    5.0  4.5–5.5  98.7
pfifo limit 300  10mbit    10    250        –  98.7
The seed changes nothing for pfifo limit 300 10mbit: these runs are the same for all seeds, so they
have no confidence interval.

Ratio to codel, seed by seed: median (95 % confidence interval)
                              sojourn p50                 used
pfifo limit 300  10mbit  50.0 (45.0–55.0)  +10.0 % (10.0–20.0)
A value with a sign is a difference: there is no ratio to 0.
";
        let text = sweep_tables(&summary, Style::Plain);
        assert!(text.ends_with(expected), "{text}");
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
    fn one_run_is_no_runs() {
        let summary = SweepSummary { points: 1, done: 1, ..example() };
        let text = sweep_tables(&summary, Style::Plain);
        assert!(text.contains("\n1 run, in queues.runs;"), "{text}");
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
