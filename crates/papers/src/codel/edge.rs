//! The table: a home's line, with a call both ways, a download, the web, and uploads with pauses.

use report::{Axis, Figure, Mark};
use results::{DirectionResult, ReproductionRow};

use super::draw::curve;
use super::experiment::{Experiment, Seen, drop_share};
use super::queues::{self, CODEL, Path, Queue, TAIL_DROP};
use super::{Claim, Found, paper};
use crate::judge::Place;
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

const FILE: File = paper_file!("codel/edge.toml");

/// The two lines, with packets of 500 bytes below 1 Mbit/s, as in the authors' script.
///
/// The script's buffers are a bandwidth-delay product, 13 packets. Many of these are
/// acknowledgements and the call's packets, so that tail drop would not delay packets as long as in
/// the article's table. With the buffers here it does.
const LINES: [Path; 2] = [
    Path { kbit: 512, rtt_ms: 100, mtu: 500, buffer: Some(26) },
    Path { kbit: 1_500, rtt_ms: 100, mtu: 1500, buffer: Some(20) },
];

pub(super) fn claim() -> Claim {
    Claim { experiments: runs().iter().map(|(line, queue)| run(*line, *queue)).collect(), judge }
}

fn runs() -> Vec<(Path, Queue)> {
    LINES.iter().flat_map(|line| queues::all().map(|queue| (*line, queue))).collect()
}

fn run(line: Path, queue: Queue) -> Experiment {
    let mut run = Experiment::of(FILE)
        .set("link.bottleneck.rate", format!("{}kbit", line.kbit))
        .set("link.bottleneck.queue", (queue.on)(line))
        .with_flows();
    for mss in ["flow.ftp.mss", "flow.web.mss", "flow.upload.mss"] {
        run = run.set(mss, line.mtu - 52);
    }
    run
}

fn judge(seen: &[Option<&Seen>]) -> Found {
    let runs = runs();
    let mut rows = Vec::new();
    for ((line, queue), seen) in runs.iter().zip(seen) {
        let Some(seen) = seen else { continue };
        let column = [CODEL, TAIL_DROP].iter().position(|known| known.name == queue.name);
        let first = usize::from(line.kbit != LINES[0].kbit) * 2;
        for (way, direction, index) in
            [("down", &seen.forward, first), ("up", &seen.reverse, first + 1)]
        {
            if let Some(column) = column {
                let name = format!("{}, {} kbit/s {way}", queue.name, line.kbit);
                rows.extend(cell(&name, direction, &paper::EDGE[index][column]));
            }
        }
    }
    for line in LINES {
        let of = |name: &str| {
            let mut own = runs.iter().zip(seen);
            let own = own.find(|((known, queue), _)| known.kbit == line.kbit && queue.name == name);
            own.and_then(|(_, seen)| *seen)
        };
        let both = of(CODEL.name).zip(of(TAIL_DROP.name));
        rows.extend(both.into_iter().flat_map(|(codel, tail)| concluded(line, codel, tail)));
    }
    for ((line, queue), seen) in runs.iter().zip(seen) {
        rows.extend(seen.iter().flat_map(|seen| beyond(*line, *queue, seen)));
    }
    let figures = LINES.iter().filter_map(|line| figure(*line, &runs, seen)).collect();
    Found { rows, figures }
}

/// The rows for four numbers of the table.
fn cell(name: &str, way: &DirectionResult, paper: &paper::Edge) -> Vec<ReproductionRow> {
    let place = Place { table: "Table, the consumer's edge", row: name };
    let carried = (way.delivered_bytes > 0).then_some(way.delivered_bytes as f64 / 1e6);
    vec![
        place
            .figure("packets dropped", "%", paper.drops, drop_share(way).map(|share| 100.0 * share))
            .noted(FigureKind::About, TABLE),
        place
            .figure("median delay", "ms", paper.median, way.sojourn_ms.p50)
            .noted(FigureKind::About, TABLE),
        place.figure("sent", "MB", paper.megabytes, carried).noted(FigureKind::About, TABLE),
        place
            .figure("Jain's index of drops", "", paper.fairness, way.jain_drops)
            .noted(FigureKind::About, TABLE),
    ]
}

const TABLE: &str = "the article does not say how large the buffers are; ours are such that packets \
                     wait for about as long in tail drop";

/// The rows for the article's conclusions: CoDel "never drops packets at a higher rate than Tail
/// Drop", "keeps a much smaller queue and transfers similar amounts of data".
fn concluded(line: Path, codel: &Seen, tail: &Seen) -> Vec<ReproductionRow> {
    let ways = [("down", &codel.forward, &tail.forward), ("up", &codel.reverse, &tail.reverse)];
    let way = |(way, codel, tail): (&str, &DirectionResult, &DirectionResult)| {
        let name = format!("{} kbit/s {way}", line.kbit);
        let place = Place { table: "The table's conclusion: CoDel over tail drop", row: &name };
        let over = |of: fn(&DirectionResult) -> Option<f64>| {
            of(codel).zip(of(tail).filter(|tail| *tail > 0.0)).map(|(one, other)| one / other)
        };
        let carried =
            |way: &DirectionResult| (way.delivered_bytes > 0).then_some(way.delivered_bytes as f64);
        let mut rows = vec![
            place.figure("packets dropped", "", 1.0, over(drop_share)).below(NEVER_MORE),
            place
                .figure("sent", "", paper::ALIKE, over(carried))
                .noted(FigureKind::Similar, AMOUNTS),
        ];
        // Where both medians are zero, as in the article too, neither can be much smaller.
        let delay = over(|way| way.sojourn_ms.p50);
        rows.extend(
            delay.map(|delay| place.figure("median delay", "", None, delay).much_less(SMALLER)),
        );
        rows
    };
    ways.into_iter().flat_map(way).collect()
}

const NEVER_MORE: &str = "\"never drops packets at a higher rate than Tail Drop\"";
const AMOUNTS: &str = "\"transfers similar amounts of data\": 92 to 103 % in its table";
const SMALLER: &str = "\"keeps a much smaller queue\": 17 to 25 % in its table";

/// The rows beyond the article: the call's quality and the throughput of the other flows.
fn beyond(line: Path, queue: Queue, seen: &Seen) -> Vec<ReproductionRow> {
    let table = match line.kbit {
        512 => "Beyond: 512 kbit/s with every queue",
        _ => "Beyond: 1.5 Mbit/s with every queue",
    };
    let place = Place { table, row: queue.name };
    [
        ("call, the worse way", "MOS", worse_way(seen)),
        ("download", "Mbit/s", seen.flow("ftp").and_then(|flow| flow.goodput_mbit)),
        (
            "uploads",
            "MB",
            seen.flow("upload").and_then(|flow| Some(flow.delivered_bytes? as f64 / 1e6)),
        ),
        ("web response, p95", "s", seen.flow("web").and_then(|flow| flow.completion_s?.p95)),
    ]
    .map(|(metric, unit, ours)| place.figure(metric, unit, None, ours).beyond())
    .into()
}

/// The mean opinion score of the call in its worse direction; `None` unless both are known.
fn worse_way(seen: &Seen) -> Option<f64> {
    let mos = |name| seen.flow(name).and_then(|flow| flow.mos);
    mos("call").into_iter().chain(mos("call-back")).reduce(f64::min)
}

/// The call's quality against the download's throughput, on this line.
fn figure(line: Path, runs: &[(Path, Queue)], seen: &[Option<&Seen>]) -> Option<Figure> {
    /// The highest opinion score of a call with this codec, by the E-model's defaults (ITU-T
    /// G.107).
    const BEST: f64 = 4.41;
    let (id, title) = match line.kbit {
        512 => ("codel-edge-512", "At the edge, 512 kbit/s: a call beside a download"),
        _ => ("codel-edge-1500", "At the edge, 1.5 Mbit/s: a call beside a download"),
    };
    let own = runs.iter().zip(seen).filter(|((known, _), _)| known.kbit == line.kbit);
    let point = |((_, queue), seen): (&(Path, Queue), &Option<&Seen>)| {
        let seen = (*seen)?;
        let share = 1e3 * seen.flow("ftp")?.goodput_mbit? / line.kbit as f64;
        Some(curve(queue.name, Mark::Points, [(share, Some(BEST - worse_way(seen)?))]))
    };
    Some(Figure {
        id: id.into(),
        title: title.into(),
        explanation: "What the call loses of the best opinion score, in the direction that sounds \
                      worse, over the share of the line that the download got. Less than 0.4 \
                      sounds good. Down and to the right is good."
            .into(),
        x: Axis::linear("Download", "of the line"),
        y: Axis::linear("Opinion score lost", ""),
        curves: own.map(point).collect::<Option<_>>()?,
    })
}
