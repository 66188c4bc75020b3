//! The drawing of boxes with whiskers, those of several curves side by side.

use super::axis::{Axes, Axis};
use super::sample::shown;
use super::svg_writer::SvgWriter;
use crate::figure::{Curve, Figure, Mark};

/// The part of the room between two places that all boxes take, and the part of its share that one
/// box takes.
const GROUP: f64 = 0.84;
const SHARE: f64 = 0.8;

/// The largest room for one box with its margin, and the least width of a box, in pixels.
const WIDEST: f64 = 52.0;
const THINNEST: f64 = 1.5;

/// The radius of a dot beyond the whiskers, in pixels.
const DOT: f64 = 1.75;

/// The places of the boxes of a figure.
#[derive(Debug)]
pub(super) struct Boxes<'a> {
    /// The names of the curves whose boxes are side by side, from left to right.
    names: Vec<&'a str>,
    /// The distance from the middle of one place to the middle of the next, in pixels.
    step: f64,
}

impl<'a> Boxes<'a> {
    /// The places of all boxes in `figure` along this axis.
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

    /// Draws the boxes of one curve.
    pub(super) fn draw(&self, svg: &mut SvgWriter, of: &Curve, axes: Axes<'_>) {
        let Axes { x, y } = axes;
        let index = self.names.iter().position(|name| *name == of.name).unwrap_or_default();
        let aside = (index as f64 - (self.names.len().max(1) - 1) as f64 / 2.0) * self.step;
        let half = (self.step * SHARE).max(THINNEST) / 2.0;
        let dots = of.x.iter().zip(&of.beyond).filter(|(right, _)| x.shows(**right));
        let dots = dots.flat_map(|(right, all)| all.iter().map(move |up| (*right, *up)));
        for (right, up) in dots.filter(|(_, up)| y.shows(*up)) {
            svg.raw("<circle class=\"beyond\" fill=\"currentColor\"")
                .attribute("cx", x.place(right) + aside);
            svg.attribute("cy", y.place(up)).attribute("r", DOT).raw("/>\n");
        }
        let drawn: Vec<(f64, [f64; 5])> = (of.x.iter().zip(&of.five))
            .filter(|(right, five)| x.shows(**right) && five.iter().all(|value| value.is_finite()))
            .map(|(right, five)| (x.place(*right) + aside, five.map(|value| y.place(value))))
            .collect();
        if drawn.is_empty() {
            return;
        }
        let fine = if half < 4.0 { " fine" } else { "" };
        path(svg, "box", fine, &drawn, |svg, at, five| frame(svg, at, half, five));
        path(svg, "whisker", fine, &drawn, |svg, at, five| whiskers(svg, at, half / 2.0, five));
        path(svg, "median", fine, &drawn, |svg, at, five| {
            svg.raw("M").point(at - half, five[2]).raw("H").number(at + half);
        });
    }
}

/// The curves of boxes in `figure`.
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

/// The ends of all whiskers, and the values beyond them, that `figure` can show.
pub(super) fn ends(figure: &Figure) -> impl Iterator<Item = f64> + '_ {
    let five = curves(figure).flat_map(|curve| curve.five.iter().flatten());
    let beyond = curves(figure).flat_map(|curve| curve.beyond.iter().flatten());
    five.chain(beyond).copied().filter_map(|value| shown(figure.y.scale, value))
}

/// A path of a class for all boxes.
fn path(
    svg: &mut SvgWriter,
    class: &str,
    fine: &str,
    boxes: &[(f64, [f64; 5])],
    each: impl Fn(&mut SvgWriter, f64, [f64; 5]),
) {
    svg.raw("<path class=\"").raw(class).raw(fine).raw("\" d=\"");
    for (at, five) in boxes {
        each(svg, *at, *five);
    }
    svg.raw("\"/>\n");
}

/// Draws a box from quartile to quartile.
fn frame(svg: &mut SvgWriter, at: f64, half: f64, [_, lower, _, upper, _]: [f64; 5]) {
    svg.raw("M").point(at - half, lower).raw("H").number(at + half);
    svg.raw("V").number(upper).raw("H").number(at - half).raw("Z");
}

/// Draws whiskers from the quartiles to the ends, with a short line across each end.
fn whiskers(svg: &mut SvgWriter, at: f64, half: f64, [low, lower, _, upper, high]: [f64; 5]) {
    for (from, to) in [(lower, low), (upper, high)] {
        if from != to {
            svg.raw("M").point(at, from).raw("V").number(to);
            svg.raw("M").point(at - half, to).raw("H").number(at + half);
        }
    }
}
