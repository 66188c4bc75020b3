//! A metric over the values of a field: as boxes, or as medians with a shade.

use stats::interpolated_quantile;

use crate::figure::{Curve, Figure, Mark};
use crate::runs::PlotError;
use crate::runs::boxes::boxes_and_dots;
use crate::runs::choice::{RunsView, Sides, left_out};
use crate::runs::field::Varied;
use crate::runs::metric::Measured;
use crate::runs::seeds::plot_note;

/// Largest number of boxes on an axis of names; more are on an axis of numbers.
const MOST_NAMES: usize = 40;

/// Number of values from which a line shows more than boxes.
const LINE: usize = 4;

/// Ascending values of a metric for each value of a field, which is given by its index.
type Spread = Vec<(usize, Vec<f64>)>;

/// The figure of `y` over a field: lines if the field has enough numbers, otherwise boxes.
pub(super) fn fitting(view: &RunsView<'_>, y: &Measured<'_>) -> Result<Figure, PlotError> {
    let x = view.sides(y)?.x;
    let is_line = x.numbers.is_some() && x.count() >= LINE;
    if is_line { lined(view, y) } else { boxed(view, y) }
}

/// The figure of boxes: one for the runs of each value and colour.
pub(super) fn boxed(view: &RunsView<'_>, y: &Measured<'_>) -> Result<Figure, PlotError> {
    let Sides { x, by, why } = view.sides(y)?;
    let is_named = x.numbers.is_none() || x.count() <= MOST_NAMES;
    let mut curves = Vec::new();
    for (name, runs) in view.groups(by) {
        let spread = spread(&runs, x, y);
        let place = |value: usize| if is_named { value as f64 } else { x.place(value) };
        let curve =
            boxes_and_dots(&name, spread.into_iter().map(|(value, all)| (place(value), all)));
        curves.extend((!curve.x.is_empty()).then_some(curve));
    }
    let has_dots = curves.iter().flat_map(|curve| &curve.beyond).any(|beyond| !beyond.is_empty());
    let dots = if has_dots { " A dot is a run beyond the whiskers." } else { "" };
    Ok(Figure {
        id: "box".into(),
        title: format!("{} over {}", y.title(), x.path),
        explanation: format!(
            "Each box holds the middle half of its runs, and the line in it is their median; the \
             whiskers reach to the last run within one and a half lengths of the box.{dots}{why}\
             {}{}{}",
            y.remark(),
            left_out(by),
            plot_note(view, &[by, Some(x)]),
        ),
        x: if is_named { x.named_axis() } else { x.axis() },
        y: y.axis(),
        curves,
    })
}

/// The figure of lines of medians, with the middle half of the runs as a shade.
pub(super) fn lined(view: &RunsView<'_>, y: &Measured<'_>) -> Result<Figure, PlotError> {
    let Sides { x, by, why } = view.sides(y)?;
    if x.numbers.is_none() {
        let wrong = format!(
            "x: not all values of {} are numbers, so no line can join them; draw boxes instead",
            x.path
        );
        return Err(PlotError(wrong));
    }
    let groups = view.groups(by);
    let spreads: Vec<(&String, Spread)> =
        groups.iter().map(|(name, runs)| (name, spread(runs, x, y))).collect();
    let is_shaded = spreads.iter().flat_map(|(_, all)| all).any(|(_, values)| values.len() > 1);
    let shades = spreads.iter().filter(|_| is_shaded).map(|(name, all)| shade(name, x, all));
    let medians = spreads.iter().map(|(name, all)| medians(name, x, all));
    let curves: Vec<Curve> = shades.chain(medians).filter(|curve| !curve.x.is_empty()).collect();
    let what = match is_shaded {
        true => "Each dot is the median of its runs, and the shade holds the middle half of them.",
        false => "Each dot is a run.",
    };
    Ok(Figure {
        id: "line".into(),
        title: format!("{} over {}", y.title(), x.path),
        explanation: format!(
            "{what}{why}{}{}{}",
            y.remark(),
            left_out(by),
            plot_note(view, &[by, Some(x)])
        ),
        x: x.axis(),
        y: y.axis(),
        curves,
    })
}

/// The ascending values of `y` at each value of `x` in these runs; values of `x` without any are
/// left out.
fn spread(runs: &[usize], x: &Varied<'_>, y: &Measured<'_>) -> Spread {
    let mut spread = vec![Vec::new(); x.count()];
    for run in runs {
        if let (Some(value), Some(y)) = (x.of_run.get(*run), y.at(*run)) {
            spread[*value].push(y);
        }
    }
    spread.iter_mut().for_each(|values| values.sort_by(f64::total_cmp));
    spread.into_iter().enumerate().filter(|(_, values)| !values.is_empty()).collect()
}

fn medians(name: &str, x: &Varied<'_>, spread: &[(usize, Vec<f64>)]) -> Curve {
    Curve {
        name: name.into(),
        mark: Mark::LinePoints,
        x: spread.iter().map(|(value, _)| x.place(*value)).collect(),
        y: spread.iter().map(|(_, values)| interpolated_quantile(values, 0.5)).collect(),
        ..Curve::default()
    }
}

fn shade(name: &str, x: &Varied<'_>, spread: &[(usize, Vec<f64>)]) -> Curve {
    let part = |q| spread.iter().map(move |(_, values)| interpolated_quantile(values, q)).collect();
    Curve { mark: Mark::Band, y: part(0.75), low: part(0.25), ..medians(name, x, spread) }
}
