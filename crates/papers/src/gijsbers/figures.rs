//! The paper's figures and tables, drawn with its points beside ours.

use report::{Axis, Curve, Figure, Mark};
use results::Extremes;

use super::complete;
use super::paper::{Bulk, Row, TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5};
use super::run::Measured;
use super::throughput::throughput;

/// Experiment 2: the ping over time, and the queue that it passes.
pub(super) fn experiment_2(ours: &[Option<Measured>]) -> Vec<Figure> {
    let ping = |ours: &Measured| ours.ping_over_time.clone();
    let queue = |ours: &Measured| ours.queue_over_time.clone();
    let mut figures =
        over_time(ours, "ping", &Axis::linear("Round trip of a ping", "ms"), PING, ping);
    figures.extend(over_time(ours, "queue", &Axis::linear("Queue", "frames"), QUEUE, queue));
    figures
}

const PING: &str = "A ping each 10 ms beside one bulk flow, from the quickest to the slowest of \
                    each second. A larger buffer only adds delay.";
const QUEUE: &str = "Frames that wait beside a ping each 10 ms and one bulk flow, from the fewest to \
                     the most of each second. Reno fills the buffer, whatever its size, and halves \
                     its window when it is full.";

/// A figure for small buffers and one for large ones; empty unless all runs are complete.
fn over_time(
    ours: &[Option<Measured>],
    what: &str,
    y: &Axis,
    explanation: &str,
    values: impl Fn(&Measured) -> Option<(f64, Extremes)>,
) -> Vec<Figure> {
    let curve = |(paper, ours): (&Bulk, &Measured)| {
        let (step, values) = values(ours)?;
        Some(Curve {
            name: format!("buffer {} frames", paper.buffer),
            mark: Mark::Line,
            x: (0..values.high.len()).map(|index| index as f64 * step).collect(),
            y: values.high,
            low: values.low,
            ..Curve::default()
        })
    };
    let mut curves: Vec<Curve> = complete(&TABLE_1, ours).filter_map(curve).collect();
    if curves.len() < TABLE_1.len() {
        return Vec::new();
    }
    let large = curves.split_off(TABLE_1.len() / 2);
    let figure = |size: &str, curves| Figure {
        id: format!("gijsbers-{what}-{size}"),
        title: format!("Experiment 2: {what}, {size} buffers"),
        explanation: explanation.into(),
        x: Axis::linear("Time", "s"),
        y: y.clone(),
        curves,
    };
    vec![figure("small", curves), figure("large", large)]
}

/// Table 1, of the bulk flow alone.
pub(super) fn table_1(ours: &[Option<Measured>]) -> Vec<Figure> {
    bulk("gijsbers-table-1", "Table 1, 0.5 Mbit/s", &TABLE_1, ours)
}

/// Table 2, of the bulk flow alone.
pub(super) fn table_2(ours: &[Option<Measured>]) -> Vec<Figure> {
    bulk("gijsbers-table-2", "Table 2, 0.1 Mbit/s", &TABLE_2, ours)
}

fn bulk(id: &str, title: &str, paper: &[Bulk], ours: &[Option<Measured>]) -> Vec<Figure> {
    let pairs =
        || complete(paper, ours).map(|(paper, ours)| (f64::from(paper.buffer), paper, ours));
    let plot = |what, said, y, curves| Plot { id, title, what, said, y, curves };
    let rtt = pairs().map(|(at, paper, ours)| (at, paper.rtt, ours.rtt));
    let goodput = pairs().map(|(at, paper, ours)| (at, paper.goodput, ours.bulk));
    [
        plot("goodput", FLAT, Axis::linear("Goodput", "B/s"), beside("", goodput)),
        plot("round-trip", GROWS, Axis::linear("Mean round trip", "s"), beside("", rtt)),
    ]
    .into_iter()
    .filter_map(|plot| plot.against(Axis::log("Buffer", "frames")))
    .collect()
}

/// Table 3: the goodput of both flows.
pub(super) fn table_3(ours: &[Option<Measured>]) -> Vec<Figure> {
    let pairs =
        || complete(&TABLE_3, ours).map(|(paper, ours)| (f64::from(paper.buffer), paper, ours));
    let mut curves =
        beside("bulk flow, ", pairs().map(|(at, paper, ours)| (at, paper.bulk, ours.bulk)));
    let light = pairs().map(|(at, paper, ours)| (at, paper.light, ours.light));
    curves.extend(beside("light flow, ", light));
    let plot = Plot {
        id: "gijsbers-table-3",
        title: "Table 3",
        what: "goodput",
        said: "What a bulk flow and a light one get of the same line: the larger the buffer, the \
               less is left for the light one.",
        y: Axis::linear("Goodput", "B/s"),
        curves,
    };
    plot.against(Axis::log("Buffer", "frames")).into_iter().collect()
}

/// Table 4, against the window.
pub(super) fn table_4(ours: &[Option<Measured>]) -> Vec<Figure> {
    rows("gijsbers-table-4", "Table 4", &TABLE_4, ours, &Axis::log("Window", "bytes"))
}

/// Table 5, against the buffer.
pub(super) fn table_5(ours: &[Option<Measured>]) -> Vec<Figure> {
    rows("gijsbers-table-5", "Table 5", &TABLE_5, ours, &Axis::log("Buffer", "frames"))
}

fn rows(id: &str, title: &str, paper: &[Row], ours: &[Option<Measured>], x: &Axis) -> Vec<Figure> {
    let pairs =
        || complete(paper, ours).map(|(paper, ours)| (f64::from(paper.setting), paper, ours));
    let plot = |what, said, y, curves| Plot { id, title, what, said, y, curves };
    let carried = |paper: &Row, ours| {
        if id == "gijsbers-table-4" {
            throughput(ours, paper.setting)
        } else {
            throughput(ours, u32::MAX)
        }
    };
    let kbit = pairs().map(|(at, paper, ours)| (at, paper.kbit, carried(paper, ours)));
    let rtt = pairs().map(|(at, paper, ours)| (at, paper.rtt, ours.ping));
    let queue = pairs().map(|(at, paper, ours)| (at, paper.queue, ours.queue));
    [
        plot("throughput", ENOUGH, Axis::linear("Throughput", "kbit/s"), beside("", kbit)),
        plot("round-trip", GROWS, Axis::linear("Mean round trip of a ping", "s"), beside("", rtt)),
        plot("queue", GROWS, Axis::linear("Mean queue", "frames"), beside("", queue)),
    ]
    .into_iter()
    .filter_map(|plot| plot.against(x.clone()))
    .collect()
}

const FLAT: &str = "What the bulk flow carries hardly depends on the buffer.";
const GROWS: &str = "The queue, and so the delay, grows with the buffer.";
const ENOUGH: &str = "A few packets are enough to fill the line; more bring nothing.";

/// A column of a table, still without its x axis.
struct Plot<'a> {
    id: &'a str,
    title: &'a str,
    what: &'a str,
    said: &'a str,
    y: Axis,
    curves: Vec<Curve>,
}

impl Plot<'_> {
    /// The figure against this axis; `None` if no run is complete.
    fn against(self, x: Axis) -> Option<Figure> {
        let Plot { id, title, what, said, y, curves } = self;
        curves.iter().any(|curve| !curve.x.is_empty()).then(|| Figure {
            id: format!("{id}-{what}"),
            title: format!("{title}: {}", what.replace('-', " ")),
            explanation: said.into(),
            x,
            y,
            curves,
        })
    }
}

/// The paper's values as points, ours as points joined by a line.
fn beside(name: &str, values: impl Iterator<Item = (f64, f64, Option<f64>)>) -> Vec<Curve> {
    let (mut paper, mut ours) = (Curve::default(), Curve::default());
    (paper.name, paper.mark) = (format!("{name}paper"), Mark::Points);
    (ours.name, ours.mark) = (format!("{name}ours"), Mark::LinePoints);
    for (x, theirs, measured) in values {
        paper.x.push(x);
        paper.y.push(Some(theirs));
        ours.x.push(x);
        ours.y.push(measured);
    }
    vec![ours, paper]
}
