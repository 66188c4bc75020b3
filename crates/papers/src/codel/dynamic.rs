//! Figure 7: a link whose rate changes every 50 s, by two orders of magnitude.

mod figures;
mod over_time;

use results::ReproductionRow;
use units::Span;

use super::experiment::{Experiment, Seen};
use super::queues::{self, BLUE, CODEL, PAPERS, Path, Queue, RED_TUNED, TAIL_DROP};
use super::{Claim, Found, paper};
use crate::judge::Place;
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;
use over_time::Delays;

const FILE: File = paper_file!("codel/dynamic.toml");
const STEP: Span = Span::from_millis(50);

/// The link in its first phase, for which all queues are set up: one bandwidth-delay product of
/// buffer.
const NOMINAL: Path = Path { kbit: 100_000, rtt_ms: 100, mtu: 1500, buffer: Some(830) };
/// The link of the second half of the figure: "a size suitable for the 1Mbps rate".
const SMALL: Path = Path { buffer: Some(10), ..NOMINAL };

/// The times at which the rate falls, in seconds.
pub(super) const FALLS: [f64; 3] = [50.0, 100.0, 200.0];

pub(super) fn claim() -> Claim {
    let run = |(queue, path): &(Queue, Path)| {
        Experiment::of(FILE).set("link.bottleneck.queue", (queue.on)(*path)).over_time(STEP)
    };
    let mut experiments: Vec<Experiment> = runs().iter().map(run).collect();
    experiments.push(run(&(CODEL, NOMINAL)).set("flow.web.connections_per_second", 0));
    Claim { experiments, judge }
}

/// The queues with their buffers: all queues with the large one, then the article's queues with the
/// small one. CoDel without the web follows as a last run.
fn runs() -> Vec<(Queue, Path)> {
    let mut runs: Vec<_> = contestants().map(|queue| (queue, NOMINAL)).collect();
    runs.extend(PAPERS.map(|queue| (queue, SMALL)));
    runs
}

fn contestants() -> impl Iterator<Item = Queue> {
    queues::all().chain([RED_TUNED_LOW])
}

/// RED tuned to a rate in the middle of the link's range.
const RED_TUNED_LOW: Queue = Queue {
    name: "RED, tuned to 10 Mbit/s",
    on: |path| (RED_TUNED.on)(Path { kbit: 10_000, ..path }),
};

/// A run of the figure.
#[derive(Clone, Copy)]
struct Shown<'a> {
    name: &'static str,
    seen: &'a Seen,
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let large = runs().len() - PAPERS.len();
    let shown: Vec<Option<Shown<'_>>> = runs()
        .iter()
        .zip(seen)
        .map(|((queue, _), seen)| seen.map(|seen| Shown { name: queue.name, seen }))
        .collect();
    let (large, small) = shown.split_at(large);
    let mut rows = Vec::new();
    rows.extend(find(large, CODEL.name).into_iter().flat_map(codel));
    rows.extend(seen.get(runs().len()).copied().flatten().into_iter().flat_map(without_web));
    rows.extend(find(large, TAIL_DROP.name).map(tail_drop));
    let both = find(large, CODEL.name).zip(find(large, TAIL_DROP.name));
    rows.extend(both.map(|(codel, tail)| almost(codel, tail)));
    let both = find(large, CODEL.name).zip(find(large, BLUE.name));
    rows.extend(both.map(|(codel, blue)| badly(codel, blue)));
    for queue in PAPERS {
        let both = find(large, CODEL.name).zip(find(small, queue.name));
        rows.extend(
            both.into_iter().flat_map(|(large, small)| ten_packets(queue.name, large, small)),
        );
    }
    rows.extend(large.iter().flatten().flat_map(|shown| beyond(*shown)));
    Found { rows, figures: figures::draw(large, small) }
}

/// The result of the run with the queue of this name; `None` if it is not complete.
fn find<'a>(among: &[Option<Shown<'a>>], name: &str) -> Option<&'a Seen> {
    among.iter().flatten().find(|shown| shown.name == name).map(|shown| shown.seen)
}

const TABLE: &str = "Figure 7, a buffer of 830 packets";

fn codel(seen: &Seen) -> Vec<ReproductionRow> {
    let place = Place { table: TABLE, row: CODEL.name };
    let delays = Delays::of(seen);
    let sojourn = &seen.forward.sojourn_ms;
    let above = delays.above(paper::DYNAMIC_BELOW_MS);
    let mut rows = vec![
        place
            .figure("median delay", "ms", paper::DYNAMIC_MEDIAN_MS, sojourn.p50)
            .noted(FigureKind::About, PACKETS),
        place
            .figure("75th percentile", "ms", paper::DYNAMIC_QUARTILE_MS, sojourn.p75)
            .noted(FigureKind::About, PACKETS),
        place
            .figure("95th percentile", "ms", paper::DYNAMIC_BELOW_MS, sojourn.p95)
            .below(NINETY_PACKETS),
        place.figure("time above 90 ms", "", paper::DYNAMIC_ABOVE, above).below(TIME),
        place.figure("median over time", "ms", None, delays.quantile(0.5)).beyond(),
        place.figure("95th percentile over time", "ms", None, delays.quantile(0.95)).beyond(),
    ];
    for at in FALLS {
        let row = format!("CoDel, fall at {at} s");
        let place = Place { table: TABLE, row: &row };
        let (drop, recovery) = (over_time::first_drop(seen, at), over_time::recovery(seen, at));
        rows.push(
            place.figure("first drop after", "ms", paper::CONTROL_MS, drop).below(FIRST_DROP),
        );
        rows.push(place.figure("below 90 ms again after", "s", None, recovery).beyond());
    }
    rows
}

/// CoDel without the web, a run that the article does not have.
fn without_web(seen: &Seen) -> [ReproductionRow; 3] {
    let place = Place { table: TABLE, row: "CoDel, without the web" };
    let sojourn = &seen.forward.sojourn_ms;
    let above = Delays::of(seen).above(paper::DYNAMIC_BELOW_MS);
    [
        place.figure("median delay", "ms", None, sojourn.p50).beyond(),
        place.figure("75th percentile", "ms", None, sojourn.p75).beyond(),
        place.figure("time above 90 ms", "", None, above).beyond(),
    ]
}

const PACKETS: &str = "of packets";
const NINETY_PACKETS: &str = "\"less than 90 ms\", read as a quantile of packets, as the median is";
const TIME: &str = "\"95 % of the total simulation time\", taken literally. The time above 90 ms \
                    is at 1 Mbit/s, where the web's connections are over before a drop could slow \
                    them down";
const FIRST_DROP: &str = "in steps of 50 ms. The CoDel of the article's appendix waits for a second \
                          interval of 100 ms before a drop state that does not follow another soon";

fn tail_drop(seen: &Seen) -> ReproductionRow {
    let longest = seen.forward.sojourn_ms.max.map(|ms| ms / 1e3);
    Place { table: TABLE, row: TAIL_DROP.name }
        .figure("longest wait", "s", paper::TAIL_DROP_S, longest)
        .noted(FigureKind::ClosedForm, "830 packets of 12 ms are 9.96 s")
}

/// The row on "CoDel transfers almost the same total kilobytes as Tail Drop".
fn almost(codel: &Seen, tail: &Seen) -> ReproductionRow {
    let ratio = || megabytes(codel).zip(megabytes(tail)).map(|(codel, tail)| codel / tail);
    Place { table: TABLE, row: "CoDel over tail drop" }
        .figure("bytes sent", "", paper::ALIKE, ratio())
        .noted(
            FigureKind::Close,
            "\"almost the same total kilobytes\", with the differences at the rate jumps, where \
             CoDel's transfers have to grow into the new rate",
        )
}

/// The row on BLUE, whose "default settings performed badly".
fn badly(codel: &Seen, blue: &Seen) -> ReproductionRow {
    let ratio = || megabytes(blue).zip(megabytes(codel)).map(|(blue, codel)| blue / codel);
    Place { table: TABLE, row: "BLUE over CoDel" }
        .figure("bytes sent", "", None, ratio())
        .much_less("BLUE's \"default settings performed badly\"; the article has no number")
}

fn ten_packets(name: &str, large: &Seen, small: &Seen) -> Vec<ReproductionRow> {
    let place = Place { table: "Figure 7, a buffer of ten packets", row: name };
    let kept = megabytes(small).zip(megabytes(large)).map(|(small, large)| small / large);
    let mut rows = vec![place.figure("throughput kept", "", paper::TEN_PACKETS_SHARE, kept).noted(
        FigureKind::About,
        "\"25% of the throughput\" that a large buffer has which CoDel manages, \"about 75% less\"",
    )];
    if name == TAIL_DROP.name {
        rows.push(
            place
                .figure("longest wait", "ms", paper::TEN_PACKETS_MS, small.forward.sojourn_ms.max)
                .noted(FigureKind::ClosedForm, "ten packets of 12 ms"),
        );
    }
    rows
}

/// The rows of one queue that go beyond the article.
fn beyond(shown: Shown<'_>) -> Vec<ReproductionRow> {
    let place = Place { table: "Beyond: figure 7 with every queue", row: shown.name };
    let delays = Delays::of(shown.seen);
    [
        ("sent", "MB", megabytes(shown.seen)),
        ("median delay", "ms", shown.seen.forward.sojourn_ms.p50),
        ("median over time", "ms", delays.quantile(0.5)),
        ("95th percentile over time", "ms", delays.quantile(0.95)),
    ]
    .map(|(metric, unit, ours)| place.figure(metric, unit, None, ours).beyond())
    .into()
}

/// The data that passed the bottleneck, in megabytes; `None` if nothing passed.
fn megabytes(seen: &Seen) -> Option<f64> {
    (seen.forward.delivered_bytes > 0).then_some(seen.forward.delivered_bytes as f64 / 1e6)
}
