//! Experiments 1 to 3: a bulk flow for 1000 s, alone, beside a ping, and beside a light flow.
//!
//! Table 1 says that it is about the bulk flow alone. But its RTT is what the ping of experiment 2
//! measures, and its goodput what reaches the server there, pings included: a ping every 10 ms
//! makes every second frame in the buffer a small one. So experiment 2, which the paper only
//! draws, is set beside table 1 too.

use results::ReproductionRow;
use units::Rate;

use super::Table;
use super::judge::{Figure, Reason, agrees, differs, impossible};
use super::paper::{Bulk, Pair, TABLE_1, TABLE_2, TABLE_3};
use super::run::{EXPERIMENT_1, EXPERIMENT_2, EXPERIMENT_3, Measured, Run};
use super::wire::{MSS, Wire};

/// The paper says too little about these experiments for more than their shape.
const SHAPE: f64 = 0.1;
/// The share of variance that a straight line explains in what we call linear.
const LINEAR: f64 = 0.98;

/// Half a megabit a second.
pub(super) fn table_1() -> Table {
    let run = |row: &Bulk| Run::of(EXPERIMENT_1).buffer(row.buffer).watched();
    let judge: fn(&[Measured]) -> _ = |ours| bulk_rows("Table 1", 500_000, &TABLE_1, ours);
    Table { runs: TABLE_1.iter().map(run).collect(), judge }
}

/// A tenth of a megabit a second.
pub(super) fn table_2() -> Table {
    let run = |row: &Bulk| Run::of(EXPERIMENT_1).rate(rate(100_000)).buffer(row.buffer).watched();
    let judge: fn(&[Measured]) -> _ = |ours| bulk_rows("Table 2", 100_000, &TABLE_2, ours);
    Table { runs: TABLE_2.iter().map(run).collect(), judge }
}

/// A ping beside the bulk flow.
pub(super) fn experiment_2() -> Table {
    let run = |row: &Bulk| Run::of(EXPERIMENT_2).buffer(row.buffer);
    Table { runs: TABLE_1.iter().map(run).collect(), judge: ping_rows }
}

/// A light flow beside the bulk flow.
pub(super) fn table_3() -> Table {
    let run = |row: &Pair| Run::of(EXPERIMENT_3).buffer(row.buffer);
    Table { runs: TABLE_3.iter().map(run).collect(), judge: pair_rows }
}

fn rate(bits: u64) -> Rate {
    Rate::from_bits_per_sec(bits).unwrap_or(Rate::from_mbit(1))
}

fn bulk_rows(table: &str, bits: u64, paper: &[Bulk], ours: &[Measured]) -> Vec<ReproductionRow> {
    let wire = Wire { bottleneck: rate(bits) };
    let mut rows = Vec::new();
    for (paper, ours) in paper.iter().zip(ours) {
        let name = frames(paper.buffer);
        let figure =
            |metric, unit, paper, ours| Figure { table, row: &name, metric, unit, paper, ours };
        let most = wire.largest_goodput();
        rows.push(figure("goodput", "B/s", Some(paper.goodput), ours.bulk).within(SHAPE, || {
            differs(format!("the wire carries at most {most:.0} B/s in segments of 536 bytes"))
        }));
        rows.push(
            figure("mean RTT of a segment", "s", Some(paper.rtt), ours.rtt)
                .within(SHAPE, || rtt_reason(paper, ours, wire)),
        );
        rows.push(
            figure("drops", "packets", Some(paper.drops), Some(ours.drops))
                .within(SHAPE, || drops_reason(paper, wire)),
        );
    }
    let read: Vec<_> =
        paper.iter().map(|row| (f64::from(row.buffer), read_rtt(row, wire))).collect();
    let found: Vec<_> = paper
        .iter()
        .zip(ours)
        .filter_map(|(paper, ours)| Some((f64::from(paper.buffer), ours.rtt?)))
        .collect();
    let flat = spread(paper.iter().map(|row| row.goodput));
    rows.push(goodput_is_flat(table, flat, spread(ours.iter().filter_map(|ours| ours.bulk))));
    rows.extend(line_rows(table, "segment", wire, line(&read), line(&found)));
    rows
}

/// Why a mean round trip is not the paper's.
fn rtt_reason(paper: &Bulk, ours: &Measured, wire: Wire) -> Reason {
    let base = wire.base_rtt(MSS);
    let full = f64::from(paper.buffer + 1) * wire.frame_time(MSS) + base;
    if paper.rtt < base {
        let (read, frame) = (read_rtt(paper, wire), wire.frame_time(MSS) * 1e3);
        let off = ours.rtt.map_or(0.0, |ours| (ours / read - 1.0) * 100.0);
        return impossible(format!(
            "one frame alone takes {frame:.2} ms on the bottleneck and the round trip {:.1} ms \
             without any queue; read as {read:.3}, which slipped a digit, ours is off by {off:.0} %",
            base * 1e3
        ));
    }
    differs(format!(
        "Reno halves its window when the buffer is full, which here is a round trip of {full:.3} s, \
         and so has three quarters of that on average; {} s is {:.0} % of it: see experiment 2",
        paper.rtt,
        paper.rtt / full * 100.0
    ))
}

/// Why a number of losses is not the paper's: does Reno lose as many at the row's own rate and
/// round trip?
fn drops_reason(paper: &Bulk, wire: Wire) -> Reason {
    /// How often the expected number still passes for Reno.
    const GENEROUS: f64 = 5.0;
    const SECONDS: f64 = 1000.0;
    let packets = paper.goodput * SECONDS / MSS.0 as f64;
    let window = paper.goodput * read_rtt(paper, wire) / MSS.0 as f64;
    // Mathis et al. 1997, without delayed ACKs: the window is sqrt(1.5 / p).
    let steady = packets * 1.5 / (window * window);
    let overshoot = f64::from(paper.buffer) + wire.base_rtt(MSS) / wire.frame_time(MSS);
    let expected = steady + overshoot;
    if paper.drops > GENEROUS * expected {
        return impossible(format!(
            "at this row's goodput and RTT the window is {window:.1} segments, so Reno loses 1.5 of \
             {:.0}: {steady:.0} in 1000 s, and {overshoot:.0} more when the first slow start \
             overshoots; {} is {:.0} times as many",
            window * window,
            paper.drops,
            paper.drops / expected
        ));
    }
    differs("how often the buffer overflows hangs on the first slow start")
}

/// The paper's round trip; one that is shorter than possible with its decimal point put right.
fn read_rtt(row: &Bulk, wire: Wire) -> f64 {
    if row.rtt < wire.base_rtt(MSS) { row.rtt * 10.0 } else { row.rtt }
}

fn ping_rows(ours: &[Measured]) -> Vec<ReproductionRow> {
    const TABLE: &str = "Experiment 2, beside table 1";
    let wire = Wire { bottleneck: rate(500_000) };
    let mut rows = Vec::new();
    for (paper, ours) in TABLE_1.iter().zip(ours) {
        let name = frames(paper.buffer);
        let figure = |metric, unit, paper, ours| Figure {
            table: TABLE,
            row: &name,
            metric,
            unit,
            paper,
            ours,
        };
        rows.push(
            figure("goodput with pings", "B/s", Some(paper.goodput), with_pings(ours))
                .within(SHAPE, || differs("the pings take a seventh of the wire")),
        );
        rows.push(figure("mean RTT of a ping", "s", Some(paper.rtt), ping(ours)).within(
            SHAPE,
            || {
                differs(
                    "in a small buffer, how many pings find room hangs on how segments are spaced",
                )
            },
        ));
        rows.push(
            figure("drops", "packets", Some(paper.drops), Some(ours.drops))
                .within(SHAPE, || drops_reason(paper, wire)),
        );
    }
    let line = |rtt: &dyn Fn(usize) -> Option<f64>| {
        let point = |(at, row): (usize, &Bulk)| Some((f64::from(row.buffer), rtt(at)?));
        line(&TABLE_1.iter().enumerate().filter_map(point).collect::<Vec<_>>())
    };
    let found = line(&|at| ping(ours.get(at)?));
    let read = line(&|at| Some(TABLE_1.get(at)?.rtt));
    rows.extend(line_rows(TABLE, "ping", wire, read, found));
    rows
}

/// Payload that reaches the server, the pings' 56 bytes included, bytes a second.
fn with_pings(ours: &Measured) -> Option<f64> {
    const PING: f64 = 56.0;
    Some(ours.bulk? + ours.pings? * PING)
}

/// Seconds.
fn ping(ours: &Measured) -> Option<f64> {
    Some(ours.ping?.mean? / 1e3)
}

fn pair_rows(ours: &[Measured]) -> Vec<ReproductionRow> {
    const TABLE: &str = "Table 3";
    let mut rows = Vec::new();
    let first = ours.first().and_then(|ours| ours.light);
    for (paper, ours) in TABLE_3.iter().zip(ours) {
        let name = frames(paper.buffer);
        let figure = |metric, unit, paper, ours| Figure {
            table: TABLE,
            row: &name,
            metric,
            unit,
            paper,
            ours,
        };
        let change = first.zip(ours.light).map(|(first, now)| (now / first - 1.0) * 100.0);
        rows.push(
            figure("goodput, bulk", "B/s", Some(paper.bulk), ours.bulk)
                .within(SHAPE, || differs("the bulk flow takes what the light one leaves")),
        );
        rows.push(
            figure("goodput, light", "B/s", Some(paper.light), ours.light)
                .within(SHAPE, || light_reason(paper)),
        );
        let figure = figure("change, light", "%", Some(paper.change), change);
        let near = change.is_some_and(|change| (change - paper.change).abs() <= SHAPE * 100.0);
        rows.push(figure.with(match near {
            true => Reason { note: None, ..agrees("") },
            false => {
                differs("how early the light flow starves hangs on its window after each pause")
            }
        }));
    }
    let left = |first: Option<f64>, last: Option<f64>| Some(last? / first?);
    let figure = Figure {
        table: TABLE,
        row: "shape",
        metric: "light flow's goodput, 500 frames / 10",
        unit: "",
        paper: left(TABLE_3.first().map(|row| row.light), TABLE_3.last().map(|row| row.light)),
        ours: left(first, ours.last().and_then(|ours| ours.light)),
    };
    let starved = figure.ours.is_some_and(|left| left < 0.5);
    rows.push(figure.with(match starved {
        true => agrees("the light flow starves"),
        false => differs("the light flow keeps more than half"),
    }));
    rows
}

/// Why the light flow's goodput is not the paper's.
fn light_reason(paper: &Pair) -> Reason {
    const BATCH: f64 = 200_000.0;
    const OFFERED: f64 = 20_000.0;
    let batches = paper.light * 1000.0 / BATCH;
    if paper.light > 0.8 * OFFERED && batches.fract() == 0.0 {
        return impossible(format!(
            "200 KB every 10 s are {OFFERED:.0} B/s, and the wire has room for them; {} B/s are \
             exactly {batches:.0} of the 100 batches",
            paper.light
        ));
    }
    differs("how early the light flow starves hangs on its window after each pause")
}

/// Goodput hardly depends on the buffer.
fn goodput_is_flat(table: &str, paper: Option<f64>, ours: Option<f64>) -> ReproductionRow {
    let metric = "goodput, highest / lowest";
    Figure { table, row: "shape", metric, unit: "", paper, ours }
        .within(SHAPE, || differs("goodput depends on the buffer"))
}

/// A latency grows with the buffer along a straight line.
fn line_rows(table: &str, what: &str, wire: Wire, paper: Line, ours: Line) -> [ReproductionRow; 2] {
    let frame = wire.frame_time(MSS) * 1e3;
    let slope = format!("mean RTT of a {what} per frame");
    let straight = format!("mean RTT of a {what}, linearity r\u{b2}");
    let figure = |metric, unit, paper, ours| {
        let (paper, ours) = (Some(paper), Some(ours));
        Figure { table, row: "shape", metric, unit, paper, ours }
    };
    [
        figure(&slope, "ms", paper.slope * 1e3, ours.slope * 1e3).within(SHAPE, || {
            differs(format!(
                "a full frame takes {frame:.2} ms, and Reno keeps three quarters of the buffer full"
            ))
        }),
        figure(&straight, "", paper.fit, ours.fit).with(match ours.fit >= LINEAR {
            true => Reason { note: None, ..agrees("") },
            false => differs("not a straight line"),
        }),
    ]
}

/// A straight line through points, by least squares.
#[derive(Clone, Copy)]
struct Line {
    slope: f64,
    /// The share of the variance that it explains.
    fit: f64,
}

fn line(points: &[(f64, f64)]) -> Line {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    Line { slope: xy / xx, fit: xy * xy / (xx * yy) }
}

/// The highest over the lowest.
fn spread(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let highest = values.clone().reduce(f64::max)?;
    Some(highest / values.reduce(f64::min)?)
}

fn frames(buffer: u32) -> String {
    format!("buffer {buffer} frames")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_points() {
        let exact = line(&[(0.0, 1.0), (1.0, 3.0), (3.0, 7.0)]);
        assert!((exact.slope - 2.0).abs() < 1e-12 && (exact.fit - 1.0).abs() < 1e-12);
        // By hand: means 1 and 2/3, sums 2, 1 and 2/3.
        let rough = line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 1.0)]);
        assert!((rough.slope - 0.5).abs() < 1e-12 && (rough.fit - 0.75).abs() < 1e-12);
    }

    /// Fact sheet 13.2, anomalies 1 and 2.
    #[test]
    fn what_the_paper_must_have_got_wrong() {
        use results::Verdict::PaperCannotBeRight;
        let slow = Wire { bottleneck: rate(100_000) };
        assert!((read_rtt(&TABLE_2[0], slow) - 0.324).abs() < 1e-12);
        let fast = Wire { bottleneck: rate(500_000) };
        for row in &TABLE_1[..3] {
            assert_eq!(drops_reason(row, fast).verdict, PaperCannotBeRight, "{}", row.buffer);
        }
        for row in &TABLE_2[..3] {
            assert_eq!(drops_reason(row, slow).verdict, PaperCannotBeRight, "{}", row.buffer);
        }
        assert_eq!(light_reason(&TABLE_3[0]).verdict, PaperCannotBeRight);
    }
}
