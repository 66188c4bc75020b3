//! Figure 10: a router manages its queue, but the modem behind it is slower and hides a buffer. The
//! article names three ways to reach the hidden queue.

use results::ReproductionRow;

use super::experiment::{Experiment, Seen};
use super::{Claim, Found};
use crate::judge::{Figure, Place};
use crate::run::{File, paper_file};

const FILE: File = paper_file!("codel/hidden.toml");

/// A way to the hidden queue: its name, and the changes that it makes.
type Way = (&'static str, &'static [(&'static str, &'static str)]);

const WAYS: [Way; 6] = [
    ("CoDel in the router alone", &[]),
    ("1: limited to 1.9 Mbit/s", LIMITED),
    ("1: line falls to 1 Mbit/s", &[LIMITED[0], LIMITED[1], (MODEM, "1mbit")]),
    ("1: line has 4 Mbit/s", &[LIMITED[0], LIMITED[1], (MODEM, "4mbit")]),
    ("2: CoDel in the modem", &[("link.bottleneck.queue", "codel")]),
    // The router sends at the pace at which the modem has room, which is the modem's own rate.
    (
        "3: flow control",
        &[("link.router.rate", "2mbit"), ("link.bottleneck.queue", "pfifo limit 2")],
    ),
];
const MODEM: &str = "link.bottleneck.rate";
const LIMITED: &[(&str, &str)] = &[("link.router.rate", "1.9mbit"), ("link.router.shaper", "true")];

pub(super) fn claim() -> Claim {
    let run = |(_, changes): &Way| {
        let run = Experiment::of(FILE).with_flows();
        changes.iter().fold(run, |run, (path, value)| run.set(path, value))
    };
    Claim { experiments: WAYS.iter().map(run).collect(), judge }
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let [alone, limited, slower, faster, inside, paused] = seen else { return Found::default() };
    let mut rows = Vec::new();
    if let Some((alone, limited)) = alone.zip(*limited) {
        rows.push(compared(WAYS[0].0, "ping over option 1's", alone, limited).much_more(DEFEATED));
    }
    if let Some((slower, limited)) = slower.zip(*limited) {
        rows.push(
            compared(WAYS[2].0, "ping over that at 2 Mbit/s", slower, limited).much_more(FALLS),
        );
    }
    rows.extend(faster.map(unused));
    for (way, seen) in [(WAYS[1].0, limited), (WAYS[4].0, inside), (WAYS[5].0, paused)] {
        if let Some((seen, alone)) = seen.zip(*alone) {
            rows.push(compared(way, "ping over the router's", seen, alone).much_less(REACHED));
        }
    }
    for ((way, _), seen) in WAYS.iter().zip(seen) {
        rows.extend(seen.iter().flat_map(|seen| beyond(way, seen)));
    }
    Found { rows, figures: Vec::new() }
}

const TABLE: &str = "Figure 10, a queue hidden in a modem of 2 Mbit/s";
const DEFEATED: &str =
    "management at the router \"can be defeated by a full queue in the cable modem\"";
const FALLS: &str = "\"if the rate drops, then a queue will still build up in the cable modem\"";
const REACHED: &str = "one of the \"three approaches\" that \"have been suggested\"";

/// The figure of one run's median ping over another's.
fn compared<'a>(row: &'a str, metric: &'a str, one: &Seen, other: &Seen) -> Figure<'a> {
    let ratio = || Some(ping(one)? / ping(other)?);
    Place { table: TABLE, row }.figure(metric, "", None, ratio())
}

/// The row on "any additional short-term bandwidth cannot be utilized".
fn unused(seen: &Seen) -> ReproductionRow {
    const LIMIT: f64 = 1.9;
    let goodput = seen.flow("upload").and_then(|flow| flow.goodput_mbit);
    Place { table: TABLE, row: WAYS[3].0 }
        .figure("upload", "Mbit/s", LIMIT, goodput)
        .below("\"additional short-term bandwidth cannot be utilized\"")
}

fn ping(seen: &Seen) -> Option<f64> {
    seen.flow("ping")?.rtt_ms?.p50
}

fn beyond(way: &str, seen: &Seen) -> [ReproductionRow; 2] {
    let place = Place { table: TABLE, row: way };
    let goodput = seen.flow("upload").and_then(|flow| flow.goodput_mbit);
    [
        place.figure("median ping", "ms", None, ping(seen)).beyond(),
        place.figure("upload", "Mbit/s", None, goodput).beyond(),
    ]
}
