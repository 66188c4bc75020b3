//! How long the users of a line wait: calls, games, pings and pages, one run beside another.

use results::{FlowKind, FlowResult};

use super::left_out;
use crate::figure::{Axis, Curve, Figure, Mark, Scale};
use crate::flows::family;
use crate::labels::short;
use crate::scene::{MOST, Run, Scene};

/// The figure; `None` for a single run, whose table says the same, and without users that wait.
pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    if !scene.is_comparison() {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in scene.runs.iter().flat_map(|run| users(run)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = left_out(&mut names, 2 * MOST);
    // The first user is the uppermost.
    names.reverse();
    let rows: Vec<String> = names.iter().filter_map(|name| row(scene, name)).collect();
    let runs = scene.runs.iter().enumerate();
    let dots = runs.map(|(index, run)| dots(run, &names, offset(index, scene.runs.len())));
    let curves: Vec<Curve> = dots.filter(|dots| !dots.x.is_empty()).collect();
    let is_positive = curves.iter().flat_map(|curve| &curve.x).all(|&delay| delay > 0.0);
    let scale = if is_positive { Scale::Log } else { Scale::Linear };
    (!curves.is_empty()).then(|| Figure {
        id: "users".into(),
        title: "Delays that people notice".into(),
        explanation: format!(
            "The 95th percentile of the time that a packet of a call or a game takes, of the time \
             until a ping is answered, and of the time that a page takes to load. Each row is a \
             user of the line, each dot a run. Further left is better.{more}"
        ),
        x: Axis { scale, ..Axis::linear("Delay, 95th percentile", "ms") },
        y: Axis::named("", rows),
        curves,
    })
}

/// The flows behind which a person waits, each with its 95th percentile in milliseconds; of the members of a
/// `count` only the first.
fn users<'a>(run: &Run<'a>) -> impl Iterator<Item = (&'a str, f64)> {
    let is_first = |name: &str| family(name).is_none() || name.ends_with("[0]");
    let flows = run.document.flows.iter().map(|(name, flow)| (name.as_str(), flow));
    flows
        .filter(move |(name, _)| is_first(name))
        .filter_map(|(name, flow)| Some((name, wait(flow)?)))
}

/// The 95th percentile of what a person waits for, in milliseconds; `None` for a load.
fn wait(flow: &FlowResult) -> Option<f64> {
    let wait = match flow.kind {
        FlowKind::Ping => flow.rtt_ms?.p95,
        FlowKind::Cbr | FlowKind::Voip => flow.delay_ms?.p95,
        FlowKind::Page | FlowKind::Packmime => flow.completion_s?.p95.map(|seconds| seconds * 1e3),
        _ => None,
    };
    wait.filter(|wait| wait.is_finite())
}

/// The name of a row: the flow and what is waited for.
fn row(scene: &Scene<'_>, name: &str) -> Option<String> {
    let flow = scene.runs.iter().find_map(|run| run.document.flows.get(name))?;
    let what = match flow.kind {
        FlowKind::Ping => "answer",
        FlowKind::Page => "load time",
        FlowKind::Packmime => "response",
        _ => "one way",
    };
    Some(short(&format!("{}: {what}", family(name).unwrap_or(name))))
}

/// The place of a run beside the middle of a row, so that equal values do not hide each other.
fn offset(index: usize, runs: usize) -> f64 {
    /// Height of the dots of a row together, as a part of the row.
    const HEIGHT: f64 = 0.5;
    let step = HEIGHT / runs.max(2) as f64;
    // The first run is the uppermost.
    ((runs - 1) as f64 / 2.0 - index as f64) * step
}

/// The dots of one run, from the least delay to the greatest.
fn dots(run: &Run<'_>, names: &[&str], offset: f64) -> Curve {
    let row = |name: &str| names.iter().position(|known| *known == name);
    let dot = |(name, wait)| Some((wait, row(name)? as f64 + offset));
    let mut dots: Vec<(f64, f64)> = users(run).filter_map(dot).collect();
    dots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (x, y) = dots.into_iter().map(|(x, y)| (x, Some(y))).unzip();
    Curve { name: run.label.clone(), mark: Mark::Points, x, y, ..Curve::default() }
}
