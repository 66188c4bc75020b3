//! The tables of the page of a watch.

use results::{
    WatchComparison, WatchReport, WatchedDay, WatchedPeriod, WatchedTarget, is_watched_target,
};

use super::cause::cause_name_of_all;
use super::event::watch_event;
use super::overview::ranked;
use super::room::{CELLS_SIZE, fitting};
use crate::number::{MISSING, count, duration, figure, loss, significant};
use crate::page::PageTable;

/// The most events of a table; the plots have more.
const MOST_ROWS: usize = 200;
/// The most changes of a table.
const MOST_CHANGES: usize = 50;
/// The most rows of days or targets that are shown before somebody asks.
const MOST_UNFOLDED: usize = 40;

/// The tables; `in_plots` is the number of events that the plots have.
pub(super) fn tables(
    report: &WatchReport,
    in_plots: usize,
    time: &impl Fn(f64) -> String,
) -> Vec<PageTable> {
    let mut tables = Vec::new();
    if !report.events.is_empty() {
        tables.push(events(report, in_plots, time));
    }
    if !report.causes.is_empty() {
        tables.push(causes(report));
    }
    if !report.comparisons.is_empty() {
        tables.push(comparisons(&report.comparisons, time));
    }
    if !report.days.is_empty() {
        tables.push(days(&report.days));
    }
    tables.push(targets(report));
    tables
}

fn events(report: &WatchReport, in_plots: usize, time: &impl Fn(f64) -> String) -> PageTable {
    let latest = report.events.iter().rev().take(MOST_ROWS);
    let all = report.events.len();
    let mut explanation = String::new();
    if all > MOST_ROWS {
        let more = count(in_plots.saturating_sub(MOST_ROWS) as u64);
        explanation = format!("The latest {MOST_ROWS}; {more} earlier ones are in the plots.");
    }
    if all > in_plots {
        explanation += &format!(
            " There is no room for the {} before these; `unbloat watch export DIR --what events` has them.",
            count((all - in_plots) as u64)
        );
    }
    PageTable {
        title: "Events, the latest first".into(),
        explanation,
        head: ["begin", "duration", "event"].map(String::from).to_vec(),
        rows: latest
            .map(|event| {
                let length = match event.duration_s {
                    0.0 => MISSING.to_owned(),
                    secs => period(secs),
                };
                vec![time(event.start_s), length, watch_event(event)]
            })
            .collect(),
        ..PageTable::default()
    }
}

fn causes(report: &WatchReport) -> PageTable {
    let row = |it: &results::CauseCount| {
        vec![cause_name_of_all(it), count(it.spikes), period(it.total_s)]
    };
    PageTable {
        title: "Causes".into(),
        explanation: "The causes of late and missing answers.".into(),
        head: ["cause", "times", "together"].map(String::from).to_vec(),
        rows: report.causes.iter().map(row).collect(),
        ..PageTable::default()
    }
}

fn comparisons(comparisons: &[WatchComparison], time: &impl Fn(f64) -> String) -> PageTable {
    let ms = |it: Option<f64>| it.map_or(MISSING.to_owned(), significant);
    let row = |name: String, it: &WatchedPeriod| {
        vec![
            name,
            period(it.duration_s),
            ms(it.counts.p50_ms),
            ms(it.counts.p95_ms),
            ms(it.loaded_added_p95_ms),
            format!("{:.1}", it.spikes_per_day),
        ]
    };
    let latest = &comparisons[comparisons.len().saturating_sub(MOST_CHANGES)..];
    let rows = latest.iter().flat_map(|it| {
        let name = format!("{} {}", time(it.change.start_s), watch_event(&it.change));
        [row(format!("before: {name}"), &it.before), row("after".into(), &it.after)]
    });
    PageTable {
        title: "Before and after a change".into(),
        explanation: match comparisons.len() {
            ..=MOST_CHANGES => {
                "Up to a week before and after, and never beyond another change.".into()
            }
            _ => format!(
                "The latest {MOST_CHANGES} changes. Up to a week before and after, and never \
                 beyond another change."
            ),
        },
        head: ["", "length", "p50 (ms)", "p95 (ms)", "added under load p95 (ms)", "spikes a day"]
            .map(String::from)
            .to_vec(),
        rows: rows.collect(),
        ..PageTable::default()
    }
}

fn days(days: &[WatchedDay]) -> PageTable {
    let row = |it: &WatchedDay| {
        vec![
            it.day.clone(),
            it.grade.map_or(MISSING.to_owned(), |it| it.to_string()),
            it.added_p95_ms.map_or(MISSING.to_owned(), significant),
            period(it.loaded_s),
            count(it.spikes),
            it.loss.map_or(MISSING.to_owned(), loss),
        ]
    };
    PageTable {
        title: "Days".into(),
        explanation:
            "The grade of a day is for the delay that this machine's own load added. A day needs \
             three minutes of such load with 20 answers, three minutes without it, and answers to 95 % of the \
             probes under load. With 20 answers, the delay of an F needs nothing else."
                .into(),
        head: ["day", "grade", "added under load p95 (ms)", "loaded", "spikes", "unanswered"]
            .map(String::from)
            .to_vec(),
        rows: days.iter().rev().map(row).collect(),
        folded: days.len() > MOST_UNFOLDED,
        ..PageTable::default()
    }
}

fn targets(report: &WatchReport) -> PageTable {
    let ms = |it: Option<f64>| it.map_or(MISSING.to_owned(), significant);
    let row = |it: &WatchedTarget| {
        let counts = it.counts;
        let mut row = vec![it.name.clone()];
        row.extend([counts.min_ms, counts.p50_ms, counts.p95_ms, counts.max_ms].map(ms));
        row.extend([counts.sent, counts.late, counts.lost, counts.failed].map(count));
        row
    };
    let head = [
        "target",
        "min (ms)",
        "p50 (ms)",
        "p95 (ms)",
        "max (ms)",
        "probes",
        "after 1 s",
        "lost",
        "failed",
    ];
    let beside =
        report.targets.iter().filter(|it| !is_watched_target(&it.name) && it.counts.sent > 0);
    let all: Vec<_> = ranked(report).map(|(_, it)| it).chain(beside).collect();
    let rows = fitting(all.iter().map(|it| row(it)), CELLS_SIZE);
    let mut explanation = String::from(
        "After 1 s: answered after more than a second. Lost: not answered within a minute, or until the watch ended. Failed: no packet was \
         sent, or a router or the target said that the target cannot be reached. All columns leave out the extra probes \
         that the watch sends during a spike. The event of the spike counts them, so its delay may be longer than the max.",
    );
    if rows.len() < all.len() {
        let more = count((all.len() - rows.len()) as u64);
        explanation += &format!(
            " The page has no room for {more} more targets, which are the least affected."
        );
    }
    PageTable {
        title: "Targets".into(),
        explanation,
        head: head.map(String::from).to_vec(),
        folded: rows.len() > MOST_UNFOLDED,
        rows,
        ..PageTable::default()
    }
}

/// A length of time: `12.5 s`, `1 min`, `1.5 min`, `35 min`, `12 hours`, `9 days`.
pub(super) fn period(seconds: f64) -> String {
    match seconds {
        ..59.95 => duration(seconds * 1e3),
        ..597.0 => figure((seconds / 6.0).round() / 10.0) + " min",
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}
