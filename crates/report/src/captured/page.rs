//! The page about a capture: who waited longest, and what happened to them.

use results::{Capture, CapturedPoints, CapturedSeries, Step};

use super::figures::{Drawn, figures};
use super::probes::probes;
use super::sender::{Sender, senders};
use super::table::{grid, heading};
use super::verdict::{leading, verdict};
use crate::number::{count, duration, share, significant};
use crate::page::{Badge, Card, CommandList, Page, PageTable};
use crate::text::printable;

/// A page about a capture, with the plots of the directions in `series`.
pub fn captured_page(capture: &Capture, series: &[CapturedSeries]) -> Page {
    let senders = senders(capture);
    let drawn: Vec<Drawn<'_>> = (1..).zip(&senders).filter_map(|it| drawn(it, series)).collect();
    let explanation = "One row for each direction with data, the longest waits first. Goodput \
                       leaves out data that was sent again. Round trips are from the place of the \
                       capture to the far end, and their percentiles are of time. They include the \
                       way back of the acknowledgements, so a queue there counts too. The least \
                       round trip is that of the path without a queue.";
    let table = grid(&senders).table("Who waited longest", explanation);
    Page {
        title: heading(capture),
        verdict: verdict(capture, &senders),
        cards: leading(&senders).map(card).into_iter().collect(),
        commands: filters(capture, &drawn),
        tables: tables(capture, (!senders.is_empty()).then_some(table)),
        figures: drawn.iter().flat_map(figures).collect(),
        notes: notes(capture, &senders, &drawn),
        ..Page::default()
    }
}

/// The grade of the direction that leads the verdict, with its figures.
fn card(sender: &Sender<'_>) -> Card {
    let [from, to] = sender.names();
    let queue = sender.this.queue.as_ref();
    let badge = |name: &str, value: Option<String>, grade| {
        let value = value.unwrap_or_else(|| "not known".to_owned());
        Badge { name: name.to_owned(), value, grade }
    };
    let again = sender.sent_again().map(share);
    Card {
        title: format!("From {from} to {to}"),
        grade: sender.grade(),
        badges: vec![
            badge("wait, 95 % of time", sender.added().map(duration), sender.grade()),
            badge("longest wait", queue.and_then(|it| it.added_most_ms).map(duration), None),
            badge(
                "goodput",
                sender.goodput().map(|it| format!("{} Mbit/s", significant(it))),
                None,
            ),
            badge("sent again", again, None),
        ],
        ..Card::default()
    }
}

fn tables(capture: &Capture, first: Option<PageTable>) -> Vec<PageTable> {
    let probes = probes(capture).into_iter();
    let probes = probes.map(|(title, explanation, grid)| grid.table(title, explanation));
    first.into_iter().chain(probes).collect()
}

/// A direction with its points; `None` if there are none of it.
fn drawn<'a>(
    (rank, sender): (usize, &Sender<'a>),
    series: &'a [CapturedSeries],
) -> Option<Drawn<'a>> {
    let series = series.iter().find(|it| (it.connection, it.sender) == sender.place)?;
    Some(Drawn { rank, sender: *sender, series })
}

/// How to see the same packets in Wireshark.
fn filters(capture: &Capture, drawn: &[Drawn<'_>]) -> Vec<CommandList> {
    let file = quoted(&printable(&capture.file));
    let step = |of: &Drawn<'_>| {
        let [from, to] = of.sender.names();
        let slowest = of.series.slowest_packet();
        let go = slowest.map_or_else(String::new, |packet| format!(" -g {packet}"));
        let [one, other] = [of.sender.this, of.sender.other].map(|end| {
            let version = if end.address.contains(':') { "ipv6" } else { "ip" };
            format!("{version}.addr == {} && tcp.port == {}", end.address, end.port)
        });
        Step {
            text: format!("{from} to {to}, at the longest round trip:"),
            commands: vec![format!("wireshark -r {file} -Y '{one} && {other}'{go}")],
        }
    };
    let list = CommandList {
        title: "In Wireshark".into(),
        folded: true,
        steps: drawn.iter().map(step).collect(),
    };
    // Without a file there is nothing to open.
    if drawn.is_empty() || capture.is_live { Vec::new() } else { vec![list] }
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn notes(capture: &Capture, senders: &[Sender<'_>], drawn: &[Drawn<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    if drawn.len() < senders.len() {
        notes.push(format!(
            "Plots show the {} of {} directions whose packets wait longest; --top draws more.",
            count(drawn.len() as u64),
            count(senders.len() as u64)
        ));
    }
    let thinned = |points: &&CapturedPoints| points.seen > points.value.len() as u64;
    if drawn.iter().flat_map(|of| of.series.all()).any(|points| thinned(&points)) {
        notes.push(
            "A curve with more than 3,000 values shows the lowest and the highest value of each short stretch of \
             time; all values are in the capture."
                .into(),
        );
    }
    notes.push(
        "Times count from the first packet of the capture, as in Wireshark's column Time. Click on \
         a plot to see the numbers of the packets there."
            .into(),
    );
    notes.extend(capture.anomalies.iter().map(|it| printable(&crate::capture_anomaly(it))));
    notes.push(format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION")));
    notes
}
