//! The page of a watch: what the first lines say, the tables, and the data of the plots.

use results::{
    SpikeCause, WatchComparison, WatchEventKind, WatchLayer, WatchReport, WatchedDay,
    WatchedPeriod, is_watched_target,
};
use serde::Serialize;

use super::event::watch_event;
use crate::html::watch::{Contents, page};
use crate::number::{MISSING, count, duration, millis, share, things};
use crate::page::PageTable;
use crate::text::printable;

/// The most events of a table; the plots have all.
const MOST_ROWS: usize = 200;

/// The page of a watch as one HTML file. `is_live` says that a server answers questions for more
/// ([`watch_part`]), beside the page at the path `data`.
pub fn watch_page(report: &WatchReport, is_live: bool, time: impl Fn(f64) -> String) -> String {
    let data = Data {
        from_s: report.from_s,
        to_s: report.to_s,
        targets: report.targets.iter().map(Named::of).collect(),
        layers: &report.layers,
        events: told(report),
        days: &report.days,
    };
    page(&Contents {
        title: title(report),
        verdict: verdict(report),
        tables: tables(report, &time),
        is_live,
        data: serde_json::to_value(data).unwrap_or_default(),
    })
}

/// The answer to a question of a live page: one layer, and the events.
pub fn watch_part(report: &WatchReport) -> String {
    let part = Part { to_s: report.to_s, layer: report.layers.last(), events: told(report) };
    serde_json::to_string(&part).unwrap_or_default()
}

/// The data that the scripts of the page read.
#[derive(Serialize)]
struct Data<'a> {
    from_s: f64,
    to_s: f64,
    targets: Vec<Named<'a>>,
    layers: &'a [WatchLayer],
    events: Vec<Told<'a>>,
    days: &'a [WatchedDay],
}

#[derive(Serialize)]
struct Part<'a> {
    to_s: f64,
    layer: Option<&'a WatchLayer>,
    events: Vec<Told<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    sent: u64,
}

impl<'a> Named<'a> {
    fn of(target: &'a results::WatchedTarget) -> Self {
        Self { name: &target.name, sent: target.counts.sent }
    }
}

/// An event with its sentences.
#[derive(Serialize)]
struct Told<'a> {
    start_s: f64,
    duration_s: f64,
    event: &'static str,
    cause: Option<&'a SpikeCause>,
    text: String,
}

fn told(report: &WatchReport) -> Vec<Told<'_>> {
    let told = report.events.iter().map(|event| {
        let (name, cause) = match &event.what {
            WatchEventKind::Spike(spike) => ("spike", Some(&spike.cause)),
            WatchEventKind::Gap { .. } => ("gap", None),
            WatchEventKind::Change(_) => ("change", None),
            WatchEventKind::Test(_) => ("test", None),
        };
        let (start_s, duration_s) = (event.start_s, event.duration_s);
        Told { start_s, duration_s, event: name, cause, text: watch_event(event) }
    });
    told.collect()
}

fn title(report: &WatchReport) -> String {
    let names: Vec<_> = report.targets.iter().filter(|it| is_watched_target(&it.name)).collect();
    match &names[..] {
        [one] => format!("Watch of {}", printable(&one.name)),
        many => format!("Watch of {}", things(many.len() as u64, "target")),
    }
}

/// The first sentences: how often answers were late, and mostly why.
fn verdict(report: &WatchReport) -> Vec<String> {
    let spikes: u64 = report.causes.iter().map(|it| it.spikes).sum();
    let time = period((report.to_s - report.from_s).max(0.0));
    let mut verdict = Vec::new();
    verdict.push(match report.causes.first() {
        None => format!("Answers came as usual in these {time}."),
        Some(first) => {
            let total: f64 = report.causes.iter().map(|it| it.total_s).sum();
            let often =
                if spikes == 1 { "once".to_owned() } else { format!("{} times", count(spikes)) };
            let name = cause_name(first.cause);
            let why = match first.spikes {
                all if all == spikes && all == 1 => format!("The cause: {name}."),
                all if all == spikes => format!("The cause each time: {name}."),
                1 => "Each time the cause was another one.".to_owned(),
                some => format!("The most frequent cause ({some} times): {name}."),
            };
            format!(
                "Answers were late or missing {often} in these {time}, for {} in all. {why}",
                period(total)
            )
        }
    });
    if let Some(day) = report.days.iter().rev().find(|it| it.grade.is_some())
        && let (Some(grade), Some(added)) = (day.grade, day.added_p95_ms)
    {
        verdict.push(format!(
            "Grade {grade} on {}: while this machine loaded the line, answers came up to {} later than usual \
             for 95 % of the time.",
            day.day,
            duration(added)
        ));
    }
    verdict
}

/// A length of time: `12.5 s`, `35 min`, `12 hours`, `9 days`.
fn period(seconds: f64) -> String {
    match seconds {
        ..120.0 => duration(seconds * 1e3),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

/// The name of a cause in a row of a table or behind a colon.
fn cause_name(cause: SpikeCause) -> &'static str {
    match cause {
        SpikeCause::OwnUpload => "uploads of this machine",
        SpikeCause::OwnDownload => "downloads of this machine",
        SpikeCause::OwnMachine => "this machine was too busy",
        SpikeCause::Wireless => "the Wi-Fi",
        SpikeCause::Router => "the router or the way to it",
        SpikeCause::Line => "the line behind the router, or somebody else who filled it",
        SpikeCause::Target => "one target alone",
        SpikeCause::Slots => "the slots of a satellite or a radio",
        SpikeCause::Unknown => "not known",
    }
}

fn tables(report: &WatchReport, time: &impl Fn(f64) -> String) -> Vec<PageTable> {
    let mut tables = Vec::new();
    if !report.events.is_empty() {
        tables.push(events(report, time));
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

fn events(report: &WatchReport, time: &impl Fn(f64) -> String) -> PageTable {
    let latest = report.events.iter().rev().take(MOST_ROWS);
    let left_out = report.events.len().saturating_sub(MOST_ROWS);
    let explanation = match left_out {
        0 => String::new(),
        more => {
            format!("The latest {MOST_ROWS}; {} earlier ones are in the plots.", count(more as u64))
        }
    };
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
        vec![cause_name(it.cause).to_owned(), count(it.spikes), period(it.total_s)]
    };
    PageTable {
        title: "Causes".into(),
        explanation: "Why answers were late or missing.".into(),
        head: ["cause", "times", "together"].map(String::from).to_vec(),
        rows: report.causes.iter().map(row).collect(),
        ..PageTable::default()
    }
}

fn comparisons(comparisons: &[WatchComparison], time: &impl Fn(f64) -> String) -> PageTable {
    let ms = |it: Option<f64>| it.map_or(MISSING.to_owned(), millis);
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
    let rows = comparisons.iter().flat_map(|it| {
        let name = format!("{} {}", time(it.change.start_s), watch_event(&it.change));
        [row(format!("before: {name}"), &it.before), row("after".into(), &it.after)]
    });
    PageTable {
        title: "Before and after a change".into(),
        explanation: "Up to a week on each side, and never beyond another change.".into(),
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
            it.added_p95_ms.map_or(MISSING.to_owned(), millis),
            period(it.loaded_s),
            count(it.spikes),
            it.loss.map_or(MISSING.to_owned(), share),
        ]
    };
    PageTable {
        title: "Days".into(),
        explanation:
            "A grade is of the delay that this machine's own load adds. A day on which it did not \
                      load the line has none."
                .into(),
        head: ["day", "grade", "added under load p95 (ms)", "loaded", "spikes", "lost"]
            .map(String::from)
            .to_vec(),
        rows: days.iter().rev().map(row).collect(),
        ..PageTable::default()
    }
}

fn targets(report: &WatchReport) -> PageTable {
    let ms = |it: Option<f64>| it.map_or(MISSING.to_owned(), millis);
    let row = |it: &results::WatchedTarget| {
        let counts = it.counts;
        let mut row = vec![it.name.clone()];
        row.extend([counts.min_ms, counts.p50_ms, counts.p95_ms, counts.max_ms].map(ms));
        row.extend([counts.sent, counts.late, counts.lost, counts.failed].map(count));
        row
    };
    let head = [
        "target", "min (ms)", "p50 (ms)", "p95 (ms)", "max (ms)", "probes", "late", "lost",
        "failed",
    ];
    PageTable {
        title: "Targets".into(),
        explanation:
            "Late: answered after more than a second. Lost: not answered within a minute. Failed: \
                      no packet was sent, or somebody said that the target cannot be reached."
                .into(),
        head: head.map(String::from).to_vec(),
        rows: report.targets.iter().filter(|it| it.counts.sent > 0).map(row).collect(),
        ..PageTable::default()
    }
}
