//! The directions of connections as a table, with a verdict on the worst one.

use results::{Capture, CaptureAnomaly, CapturedConnection, CapturedWaits, QueueOwner, Unmeasured};

use super::probes::probes;
use super::sender::{Sender, senders};
use super::sentences::{
    between, findings, limit, loss_limit, losses, marks, sent_again, told_missing, unmeasured,
    whose,
};
use crate::grade;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, duration, millis, percent, significant, things};
use crate::style::{Style, Tone};
use crate::text::wrap;

/// The most rows: a screen.
const ROWS: usize = 20;

const COLUMNS: [Column; 9] = [
    Column::name("from"),
    Column::name("to"),
    Column::number("goodput", "Mbit/s"),
    Column::number("sent again", "%"),
    Column::number("round trip ms", "least"),
    Column::number("round trip ms", "p50"),
    Column::number("round trip ms", "p95"),
    Column::name("queue"),
    Column::name("grade"),
];

/// The connections of a capture: a verdict, and a row for each direction with data.
pub fn captured_table(capture: &Capture, style: Style) -> String {
    let senders = senders(capture);
    let mut text = heading(capture) + "\n\n";
    match senders.first() {
        None => text += &format!("{}\n", wrap(no_data(capture))),
        Some(first) => {
            text += &grid(&senders).render(style);
            text.push('\n');
            verdict(first).iter().for_each(|sentence| text += &format!("{}\n", wrap(sentence)));
        }
    }
    for (title, _, grid) in probes(capture) {
        text += &format!("\n{title}\n{}", grid.render(style));
    }
    text
}

/// What is said of a capture without data: whether its headers are cut off, or each of its connections has packets of one
/// end only.
pub(super) fn no_data(capture: &Capture) -> &'static str {
    let is_cut = |it: &CaptureAnomaly| matches!(it, CaptureAnomaly::CutHeaders { .. });
    if capture.anomalies.iter().any(is_cut) {
        return "The capture does not show whether a TCP connection has carried data: TCP headers are cut off.";
    }
    let is_half = |one: &CapturedConnection| one.ends.iter().any(|end| end.counts.packets == 0);
    match !capture.connections.is_empty() && capture.connections.iter().all(is_half) {
        true => {
            "No TCP connection has carried data in this capture, which has only one direction of each. \
             Capture both directions."
        }
        false => "No TCP connection has carried data.",
    }
}

/// A row for each of the first directions.
pub(super) fn grid(senders: &[Sender<'_>]) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    senders.iter().take(ROWS).for_each(|sender| grid.row(cells(sender)));
    let more = senders.len().saturating_sub(ROWS);
    if more > 0 {
        grid.note(format!("and {} more: --long or --json prints all", count(more as u64)));
    }
    grid
}

pub(super) fn heading(capture: &Capture) -> String {
    format!(
        "{}: {}, {}",
        crate::text::printable(&capture.file),
        things(capture.packets, "packet"),
        things(capture.connections.len() as u64, "TCP connection")
    )
}

fn cells(sender: &Sender<'_>) -> Vec<Cell> {
    let this = sender.this;
    let [from, to] = sender.names();
    let waits = this.queue.as_ref().map_or_else(CapturedWaits::default, |queue| queue.waits);
    vec![
        Cell::text(&from),
        Cell::text(&to),
        Cell::number(sender.goodput(), significant),
        Cell::number(sender.sent_again(), percent),
        Cell::number(waits.least_ms, millis),
        Cell::number(waits.p50_ms, millis),
        Cell::number(waits.p95_ms, millis),
        queue(sender),
        graded(sender),
    ]
}

fn queue(sender: &Sender<'_>) -> Cell {
    let Some(queue) = &sender.this.queue else { return Cell::text("") };
    let tone = queue.grade.map_or(Tone::Plain, grade::tone);
    let text = match queue.whose {
        QueueOwner::Own => "its own",
        QueueOwner::Other => "another",
        QueueOwner::None => "none",
        QueueOwner::Unknown if queue.added_p95_ms.is_some() => "not known",
        QueueOwner::Unknown => "",
    };
    Cell::text(text).tone(tone)
}

/// The grade; nothing where there is none.
fn graded(sender: &Sender<'_>) -> Cell {
    let grade = sender.this.queue.as_ref().and_then(|queue| queue.grade);
    match grade {
        Some(grade) => Cell::text(grade.name()).tone(grade::tone(grade)),
        None => Cell::text("–"),
    }
}

/// What is said of the direction that waits longest.
pub(super) fn verdict(sender: &Sender<'_>) -> Vec<String> {
    let [from, to] = sender.names();
    let Some((added, queue)) = sender.added().zip(sender.this.queue.as_ref()) else {
        let reason = sender.this.queue.as_ref().and_then(|queue| queue.added_reason);
        let reason = unmeasured(sender, reason.unwrap_or(Unmeasured::FewRoundTrips));
        let told = [Some(reason), sent_again(sender), told_missing(sender)];
        return told.into_iter().flatten().collect();
    };
    if queue.whose == QueueOwner::None {
        /// The wait in milliseconds that two digits show.
        const SHOWN: f64 = 0.005;
        let waits = match added < SHOWN {
            true => "No queue: packets did not wait in 95 % of the time.".to_owned(),
            false => format!(
                "No queue: packets waited {} or less beyond the shortest round trip in 95 % of the time.",
                duration(added)
            ),
        };
        let told = std::iter::once(waits).chain(sent_again(sender)).chain(loss_limit(queue));
        let told = told.chain(marks(queue)).chain(findings(queue));
        return told.chain(limit(sender)).collect();
    }
    let waits = format!(
        "packets from {from} to {to} wait {} in a queue at the 95th percentile of time, and {} at most, \
         beyond the shortest round trip of {}.",
        duration(added),
        duration(queue.added_most_ms.unwrap_or(added)),
        duration(queue.waits.least_ms.unwrap_or(0.0))
    );
    let first = match (queue.grade, queue.whose) {
        (Some(grade), _) => format!("{}, grade {grade}: {waits}", grade::words(grade)),
        (None, QueueOwner::Own) => format!(
            "No grade: {waits} How long others wait is not known: a queue that holds only this \
             connection's packets would not delay them."
        ),
        (None, _) => format!("No grade: {waits} Whether the line was full is not known."),
    };
    let again = sent_again(sender);
    let told =
        [Some(first), between(sender.this), whose(queue), again, losses(queue), marks(queue)];
    told.into_iter().flatten().chain(findings(queue)).chain(limit(sender)).collect()
}

#[cfg(test)]
mod tests {
    use results::{CapturedCounts, CapturedEnd, CapturedQueue};

    use super::*;

    /// A capture of a connection whose ends have sent so many packets with data, and so many in all. For this reason it is
    /// not known how long the first end's data waited.
    fn capture(ends: [(u64, u64); 2], added_reason: Option<Unmeasured>) -> Capture {
        let end = |(data_packets, packets)| CapturedEnd {
            counts: CapturedCounts {
                data_packets,
                packets,
                acks: packets,
                sacks: packets / 10,
                ..CapturedCounts::default()
            },
            ..CapturedEnd::default()
        };
        let [mut one, other] = ends.map(end);
        one.queue =
            added_reason.map(|_| CapturedQueue { added_reason, ..CapturedQueue::default() });
        let connection = CapturedConnection { ends: [one, other], ..CapturedConnection::default() };
        Capture { connections: vec![connection], ..Capture::default() }
    }

    #[test]
    fn what_a_capture_cannot_show_is_told() {
        let told = |capture: &Capture| captured_table(capture, Style::Plain).replace('\n', " ");
        let nothing = "No TCP connection has carried data.";
        assert!(told(&Capture::default()).contains(nothing));
        assert!(told(&capture([(0, 3), (0, 2)], None)).contains(nothing));
        assert!(told(&capture([(0, 3), (0, 0)], None)).contains("only one direction"));
        let anomalies = vec![CaptureAnomaly::CutHeaders { count: 7 }];
        let cut = told(&Capture { anomalies, ..Capture::default() });
        assert!(cut.contains("does not show whether") && !cut.contains(nothing), "{cut}");
    }

    #[test]
    fn the_reason_for_an_unknown_wait_is_told() {
        for (ends, reason, expected) in [
            ([(3, 3), (0, 0)], Unmeasured::OneDirection, "only the packets from"),
            ([(0, 0), (0, 30)], Unmeasured::OneDirection, "only the acknowledgements from"),
            ([(0, 0), (0, 30)], Unmeasured::OneDirection, "3 of 30 acknowledgements told"),
            ([(3, 3), (0, 3)], Unmeasured::CutOptions, "108 bytes of each packet or more"),
            ([(3, 3), (0, 3)], Unmeasured::NoTimestamps, "Capture at the sender."),
            ([(3, 3), (0, 3)], Unmeasured::FewRoundTrips, "enough round trips"),
            ([(3, 3), (0, 3)], Unmeasured::Gaps, "because of losses"),
        ] {
            let told = captured_table(&capture(ends, Some(reason)), Style::Plain);
            assert!(told.replace('\n', " ").contains(expected), "{expected}: {told}");
        }
    }
}
