//! The grid in figures: each run a dot, and CoDel over rates and round trips.

use report::{Axis, Colours, Curve, Figure, Mark, Scale};

use super::{RATES, RTTS};
use crate::codel::draw::curve;
use crate::codel::point::Point;
use crate::codel::queues::{CODEL, PAPERS, Queue};
use crate::codel::spread::{Measure, Runs, rate};

pub(super) fn draw(runs: Runs<'_>) -> Vec<Figure> {
    let mut figures = vec![tradeoff(runs)];
    figures.extend([Measure::Delay, Measure::Utilisation].iter().filter_map(|one| map(runs, *one)));
    figures
}

/// Utilisation against median delay, a dot for each run.
fn tradeoff(runs: Runs<'_>) -> Figure {
    /// The least delay on the axis: that of a packet of 125 bytes at 100 Mbit/s. Shorter delays are
    /// drawn there too.
    const LEAST_MS: f64 = 0.01;
    let dots = |queue: &Queue| {
        let own = runs.complete().filter(|(point, _)| point.queue.name == queue.name);
        let mut dots: Vec<(f64, Option<f64>)> = own
            .filter_map(|(_, seen)| {
                Some((seen.forward.sojourn_ms.p50?.max(LEAST_MS), seen.forward.utilisation))
            })
            .collect();
        dots.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        curve(queue.name, Mark::Points, dots)
    };
    Figure {
        id: "codel-grid-runs".into(),
        title: "The grid: every run".into(),
        explanation: "Each dot is a run; median delays below 0.01 ms are drawn at 0.01 ms. Up and \
                      to the left is good: the link is used, and packets do not wait for long."
            .into(),
        x: Axis::log("Median delay in the queue", "ms"),
        y: Axis::linear("Utilisation", ""),
        curves: PAPERS.iter().rev().map(dots).collect(),
    }
}

/// CoDel over rate and round trip; `None` without runs.
fn map(runs: Runs<'_>, measure: Measure) -> Option<Figure> {
    let (mut x, mut y, mut value) = (Vec::new(), Vec::new(), Vec::new());
    for (kbit, column) in RATES.iter().zip(0..) {
        for (rtt_ms, row) in RTTS.iter().zip(0..) {
            let wanted = |point: &Point| {
                point.kbit == *kbit && point.rtt_ms == *rtt_ms && point.queue.name == CODEL.name
            };
            x.push(f64::from(column));
            y.push(Some(f64::from(row)));
            value.push(runs.middle(measure, wanted));
        }
    }
    let known = || value.iter().flatten().copied().filter(|value| *value > 0.0);
    let (from, to) = (known().reduce(f64::min)?, known().reduce(f64::max)?);
    let axis = measure.axis();
    // Zero has no place on a logarithmic axis.
    if axis.scale == Scale::Log {
        value.iter_mut().flatten().for_each(|value| *value = value.max(from));
    }
    let colours = Some(Colours { axis, from, to });
    let curve = Curve {
        name: CODEL.name.into(),
        mark: Mark::Cells,
        x,
        y,
        value,
        colours,
        ..Curve::default()
    };
    Some(Figure {
        id: format!("codel-grid-map-{}", measure.word()),
        title: format!("CoDel over rates and round trips: {}", measure.word()),
        explanation: "The middle of all loads, with one setting of CoDel.".into(),
        x: Axis::named("Rate", RATES.map(rate)),
        y: Axis::named("Round trip", RTTS.map(|rtt_ms| format!("{rtt_ms} ms"))),
        curves: vec![curve],
    })
}
