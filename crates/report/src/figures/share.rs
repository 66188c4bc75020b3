//! What each flow got, one run beside another.

use super::left_out;
use crate::families::{Family, families};
use crate::figure::{Axis, Curve, Figure, Mark};
use crate::labels::short;
use crate::scene::{MOST, Run, Scene};

/// The figure; `None` for a single run, whose table says the same, and for runs in which fewer than
/// two flows have a goodput.
pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    if !scene.is_comparison() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for run in &scene.runs {
        for family in families(run.document) {
            if !names.contains(&family.name) {
                names.push(family.name);
            }
        }
    }
    if names.len() < 2 {
        return None;
    }
    let more = left_out(&mut names, 2 * MOST);
    // The first flow is the uppermost.
    names.reverse();
    let dots = scene.runs.iter().map(|run| dots(run, &names));
    let curves: Vec<Curve> = dots.filter(|dots| !dots.x.is_empty()).collect();
    Some(Figure {
        id: "share".into(),
        title: "Who got what".into(),
        explanation: format!(
            "The goodput of each flow, and of all flows of a group together. Each row is a flow or \
             a group, each dot a run.{more}"
        ),
        x: Axis::linear("Goodput", "Mbit/s"),
        y: Axis::named("", names.iter().map(|name| short(name))),
        curves,
    })
}

/// The dots of one run, from the least goodput to the most.
fn dots(run: &Run<'_>, names: &[String]) -> Curve {
    let row = |name: &str| names.iter().position(|known| known == name);
    let place = |family: Family| Some((family.goodput_mbit, row(&family.name)? as f64));
    let mut dots: Vec<(f64, f64)> = families(run.document).into_iter().filter_map(place).collect();
    dots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (x, y) = dots.into_iter().map(|(x, y)| (x, Some(y))).unzip();
    Curve { name: run.label.clone(), mark: Mark::Points, x, y, ..Curve::default() }
}
