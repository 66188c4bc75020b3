//! The distribution of delays.

use results::{Distributions, FlowDelay, FlowResult, Sojourn};
use units::Way;

use super::left_out;
use crate::congestion::{Place, places};
use crate::figure::{Axis, Curve, Figure, Mark};
use crate::flows::family;
use crate::labels::short;
use crate::scene::{MOST, Run, Scene};

/// Delay in milliseconds at which packets that did not wait are drawn: a logarithmic scale has no
/// zero.
const LEAST_MS: f64 = 0.01;

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let wait = |run: &Run<'_>| waits(run, &run.place?, run.label.clone());
    let (curves, more) = match &scene.runs[..] {
        [run] => of_one(run),
        runs => (runs.iter().filter_map(wait).collect(), String::new()),
    };
    let coarse = curves.iter().any(|curve| curve.mark == Mark::LinePoints);
    let of = match scene.is_comparison() {
        true => "waited in the queue for at most the time below it",
        false => "took at most the time below it, in a queue or on a round trip",
    };
    (!curves.is_empty()).then(|| Figure {
        id: "cdf".into(),
        title: "How delays are distributed".into(),
        explanation: format!(
            "Each point of a curve shows the percentage of packets that {of}. Further left is \
            better. Steeper is better too: delays vary less. The top matters most: people notice \
            the slowest few per cent. The horizontal axis is logarithmic: equal distances are \
            equal factors. Waits below {LEAST_MS} ms are drawn at the line <{LEAST_MS}.{}{more}",
            if coarse { " Where a curve has dots, only the dots are known." } else { "" }
        ),
        x: Axis::log_from(LEAST_MS, "Delay", "ms"),
        y: Axis::linear("Packets", "%"),
        curves,
    })
}

/// The curves of the queues in which packets waited noticeably, then of the flows' delays.
fn of_one(run: &Run<'_>) -> (Vec<Curve>, String) {
    const NOTICEABLE_MS: f64 = 1.0;
    let slow = |place: &Place<'_>| {
        let longest = place.direction.sojourn_ms.max.or(place.direction.sojourn_ms.p99);
        longest.is_some_and(|longest| longest >= NOTICEABLE_MS)
    };
    let wait = |place: Place<'_>| waits(run, &place, short(&format!("wait at {}", place.label())));
    let mut curves: Vec<Curve> = places(run.document).filter(slow).filter_map(wait).collect();
    curves.truncate(MOST / 2);
    let mut flows: Vec<Curve> = flows(run).collect();
    let more = left_out(&mut flows, MOST - curves.len());
    curves.extend(flows);
    (curves, more)
}

/// The sojourns at `place`: the full distribution if it is known, otherwise the percentiles.
fn waits(run: &Run<'_>, place: &Place<'_>, name: String) -> Option<Curve> {
    let full = run.document.distributions.as_ref().and_then(|distributions| {
        let link = distributions.links.get(place.link)?;
        let values = match place.way {
            Way::Forward => &link.forward,
            Way::Reverse => &link.reverse,
        };
        full(distributions, values, &name)
    });
    full.or_else(|| {
        let Sojourn { mean: _, p25, p50, p75, p90, p95, p99, max } = place.direction.sojourn_ms;
        let known = [(0.25, p25), (0.5, p50), (0.75, p75), (0.9, p90), (0.95, p95)];
        coarse(known.into_iter().chain([(0.99, p99), (1.0, max)]), name)
    })
}

/// Curves of the delays that each flow measured: round trips, or one way. One flow represents all
/// members of a `count`.
fn flows<'a>(run: &'a Run<'a>) -> impl Iterator<Item = Curve> + 'a {
    let mut before = None;
    let first = move |(name, _): &(&'a String, &FlowResult)| {
        let kin = family(name);
        kin.is_none() || std::mem::replace(&mut before, kin) != kin
    };
    run.document.flows.iter().filter(first).filter_map(|(name, flow)| {
        let (what, spread) = match (flow.rtt_ms, flow.delay_ms) {
            (None, Some(delay)) => ("one way of", delay),
            (round_trip, _) => ("round trip of", round_trip?),
        };
        let label = short(&format!("{what} {name}"));
        let distributions = run.document.distributions.as_ref();
        let full = distributions.and_then(|all| full(all, all.flows.get(name)?, &label));
        full.or_else(|| {
            let FlowDelay { min, mean: _, p50, p95, p99, max } = spread;
            coarse([(0.0, min), (0.5, p50), (0.95, p95), (0.99, p99), (1.0, max)], label)
        })
    })
}

fn full(distributions: &Distributions, values: &[f64], name: &str) -> Option<Curve> {
    let known = distributions.quantiles.iter().zip(values);
    let known = known.map(|(&quantile, &value)| (quantile, value));
    curve(known.collect(), name.into(), Mark::Line)
}

/// The curve of a few percentiles; `None` if none is known.
fn coarse(known: impl IntoIterator<Item = (f64, Option<f64>)>, name: String) -> Option<Curve> {
    let known = known.into_iter().filter_map(|(quantile, value)| Some((quantile, value?)));
    curve(known.collect(), name, Mark::LinePoints)
}

/// The curve of quantiles with their delays, without invalid ones; `None` if none is left.
fn curve(mut known: Vec<(f64, f64)>, name: String, mark: Mark) -> Option<Curve> {
    const MOST_POINTS: usize = 2000;
    known.retain(|(quantile, value)| (0.0..=1.0).contains(quantile) && value.is_finite());
    known.truncate(MOST_POINTS);
    known.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut least = LEAST_MS;
    let mut curve = Curve { name, mark, ..Curve::default() };
    for (quantile, value) in known {
        least = value.max(least);
        curve.x.push(least);
        curve.y.push(Some(quantile * 100.0));
    }
    (!curve.x.is_empty()).then_some(curve)
}
