//! Gettys' talk: a web page is a burst, and on his 50 Mbit/s it added 150 ms.
//!
//! The talk says that a page comes over six connections, at least a hundred packets at once. But a
//! hundred packets pass 50 Mbit/s in 24 ms; 150 ms are 625 packets. The sizes here are ours, to
//! find the pages that have such an effect: a hundred packets; the 60 pictures of 40 kB of
//! `scenarios/page-against-call.toml`; as many bytes in six pictures, whose connections stay in
//! slow start, from servers that leave it when the delay grows (HyStart, Linux since 2008) and from
//! others.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;
use units::Span;

use super::draw::curve;
use super::seen::{Look, Seen};
use super::{Claim, Found, Outcome, paper};
use crate::judge::Place;
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

const FILE: File = paper_file!("gettys/page.toml");
/// The step of the timeline, in which one ping is sent.
const STEP: Span = Span::from_millis(10);

/// The pages: name, objects, and whether the servers' slow start ends when the delay grows.
const PAGES: [(&str, &str, bool); 4] = [
    ("6 x 25 kB, 104 packets", r#"{ count = 6, bytes = "25kB" }"#, true),
    ("60 x 40 kB", r#"{ count = 60, bytes = "40kB" }"#, true),
    ("6 x 400 kB", r#"{ count = 6, bytes = "400kB" }"#, true),
    ("6 x 400 kB, no HyStart", r#"{ count = 6, bytes = "400kB" }"#, false),
];

pub(super) fn claim() -> Claim {
    let look = |(_, objects, hystart): &(&str, &str, bool)| {
        Look::at(FILE, STEP).set("flow.page.objects", objects).set("flow.page.hystart", hystart)
    };
    let mut looks: Vec<Look> = PAGES.iter().map(look).collect();
    looks.extend(PAGES.last().map(|page| look(page).set("link.access.queue", "fq_codel")));
    Claim { looks, judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let mut rows = Vec::new();
    for (seen, (name, ..)) in seen.iter().zip(PAGES) {
        rows.extend(seen.as_ref().map(|seen| row(name, seen)));
    }
    let [.., fifo, fair] = seen else { return Found { rows, figures: Vec::new() } };
    let figures = fifo.as_ref().zip(fair.as_ref()).map(|(fifo, fair)| draw(fifo, fair));
    if let Some(fair) = fair {
        let place = Place { table: TABLE, row: "the same, FQ-CoDel" };
        rows.push(place.figure("added to a ping", "s", None, added(fair)).beyond());
    }
    Found { rows, figures: figures.into_iter().collect() }
}

const TABLE: &str = "Talk, a page on 50 Mbit/s";

fn row(name: &str, seen: &Seen) -> ReproductionRow {
    let place = Place { table: TABLE, row: name };
    place.figure("added to a ping", "s", paper::PAGE_BURST, added(seen)).noted(
        FigureKind::About,
        "150 ms at 50 Mbit/s are 625 packets in the queue; a hundred are 24 ms, less what passes \
         while they arrive. It takes connections that stay in slow start, so large objects: the \
         sizes are ours",
    )
}

/// The longest ping minus the shortest, in seconds.
fn added(seen: &Seen) -> Option<f64> {
    let rtt = seen.document.flows.get("ping")?.rtt_ms?;
    Some((rtt.max? - rtt.min?) / 1e3)
}

fn draw(fifo: &Seen, fair: &Seen) -> Figure {
    /// The steps shown: the first page, the pause and part of the next page.
    const STEPS: usize = 300;
    let pings = |seen: &Seen| {
        let rtts = seen.flow("ping").map(|ping| ping.rtt_ms.high.clone()).unwrap_or_default();
        let at = |(index, rtt)| (index as f64 * seen.step(), rtt);
        // Steps without an answer are left out, so that the line goes on.
        let answered = |(_, rtt): &(f64, Option<f64>)| rtt.is_some();
        rtts.into_iter().take(STEPS).enumerate().map(at).filter(answered).collect::<Vec<_>>()
    };
    Figure {
        id: "gettys-page".into(),
        title: "A page with large pictures, and a ping beside it".into(),
        explanation:
            "Six connections fetch six pictures of 400 kB over 50 Mbit/s. Each connection \
                      sends twice as much each round trip, and all of it waits in one queue, the \
                      ping too; FQ-CoDel lets the ping pass. Flat is good."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Round trip of a ping", "ms"),
        curves: vec![
            curve("one queue for all", Mark::Line, pings(fifo)),
            curve("FQ-CoDel", Mark::Line, pings(fair)),
        ],
    }
}
