//! Experiments 1 and 2: a bulk flow for 1000 s through buffers of several sizes, alone and beside a
//! ping every 10 ms.
//!
//! Table 1 claims to be about the bulk flow alone. But from 50 frames on, its RTT is that which the
//! ping of experiment 2 measures. Every second frame in the buffer is then a small one, so that the
//! buffer empties almost twice as fast. Therefore experiment 2, for which the paper has figures
//! only, is also compared with table 1.

use results::ReproductionRow;
use units::{Rate, Span};

use super::paper::{Bulk, TABLE_1, TABLE_2};
use super::run::{EXPERIMENT_1, EXPERIMENT_2, Measured, Run};
use super::shape::linear;
use super::wire::{MSS, Wire};
use super::{PaperTable, all, complete, figures};
use crate::judge::{Place, Reason, differs, impossible};
use crate::tolerance::FigureKind;

const FAST: Wire = Wire::of(Rate::from_bits_per_sec(500_000));
const SLOW: Wire = Wire::of(Rate::from_bits_per_sec(100_000));

/// Table 1: the bulk flow alone, 0.5 Mbit/s.
pub(super) fn table_1() -> PaperTable {
    let run = |row: &Bulk| Run::of(EXPERIMENT_1).buffer(row.buffer).watched();
    let judge: fn(&[Option<Measured>]) -> _ = |ours| alone("Table 1", FAST, &TABLE_1, ours);
    PaperTable { runs: TABLE_1.iter().map(run).collect(), judge, draw: figures::table_1 }
}

/// Table 2: the bulk flow alone, 0.1 Mbit/s.
pub(super) fn table_2() -> PaperTable {
    let run = |row: &Bulk| Run::of(EXPERIMENT_1).rate(SLOW.bottleneck).buffer(row.buffer).watched();
    let judge: fn(&[Option<Measured>]) -> _ = |ours| alone("Table 2", SLOW, &TABLE_2, ours);
    PaperTable { runs: TABLE_2.iter().map(run).collect(), judge, draw: figures::table_2 }
}

/// Experiment 2: a ping beside the bulk flow, 0.5 Mbit/s.
pub(super) fn experiment_2() -> PaperTable {
    const STEP: Span = Span::from_secs(1);
    let run = |row: &Bulk| Run::of(EXPERIMENT_2).buffer(row.buffer).over_time(STEP);
    let draw = figures::experiment_2;
    PaperTable { runs: TABLE_1.iter().map(run).collect(), judge: beside_ping, draw }
}

fn alone(
    table: &str,
    wire: Wire,
    paper: &[Bulk],
    ours: &[Option<Measured>],
) -> Vec<ReproductionRow> {
    let mut rows = Vec::new();
    for (paper, ours) in complete(paper, ours) {
        let name = format!("buffer {} frames", paper.buffer);
        let place = Place { table, row: &name };
        let most = wire.largest_goodput();
        rows.extend([
            place
                .figure("goodput", "B/s", paper.goodput, ours.bulk)
                .within(FigureKind::Approximate, || {
                    differs(format!("the wire carries at most {most:.0} B/s in full segments"))
                }),
            place
                .figure("mean RTT of a segment", "s", paper.rtt, ours.rtt)
                .within(FigureKind::Approximate, || rtt_reason(paper, ours, wire)),
            place
                .figure("drops", "packets", paper.drops, ours.drops)
                .within(FigureKind::Count, || drops_reason(paper, wire)),
        ]);
        rows.extend(longest(place, paper, ours, wire));
    }
    let Some(ours) = all(ours) else { return rows };
    rows.push(change(table, "goodput", paper, &ours, |ours| ours.bulk));
    let read = points(paper, |index| Some(read_rtt(paper.get(index)?, wire)));
    let found = points(paper, |index| ours.get(index)?.rtt);
    let slope = "a full frame takes its time, and Reno keeps the buffer three quarters full; \
                 small frames take less: see experiment 2";
    let bent = "the window grows by a segment a round trip, and does not fill 500 frames in 1000 s";
    rows.extend(linear(table, &read, &found, [slope, bent]));
    rows
}

/// The row for the round trip of a segment in the last place of a full buffer; `None` if the buffer
/// was never full.
fn longest(place: Place<'_>, paper: &Bulk, ours: &Measured, wire: Wire) -> Option<ReproductionRow> {
    // A buffer without losses was never full.
    let full = ours.drops > 0.0 || ours.longest.is_none();
    let most = wire.base_rtt(MSS) + f64::from(paper.buffer) * wire.frame_time(MSS);
    let least = most - wire.frame_time(MSS);
    let between = ours.longest.is_some_and(|longest| (least..=most).contains(&longest));
    full.then(|| {
        let note = format!(
            "{} frames and an idle round trip make {most:.3} s, less what is sent of the frame on the \
             wire",
            paper.buffer
        );
        place.figure("longest RTT when full", "s", None, ours.longest).in_words(between, &note)
    })
}

/// The row for a column's change from the smallest buffer to the largest, in per cent.
fn change(
    table: &str,
    what: &str,
    paper: &[Bulk],
    ours: &[&Measured],
    of: fn(&Measured) -> Option<f64>,
) -> ReproductionRow {
    let per_cent = |first: Option<f64>, last: Option<f64>| Some((last? / first? - 1.0) * 100.0);
    let paper = per_cent(paper.first().map(|row| row.goodput), paper.last().map(|row| row.goodput));
    let found = per_cent(ours.first().and_then(|row| of(row)), ours.last().and_then(|row| of(row)));
    let metric = format!("{what}, 10 to 500 frames");
    Place { table, row: "shape" }
        .figure(&metric, "%", paper, found)
        .within(FigureKind::Effect, || differs(FLAT))
}

const FLAT: &str = "the wire is hardly ever idle here, in any of these buffers, so there is nothing to \
                    lose; the paper does not say what its larger buffers lose";

fn beside_ping(ours: &[Option<Measured>]) -> Vec<ReproductionRow> {
    let table = "Experiment 2, beside table 1";
    let mut rows = Vec::new();
    for (paper, ours) in complete(&TABLE_1, ours) {
        let name = format!("buffer {} frames", paper.buffer);
        let place = Place { table, row: &name };
        rows.extend([
            place
                .figure("goodput with pings", "B/s", paper.goodput, with_pings(ours))
                .within(FigureKind::Approximate, || {
                    differs("the pings take a seventh of the wire")
                }),
            place
                .figure("mean RTT of a ping", "s", paper.rtt, ours.ping)
                .within(FigureKind::Approximate, || differs(PLACES)),
            place
                .figure("drops", "packets", paper.drops, ours.drops)
                .within(FigureKind::Count, || differs(LOST_PINGS)),
            place.figure("longest RTT of a ping", "s", None, ours.longest_ping).beyond(),
        ]);
    }
    let Some(ours) = all(ours) else { return rows };
    rows.push(change(table, "goodput", &TABLE_1, &ours, with_pings));
    let read = points(&TABLE_1, |index| Some(TABLE_1.get(index)?.rtt));
    let found = points(&TABLE_1, |index| ours.get(index)?.ping);
    let why = ["every second frame is a ping, and takes a sixth of the time", "not a line"];
    rows.extend(linear(table, &read, &found, why));
    rows
}

const PLACES: &str = "a ping takes a place in the buffer from a segment that is six times as long, \
                      and in a small buffer pings take most places; with one ping a second instead \
                      of a hundred ours is longer than the paper's";
const LOST_PINGS: &str = "a hundred pings a second are sent, and lost pings count as drops; how many \
                          are lost changes with the ping's interval, but never to the paper's number";

/// Points of a value against the buffer of each row.
fn points(rows: &[Bulk], value: impl Fn(usize) -> Option<f64>) -> Vec<(f64, f64)> {
    let point = |(index, row): (usize, &Bulk)| Some((f64::from(row.buffer), value(index)?));
    rows.iter().enumerate().filter_map(point).collect()
}

/// The payload that reaches the server, including the pings' 56 bytes, in bytes a second.
fn with_pings(ours: &Measured) -> Option<f64> {
    const PING: f64 = 56.0;
    Some(ours.bulk? + ours.pings? * PING)
}

/// The reason why a mean round trip differs from the paper's.
fn rtt_reason(paper: &Bulk, ours: &Measured, wire: Wire) -> Reason {
    let (base, frame) = (wire.base_rtt(MSS), wire.frame_time(MSS));
    if paper.rtt < base {
        let read = read_rtt(paper, wire);
        let off = ours.rtt.map_or(0.0, |ours| (ours / read - 1.0) * 100.0);
        return impossible(format!(
            "one frame alone takes {:.2} ms on the bottleneck, and the round trip {:.1} ms without \
             any queue; read as {read:.3}, a digit slipped, ours is off by {off:.0} %",
            frame * 1e3,
            base * 1e3
        ));
    }
    let full = f64::from(paper.buffer) * frame + base;
    differs(format!(
        "a full buffer makes a round trip of {full:.2} s, and Reno, which halves its window then, \
         three quarters of that on average; the paper has {:.0} %{}",
        paper.rtt / full * 100.0,
        if wire.bottleneck == FAST.bottleneck { ": a ping's, see experiment 2" } else { "" }
    ))
}

/// The reason why a number of losses differs from the paper's, which depends on the losses that
/// Reno has at the row's own rate and round trip.
fn drops_reason(paper: &Bulk, wire: Wire) -> Reason {
    /// The most by which a number of losses may exceed the expected one and still pass for Reno's.
    const GENEROUS: f64 = 5.0;
    const SECONDS: f64 = 1000.0;
    let packets = paper.goodput * SECONDS / MSS.0 as f64;
    let window = paper.goodput * read_rtt(paper, wire) / MSS.0 as f64;
    // Mathis et al. 1997, without delayed ACKs: the window is sqrt(1.5 / p).
    let steady = packets * 1.5 / (window * window);
    let overshoot = f64::from(paper.buffer) + wire.base_rtt(MSS) / wire.frame_time(MSS);
    let times = paper.drops / (steady + overshoot);
    if times <= GENEROUS {
        return differs(NEVER_FULL);
    }
    differs(format!(
        "one Reno flow with this row's goodput and RTT has a window of {window:.1} segments, so it \
         loses {steady:.0} in 1000 s, and at most {overshoot:.0} in its first slow start; {} is \
         {times:.0} times that, so other packets must be among the paper's drops, as pings would be",
        paper.drops
    ))
}

const NEVER_FULL: &str = "a first slow start that ends at 65535 bytes (RFC 2001), as table 2 must have \
                          it for its 0 drops at 500 frames, does not fill 500 frames in 1000 s; one \
                          without end loses 500 at once";

/// The paper's round trip in seconds. One that is shorter than possible is multiplied by ten, as if
/// its decimal point had slipped.
fn read_rtt(row: &Bulk, wire: Wire) -> f64 {
    if row.rtt < wire.base_rtt(MSS) { row.rtt * 10.0 } else { row.rtt }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 2 of the paper has a slipped digit, and drops that one flow cannot have
    /// (docs/reproduce-gijsbers.md).
    #[test]
    fn figures_that_one_flow_cannot_have() {
        assert!((read_rtt(&TABLE_2[0], SLOW) - 0.324).abs() < 1e-12);
        for (table, wire) in [(&TABLE_1, FAST), (&TABLE_2, SLOW)] {
            let many = |row: &Bulk| {
                let place = Place { table: "", row: "" };
                let figure = place.figure("drops", "packets", row.drops, 1.0);
                let note = figure.with(FigureKind::Count, drops_reason(row, wire)).note;
                note.is_some_and(|note| note.contains("times that"))
            };
            let found: Vec<bool> = table.iter().map(many).collect();
            assert_eq!(found, [true, true, true, false]);
        }
    }
}
