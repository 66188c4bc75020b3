//! Figure 7 as in the article, and all queues in one plot.

use report::{Axis, Curve, Figure, Mark};

use super::over_time::{Delays, way};
use super::{PAPERS, Shown, megabytes};
use crate::codel::draw::curve;

/// The figures of the large buffer, then those of the small one.
pub(super) fn draw(large: &[Option<Shown<'_>>], small: &[Option<Shown<'_>>]) -> Vec<Figure> {
    let all: Option<Vec<Shown<'_>>> = large.iter().copied().collect();
    let small: Option<Vec<Shown<'_>>> = small.iter().copied().collect();
    let (Some(all), Some(small)) = (all, small) else { return Vec::new() };
    let papers = |shown: &&Shown<'_>| PAPERS.iter().any(|queue| queue.name == shown.name);
    let large: Vec<Shown<'_>> = all.iter().filter(papers).copied().collect();
    let figures = vec![
        delay("codel-7-delay", "A link whose rate changes: the delay in the queue", &large),
        bytes("codel-7-bytes", "A link whose rate changes: what passed", &large),
        delay("codel-7-ten-delay", "With buffers of ten packets: the delay in the queue", &small),
        bytes("codel-7-ten-bytes", "With buffers of ten packets: what passed", &small),
        tradeoff(&all),
    ];
    let drawn = |figure: &Figure| figure.curves.iter().any(|curve| !curve.x.is_empty());
    figures.into_iter().filter(drawn).collect()
}

/// The steps that become one point: half a second.
const GROUP: usize = 10;

fn delay(id: &str, title: &str, shown: &[Shown<'_>]) -> Figure {
    let curves = shown.iter().filter_map(|shown| {
        let (step, way) = way(shown.seen)?;
        let longest = |steps: &[Option<f64>]| steps.iter().flatten().copied().reduce(f64::max);
        let groups = way.sojourn_ms.high.chunks(GROUP).enumerate();
        let points = groups.map(|(index, steps)| ((index * GROUP) as f64 * step, longest(steps)));
        Some(curve(shown.name, Mark::Line, points))
    });
    Figure {
        id: id.into(),
        title: title.into(),
        explanation: "100, 10, 1, 50, 1 and 100 Mbit/s, 50 s each. The longest wait in each half \
                      second. When the rate falls, waiting packets leave at the new rate; the \
                      delay after that is what counts."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::log("Delay in the queue", "ms"),
        curves: curves.collect(),
    }
}

fn bytes(id: &str, title: &str, shown: &[Shown<'_>]) -> Figure {
    let curves = shown.iter().filter_map(|shown| {
        let (step, way) = way(shown.seen)?;
        let mut sum = 0;
        let groups = way.delivered_bytes.chunks(GROUP).enumerate();
        let points = groups.map(|(index, steps)| {
            sum += steps.iter().sum::<u64>();
            (((index + 1) * GROUP) as f64 * step, Some(sum as f64 / 1e6))
        });
        Some(curve(shown.name, Mark::Line, points))
    });
    Figure {
        id: id.into(),
        title: title.into(),
        explanation: "All megabytes so far. A curve that lies below another has left capacity \
                      unused: a link can be fully used without a long queue."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Sent", "MB"),
        curves: curves.collect(),
    }
}

/// Data against delay, a point for each queue.
fn tradeoff(shown: &[Shown<'_>]) -> Figure {
    let point = |shown: &Shown<'_>| -> Option<Curve> {
        let at = Delays::of(shown.seen).quantile(0.95)?;
        Some(curve(shown.name, Mark::Points, [(at, megabytes(shown.seen))]))
    };
    Figure {
        id: "codel-7-queues".into(),
        title: "A link whose rate changes, with every queue".into(),
        explanation: "What passed in 300 s over the delay that is exceeded in a twentieth of the \
                      time. Up and to the left is good."
            .into(),
        x: Axis::log("95th percentile of the delay over time", "ms"),
        y: Axis::linear("Sent", "MB"),
        curves: shown.iter().filter_map(point).collect(),
    }
}
