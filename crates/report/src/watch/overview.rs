//! All targets of a watch at a glance, the one that suffered most first.

use results::{Grade, Ungraded, WatchReport, WatchedTarget, ranked_targets};
use serde::Serialize;

use super::room::{OVERVIEW_SIZE, fitting, rounded};
use crate::html::grade_class;
use crate::number::count;

/// What the scripts of a page read of it.
#[derive(Serialize)]
pub(super) struct Overview<'a> {
    from_s: f64,
    step_s: f64,
    rows: Vec<Row<'a>>,
    /// The number of targets for which there is no room.
    left_out: usize,
    /// True if a day has a grade.
    #[serde(skip)]
    has_day: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    id: u32,
    name: &'a str,
    grade: Option<Grade>,
    /// The class of the page's style that the grade has.
    class: &'static str,
    /// The reason why there is no grade; empty if there is one.
    why: &'static str,
    later_p95_ms: Option<f64>,
    /// The part of all probes that nobody answered.
    loss: f64,
    later_ms: Vec<Option<f64>>,
    /// The steps in which something was lost, and the parts.
    losses: Vec<(usize, f64)>,
}

impl<'a> Overview<'a> {
    /// The overview, as far as a page has room.
    pub(super) fn of(report: &'a WatchReport) -> Self {
        let ranked: Vec<_> = ranked(report).collect();
        let first = ranked.first().map(|(_, it)| &it.overview);
        let rows = fitting(ranked.iter().map(|(id, it)| Row::of(*id, it)), OVERVIEW_SIZE);
        Self {
            from_s: first.map_or(0.0, |it| it.from_s),
            step_s: first.map_or(1.0, |it| it.step_s),
            left_out: ranked.len() - rows.len(),
            has_day: report.days.iter().any(|it| it.grade.is_some()),
            rows,
        }
    }

    /// True if there is more than one target.
    pub(super) fn compares(&self) -> bool {
        self.rows.len() > 1
    }

    /// The places among all targets of those that have room.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|row| row.id)
    }

    /// What the page says of it; `drawn` is the number of targets that have a plot.
    pub(super) fn explanation(&self, drawn: usize, is_live: bool) -> String {
        let rows = self.rows.len();
        let mut text = String::from(
            "The most affected target comes first. The milliseconds say how much later 95 of 100 \
             answers came, at most, than at the target's best times. The grade is for this delay. \
             The strip shows the delay over time, brighter for later answers, with unanswered probes \
             below.",
        );
        if self.has_day {
            text += " The grade of a day is for the minutes in which this machine loaded the line, so \
                     its delay is another one.";
        }
        if self.rows.iter().any(|it| it.grade.is_none()) {
            text += " A target has no grade with fewer than 20 answers, or while its delay may be longer \
                     than shown: without three minutes in which this machine did not load the line, or \
                     with more than 5 % of the probes unanswered. A and A+ also need three minutes of load.";
        }
        if self.rows.iter().all(|it| it.later_p95_ms.is_none()) {
            text += " No delay is shown yet: that needs 20 answers, and three minutes without load to compare with.";
        }
        if drawn < rows + self.left_out {
            text += &format!(
                " Below are plots of {} of these {}.",
                count(drawn as u64),
                count((rows + self.left_out) as u64)
            );
            text += if is_live {
                " To see another one, click on its name."
            } else {
                " To see another one: `unbloat report DIR --target NAME`."
            };
        }
        if self.left_out > 0 {
            text += &format!(
                " There is no room for the {} least affected ones; `unbloat report DIR --json` has them.",
                count(self.left_out as u64)
            );
        }
        text
    }
}

impl<'a> Row<'a> {
    fn of(id: u32, target: &'a WatchedTarget) -> Self {
        let (counts, overview) = (&target.counts, &target.overview);
        let grade = overview.grade;
        let losses = overview.loss.iter().enumerate();
        let losses = losses.filter_map(|(step, part)| Some((step, part.filter(|it| *it > 0.0)?)));
        Self {
            id,
            name: &target.name,
            grade,
            class: grade.map_or("", grade_class),
            why: overview.grade_reason.map_or("", why),
            later_p95_ms: rounded(&[overview.later_p95_ms])[0],
            // All digits: rounded twice, it would differ from that of the plots.
            loss: counts.loss().unwrap_or(0.0),
            later_ms: rounded(&overview.later_ms),
            losses: losses.map(|(step, part)| (step, millionths(part))).collect(),
        }
    }
}

/// A part of a whole, to a millionth.
fn millionths(part: f64) -> f64 {
    (part * 1e6).round() / 1e6
}

/// The reason why a target has no grade.
const fn why(reason: Ungraded) -> &'static str {
    match reason {
        Ungraded::Unused => "Nothing was sent.",
        Ungraded::Dead => "Nothing was answered.",
        Ungraded::NotFilled => "This machine did not load the line for three minutes.",
        Ungraded::Machine | Ungraded::NotMeasured => {
            "The delay is not known, or may be longer: fewer than 20 answers came; or without three \
             minutes in which this machine did not load the line, there is nothing to compare with; or \
             too many probes were not answered."
        }
    }
}

/// The watched targets that were probed, with their places, the one that suffered most first.
pub(super) fn ranked(report: &WatchReport) -> impl Iterator<Item = (u32, &WatchedTarget)> {
    let places = ranked_targets(&report.targets).into_iter();
    places.map(|place| (place as u32, &report.targets[place]))
}

#[cfg(test)]
mod tests {
    use results::{WatchedCounts, WatchedDay, WatchedOverview};

    use super::*;

    fn target(name: &str, later_p95_ms: Option<f64>, grade: Option<Grade>) -> WatchedTarget {
        let counts = WatchedCounts { sent: 60, ..WatchedCounts::default() };
        let overview = WatchedOverview { later_p95_ms, grade, ..WatchedOverview::default() };
        WatchedTarget { name: name.into(), counts, overview, is_unreached: false }
    }

    #[test]
    fn what_is_shown_is_explained_and_nothing_else() {
        let told = |later_ms, grade, days| {
            let targets = vec![target("a", later_ms, grade), target("b", later_ms, grade)];
            let report = WatchReport { targets, days, ..WatchReport::default() };
            Overview::of(&report).explanation(2, false)
        };
        let graded = told(Some(9.0), Some(Grade::A), Vec::new());
        assert!(!graded.contains("no grade") && !graded.contains("a day"), "{graded}");
        let day = WatchedDay { grade: Some(Grade::C), ..WatchedDay::default() };
        let with_day = told(Some(9.0), Some(Grade::A), vec![day]);
        assert!(with_day.contains("its delay is another one"), "{with_day}");
        let young = told(None, None, Vec::new());
        assert!(
            young.contains("has no grade with fewer than 20")
                && young.contains("No delay is shown yet")
        );
    }
}
