//! The delay of a buffer of one size on lines of several rates.
//!
//! The article computes bytes over rate. A run shows in addition that a queue of that size does
//! fill completely, and its average backlog.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;
use units::Span;

use super::draw::curve;
use super::paper::{DYNAMIC_RANGE, FIBRE, FoundBuffer, NETALYZR};
use super::seen::{Look, Seen};
use super::upload::PAYLOAD;
use super::{Claim, Found, Outcome};
use crate::judge::{Place, differs};
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

const BUFFER: File = paper_file!("gettys/buffer.toml");
pub(super) const FLOOD: File = paper_file!("gettys/flood.toml");
const FIOS: File = paper_file!("gettys/fios.toml");
const STEP: Span = Span::from_millis(100);

pub(super) fn claim() -> Claim {
    let mut looks = Vec::new();
    for (mbit, _) in DYNAMIC_RANGE {
        looks.push(Look::at(BUFFER, STEP).set("link.line.rate", format!("{mbit}mbit")));
    }
    for FoundBuffer { kilobytes, mbit, .. } in NETALYZR {
        let look = Look::at(FLOOD, STEP)
            .set("link.line.rate", format!("{mbit}mbit"))
            .set("link.line.queue", format!("bfifo limit {kilobytes}kB"))
            .set("flow.flood.rate", format!("{}mbit", 2 * mbit));
        looks.push(look);
    }
    looks.push(Look::at(FIOS, STEP));
    Claim { looks, judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let (lines, rest) = seen.split_at(DYNAMIC_RANGE.len());
    let (floods, fibre) = rest.split_at(NETALYZR.len());
    let mut rows = Vec::new();
    let mut points = Vec::new();
    for ((mbit, paper), seen) in DYNAMIC_RANGE.iter().zip(lines) {
        let Some(seen) = seen else { continue };
        rows.extend(dynamic_range(*mbit, *paper, seen));
        points.extend(longest_wait(seen).map(|wait| (f64::from(*mbit), wait)));
    }
    for (paper, seen) in NETALYZR.iter().zip(floods) {
        rows.extend(seen.iter().flat_map(|seen| netalyzr(*paper, seen)));
    }
    rows.extend(fibre.iter().flatten().flat_map(fiber_rows));
    let figures = if points.len() == DYNAMIC_RANGE.len() { vec![draw(points)] } else { Vec::new() };
    Found { rows, figures }
}

fn dynamic_range(mbit: u32, paper: f64, seen: &Seen) -> [ReproductionRow; 2] {
    let name = format!("256 packets at {mbit} Mbit/s");
    let place = Place { table: "Dynamic range", row: &name };
    let median = seen.document.links.get("line").and_then(|line| line.forward.sojourn_ms.p50);
    [
        place
            .figure("longest wait", "s", paper, longest_wait(seen))
            .within(FigureKind::ClosedForm, || differs("the queue did not fill")),
        place.figure("median wait", "s", None, median.map(|ms| ms / 1e3)).beyond(),
    ]
}

/// The longest sojourn, in seconds.
fn longest_wait(seen: &Seen) -> Option<f64> {
    Some(seen.document.links.get("line")?.forward.sojourn_ms.max? / 1e3)
}

fn netalyzr(paper: FoundBuffer, seen: &Seen) -> [ReproductionRow; 2] {
    let FoundBuffer { kilobytes, mbit, delay } = paper;
    let name = format!("{kilobytes} kB at {mbit} Mbit/s");
    let place = Place { table: "Netalyzr", row: &name };
    let rounded = "128 kB are 341 ms at 3 Mbit/s and 1.02 s at 1; 256 kB, the other step of his \
                   plot, are twice that and fit neither";
    [
        place.figure("added to a ping", "s", delay, added(seen)).noted(FigureKind::About, rounded),
        place
            .figure("buffer inferred", "kB", f64::from(kilobytes), inferred(seen))
            .noted(FigureKind::ClosedForm, "rate x (RTT loaded - RTT idle)"),
    ]
}

/// The delay that the flood adds to a ping, in seconds.
fn added(seen: &Seen) -> Option<f64> {
    let pings = &seen.flow("ping")?.rtt_ms.low;
    let idle = pings.iter().flatten().copied().reduce(f64::min)?;
    let loaded = seen.document.flows.get("ping")?.rtt_ms?.p50?;
    Some((loaded - idle) / 1e3)
}

/// The buffer as Netalyzr infers it, in kB: the rate times the delay that the flood adds.
/// `None` if either was not measured.
pub(super) fn inferred(seen: &Seen) -> Option<f64> {
    let rate = seen.document.links.get("line")?.forward.rate_mbit?;
    Some(added(seen)? * rate * 1e3 / 8.0)
}

/// The rows for the fibre line. The article does not give its rate; 250 KB in 200 ms are 10 Mbit/s,
/// which the run uses.
fn fiber_rows(seen: &Seen) -> [ReproductionRow; 2] {
    let (kilobytes, delay) = FIBRE;
    let place = Place { table: "FiOS, fibre", row: "225 kB, 10 Mbit/s" };
    let longest = seen.document.flows.get("ping").and_then(|ping| ping.rtt_ms?.max);
    let windows = seen.flow("upload").map(|flow| flow.cwnd_segments.high.as_slice());
    // Slow start's overshoot at the beginning is left out.
    let later = windows.unwrap_or(&[]).iter().skip(100).flatten();
    let window = later.copied().reduce(f64::max).map(|window| window * PAYLOAD / 1e3);
    let sum = "the rate is chosen so that his three numbers fit; that they do is all this shows";
    [
        place
            .figure("longest ping", "s", delay, longest.map(|ms| ms / 1e3))
            .noted(FigureKind::ClosedForm, sum),
        place.figure("largest window", "kB", kilobytes, window).noted(FigureKind::About, sum),
    ]
}

fn draw(points: Vec<(f64, f64)>) -> Figure {
    let mut points: Vec<_> = points.into_iter().map(|(mbit, wait)| (mbit, Some(wait))).collect();
    points.reverse();
    let sum = [1.0, 10.0, 100.0].map(|mbit| (mbit, Some(256.0 * 1500.0 * 8e-6 / mbit)));
    Figure {
        id: "gettys-range".into(),
        title: "The same 256 packets on lines of several rates".into(),
        explanation: "The longest wait in a buffer of 256 packets. A buffer that is right for one \
                      rate is a hundred times too large, or too small, for others."
            .into(),
        x: Axis::log("Rate", "Mbit/s"),
        y: Axis::log("Longest wait", "s"),
        curves: vec![
            curve("256 x 1500 bytes / rate", Mark::Line, sum),
            curve("measured", Mark::Points, points),
        ],
    }
}
