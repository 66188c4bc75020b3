//! Experiments 4 and 5: one connection for 180 s over 1 Mbit/s, by its window and by the buffer.

use results::ReproductionRow;
use units::{Bytes, Rate};

use super::Table;
use super::judge::{Figure, Reason, agrees, differs, impossible};
use super::paper::{Row, TABLE_4, TABLE_5};
use super::run::{EXPERIMENTS_4_AND_5, Measured, Run};
use super::wire::{HEADERS, MSS, Steady, Wire};

const WIRE: Wire = Wire { bottleneck: Rate::from_mbit(1) };

/// What the closed form says is met to this part.
const EXACT: f64 = 0.03;
/// What hangs on the TCP of one simulator is met to this part, ...
const MEAN: f64 = 0.05;
/// ... and a number of losses, which a single one more or less in each cycle changes, to this.
const DROPS: f64 = 0.2;

/// Windows from 300 to 100000 bytes, in a buffer of 100 frames.
pub(super) fn table_4() -> Table {
    let run = |row: &Row| Run::of(EXPERIMENTS_4_AND_5).buffer(100).window(row.setting);
    Table { runs: TABLE_4.iter().map(run).collect(), judge: judge_windows }
}

/// Buffers from 1 to 100 frames, under a window of 100000 bytes.
pub(super) fn table_5() -> Table {
    let run = |row: &Row| Run::of(EXPERIMENTS_4_AND_5).window(100_000).buffer(row.setting);
    Table { runs: TABLE_5.iter().map(run).collect(), judge: judge_buffers }
}

fn judge_windows(measured: &[Measured]) -> Vec<ReproductionRow> {
    let mut rows = Vec::new();
    for (paper, ours) in TABLE_4.iter().zip(measured) {
        let name = format!("window {} B", paper.setting);
        let steady = WIRE.steady(Bytes(u64::from(paper.setting)));
        // A window that overflows the buffer does not stay as it is.
        if steady.queue < 100.0 {
            rows.extend(steady_rows(&name, paper, ours, &steady));
        } else {
            rows.extend(varying_rows("Table 4", &name, paper, ours));
        }
    }
    rows
}

fn judge_buffers(measured: &[Measured]) -> Vec<ReproductionRow> {
    let row = |(paper, ours): (&Row, &Measured)| {
        let frames = if paper.setting == 1 { "frame" } else { "frames" };
        varying_rows("Table 5", &format!("buffer {} {frames}", paper.setting), paper, ours)
    };
    TABLE_5.iter().zip(measured).flat_map(row).collect()
}

/// A row for which there is an exact value.
fn steady_rows(name: &str, paper: &Row, ours: &Measured, exact: &Steady) -> Vec<ReproductionRow> {
    let figure = |metric, unit, paper, ours| Figure {
        table: "Table 4",
        row: name,
        metric,
        unit,
        paper,
        ours,
    };
    let kbit = figure("throughput", "kbit/s", Some(paper.kbit), ours.kbit);
    let rtt = figure("mean RTT", "s", Some(paper.rtt), ours.rtt);
    let queue = figure("mean queue", "frames", Some(paper.queue), ours.queue);
    let standing = figure("mean queue over time", "frames", None, ours.standing_queue);
    let off_by = |ours: Option<f64>, exact: f64, slack: f64| {
        ours.is_none_or(|ours| (ours - exact).abs() > EXACT * exact + slack)
    };
    let form = form(exact);
    vec![
        against(kbit, exact.kbit, &form, ""),
        against(rtt, exact.rtt, &form, &in_flight(paper, exact)),
        figure("drops", "packets", Some(paper.drops), Some(ours.drops))
            .within(0.0, || differs("a window that fits into the buffer loses nothing")),
        queue.within(EXACT, || differs("counted at each packet that joins or leaves")),
        // The first packets meet no queue yet.
        standing.with(match off_by(ours.standing_queue, exact.queue, 0.01) {
            false => agrees(form),
            true => differs(form),
        }),
    ]
}

/// The closed form in words.
fn form(exact: &Steady) -> String {
    let Steady { segments, packet, rtt, kbit, queue } = exact;
    format!(
        "exact: {segments} x {} bytes in flight, RTT {:.2} ms, {kbit:.1} kbit/s, {queue:.2} frames wait",
        packet.0,
        rtt * 1e3
    )
}

/// What the row's own window and round trip would carry.
fn in_flight(paper: &Row, exact: &Steady) -> String {
    let kbit = exact.segments as f64 * exact.packet.0 as f64 * 8e-3 / paper.rtt;
    format!(
        "; the window over the paper's RTT would be {kbit:.0} kbit/s, not the {} of its own row",
        paper.kbit
    )
}

/// Ours must meet the exact value; where the paper's does not, it is the paper.
fn against(figure: Figure<'_>, exact: f64, form: &str, why: &str) -> ReproductionRow {
    let near = |value: Option<f64>| value.is_some_and(|v| (v - exact).abs() <= EXACT * exact);
    let reason: Reason = match (near(figure.ours), near(figure.paper)) {
        (true, true) => agrees(form),
        (true, false) => impossible(format!("{form}{why}")),
        (false, _) => differs(form),
    };
    figure.with(reason)
}

/// A row in which losses decide.
fn varying_rows(table: &str, name: &str, paper: &Row, ours: &Measured) -> Vec<ReproductionRow> {
    let figure = |metric, unit, paper, ours| Figure { table, row: name, metric, unit, paper, ours };
    let base = WIRE.base_rtt(MSS);
    vec![
        figure("throughput", "kbit/s", Some(paper.kbit), ours.kbit)
            .within(MEAN, || differs("hangs on how the sender spaces its segments")),
        figure("mean RTT", "s", Some(paper.rtt), ours.rtt).within(MEAN, || {
            if paper.rtt < base {
                let bytes = (MSS + HEADERS).0;
                let base = base * 1e3;
                impossible(format!(
                    "{bytes} bytes and their ACK need {base:.2} ms without any queue"
                ))
            } else {
                differs("the mean over one segment at a time")
            }
        }),
        figure("drops", "packets", Some(paper.drops), Some(ours.drops))
            .within(DROPS, || differs("the number of losses hangs on the details of recovery")),
        figure("mean queue", "frames", Some(paper.queue), ours.queue)
            .within(MEAN, || differs("counted at each packet that joins or leaves")),
    ]
}
