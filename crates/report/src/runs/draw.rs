//! The kinds of plots of many runs.

mod cdf;
mod heat;
mod over;
mod tradeoff;

use super::choice::RunsView;
use super::{PlotError, PlotKind};
use crate::figure::Figure;
use crate::number::count;

/// The metrics that are drawn first: delay in the queue, then use of the link.
const DELAYS: &[&str] = &["sojourn_ms.p50", "sojourn_ms.mean", "utilisation", "goodput_mbit"];
const LOADS: &[&str] = &["utilisation", "goodput_mbit", "rate_mbit"];

/// The plots of one kind.
pub(super) fn kind(view: &RunsView<'_>, kind: PlotKind) -> Result<Vec<Figure>, PlotError> {
    match kind {
        PlotKind::Box => Ok(vec![over::boxed(view, &view.y(DELAYS)?)?]),
        PlotKind::Line => Ok(vec![over::lined(view, &view.y(DELAYS)?)?]),
        PlotKind::Cdf => Ok(vec![cdf::figure(view)?]),
        PlotKind::Tradeoff => Ok(vec![tradeoff::figure(view)?]),
        PlotKind::Heat => heat::figures(view),
    }
}

/// All plots that fit; the others are left out.
pub(super) fn all(view: &RunsView<'_>) -> Vec<Figure> {
    let delay = view.y(DELAYS).ok();
    let load = view.usual(LOADS).filter(|load| view.plot.y.is_none() && LOADS.contains(&load.name));
    let load = load.filter(|load| delay.as_ref().is_some_and(|delay| delay.name != load.name));
    let mut figures: Vec<Figure> = Vec::new();
    for y in delay.into_iter().chain(load) {
        let mut figure = over::fitting(view, &y);
        if let (Ok(figure), false) = (&mut figure, figures.is_empty()) {
            figure.id = format!("{}-{}", figure.id, y.name);
        }
        figures.extend(figure);
    }
    figures.extend(tradeoff::figure(view));
    figures.extend(cdf::figure(view));
    figures.extend(heat::figures(view).into_iter().flatten());
    figures
}

/// A number of runs in words: `3,000 runs`.
fn runs(number: usize) -> String {
    if number == 1 { "1 run".into() } else { count(number as u64) + " runs" }
}
