//! Experiments 4 and 5: one connection for 180 s over 1 Mbit/s, by its window and by the buffer.
//!
//! The paper's RTT is a ping's: 28 ms is less than a full segment needs on these wires, and just
//! what 56 bytes of ICMP do. So a ping runs beside the connection, as it must have in the paper.

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
/// ... and a number of losses, which one more or less in each cycle changes, to this.
const DROPS: f64 = 0.15;
/// The paper gives mean queues of less than 30 frames in steps of half a frame.
const HALF_A_STEP: f64 = 0.25;

/// Windows from 300 to 100000 bytes, in a buffer of 100 frames.
pub(super) fn table_4() -> Table {
    let run = |row: &Row| Run::of(EXPERIMENTS_4_AND_5).buffer(100).window(row.setting).watched();
    Table { runs: TABLE_4.iter().map(run).collect(), judge: judge_windows }
}

/// Buffers from 1 to 100 frames, under a window of 100000 bytes.
pub(super) fn table_5() -> Table {
    let run =
        |row: &Row| Run::of(EXPERIMENTS_4_AND_5).window(100_000).buffer(row.setting).watched();
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
    let form = form(exact);
    let throughput = kbit(ours, exact.packet);
    vec![
        against(
            figure("throughput", "kbit/s", Some(paper.kbit), throughput),
            exact.kbit,
            &form,
            "",
        ),
        against(
            figure("mean RTT of a segment", "s", Some(paper.rtt), ours.rtt),
            exact.rtt,
            &form,
            "; over the paper's RTT its window would carry more than its throughput; see the ping",
        ),
        ping_row(figure("mean RTT of a ping", "s", Some(paper.rtt), ping(ours))),
        figure("drops", "packets", Some(paper.drops), Some(ours.drops))
            .within(0.0, || differs("a window that fits into the buffer loses nothing")),
        queue_row(figure("mean queue", "frames", Some(paper.queue), ours.queue)),
        against_queue(figure("mean queue over time", "frames", None, ours.standing_queue), exact),
    ]
}

/// A row in which losses decide.
fn varying_rows(table: &str, name: &str, paper: &Row, ours: &Measured) -> Vec<ReproductionRow> {
    let figure = |metric, unit, paper, ours| Figure { table, row: name, metric, unit, paper, ours };
    let throughput = kbit(ours, MSS + HEADERS);
    vec![
        figure("throughput", "kbit/s", Some(paper.kbit), throughput)
            .within(MEAN, || differs("hangs on how the sender spaces its segments")),
        ping_row(figure("mean RTT of a ping", "s", Some(paper.rtt), ping(ours))),
        figure("drops", "packets", Some(paper.drops), Some(ours.drops))
            .within(DROPS, || drops_reason(paper)),
        queue_row(figure("mean queue", "frames", Some(paper.queue), ours.queue)),
    ]
}

/// The new payload in packets of this size, as IP counts them, kbit/s.
fn kbit(ours: &Measured, packet: Bytes) -> Option<f64> {
    let payload = packet - HEADERS;
    Some(ours.bulk? * packet.0 as f64 / payload.0 as f64 * 8e-3)
}

/// Seconds.
fn ping(ours: &Measured) -> Option<f64> {
    Some(ours.ping?.mean? / 1e3)
}

fn ping_row(figure: Figure<'_>) -> ReproductionRow {
    figure.within(MEAN, || {
        differs("a ping waits for the segments that happen to be before it, which hangs on their spacing")
    })
}

fn queue_row(figure: Figure<'_>) -> ReproductionRow {
    figure.near(MEAN, HALF_A_STEP, || {
        differs("both are means over the changes of the queue; the paper's sender spaces its segments otherwise")
    })
}

/// Why a number of losses is not the paper's.
fn drops_reason(paper: &Row) -> Reason {
    differs(match paper.setting {
        0..4 => "the paper's sender loses more often in a buffer this small",
        _ => {
            "the first slow start makes most of the losses: the paper's ends at 65535 bytes \
             (RFC 2001), ours where the buffer overflows"
        }
    })
}

/// The closed form in words.
fn form(exact: &Steady) -> String {
    let Steady { segments, packet, rtt, kbit, queue } = exact;
    let (packet, rtt) = (packet.0, rtt * 1e3);
    format!(
        "exact: {segments} x {packet} bytes in {rtt:.2} ms, {kbit:.1} kbit/s, {queue:.2} frames wait"
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

/// A queue's exact value, or none at all but for what the pings make.
fn against_queue(figure: Figure<'_>, exact: &Steady) -> ReproductionRow {
    /// A ping a second waits for one frame at most, or makes one wait.
    const PINGS: f64 = 0.02;
    let off = figure.ours.map(|ours| (ours - exact.queue).abs());
    let near = off.is_some_and(|off| off <= EXACT * exact.queue + PINGS);
    figure.with(if near { agrees(form(exact)) } else { differs(form(exact)) })
}
