//! What a terminal shows of a watch.

use results::{WatchedCounts, is_watched_target};

use crate::grid::{Cell, Column, Grid};
use crate::number::{count, significant};
use crate::style::Style;
use crate::text::wrap_indented;

/// The steps of a sparkline, the lowest first.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The mark of a probe that nobody has answered.
const LOST: char = '×';
/// The round trip in milliseconds beyond the least one from which on a step is the highest, and that of the
/// lowest step: a step is a factor of about 2.5.
const HIGHEST: f64 = 1000.0;
const LOWEST: f64 = 2.0;
/// The delay in milliseconds that a probe without an answer counts as.
const UNANSWERED_MS: f64 = 1000.0;

/// A target in a table.
#[derive(Clone, Debug)]
pub struct WatchedRow {
    /// The name.
    pub name: String,
    /// The longest round trip of each of the last seconds with a probe, in milliseconds; `None` for a second
    /// in which a probe had no answer.
    pub latest: Vec<Option<f64>>,
    /// The counts of the probes of the last minutes.
    pub counts: WatchedCounts,
}

/// A table of targets, and events below it: each with its time, the latest last. If all do not fit into this
/// number of lines, the table has the most affected targets.
pub fn watch_screen(
    rows: &[WatchedRow],
    events: &[(String, String)],
    lines: usize,
    style: Style,
) -> String {
    let events = events.iter().map(|(time, text)| wrap_indented(&format!("{time}  {text}"), "  "));
    let events = events.collect::<Vec<_>>().join("\n");
    let below = |table: String| match events.is_empty() {
        true => table,
        false => format!("{table}\n{events}"),
    };
    let excess = |text: &str| text.lines().count().saturating_sub(lines);
    if rows.len() < lines {
        let whole = below(table(rows, style));
        if excess(&whole) == 0 {
            return whole;
        }
    }
    let ranked = ranked(rows);
    let mut shown = ranked.len().min(lines);
    loop {
        let more = count((ranked.len() - shown) as u64);
        let rest = format!("The most affected come first; {more} more are not shown.\n");
        let text = below(table(&ranked[..shown], style) + &rest);
        match excess(&text) {
            _ if shown <= 1 => return text,
            0 => return text,
            some => shown = shown.saturating_sub(some).max(1),
        }
    }
}

/// The rows, the most affected target first, and those of hops and of this machine last.
fn ranked(rows: &[WatchedRow]) -> Vec<WatchedRow> {
    let affected = |it: &WatchedRow| {
        let later =
            it.counts.p95_ms.zip(it.counts.min_ms).map_or(0.0, |(late, least)| late - least);
        later + UNANSWERED_MS * it.counts.loss().unwrap_or(0.0)
    };
    let mut ranked = rows.to_vec();
    ranked.sort_by(|one, other| {
        let is_beside = |it: &WatchedRow| !is_watched_target(&it.name);
        let by_place = is_beside(one).cmp(&is_beside(other));
        by_place.then(affected(other).total_cmp(&affected(one)))
    });
    ranked
}

fn table(rows: &[WatchedRow], style: Style) -> String {
    let columns = [
        Column::name("target"),
        Column::label("last seconds"),
        Column::number("round trips (ms)", "min"),
        Column::number("round trips (ms)", "p50"),
        Column::number("round trips (ms)", "p95"),
        Column::number("round trips (ms)", "max"),
        Column::number("probes", "sent"),
        Column::number("probes", "after 1 s"),
        Column::number("probes", "unanswered"),
    ];
    let mut grid = Grid::new(&columns);
    for row in rows {
        grid.row(cells(row));
    }
    grid.render(style)
}

fn cells(row: &WatchedRow) -> Vec<Cell> {
    let WatchedCounts { sent, late, min_ms, p50_ms, p95_ms, max_ms, .. } = row.counts;
    let ms = |it| Cell::number(it, significant);
    let number = |it| Cell::number(Some(it), count);
    vec![
        Cell::text(&row.name),
        Cell::text(&sparkline(&row.latest)),
        ms(min_ms),
        ms(p50_ms),
        ms(p95_ms),
        ms(max_ms),
        number(sent),
        number(late),
        number(row.counts.unanswered()),
    ]
}

/// Round trips as a row of bars, on a logarithmic scale beyond the least one.
fn sparkline(latest: &[Option<f64>]) -> String {
    let least = latest.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let step = |ms: f64| {
        let beyond = (ms - least).max(LOWEST) / LOWEST;
        let part = libm::log(beyond) / libm::log(HIGHEST / LOWEST);
        STEPS[((part * STEPS.len() as f64) as usize).min(STEPS.len() - 1)]
    };
    latest.iter().map(|it| it.map_or(LOST, step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_higher_for_a_later_answer() {
        let latest = [Some(20.0), Some(21.0), Some(30.0), Some(220.0), None, Some(1500.0)];
        assert_eq!(sparkline(&latest), "▁▁▃▆×█");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[None]), "×");
    }

    #[test]
    fn short_round_trips_have_digits() {
        let counts =
            WatchedCounts { min_ms: Some(0.041), max_ms: Some(3.456), ..WatchedCounts::default() };
        let row = WatchedRow { name: "127.0.0.1".into(), latest: Vec::new(), counts };
        let text = watch_screen(&[row], &[], 24, Style::Plain);
        assert!(text.contains("0.041") && text.contains("3.46"), "{text}");
    }

    #[test]
    fn the_most_affected_are_shown_where_not_all_fit() {
        let row = |index: u32| WatchedRow {
            name: if index == 49 { "this machine".into() } else { format!("192.0.2.{index}") },
            latest: vec![Some(20.0)],
            counts: WatchedCounts {
                sent: 60,
                lost: u64::from(index == 7),
                min_ms: Some(20.0),
                p95_ms: Some(if index == 31 { 300.0 } else { 21.0 }),
                max_ms: Some(900.0),
                ..WatchedCounts::default()
            },
        };
        let rows: Vec<_> = (0..50).map(row).collect();
        let event = ("20:31:05".to_owned(), "Something happened.".to_owned());
        let text = watch_screen(&rows, &[event], 23, Style::Plain);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 23, "{text}");
        assert!(
            lines[2].starts_with("192.0.2.31 ") && lines[3].starts_with("192.0.2.7 "),
            "{text}"
        );
        assert!(text.contains("The most affected come first; 32 more are not shown."), "{text}");
        assert!(lines[22].ends_with("Something happened."), "{text}");
        let all = watch_screen(&rows[..19], &[], 23, Style::Plain);
        assert!(all.lines().count() == 21 && !all.contains("not shown"), "{all}");
        assert!(!watch_screen(&rows, &[], 1, Style::Plain).is_empty());
    }

    #[test]
    fn targets_stand_above_events() {
        let counts = WatchedCounts {
            sent: 600,
            late: 1,
            lost: 2,
            min_ms: Some(19.4),
            p50_ms: Some(20.0),
            p95_ms: Some(24.9),
            max_ms: Some(1040.0),
            ..WatchedCounts::default()
        };
        let row = WatchedRow { name: "192.0.2.1".into(), latest: vec![Some(20.0)], counts };
        let event = ("20:31:05".to_owned(), "Something happened.".to_owned());
        let text = watch_screen(&[row], &[event], 24, Style::Plain);
        let lines: Vec<_> = text.lines().collect();
        // "Later than usual" is something else.
        assert!(lines[1].starts_with("target") && lines[1].contains("after 1 s"), "{text}");
        assert!(lines[2].starts_with("192.0.2.1") && lines[2].contains("1,040"), "{text}");
        assert_eq!(*lines.last().unwrap(), "  20:31:05 Something happened.");
    }
}
