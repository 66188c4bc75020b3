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
            rows,
        }
    }

    /// True if there is more than one target.
    pub(super) fn compares(&self) -> bool {
        self.rows.len() > 1
    }

    /// What the page says of it; `drawn` is the number of targets that have a plot.
    pub(super) fn explanation(&self, drawn: usize, is_live: bool) -> String {
        let rows = self.rows.len();
        let mut text = String::from(
            "The target with the longest delays comes first. The milliseconds say how much later \
             answers came than at the target's best times, for 95 of 100 answers, whatever filled \
             the line. The grade is for this delay. A day's grade, in contrast, is \
             for the minutes in which this machine loaded the line, so its delay is another one. Where the delay may be longer, F is the only \
             grade: without three minutes in which this machine did not load the line, or with \
             more than 5 % of the probes unanswered. A and A+ also need three minutes of load. The \
             strip shows the delay over time, brighter for later answers, with unanswered probes \
             below. Without three minutes in which this machine did not load the line, the best \
             times are not known, and no delay is shown.",
        );
        if drawn < rows + self.left_out {
            text += &format!(
                " Below are plots of {} of these {}.",
                count(drawn as u64),
                count((rows + self.left_out) as u64)
            );
            text += if is_live {
                " To see another one, click on its name."
            } else {
                " To see another one: unbloat report DIR --target NAME."
            };
        }
        if self.left_out > 0 {
            text += &format!(
                " There is no room for the {} that suffered least; unbloat report DIR --json has them.",
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
            "The delay is not known, or may be longer: without three minutes in which this machine \
             did not load the line, there is nothing to compare with; or too many probes were not \
             answered."
        }
    }
}

/// The watched targets that were probed, with their places, the one that suffered most first.
pub(super) fn ranked(report: &WatchReport) -> impl Iterator<Item = (u32, &WatchedTarget)> {
    let places = ranked_targets(&report.targets).into_iter();
    places.map(|place| (place as u32, &report.targets[place]))
}
