//! The values behind the plots of a watch, for readers who do not see the plots.

use results::{WatchReport, WatchedDay, WatchedSteps};

use super::data::Data;
use super::tables::period;
use crate::figure::{Axis, Curve, Figure};
use crate::html::watch::Values;
use crate::number::{MISSING, significant};
use crate::page::PageTable;

/// The most rows of the tables of targets and of days.
const MOST: usize = 100;

/// The tables: of each plot, of the overview, and of the hours of the days.
pub(super) fn values(report: &WatchReport, data: &Data<'_>) -> Vec<Values> {
    let overview = data.overview.compares().then(|| overview(report, data));
    let whole = report.layers.first();
    let targets = whole.iter().flat_map(|layer| {
        data.drawn.iter().zip(&layer.targets).map(|(target, steps)| {
            let at_s = times(layer.from_s, layer.step_s);
            let title = format!("Round trip of {}", target.name);
            let figure =
                over_time(title, "Round trip", "ms", layer.step_s, round_trips(steps, at_s));
            Values::Plot { id: format!("target-{}", target.id), figure }
        })
    });
    let load = whole.map(|layer| {
        let rates = [("download", &layer.down_mbit), ("upload", &layer.up_mbit)];
        let at_s = times(layer.from_s, layer.step_s);
        let curves = rates.map(|(name, rates)| curve(name, &at_s, rates)).into();
        let title = "Load of this machine's interface".to_owned();
        Values::Plot {
            id: "load".into(),
            figure: over_time(title, "Rate", "Mbit/s", layer.step_s, curves),
        }
    });
    let hours = hours(&report.days).map(|table| Values::Table { id: "heat".into(), table });
    overview.into_iter().chain(targets).chain(load).chain(hours).collect()
}

/// The plot called `title`, of values that are each of `step_s` seconds.
fn over_time(title: String, label: &str, unit: &str, step_s: f64, curves: Vec<Curve>) -> Figure {
    Figure {
        id: String::new(),
        title,
        explanation: format!("Each value covers {}.", period(step_s)),
        x: Axis::linear("Time", ""),
        y: Axis::linear(label, unit),
        curves,
    }
}

/// The beginning of each step.
fn times(from_s: f64, step_s: f64) -> impl Fn(usize) -> f64 {
    move |step| from_s + step as f64 * step_s
}

fn round_trips(steps: &WatchedSteps, at_s: impl Fn(usize) -> f64) -> Vec<Curve> {
    let named = [
        ("fastest answers", &steps.min_ms),
        ("medians", &steps.p50_ms),
        ("90 % of the answers below", &steps.p90_ms),
        ("slowest answers", &steps.max_ms),
    ];
    named.map(|(name, ms)| curve(name, &at_s, ms)).into()
}

fn curve(name: &str, at_s: &impl Fn(usize) -> f64, values: &[Option<f64>]) -> Curve {
    let x = (0..values.len()).map(at_s).collect();
    Curve { name: name.into(), x, y: values.to_vec(), ..Curve::default() }
}

/// The delays over time of the targets in the overview.
fn overview(report: &WatchReport, data: &Data<'_>) -> Values {
    let targets = data.overview.ids().filter_map(|id| report.targets.get(id as usize));
    let curves: Vec<Curve> = targets
        .take(MOST)
        .map(|it| {
            let seen = &it.overview;
            curve(&it.name, &times(seen.from_s, seen.step_s), &seen.later_ms)
        })
        .collect();
    let step_s = report.targets.first().map_or(0.0, |it| it.overview.step_s);
    let more = data.overview.ids().count() - curves.len();
    let title = "Targets at a glance".to_owned();
    let mut figure = over_time(title, "Later", "ms", step_s, curves);
    if more > 0 {
        figure.explanation += &format!(" Without {more} more targets, which suffered less.");
    }
    Values::Plot { id: "overview".into(), figure }
}

/// The hours of the days, the latest day first; `None` if nothing is known of any.
fn hours(days: &[WatchedDay]) -> Option<PageTable> {
    let is_known = |day: &&WatchedDay| day.hours_added_ms.iter().any(Option::is_some);
    let ms = |it: &Option<f64>| it.map_or(MISSING.to_owned(), significant);
    let row = |day: &WatchedDay| {
        std::iter::once(day.day.clone()).chain(day.hours_added_ms.iter().map(ms)).collect()
    };
    let known = days.iter().filter(is_known).count();
    let mut explanation =
        "How much later answers came in the hour that begins then, in ms.".to_owned();
    if known > MOST {
        explanation += &format!(" The latest {MOST} days of {known}.");
    }
    let hours = (0..24).map(|hour| format!("{hour} h"));
    (known > 0).then(|| PageTable {
        title: "Values of hours of the days".into(),
        explanation,
        head: std::iter::once("day".to_owned()).chain(hours).collect(),
        rows: days.iter().rev().filter(is_known).take(MOST).map(row).collect(),
        ..PageTable::default()
    })
}
