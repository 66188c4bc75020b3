//! Netalyzr's scatter plot of rates and buffers: many lines, each measured with Netalyzr's method.
//!
//! The article shows the results of 130,000 sessions. Their lines cannot be repeated, but the
//! method can. It finds a buffer that its flood fills in time, and underestimates a deeper one.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;
use units::Span;

use super::buffers::{FLOOD, inferred};
use super::draw::curve;
use super::seen::Look;
use super::{Claim, Found, Outcome};
use crate::judge::Place;
use crate::tolerance::FigureKind;

const STEP: Span = Span::from_millis(100);

/// Rates of the lines, kbit/s, and their buffers, kB.
const RATES: [u32; 5] = [500, 1_000, 3_000, 8_000, 16_000];
const BUFFERS: [u32; 4] = [32, 128, 256, 1_024];
/// The time from the flood's start to the measurement, in seconds: `flood.toml`.
const FLOODED: f64 = 9.0;

pub(super) fn claim() -> Claim {
    let look = |(kbit, kilobytes): (u32, u32)| {
        Look::at(FLOOD, STEP)
            .set("link.line.rate", format!("{kbit}kbit"))
            .set("link.line.queue", format!("bfifo limit {kilobytes}kB"))
            .set("flow.flood.rate", format!("{}kbit", 2 * kbit))
    };
    Claim { looks: lines().map(look).collect(), judge }
}

fn lines() -> impl Iterator<Item = (u32, u32)> {
    RATES.into_iter().flat_map(|kbit| BUFFERS.map(|kilobytes| (kbit, kilobytes)))
}

/// A line's rate in kbit/s, its buffer in kB, and the buffer that was found, in kB.
type Line = (u32, u32, f64);

fn judge(seen: &[Outcome]) -> Found {
    let measured = |((kbit, kilobytes), seen): ((u32, u32), &Outcome)| {
        Some((kbit, kilobytes, inferred(seen.as_ref()?)?))
    };
    let Some(points) = lines().zip(seen).map(measured).collect::<Option<Vec<Line>>>() else {
        return Found::default();
    };
    Found { rows: rows(&points), figures: vec![draw(&points)] }
}

fn rows(points: &[Line]) -> Vec<ReproductionRow> {
    // The flood has twice the line's rate, so the buffer fills at the line's rate; a ping behind it
    // needs the same time again.
    let filled = |(kbit, kilobytes, _): &&Line| {
        2.0 * f64::from(*kilobytes) * 8.0 / f64::from(*kbit) <= FLOODED
    };
    let ratio = |(_, kilobytes, found): &Line| found / f64::from(*kilobytes);
    let table = "Netalyzr, twenty lines";
    let shallow = Place { table, row: "filled in time" };
    let deep = Place { table, row: "too deep to fill in time" };
    let within = || points.iter().filter(filled).map(ratio);
    let beyond = points.iter().filter(|point| !filled(point)).map(ratio).reduce(f64::max);
    let whole = "what is found is the buffer, at each rate";
    vec![
        shallow.figure("found over true, least", "", None, within().reduce(f64::min)).by_formula(
            FigureKind::ClosedForm,
            1.0,
            whole,
        ),
        shallow.figure("found over true, most", "", None, within().reduce(f64::max)).by_formula(
            FigureKind::ClosedForm,
            1.0,
            whole,
        ),
        deep.figure("found over true, most", "", 1.0, beyond)
            .below("a lower bound: a flood of some seconds cannot fill the deepest buffers"),
    ]
}

fn draw(points: &[Line]) -> Figure {
    let delay = |name: &str, seconds: f64| {
        let ends = [500.0, 16_000.0].map(|kbit| (kbit / 1e3, Some(seconds * kbit / 8.0)));
        curve(name, Mark::Line, ends)
    };
    let at = |(kbit, _, found): &Line| (f64::from(*kbit) / 1e3, Some(*found));
    Figure {
        id: "gettys-netalyzr".into(),
        title: "Buffers as Netalyzr finds them".into(),
        explanation:
            "Each dot is a line: its rate, and the buffer that a flood of 14 s finds. Along a \
                      diagonal the delay is the same. For buffers that need longer than the flood \
                      to fill, the result is too small: these dots lie below their row."
                .into(),
        x: Axis::log("Rate", "Mbit/s"),
        y: Axis::log("Buffer found", "kB"),
        curves: vec![
            delay("0.1 s", 0.1),
            delay("1 s", 1.0),
            delay("10 s", 10.0),
            curve("found", Mark::Points, points.iter().map(at)),
        ],
    }
}
