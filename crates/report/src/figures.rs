//! The figures of one run, or of several side by side.

mod backlog;
mod bins;
mod delay;
mod distribution;
mod drops;
mod goodput;
mod range;
mod round_trip;
mod share;
mod tradeoff;
mod users;
mod window;

use results::{Document, Extremes};

use crate::figure::{Axis, Curve, Figure};
use crate::number::count;
use crate::scene::Scene;

/// All figures of these results, each result with its label. Figures without data are left out.
///
/// For one run the figures show its queues and flows: `delay`, `rtt`, `goodput`, `window`, `drops`
/// and `backlog` over time, the distribution of delays (`cdf`), and delay against goodput
/// (`tradeoff`). For several runs the figures have the same names and one curve a run: of the queue
/// that matters most or, if it is not the same in all runs, of each run's own.
///
/// No curve has more than some thousand values, however long the run is: values over time are
/// merged into ranges, which keep each peak.
pub fn figures(runs: &[(String, Document)]) -> Vec<Figure> {
    let scene = Scene::of(runs);
    let all = [
        users::figure,
        delay::figure,
        round_trip::figure,
        goodput::figure,
        goodput::opposite,
        share::figure,
        window::figure,
        drops::figure,
        backlog::figure,
        distribution::figure,
        tradeoff::figure,
    ];
    all.into_iter().filter_map(|figure| figure(&scene)).collect()
}

/// An axis of delays. It is logarithmic if the curves differ so much that on a linear axis the
/// lowest would be flat at the bottom. A logarithmic axis has no place for waits near zero, so it
/// removes the ranges that reach down to the shortest waits.
fn delays(label: &str, curves: &mut [Curve]) -> Axis {
    if !differ(curves) {
        return Axis::linear(label, "ms");
    }
    curves.iter_mut().for_each(|curve| curve.low.clear());
    Axis::log(label, "ms")
}

/// True if the medians of these curves are more than a factor of ten apart.
fn differ(curves: &[Curve]) -> bool {
    const DECADE: f64 = 10.0;
    let typical = |curve: &Curve| {
        let mut values: Vec<f64> = curve.y.iter().flatten().copied().filter(|y| *y > 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let typical: Vec<f64> = curves.iter().filter_map(typical).collect();
    let least = typical.iter().copied().reduce(f64::min);
    let most = typical.iter().copied().reduce(f64::max);
    least.zip(most).is_some_and(|(least, most)| most > DECADE * least)
}

fn time() -> Axis {
    Axis::linear("Time", "s")
}

/// The names of all figures, in their order.
pub const FIGURES: &[&str] = &[
    "users",
    "delay",
    "rtt",
    "goodput",
    "goodput-opposite",
    "share",
    "window",
    "drops",
    "backlog",
    "cdf",
    "tradeoff",
];

fn has_values(extremes: &Extremes) -> bool {
    extremes.high.iter().any(Option::is_some)
}

/// Keeps the first `most` items, and returns a sentence about the others; empty if there are none.
fn left_out<T>(drawn: &mut Vec<T>, most: usize) -> String {
    let more = drawn.len().saturating_sub(most);
    drawn.truncate(most);
    if more == 0 { String::new() } else { format!(" {} more are not drawn.", count(more as u64)) }
}

#[cfg(test)]
mod tests;
