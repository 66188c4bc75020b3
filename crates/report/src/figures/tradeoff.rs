//! Delay against goodput.

use results::FlowResult;

use super::left_out;
use super::scene::{MOST, Run, Scene, crowd_name};
use crate::compare::{answers, goodput};
use crate::figure::{Axis, Curve, Figure, Mark, Scale};
use crate::flows::{CROWD, family};

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let (curves, what, more) = match &scene.runs[..] {
        [run] => {
            let (curves, more) = flows(run);
            (curves, "delay of each flow", more)
        }
        runs => {
            let (curves, what) = of_runs(runs);
            (curves, what, String::new())
        }
    };
    let who = if scene.is_comparison() { "Each dot is a run" } else { "Each dot is a flow" };
    // One dot alone says nothing that a table does not say better.
    let dots: usize = curves.iter().map(|curve| curve.x.len()).sum();
    (dots > 1).then(|| Figure {
        id: "tradeoff".into(),
        title: "Delay against goodput".into(),
        explanation: format!(
            "{who}: the further to the left, the quicker (the {what} that 95 of 100 stay below); the \
             higher up, the more gets through. The best place is the upper left corner; a bloated \
             queue sits far to the right, a starved link at the bottom.{more}"
        ),
        x: scale(&curves, Axis::linear("Delay, 95th percentile", "ms")),
        y: Axis::linear("Goodput", "Mbit/s"),
        curves,
    })
}

/// One dot a flow; those of a crowd have one name.
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

/// One dot a run, by what all runs can be judged by, and its name.
fn of_runs(runs: &[Run<'_>]) -> (Vec<Curve>, &'static str) {
    let (answers, what) = answers(runs);
    let dot = |(run, answer): (&Run<'_>, Option<f64>)| {
        points(run.label.clone(), vec![(answer?, goodput(run.document)?)])
    };
    (runs.iter().zip(answers).filter_map(dot).collect(), what)
}

fn points(name: String, mut dots: Vec<(f64, f64)>) -> Option<Curve> {
    const MOST_DOTS: usize = 2000;
    dots.retain(|(x, y)| x.is_finite() && y.is_finite());
    dots.truncate(MOST_DOTS);
    dots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (x, y) = dots.into_iter().map(|(x, y)| (x, Some(y))).unzip::<_, _, Vec<_>, Vec<_>>();
    (!x.is_empty()).then(|| Curve { name, mark: Mark::Points, x, y, ..Curve::default() })
}

/// Logarithmic, so that equal steps are equally bad, unless something is not late at all.
fn scale(curves: &[Curve], axis: Axis) -> Axis {
    let positive = curves.iter().flat_map(|curve| &curve.x).all(|&delay| delay > 0.0);
    if positive { Axis { scale: Scale::Log, ..axis } } else { axis }
}
