//! Throughput and delay against the data in flight: the curve with which the article begins. Up to
//! the path's capacity, more in flight brings more throughput and no delay; above it, more delay
//! and no throughput.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;
use units::Span;

use super::draw::curve;
use super::seen::{Look, Seen};
use super::upload::PAYLOAD;
use super::{Claim, Found, Outcome};
use crate::judge::Place;
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

const FILE: File = paper_file!("gettys/curve.toml");
const STEP: Span = Span::from_secs(1);

/// Windows, in segments. The path holds 21.
const WINDOWS: [u32; 6] = [5, 10, 21, 42, 84, 168];
/// The round trip of the idle path, and the time that a segment adds once the path is full, in
/// seconds.
const IDLE: f64 = 0.0252;
const SEGMENT: f64 = 0.0012;

pub(super) fn claim() -> Claim {
    let look = |window: u32| {
        let bytes = f64::from(window) * PAYLOAD;
        Look::at(FILE, STEP).set("flow.upload.receive_window", format!("{bytes}B"))
    };
    Claim { looks: WINDOWS.map(look).into(), judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let runs =
        || WINDOWS.iter().zip(seen).filter_map(|(window, seen)| Some((*window, seen.as_ref()?)));
    let rows: Vec<ReproductionRow> = runs().flat_map(|(window, seen)| rows(window, seen)).collect();
    let points: Option<Vec<_>> = runs()
        .map(|(window, seen)| Some((f64::from(window), throughput(seen)?, round_trip(seen)?)))
        .collect();
    let whole = points.filter(|points| points.len() == WINDOWS.len());
    Found { rows, figures: whole.map(|points| draw(&points)).into_iter().collect() }
}

fn rows(window: u32, seen: &Seen) -> [ReproductionRow; 2] {
    let name = format!("{window} segments in flight");
    let place = Place { table: "Throughput and delay, a path of 21 segments", row: &name };
    let rtt = IDLE.max(f64::from(window) * SEGMENT);
    let mbit = f64::from(window) * PAYLOAD * 8e-6 / rtt;
    [
        place.figure("throughput", "Mbit/s", None, throughput(seen)).by_formula(
            FigureKind::ClosedForm,
            mbit,
            "the window a round trip, up to what the line carries",
        ),
        place.figure("round trip", "s", None, round_trip(seen)).by_formula(
            FigureKind::ClosedForm,
            rtt,
            "the idle path's, and from 21 segments on the time that the line needs for all of them",
        ),
    ]
}

/// The upload's goodput in Mbit/s.
fn throughput(seen: &Seen) -> Option<f64> {
    seen.document.flows.get("upload")?.goodput_mbit
}

/// The upload's median round trip in seconds.
fn round_trip(seen: &Seen) -> Option<f64> {
    Some(seen.document.flows.get("upload")?.rtt_ms?.p50? / 1e3)
}

fn draw(points: &[(f64, f64, f64)]) -> Figure {
    let most = points.iter().map(|(_, mbit, _)| *mbit).fold(f64::MIN_POSITIVE, f64::max);
    Figure {
        id: "gettys-1-curve".into(),
        title: "Throughput and delay against what is in flight".into(),
        explanation:
            "The throughput as a part of the most, and the round trip as a multiple of the idle \
                      one. Up to 21 segments, which the path holds, more data in flight is more \
                      throughput; beyond that it is only more delay."
                .into(),
        x: Axis::log("In flight", "segments"),
        y: Axis::linear("Throughput, and round trip", "times"),
        curves: vec![
            curve(
                "throughput over the most",
                Mark::LinePoints,
                points.iter().map(|(window, mbit, _)| (*window, Some(mbit / most))),
            ),
            curve(
                "round trip over the idle one",
                Mark::LinePoints,
                points.iter().map(|(window, _, rtt)| (*window, Some(rtt / IDLE))),
            ),
        ],
    }
}
