//! The drawing of a curve.

use std::collections::BTreeSet;

use super::axis::{Axes, Axis};
use super::downsample::{Point, downsample};
use super::sample::CurveSample;
use super::svg_writer::SvgWriter;
use crate::figure::Mark;

/// Number of points above which a line is dense, and drawn thinner.
const DENSE: usize = 700;

/// Draws `samples` as `mark` says. Dots are rings if `rings` is true.
pub(super) fn curve(
    svg: &mut SvgWriter,
    mark: Mark,
    rings: bool,
    samples: &[CurveSample],
    axes: Axes<'_>,
) {
    let Axes { x, y } = axes;
    let pieces = pieces(mark, samples, x, y);
    match mark {
        Mark::Line | Mark::Steps => {
            areas(svg, "range", &pieces);
            lines(svg, &pieces);
        }
        Mark::Band => areas(svg, "band", &pieces),
        Mark::Strokes => strokes(svg, samples, axes),
        Mark::Points => dots(svg, &pieces, false, rings),
        Mark::LinePoints => {
            areas(svg, "range", &pieces);
            lines(svg, &pieces);
            dots(svg, &pieces, true, rings);
        }
        // These marks are drawn elsewhere.
        Mark::Box | Mark::Ellipse | Mark::Cells | Mark::Span | Mark::Guide => {}
    }
}

/// The part of a curve between two gaps.
#[derive(Debug, Default)]
struct Piece {
    /// The places of the values.
    upper: Vec<Point>,
    /// The lower edge; empty if the curve has none.
    lower: Vec<Point>,
}

/// The pieces of a curve, in pixels.
fn pieces(mark: Mark, samples: &[CurveSample], x: &Axis, y: &Axis) -> Vec<Piece> {
    let ranged = samples.iter().any(|sample| sample.low.is_some());
    let mut pieces = vec![Piece::default()];
    for sample in samples {
        let place = x.place(sample.x);
        let Some(value) = sample.y else {
            pieces.push(Piece::default());
            continue;
        };
        let Some(piece) = pieces.last_mut() else { continue };
        extend(&mut piece.upper, mark, (place, y.place(value)));
        if ranged {
            extend(&mut piece.lower, mark, (place, y.place(sample.low.unwrap_or(value))));
        }
    }
    pieces.retain(|piece| !piece.upper.is_empty());
    pieces
}

/// Appends `point`; for steps, a corner before it.
fn extend(points: &mut Vec<Point>, mark: Mark, point: Point) {
    if let (Mark::Steps, Some(last)) = (mark, points.last().copied()) {
        points.push((point.0, last.1));
    }
    points.push(point);
}

/// Draws lines along the values; a single value between two gaps is a dot.
fn lines(svg: &mut SvgWriter, pieces: &[Piece]) {
    let lines: Vec<Vec<Point>> =
        pieces.iter().map(|piece| downsample(piece.upper.iter().copied())).collect();
    let count: usize = lines.iter().map(Vec::len).sum();
    if count == 0 {
        return;
    }
    svg.raw("<path class=\"").raw(if count > DENSE { "line fine" } else { "line" });
    svg.raw("\" d=\"");
    for line in &lines {
        path(svg.raw("M"), line.iter().copied());
        if line.len() == 1 {
            svg.raw("h0");
        }
    }
    svg.raw("\"/>\n");
}

/// Draws the areas between the values and the lower edge.
fn areas(svg: &mut SvgWriter, class: &str, pieces: &[Piece]) {
    if pieces.iter().all(|piece| piece.lower.is_empty()) {
        return;
    }
    svg.raw("<path class=\"").raw(class).raw("\" d=\"");
    for Piece { upper, lower } in pieces {
        let (upper, lower) = (downsample(upper.iter().copied()), downsample(lower.iter().copied()));
        path(svg.raw("M"), upper.into_iter().chain(lower.into_iter().rev()));
        svg.raw("Z");
    }
    svg.raw("\"/>\n");
}

/// Draws an upright line at each value, from the lower edge on; no two on the same pixels.
fn strokes(svg: &mut SvgWriter, samples: &[CurveSample], Axes { x, y }: Axes<'_>) {
    let mut seen = BTreeSet::new();
    let mut path = SvgWriter::default();
    for sample in samples {
        let Some(high) = sample.y else { continue };
        let ends =
            [sample.low.unwrap_or(high), high].map(|value| (x.place(sample.x), y.place(value)));
        if seen.insert(ends.map(|(x, y)| (x.round() as i64, y.round() as i64))) {
            path.raw("M").point(ends[0].0, ends[0].1).raw(" ").point(ends[1].0, ends[1].1);
        }
    }
    let path = path.into_text();
    if !path.is_empty() {
        svg.raw("<path class=\"line\" d=\"").raw(&path).raw("\"/>\n");
    }
}

/// Draws dots at the values, no two on the same pixel. On a line they have a halo.
fn dots(svg: &mut SvgWriter, pieces: &[Piece], on_line: bool, rings: bool) {
    let mut seen = BTreeSet::new();
    let mut dots: Vec<Point> = pieces.iter().flat_map(|piece| piece.upper.clone()).collect();
    dots.retain(|(x, y)| seen.insert((x.round() as i64, y.round() as i64)));
    let class = match dots.len() {
        0 => return,
        1..=60 => "dots",
        61..=1000 => "dots small",
        _ => "dots tiny",
    };
    let mut places = SvgWriter::default();
    for (x, y) in &dots {
        // A line without length, whose round ends make the dot: the shortest way to write one.
        places.raw("M").point(*x, *y).raw("h0");
    }
    let places = places.into_text();
    let few = dots.len() <= 60;
    for (class, wanted) in [("halo", on_line && few), (class, true), ("core", rings && few)] {
        if wanted {
            svg.raw("<path class=\"").raw(class).raw("\" d=\"").raw(&places).raw("\"/>\n");
        }
    }
}

/// Writes the points of a path, which are joined by lines.
fn path(svg: &mut SvgWriter, points: impl Iterator<Item = Point>) {
    for (index, (x, y)) in points.enumerate() {
        if index > 0 {
            svg.raw(" ");
        }
        svg.point(x, y);
    }
}
