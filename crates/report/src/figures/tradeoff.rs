//! Delay against goodput.

use results::FlowResult;

use super::left_out;
use crate::compare::{Purpose, goodput};
use crate::figure::{Axis, Curve, Figure, Mark, Scale};
use crate::flows::{CROWD, family};
use crate::scene::{MOST, Run, Scene, crowd_name};

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let (curves, purpose, more) = match &scene.runs[..] {
        [run] => {
            let (curves, more) = flows(run);
            (curves, None, more)
        }
        runs => {
            let purpose = Purpose::of(runs)?;
            (of_runs(runs, purpose), Some(purpose), String::new())
        }
    };
    let who = if scene.is_comparison() { "Each dot is a run" } else { "Each dot is a flow" };
    let best = match purpose {
        Some(Purpose::Call) => {
            "the further to the right, the better the worst call sounds (MOS, 1 to 4.5); the higher \
             up, the more gets through. The best place is the upper right corner."
                .into()
        }
        _ => format!(
            "the further to the left, the quicker (95th percentile of the {}); the higher up, the \
             more gets through. The best place is the upper left corner. A bloated queue is far to \
             the right, a starved link at the bottom.",
            what(purpose)
        ),
    };
    let x = match purpose {
        Some(Purpose::Call) => Axis::linear("Worst call", "MOS"),
        Some(Purpose::Page) => scale(&curves, Axis::linear("Page, 95th percentile", "ms")),
        _ => scale(&curves, Axis::linear("Delay, 95th percentile", "ms")),
    };
    // A single dot shows no more than the table.
    let dots: usize = curves.iter().map(|curve| curve.x.len()).sum();
    (dots > 1).then(|| Figure {
        id: "tradeoff".into(),
        title: "Delay against goodput".into(),
        explanation: format!("{who}: {best}{more}"),
        x,
        y: Axis::linear("Goodput", "Mbit/s"),
        curves,
    })
}

/// The dots of one run: one for each flow. Those of a crowd share a name.
fn flows(run: &Run<'_>) -> (Vec<Curve>, String) {
    let dot = |flow: &FlowResult| {
        let p95 = flow.rtt_ms.or(flow.delay_ms)?.p95?;
        Some((p95, flow.goodput_mbit?))
    };
    let flows: Vec<(&str, &FlowResult)> =
        run.document.flows.iter().map(|(name, flow)| (name.as_str(), flow)).collect();
    let mut curves = Vec::new();
    for kin in flows.chunk_by(|(a, _), (b, _)| family(a).is_some() && family(a) == family(b)) {
        let crowd = if kin.len() > CROWD { kin.len() } else { 1 };
        for members in kin.chunks(crowd) {
            let dots = members.iter().filter_map(|(_, flow)| dot(flow)).collect();
            curves.extend(points(crowd_name(members), dots));
        }
    }
    let more = left_out(&mut curves, MOST);
    (curves, more)
}

/// The name of the quantity on the horizontal axis.
fn what(purpose: Option<Purpose>) -> &'static str {
    match purpose {
        None => "delay of each flow",
        Some(Purpose::Call) => "score of the worst call",
        Some(Purpose::Page) => "time to load a page",
        Some(Purpose::Ping) => "round trips of the ping",
        Some(Purpose::Stream) => "one-way delay of the slowest flow of a constant rate",
        Some(Purpose::Others) => "waits of others",
        Some(Purpose::Queue) => "waits in the queue",
    }
}

/// The dots of several runs: one for each, by the scenario's purpose, under the run's label.
fn of_runs(runs: &[Run<'_>], purpose: Purpose) -> Vec<Curve> {
    let figures = purpose.figures(runs).unwrap_or_default();
    let dot =
        |(run, figure): (&Run<'_>, f64)| points(run.label.clone(), vec![(figure, goodput(run)?)]);
    runs.iter().zip(figures).filter_map(dot).collect()
}

fn points(name: String, mut dots: Vec<(f64, f64)>) -> Option<Curve> {
    const MOST_DOTS: usize = 2000;
    dots.retain(|(x, y)| x.is_finite() && y.is_finite());
    dots.truncate(MOST_DOTS);
    dots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (x, y) = dots.into_iter().map(|(x, y)| (x, Some(y))).unzip::<_, _, Vec<_>, Vec<_>>();
    (!x.is_empty()).then(|| Curve { name, mark: Mark::Points, x, y, ..Curve::default() })
}

/// The axis, logarithmic if all delays are positive, so that equal distances are equal ratios.
fn scale(curves: &[Curve], axis: Axis) -> Axis {
    let positive = curves.iter().flat_map(|curve| &curve.x).all(|&delay| delay > 0.0);
    if positive { Axis { scale: Scale::Log, ..axis } } else { axis }
}
