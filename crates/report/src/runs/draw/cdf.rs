//! The part of the runs that stays below a value.

use stats::interpolated_quantile;

use super::DELAYS;
use crate::figure::{Axis, Curve, Figure, Mark};
use crate::runs::choice::{RunsView, left_out};
use crate::runs::metric::Measured;
use crate::runs::seeds::plot_note;
use crate::runs::{PlotError, PlotKind};

/// Largest number of steps: more than that cannot be seen.
const MOST_STEPS: usize = 500;

pub(super) fn figure(view: &RunsView<'_>) -> Result<Figure, PlotError> {
    // If the field asked for on the horizontal axis is a metric, it is the one to draw.
    let asked = view.plot.x.as_ref().map(|x| view.metric("x", x));
    let y = match (asked, view.plot.kind) {
        (Some(Ok(metric)), _) => metric,
        (Some(Err(error)), Some(PlotKind::Cdf)) => return Err(error),
        _ => view.y(DELAYS)?,
    };
    let by = view.by(&y, None)?;
    let curve = |(name, runs): (String, Vec<usize>)| steps(name, &runs, &y);
    let curves: Vec<Curve> = view.groups(by).into_iter().filter_map(curve).collect();
    Ok(Figure {
        id: "cdf".into(),
        title: format!("How the runs differ: {}", y.words),
        explanation: format!(
            "Each point of a curve shows the percentage of its runs that have at most the value below \
            it. A steep curve means reliable values; a long slope depends on the other fields that were \
            varied.{}{}{}",
            y.remark(),
            left_out(by),
            plot_note(view, &[by]),
        ),
        x: y.axis(),
        y: Axis::linear("Runs", "%"),
        curves,
    })
}

/// Steps from 0 % at the least value to 100 % at the largest.
fn steps(name: String, runs: &[usize], y: &Measured<'_>) -> Option<Curve> {
    let mut values: Vec<f64> = runs.iter().filter_map(|run| y.at(*run)).collect();
    values.sort_by(f64::total_cmp);
    if values.len() > MOST_STEPS {
        let part = |step: usize| step as f64 / (MOST_STEPS - 1) as f64;
        values =
            (0..MOST_STEPS).filter_map(|step| interpolated_quantile(&values, part(step))).collect();
    }
    let share = |count: usize| Some(count as f64 / values.len() as f64 * 100.0);
    let heights = (0..=values.len()).map(share).collect();
    let places = values.first().into_iter().chain(&values).copied().collect();
    let curve = Curve { name, mark: Mark::Steps, x: places, y: heights, ..Curve::default() };
    (!values.is_empty()).then_some(curve)
}
