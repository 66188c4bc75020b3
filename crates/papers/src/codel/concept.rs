//! Figures 1 to 4: a good queue and a bad one.
//!
//! A window of 25 packets over a pipe of 20 leaves five packets in the queue for ever. A receiver
//! that acknowledges once a window makes the queue rise and fall each round trip. Such a queue is
//! seldom empty either, but its minimum is zero, and the link needs it. Therefore the time for
//! which a queue is occupied shows nothing. The minimum over more than a round trip shows a bad
//! queue.

use report::{Axis, Figure, Mark};
use results::ReproductionRow;
use units::Span;

use super::draw::curve;
use super::experiment::{Experiment, Seen, bottleneck};
use super::{Claim, Found, paper};
use crate::judge::{Place, differs};
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

const FILE: File = paper_file!("codel/concept.toml");
/// A tenth of a packet's transmission time on the bottleneck, so that no time without a queue is
/// missed.
const STEP: Span = Span::from_millis(1);
/// The window of the minimum, longer than a round trip, in steps.
const WINDOW: usize = 500;
/// The time at the start, in steps, whose effects are left out.
const SETTLED: usize = 2000;

pub(super) fn claim() -> Claim {
    let standing = Experiment::of(FILE).over_time(STEP);
    // The acknowledgement of a window is sent when its last packet has been delivered, so the pipe
    // and the wait for the acknowledgement hold 40 packets together.
    let once = |window: u64| {
        standing
            .clone()
            .set("flow.sender.delayed_ack", "per_window")
            .set("flow.sender.receive_window", format!("{}B", window * 1460))
            .set("flow.sender.initial_window", window)
    };
    let codel = |run: Experiment| run.set("link.bottleneck.queue", LONG_CODEL);
    let runs = [standing.clone(), once(40), once(20), codel(standing.clone()), codel(once(40))];
    Claim { experiments: runs.into(), judge }
}

/// CoDel with its minimum over more than a round trip, which is 200 to 400 ms here.
const LONG_CODEL: &str = "codel target 20ms interval 400ms variant paper2012";

fn judge(seen: &[Option<&Seen>]) -> Found {
    let [standing, once, half, controlled, spared] = seen else { return Found::default() };
    let mut rows = Vec::new();
    rows.extend(standing.iter().flat_map(|seen| excess(seen)));
    rows.extend(once.iter().flat_map(|seen| burst(seen)));
    rows.extend(half.iter().map(|seen| smaller_window(seen)));
    let control = [(controlled, "standing queue", true), (spared, "one ACK a window", false)];
    for (seen, name, drops) in control {
        rows.extend(seen.iter().map(|seen| signalled(seen, name, drops)));
    }
    let figures = [standing.and_then(figure_3), once.and_then(figure_4)];
    Found { rows, figures: figures.into_iter().flatten().collect() }
}

/// The rows of figure 3.
fn excess(seen: &Seen) -> Vec<ReproductionRow> {
    let place =
        Place { table: "Figures 1 to 3, a window of 25 over a pipe of 20", row: "standing queue" };
    let backlog = Backlog::of(seen);
    let five = |metric, packets: Option<f64>, note| {
        let figure = place.figure(metric, "packets", paper::STANDING, packets);
        figure.in_words(about_five(packets), note)
    };
    vec![
        five("shortest queue", backlog.as_ref().map(|b| b.lowest), FIVE),
        five("longest queue", backlog.as_ref().map(|b| b.highest), FIVE),
        place
            .figure("median wait", "ms", 10.0 * paper::STANDING, seen.forward.sojourn_ms.p50)
            .within(FigureKind::ClosedForm, || differs("five packets of 10 ms")),
        five(
            "minimum over 0.5 s",
            backlog.as_ref().map(|b| b.least),
            "the minimum shows what is too much",
        ),
        place.figure("occupied", "of the time", None, backlog.map(|b| b.occupied)).beyond(),
    ]
}

/// True if the backlog is five packets, within the article's margin of one.
fn about_five(packets: Option<f64>) -> bool {
    packets.is_some_and(|packets| (packets - paper::STANDING).abs() <= 1.0)
}

const FIVE: &str = "\"five packets in the queue (+-1)\", when the start is over";

/// The rows of figure 4.
fn burst(seen: &Seen) -> Vec<ReproductionRow> {
    let place = Place { table: "Figure 4, one ACK a window", row: "window of 40" };
    let backlog = Backlog::of(seen);
    let excess = backlog.as_ref().map(|backlog| backlog.least);
    let occupied = backlog.map(|backlog| backlog.occupied);
    vec![
        place
            .figure("utilisation", "", 1.0, seen.forward.utilisation)
            .noted(FigureKind::ClosedForm, "\"the window exactly fills the pipe\""),
        place
            .figure("minimum over 0.5 s", "packets", None, excess)
            .in_words(excess == Some(0.0), "\"there is no excess queue\""),
        place
            .figure("occupied", "of the time", None, occupied)
            .in_words(occupied.is_some_and(|part| part >= ALMOST_ALL), ALWAYS),
    ]
}

/// The share of the time that counts as "always".
const ALMOST_ALL: f64 = 0.98;
const ALWAYS: &str = "\"the buffer is always occupied\", except while the last packet of a burst \
                      is sent; almost as often as in figure 3, so this shows nothing";

/// The row on "any attempt to reduce this queue will result in poor utilization".
fn smaller_window(seen: &Seen) -> ReproductionRow {
    Place { table: "Figure 4, one ACK a window", row: "window of 20" }
        .figure("utilisation", "", POOR, seen.forward.utilisation)
        .below("\"any attempt to reduce this queue\" costs throughput; the bound is ours")
}

/// The bound for "poor": less utilisation than that of the window that fills the pipe.
const POOR: f64 = 0.9;

/// The rows of CoDel with an interval longer than these round trips.
fn signalled(seen: &Seen, name: &str, drops: bool) -> ReproductionRow {
    let row = Place { table: "Beyond: CoDel with an interval of 400 ms", row: name };
    let aqm = (!seen.forward.queue.is_empty()).then_some(seen.forward.drops.aqm as f64);
    let any = aqm.is_some_and(|drops| drops > 0.0);
    let why = if drops {
        "a standing queue: packets must go"
    } else {
        "the minimum is nothing: a good queue"
    };
    row.figure("drops", "", None, aqm).in_words(any == drops, why)
}

/// The backlog after the start, in packets.
struct Backlog {
    lowest: f64,
    highest: f64,
    /// The greatest of the minima over [`WINDOW`].
    least: f64,
    occupied: f64,
}

impl Backlog {
    fn of(seen: &Seen) -> Option<Self> {
        let backlog = &bottleneck(seen.timeline()?)?.backlog_packets;
        let low: Vec<f64> = backlog.low.iter().skip(SETTLED).copied().collect::<Option<_>>()?;
        let high: Vec<f64> = backlog.high.iter().skip(SETTLED).copied().collect::<Option<_>>()?;
        let lowest = low.iter().copied().reduce(f64::min)?;
        let highest = high.iter().copied().reduce(f64::max)?;
        let minima = low.windows(WINDOW).filter_map(|low| low.iter().copied().reduce(f64::min));
        let occupied = high.iter().filter(|high| **high > 0.0).count() as f64 / high.len() as f64;
        Some(Self { lowest, highest, least: minima.reduce(f64::max)?, occupied })
    }
}

fn figure_3(seen: &Seen) -> Option<Figure> {
    Some(Figure {
        id: "codel-3".into(),
        title: "A window of 25 packets over a pipe of 20".into(),
        explanation:
            "The fewest packets that waited in each millisecond; sending a packet takes 10 ms. The \
                      burst of the start is gone after a round trip. Five packets always remain: \
                      they delay each packet and do not make the transfer faster."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Queue", "packets"),
        curves: vec![queue("queue", seen)?],
    })
}

fn figure_4(seen: &Seen) -> Option<Figure> {
    Some(Figure {
        id: "codel-4".into(),
        title: "A receiver that acknowledges once a window".into(),
        explanation:
            "The fewest packets that waited in each millisecond. Each acknowledgement releases a \
                      burst, as at the start. The queue is hardly ever empty, but it is not too \
                      long: with a shorter queue the link would be idle before the next burst \
                      comes."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Queue", "packets"),
        curves: vec![queue("queue", seen)?],
    })
}

fn queue(name: &str, seen: &Seen) -> Option<report::Curve> {
    /// The steps that are shown: two seconds.
    const SHOWN: usize = 2000;
    let timeline = seen.timeline()?;
    let backlog = &bottleneck(timeline)?.backlog_packets.low;
    let at = |(index, packets): (usize, &Option<f64>)| (index as f64 * timeline.step_s, *packets);
    Some(curve(name, Mark::Steps, backlog.iter().take(SHOWN).enumerate().map(at)))
}
