//! One curve.

use std::collections::BTreeSet;

use super::axis::Axis;
use super::ink::Ink;
use super::sample::Sample;
use super::thin::{Point, thin};
use crate::figure::Mark;

/// How many points make a line dense: it is drawn finer.
const DENSE: usize = 700;

/// Draws `samples` as `mark` says, with rings for dots if so wished.
pub(super) fn curve(
    ink: &mut Ink,
    mark: Mark,
    rings: bool,
    samples: &[Sample],
    (x, y): (&Axis, &Axis),
) {
    let pieces = pieces(mark, samples, x, y);
    match mark {
        Mark::Line | Mark::Steps => {
            areas(ink, "range", &pieces);
            lines(ink, &pieces);
        }
        Mark::Band => areas(ink, "band", &pieces),
        Mark::Points => dots(ink, &pieces, false, rings),
        Mark::LinePoints => {
            areas(ink, "range", &pieces);
            lines(ink, &pieces);
            dots(ink, &pieces, true, rings);
        }
        // They are no curves, and drawn by themselves.
        Mark::Box | Mark::Ellipse | Mark::Cells | Mark::Span | Mark::Guide => {}
    }
}

/// What lies between two gaps of a curve.
#[derive(Debug, Default)]
struct Piece {
    /// Its values.
    upper: Vec<Point>,
    /// The lower edge; empty if the curve has none.
    lower: Vec<Point>,
}

/// The pieces of a curve, in pixels.
fn pieces(mark: Mark, samples: &[Sample], x: &Axis, y: &Axis) -> Vec<Piece> {
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

/// Goes on to `point`.
fn extend(points: &mut Vec<Point>, mark: Mark, point: Point) {
    if let (Mark::Steps, Some(last)) = (mark, points.last().copied()) {
        points.push((point.0, last.1));
    }
    points.push(point);
}

/// Lines along the values; a value between two gaps is a dot.
fn lines(ink: &mut Ink, pieces: &[Piece]) {
    let lines: Vec<Vec<Point>> =
        pieces.iter().map(|piece| thin(piece.upper.iter().copied())).collect();
    let count: usize = lines.iter().map(Vec::len).sum();
    if count == 0 {
        return;
    }
    ink.raw("<path class=\"").raw(if count > DENSE { "line fine" } else { "line" });
    ink.raw("\" d=\"");
    for line in &lines {
        path(ink.raw("M"), line.iter().copied());
        if line.len() == 1 {
            ink.raw("h0");
        }
    }
    ink.raw("\"/>\n");
}

/// Areas between the values and the lower edge.
fn areas(ink: &mut Ink, class: &str, pieces: &[Piece]) {
    if pieces.iter().all(|piece| piece.lower.is_empty()) {
        return;
    }
    ink.raw("<path class=\"").raw(class).raw("\" d=\"");
    for Piece { upper, lower } in pieces {
        let (upper, lower) = (thin(upper.iter().copied()), thin(lower.iter().copied()));
        path(ink.raw("M"), upper.into_iter().chain(lower.into_iter().rev()));
        ink.raw("Z");
    }
    ink.raw("\"/>\n");
}

/// Dots at the values, no two on the same pixel; on a line they stand out from it.
fn dots(ink: &mut Ink, pieces: &[Piece], on_line: bool, rings: bool) {
    let mut seen = BTreeSet::new();
    let mut dots: Vec<Point> = pieces.iter().flat_map(|piece| piece.upper.clone()).collect();
    dots.retain(|(x, y)| seen.insert((x.round() as i64, y.round() as i64)));
    let class = match dots.len() {
        0 => return,
        1..=60 => "dots",
        61..=1000 => "dots small",
        _ => "dots tiny",
    };
    let mut places = Ink::default();
    for dot in &dots {
        // A line without length, whose round ends make the dot: the shortest way to write one.
        places.raw("M").point(*dot).raw("h0");
    }
    let places = places.into_text();
    let few = dots.len() <= 60;
    for (class, wanted) in [("halo", on_line && few), (class, true), ("core", rings && few)] {
        if wanted {
            ink.raw("<path class=\"").raw(class).raw("\" d=\"").raw(&places).raw("\"/>\n");
        }
    }
}

/// Points of a path; what follows the first is joined by lines.
fn path(ink: &mut Ink, points: impl Iterator<Item = Point>) {
    for (index, point) in points.enumerate() {
        if index > 0 {
            ink.raw(" ");
        }
        ink.point(point);
    }
}
