//! The page of a watch: what the first lines say, the tables, and the data of the plots.

use results::{WatchReport, WatchedTarget, is_watched_target};

use super::cause::cause_name_of_all;
use super::data::Data;
use super::overview::ranked;
use super::tables::{period, tables};
use super::values::values;
use crate::html::watch::{Contents, page};
use crate::number::{self, count, duration, things};
use crate::text::printable;

/// The part of a target's probes without an answer that is told in the first lines: that of a red figure.
const MUCH_LOSS: f64 = 0.02;

/// The page of a watch as one HTML file, of less than 5 MB. `is_live` says that a server answers questions for
/// more ([`watch_part`](super::watch_part)), beside the page at the path `data`, and draws another target at
/// `?target=`.
pub fn watch_page(report: &WatchReport, is_live: bool, time: impl Fn(f64) -> String) -> String {
    let data = Data::of(report);
    let overview = data.overview.compares().then(|| {
        let watched = data.drawn.iter().filter(|it| is_watched_target(it.name)).count();
        data.overview.explanation(watched, is_live)
    });
    page(&Contents {
        title: title(report),
        verdict: verdict(report),
        overview,
        tables: tables(report, data.event_count(), &time),
        values: values(report, &data),
        time: &time,
        is_live,
        data: serde_json::to_value(data).unwrap_or_default(),
    })
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
    let silent = Silent::of(report);
    let lossy = lossy(report);
    let mut verdict = Vec::new();
    verdict.push(match report.causes.first() {
        None if silent.all => format!("No target answered in {time}."),
        None => format!(
            "{} in {time}{}.",
            if lossy.is_none() {
                "Answers came as usual"
            } else {
                "No answer came later than usual"
            },
            silent.but()
        ),
        Some(first) => {
            let total: f64 = report.causes.iter().map(|it| it.total_s).sum();
            let often =
                if spikes == 1 { "once".to_owned() } else { format!("{} times", count(spikes)) };
            let name = cause_name_of_all(first);
            let why = match first.spikes {
                all if all == spikes && all == 1 => format!("The cause: {name}."),
                all if all == spikes => format!("The cause each time: {name}."),
                1 => "The cause was different each time.".to_owned(),
                some => format!("The most frequent cause ({some} times): {name}."),
            };
            format!(
                "Answers were late or missing {often} in {time}, for {} in all. {why}",
                period(total)
            )
        }
    });
    if !report.causes.is_empty() && !silent.names.is_empty() {
        verdict.push(format!("In all this time, no answer came from {}.", silent.named()));
    }
    verdict.extend(lossy);
    verdict.extend(unreached(report));
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

/// A sentence about the targets that often did not answer; `None` if there are none. Those that never answered
/// are named elsewhere.
fn lossy(report: &WatchReport) -> Option<String> {
    let loss = |(_, it): (u32, &WatchedTarget)| Some((it.name.clone(), it.counts.loss()?));
    let is_lossy = |(_, part): &(String, f64)| (MUCH_LOSS..1.0).contains(part);
    let lossy: Vec<_> = ranked(report).filter_map(loss).filter(is_lossy).collect();
    let (name, part) = lossy.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let more = match lossy.len() - 1 {
        0 => String::new(),
        more => {
            let others = things(more as u64, "other");
            format!("; {others} did not answer {} or more", number::loss(MUCH_LOSS))
        }
    };
    Some(format!("{} did not answer {} of its probes{more}.", printable(name), number::loss(*part)))
}

/// A sentence about the targets without a result so far; `None` if there are none, or if the watch has just begun. The store
/// has a probe only once its fate is known, so it does not show whether the target has no route, or whether a probe
/// is due or waits for its answer.
fn unreached(report: &WatchReport) -> Option<String> {
    /// The time in seconds within which most targets have their first result.
    const BEGINNING_S: f64 = 10.0;
    let is_unreached = |it: &&WatchedTarget| it.is_unreached && is_watched_target(&it.name);
    let names: Vec<_> = report.targets.iter().filter(is_unreached).map(|it| &*it.name).collect();
    let is_told = !names.is_empty() && report.to_s - report.from_s >= BEGINNING_S;
    is_told.then(|| {
        format!(
            "No probe of {} has a result yet: the first one is due or waits for its answer, or this machine has \
             had no route there.",
            named(&names)
        )
    })
}

/// The watched targets that never answered.
struct Silent<'a> {
    names: Vec<&'a str>,
    /// True if there are no others.
    all: bool,
}

impl<'a> Silent<'a> {
    fn of(report: &'a WatchReport) -> Self {
        let is_silent = |it: &&WatchedTarget| it.counts.unanswered() == it.counts.sent;
        let watched = || ranked(report).map(|(_, it)| it);
        let names: Vec<_> = watched().filter(is_silent).map(|it| &*it.name).collect();
        Self { all: !names.is_empty() && names.len() == watched().count(), names }
    }

    /// The exception to a sentence about all; empty if there is none.
    fn but(&self) -> String {
        match self.names.is_empty() {
            true => String::new(),
            false => format!(", but none from {}", self.named()),
        }
    }

    fn named(&self) -> String {
        named(&self.names)
    }
}

/// The first of these by name, and the number of the others.
fn named(names: &[&str]) -> String {
    const MOST: usize = 3;
    let first = names.iter().take(MOST).map(|it| printable(it));
    let mut text = first.collect::<Vec<_>>().join(", ");
    if let Some(more) = names.len().checked_sub(MOST).filter(|it| *it > 0) {
        text += &format!(" and {} more", count(more as u64));
    }
    text
}

#[cfg(test)]
mod tests;
