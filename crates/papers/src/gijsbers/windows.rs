//! Experiments 4 and 5: one connection for 180 s over 1 Mbit/s, with several windows and several
//! buffers.
//!
//! The paper's RTT is a ping's: 28 ms is less than a full segment needs on these wires, and exactly
//! the time that 56 bytes of ICMP need. Therefore a ping runs beside the connection, as it must
//! have in the paper. The drops agree only if lost pings count too.

use results::ReproductionRow;
use units::{Bytes, Rate};

use super::paper::{Row, TABLE_4, TABLE_5};
use super::run::{EXPERIMENTS_4_AND_5, Measured, Run};
use super::throughput::kbit;
use super::wire::{HEADERS, MSS, Steady, Wire};
use super::{PaperTable, complete, figures};
use crate::judge::{Figure, Place, Reason, agrees, differs, impossible};
use crate::tolerance::FigureKind;

const WIRE: Wire = Wire { bottleneck: Rate::from_mbit(1) };

/// Table 4: windows from 300 to 100000 bytes, in a buffer of 100 frames.
pub(super) fn table_4() -> PaperTable {
    let run = |row: &Row| Run::of(EXPERIMENTS_4_AND_5).buffer(100).window(row.setting).watched();
    PaperTable {
        runs: TABLE_4.iter().map(run).collect(),
        judge: judge_windows,
        draw: figures::table_4,
    }
}

/// Table 5: buffers from 1 to 100 frames, with a window of 100000 bytes.
pub(super) fn table_5() -> PaperTable {
    let run =
        |row: &Row| Run::of(EXPERIMENTS_4_AND_5).window(100_000).buffer(row.setting).watched();
    PaperTable {
        runs: TABLE_5.iter().map(run).collect(),
        judge: judge_buffers,
        draw: figures::table_5,
    }
}

fn judge_windows(measured: &[Option<Measured>]) -> Vec<ReproductionRow> {
    let mut rows = Vec::new();
    for (paper, ours) in complete(&TABLE_4, measured) {
        let place = Place { table: "Table 4", row: &format!("window {} B", paper.setting) };
        let steady = WIRE.steady(Bytes(u64::from(paper.setting)));
        // A window that overflows the buffer is not constant.
        if steady.queue < 100.0 {
            rows.extend(steady_rows(place, paper, ours, &steady));
        } else {
            rows.extend(varying_rows(place, paper, ours));
        }
    }
    rows
}

fn judge_buffers(measured: &[Option<Measured>]) -> Vec<ReproductionRow> {
    let mut rows = Vec::new();
    for (paper, ours) in complete(&TABLE_5, measured) {
        let frames = if paper.setting == 1 { "frame" } else { "frames" };
        let name = format!("buffer {} {frames}", paper.setting);
        rows.extend(varying_rows(Place { table: "Table 5", row: &name }, paper, ours));
    }
    rows
}

/// The rows of a setting for which there is an exact value.
fn steady_rows(
    place: Place<'_>,
    paper: &Row,
    ours: &Measured,
    exact: &Steady,
) -> Vec<ReproductionRow> {
    let form = form(exact);
    let small = "; a full segment cannot be back sooner, but a ping can";
    vec![
        against(
            place.figure("throughput", "kbit/s", paper.kbit, kbit(ours, exact.packet)),
            exact.kbit,
            &form,
            "",
        ),
        against(
            place.figure("mean RTT of a segment", "s", paper.rtt, ours.rtt),
            exact.rtt,
            &form,
            small,
        ),
        ping_row(place, paper, ours),
        place.figure("drops", "packets", paper.drops, ours.drops).within(FigureKind::Count, || {
            differs("a window that fits into the buffer loses nothing")
        }),
        queue_row(place, paper, ours),
        standing_row(place, ours, exact, &form),
    ]
}

/// The rows of a setting that losses determine.
fn varying_rows(place: Place<'_>, paper: &Row, ours: &Measured) -> Vec<ReproductionRow> {
    vec![
        place
            .figure("throughput", "kbit/s", paper.kbit, kbit(ours, MSS + HEADERS))
            .within(FigureKind::Simulated, || differs(SPACING)),
        ping_row(place, paper, ours),
        place.figure("drops", "packets", paper.drops, ours.drops).within(FigureKind::Count, || {
            differs(if paper.setting < 100 { SPACING } else { START })
        }),
        queue_row(place, paper, ours),
    ]
}

const SPACING: &str = "depends on how the sender spaces its segments: with so little room each \
                       arrival at the wrong moment is a loss";
const START: &str = "most are lost when the first slow start overshoots, which the paper's ended at \
                     65535 bytes (RFC 2001)";

fn ping_row(place: Place<'_>, paper: &Row, ours: &Measured) -> ReproductionRow {
    place
        .figure("mean RTT of a ping", "s", paper.rtt, ours.ping)
        .within(FigureKind::Simulated, || {
            differs("depends on which segments happen to be before a ping")
        })
}

fn queue_row(place: Place<'_>, paper: &Row, ours: &Measured) -> ReproductionRow {
    place
        .figure("mean queue", "frames", paper.queue, ours.queue)
        .within(FigureKind::Simulated, || differs(SPACING))
}

/// The closed form in words.
fn form(exact: &Steady) -> String {
    let Steady { segments, packet, rtt, kbit, queue } = exact;
    let (packet, rtt) = (packet.0, rtt * 1e3);
    format!(
        "exact: {segments} x {packet} bytes in {rtt:.2} ms, {kbit:.1} kbit/s, {queue:.2} frames wait"
    )
}

/// The row against an exact value, which our figure must meet. If the paper's figure does not meet
/// it, the paper's figure is impossible.
fn against(figure: Figure<'_>, exact: f64, form: &str, why: &str) -> ReproductionRow {
    let near = |value: Option<f64>| value.is_some_and(|v| FigureKind::ClosedForm.near(exact, v));
    let reason: Reason = match (near(figure.ours), near(figure.paper)) {
        (true, true) => agrees(Some(form.into())),
        (true, false) => impossible(format!("{form}{why}")),
        (false, _) => differs(form),
    };
    figure.with(FigureKind::ClosedForm, reason)
}

/// The row for the mean queue over time. It is unjudged where nothing waits but for a ping, because
/// no tolerance can be a part of zero.
fn standing_row(place: Place<'_>, ours: &Measured, exact: &Steady, form: &str) -> ReproductionRow {
    let figure = place.figure("queue over time", "frames", None, ours.standing_queue);
    if exact.queue > 0.0 {
        figure.by_formula(FigureKind::ClosedForm, exact.queue, form)
    } else {
        figure.beyond()
    }
}
