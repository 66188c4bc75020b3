//! Delay against utilisation, as in RFC 7928 section 2.7.

use super::{LOADS, runs};
use crate::figure::{Curve, Figure, Mark};
use crate::runs::choice::{RunsView, left_out};
use crate::runs::ellipse::cloud;
use crate::runs::metric::Measured;
use crate::runs::seeds::plot_note;
use crate::runs::{PlotError, PlotKind};

/// Metrics of the horizontal axis: the mean delay in the queue, RFC 7928 section 2.7.
const MEANS: &[&str] = &["sojourn_ms.mean", "sojourn_ms.p50"];

/// Largest number of dots of one colour: more than that cannot be distinguished.
const MOST_DOTS: usize = 10_000;

pub(super) fn figure(view: &RunsView<'_>) -> Result<Figure, PlotError> {
    let (x, y) = sides(view)?;
    let by = view.by(&x, None)?;
    let dots = |group: &[usize]| -> Vec<(f64, f64)> {
        group.iter().filter_map(|run| Some((x.at(*run)?, y.at(*run)?))).collect()
    };
    let clouds = view
        .groups(by)
        .into_iter()
        .map(|(name, group)| cloud(&name, &dots(&group), (x.scale, y.scale)));
    // Ellipses are drawn above all dots.
    let (dots, ellipses): (Vec<Curve>, Vec<Curve>) = clouds
        .flatten()
        .filter(|curve| !curve.x.is_empty())
        .partition(|curve| curve.mark == Mark::Points);
    let most = dots.iter().map(|curve| curve.x.len()).max().unwrap_or_default();
    let every = most.div_ceil(MOST_DOTS).max(1);
    let dots = dots.into_iter().map(|curve| thinned(curve, every));
    Ok(Figure {
        id: "tradeoff".into(),
        title: format!("{} against {}", x.title(), y.words),
        explanation: format!(
            "Each small dot is one of {}{}. Each ellipse reaches one standard deviation around the \
             runs of its colour, and the large dot marks their medians (RFC 7928, section 2.7): \
             its place shows what to expect, its size how much the results depend on the other \
             fields, and its slope how one figure depends on the other.{}{}{}",
            runs(view.count()),
            if every > 1 { format!(", of which one in {every} is drawn") } else { String::new() },
            x.remark(),
            left_out(by),
            plot_note(view, &[by]),
        ),
        x: x.axis(),
        y: y.axis(),
        curves: dots.chain(ellipses).collect(),
    })
}

/// The curve with one dot in `every`.
fn thinned(curve: Curve, every: usize) -> Curve {
    let x = curve.x.iter().step_by(every).copied().collect();
    let y = curve.y.iter().step_by(every).copied().collect();
    Curve { x, y, ..curve }
}

/// The two metrics: those asked for, otherwise delay and load.
fn sides<'a>(view: &RunsView<'a>) -> Result<(Measured<'a>, Measured<'a>), PlotError> {
    let none = || PlotError("no run has a single figure".into());
    let asked = view.plot.x.as_ref().map(|x| view.metric("x", x));
    let x = match (asked, view.plot.kind) {
        (Some(Ok(metric)), _) => metric,
        (Some(Err(error)), Some(PlotKind::Tradeoff)) => return Err(error),
        _ => view.usual(MEANS).ok_or_else(none)?,
    };
    let y = match &view.plot.y {
        Some(name) if view.plot.kind.is_some() => view.metric("y", name)?,
        _ => view.usual(LOADS).ok_or_else(none)?,
    };
    if x.name == y.name {
        return Err(PlotError(format!("x: {} cannot be drawn against itself", x.name)));
    }
    Ok((x, y))
}
