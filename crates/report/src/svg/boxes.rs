//! Boxes with whiskers, those of several curves side by side.

use super::axis::Axis;
use super::ink::Ink;
use super::sample::shown;
use crate::figure::{Curve, Figure, Mark};

/// How much of the room between two places boxes take, and how much of its share one of them.
const GROUP: f64 = 0.84;
const SHARE: f64 = 0.8;

/// The most room for one box with what is beside it, in pixels, and the least width.
const WIDEST: f64 = 52.0;
const THINNEST: f64 = 1.5;

/// Where the boxes of a figure stand.
#[derive(Debug)]
pub(super) struct Boxes<'a> {
    /// Whose boxes stand side by side, from left to right.
    names: Vec<&'a str>,
    /// From the middle of one to that of the next.
    step: f64,
}

impl<'a> Boxes<'a> {
    /// Of all boxes in `figure`, along this axis.
    pub(super) fn of(figure: &'a Figure, x: &Axis) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for curve in curves(figure) {
            if !names.contains(&&*curve.name) {
                names.push(&curve.name);
            }
        }
        let places: Vec<f64> = places(figure).iter().map(|value| x.place(*value)).collect();
        let gaps = places.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.01);
        let room =
            gaps.fold(f64::INFINITY, f64::min).min((x.place(f64::MAX) - x.place(f64::MIN)).abs());
        Boxes { step: (room * GROUP / names.len().max(1) as f64).min(WIDEST), names }
    }

    /// Draws those of one curve.
    pub(super) fn draw(&self, ink: &mut Ink, of: &Curve, (x, y): (&Axis, &Axis)) {
        let index = self.names.iter().position(|name| *name == of.name).unwrap_or_default();
        let aside = (index as f64 - (self.names.len().max(1) - 1) as f64 / 2.0) * self.step;
        let half = (self.step * SHARE).max(THINNEST) / 2.0;
        let drawn: Vec<(f64, [f64; 5])> = (of.x.iter().zip(&of.five))
            .filter(|(right, five)| x.shows(**right) && five.iter().all(|value| value.is_finite()))
            .map(|(right, five)| (x.place(*right) + aside, five.map(|value| y.place(value))))
            .collect();
        if drawn.is_empty() {
            return;
        }
        let fine = if half < 4.0 { " fine" } else { "" };
        path(ink, "box", fine, &drawn, |ink, at, five| frame(ink, at, half, five));
        path(ink, "whisker", fine, &drawn, |ink, at, five| whiskers(ink, at, half / 2.0, five));
        path(ink, "median", fine, &drawn, |ink, at, five| {
            ink.raw("M").point((at - half, five[2])).raw("H").number(at + half);
        });
    }
}

/// Those of its curves that are boxes.
fn curves(figure: &Figure) -> impl Iterator<Item = &Curve> {
    figure.curves.iter().filter(|curve| curve.mark == Mark::Box)
}

/// The values of x at which `figure` has boxes, ascending.
pub(super) fn places(figure: &Figure) -> Vec<f64> {
    let all = curves(figure).flat_map(|curve| &curve.x).copied();
    let mut places: Vec<f64> = all.filter_map(|value| shown(figure.x.scale, value)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// The ends of all whiskers that `figure` can show.
pub(super) fn ends(figure: &Figure) -> impl Iterator<Item = f64> + '_ {
    let five = curves(figure).flat_map(|curve| curve.five.iter().flatten()).copied();
    five.filter_map(|value| shown(figure.y.scale, value))
}

/// One path of a class for all boxes.
fn path(
    ink: &mut Ink,
    class: &str,
    fine: &str,
    boxes: &[(f64, [f64; 5])],
    each: impl Fn(&mut Ink, f64, [f64; 5]),
) {
    ink.raw("<path class=\"").raw(class).raw(fine).raw("\" d=\"");
    for (at, five) in boxes {
        each(ink, *at, *five);
    }
    ink.raw("\"/>\n");
}

/// From quartile to quartile.
fn frame(ink: &mut Ink, at: f64, half: f64, [_, lower, _, upper, _]: [f64; 5]) {
    ink.raw("M").point((at - half, lower)).raw("H").number(at + half);
    ink.raw("V").number(upper).raw("H").number(at - half).raw("Z");
}

/// From the quartiles to the ends, with a short line across each.
fn whiskers(ink: &mut Ink, at: f64, half: f64, [low, lower, _, upper, high]: [f64; 5]) {
    for (from, to) in [(lower, low), (upper, high)] {
        if from != to {
            ink.raw("M").point((at, from)).raw("V").number(to);
            ink.raw("M").point((at - half, to)).raw("H").number(at + half);
        }
    }
}
