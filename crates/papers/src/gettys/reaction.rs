//! The time that TCP takes to react, against the overbuffering of its path.
//!
//! The article: the time grows with the square, so ten times too much buffer makes it a hundred
//! times as long. Reno's window falls to a half and grows back by a segment a round trip; both its
//! size and the round trip grow with the sum of pipe and buffer. So its cycle is 3/8 m^2 B R, where
//! m is that sum over the bandwidth-delay product, B the product in segments and R the round trip
//! of the empty path. Pipe and buffer count together: a buffer of ten times the product is eleven
//! pipes full, and a buffer of one is two.

mod figures;
mod newcomer;

use report::Figure;
use results::ReproductionRow;
use units::Span;

use super::sawtooth::{cycle, peaks};
use super::seen::Look;
use super::{Claim, Found, Outcome, all, paper};
use crate::fit::exponent;
use crate::judge::{Place, differs};
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;
pub(super) use newcomer::newcomer;

const SAWTOOTH: File = paper_file!("gettys/sawtooth.toml");

/// Buffers in bandwidth-delay products. With the pipe the last is ten times the first.
const BUFFERS: [u32; 5] = [1, 2, 4, 10, 19];
/// The path's bandwidth-delay product in packets: 10 Mbit/s for 24 ms.
const PRODUCT: u32 = 20;
/// The round trip of the empty path in seconds: 24 ms and a packet's own 1.2 ms.
const BASE_RTT: f64 = 0.0252;
/// The sum of pipe and buffer over the pipe.
fn filled(buffer: u32) -> f64 {
    f64::from(1 + buffer)
}

/// Reno's cycle by the closed form, in seconds.
fn closed_form(buffer: u32) -> f64 {
    let held = BASE_RTT * 10e6 / 8.0 / 1500.0;
    0.375 * filled(buffer) * filled(buffer) * held * BASE_RTT
}

/// The queue with this buffer.
fn limit(buffer: u32) -> String {
    format!("pfifo limit {}", buffer * PRODUCT)
}

/// The claim about one connection: Reno's cycle and CUBIC's.
pub(super) fn sawtooth() -> Claim {
    /// The simulated time in Reno cycles, long enough for several of CUBIC's cycles too.
    const CYCLES: f64 = 8.0;
    const SHORTEST: f64 = 60.0;
    const STEPS: f64 = 4000.0;
    let look = |congestion: &'static str| {
        BUFFERS.map(|buffer| {
            let seconds = (CYCLES * closed_form(buffer)).max(SHORTEST).ceil();
            Look::at(SAWTOOTH, Span::from_secs_f64(seconds / STEPS))
                .set("duration", format!("{seconds}s"))
                .set("link.line.queue", limit(buffer))
                .set("flow.first.congestion", congestion)
        })
    };
    Claim { looks: [look("reno"), look("cubic")].into_iter().flatten().collect(), judge: teeth }
}

const TABLE: &str = "Reaction, quadratic";

fn teeth(seen: &[Outcome]) -> Found {
    let (reno, cubic) = seen.split_at(BUFFERS.len());
    let mut rows = Vec::new();
    let [reno_cycles, cubic_cycles] = [reno, cubic].map(cycles);
    for (buffer, cycle) in BUFFERS.iter().zip(&reno_cycles) {
        rows.extend(cycle.map(|cycle| tooth(*buffer, cycle)));
    }
    let reno_points = points(&reno_cycles);
    let cubic_points = points(&cubic_cycles);
    if let Some(points) = &reno_points {
        rows.extend(squares(points));
    }
    if let Some(points) = &cubic_points {
        let place = Place { table: TABLE, row: "CUBIC's cycle" };
        let row = place.figure("exponent", "", paper::EXPONENT, exponent(points));
        rows.push(row.noted(
            FigureKind::Exponent,
            "CUBIC needs the cube root of what its window lost, in seconds and not in round trips; \
             in small buffers it keeps up with Reno",
        ));
    }
    let mut figures: Vec<Figure> =
        all(reno).map(|seen| figures::teeth(&seen)).into_iter().collect();
    if let Some((reno, cubic)) = reno_points.zip(cubic_points) {
        figures.push(figures::cycles(&reno, &cubic));
    }
    Found { rows, figures }
}

fn cycles(seen: &[Outcome]) -> Vec<Option<f64>> {
    let cycle = |seen: &Outcome| {
        let seen = seen.as_ref()?;
        cycle(&peaks(seen.step(), &seen.flow("first")?.cwnd_segments.high))
    };
    seen.iter().map(cycle).collect()
}

/// Pairs of pipes full and seconds. `None` unless all cycles are known.
fn points(seconds: &[Option<f64>]) -> Option<Vec<(f64, f64)>> {
    BUFFERS
        .iter()
        .zip(seconds)
        .map(|(buffer, seconds)| Some((filled(*buffer), (*seconds)?)))
        .collect()
}

fn tooth(buffer: u32, cycle: f64) -> ReproductionRow {
    let name = format!("buffer {buffer} x BDP");
    let exact = closed_form(buffer);
    let note = format!("3/8 m^2 B R is {exact:.2} s; the loss is known a round trip late");
    Place { table: TABLE, row: &name }.figure("Reno's cycle", "s", None, cycle).by_formula(
        FigureKind::Approximate,
        exact,
        &note,
    )
}

fn squares(points: &[(f64, f64)]) -> Vec<ReproductionRow> {
    let cycle = |buffer: u32| {
        points.iter().find(|(at, _)| *at == filled(buffer)).map(|(_, seconds)| *seconds)
    };
    let times =
        |one: u32, other: u32| cycle(other).zip(cycle(one)).map(|(last, first)| last / first);
    let place = Place { table: TABLE, row: "Reno's cycle" };
    vec![
        place
            .figure("exponent", "", paper::EXPONENT, exponent(points))
            .within(FigureKind::Exponent, || differs("the cycle is not what the closed form has")),
        place
            .figure("20 x BDP held against 2 x", "", paper::TEN_TIMES, times(1, 19))
            .within(FigureKind::About, || differs("the cycle is not what the closed form has")),
        place.figure("buffer 10 x BDP against 1 x", "", paper::TEN_TIMES, times(1, 10)).noted(
            FigureKind::About,
            "it is pipe and buffer together that count: eleven against two, squared 30",
        ),
    ]
}
