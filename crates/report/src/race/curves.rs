//! The curves of a race: the line's rate and those of the shapers, and the delay.

use results::{RaceCurve, RacedLine};

use crate::figure::{Axis, Curve, Figure, Mark};

/// The figures of a kind of line: both rates, and the delay.
pub(super) fn figures(line: &RacedLine) -> [Figure; 3] {
    const DOWN: &str = "The dotted grey line is the line's rate, which no rule knows. With a shaper above \
         it, the queue is in the line; a shaper far below it wastes capacity.";
    const UP: &str = "The same for the upload.";
    let curves = &line.curves;
    let down = rates(line, &curves.capacity_down_mbit, |curve| &curve.down_mbit);
    let up = rates(line, &curves.capacity_up_mbit, |curve| &curve.up_mbit);
    [
        figure(line, "down", "download", DOWN, Axis::linear("Rate", "Mbit/s"), down),
        figure(line, "up", "upload", UP, Axis::linear("Rate", "Mbit/s"), up),
        delay(line),
    ]
}

fn delay(line: &RacedLine) -> Figure {
    const DELAY: &str = "How long a packet of another flow would wait, both directions together. \
         Delay above 30 ms is the cost.";
    let time = &line.curves.time_s;
    let limit = Curve { name: "30 ms".into(), mark: Mark::Guide, ..level(time, 30.0) };
    let delays = line.curves.rules.iter().map(|curve| Curve {
        // A logarithmic axis has no zero.
        y: curve.delay_ms.iter().map(|delay| Some(delay.max(1.0))).collect(),
        ..named(&curve.rules, time)
    });
    let curves = std::iter::once(limit).chain(delays).collect();
    figure(line, "delay", "delay of others", DELAY, Axis::log("Delay", "ms"), curves)
}

fn figure(
    line: &RacedLine,
    id: &str,
    title: &str,
    explanation: &str,
    y: Axis,
    curves: Vec<Curve>,
) -> Figure {
    Figure {
        id: format!("{}-{id}", line.kind),
        title: format!("{}: {title}", line.kind),
        explanation: explanation.into(),
        x: Axis::linear("Time", "s"),
        y,
        curves,
    }
}

/// The line's rate, and the rate that each set of rules chose.
fn rates(line: &RacedLine, capacity: &[f64], chosen: impl Fn(&RaceCurve) -> &[f64]) -> Vec<Curve> {
    let time = &line.curves.time_s;
    let line_rate = Curve {
        mark: Mark::Guide,
        y: capacity.iter().copied().map(Some).collect(),
        ..named("line", time)
    };
    let rules = line.curves.rules.iter().map(|curve| Curve {
        y: chosen(curve).iter().copied().map(Some).collect(),
        ..named(&curve.rules, time)
    });
    std::iter::once(line_rate).chain(rules).collect()
}

fn level(time: &[f64], value: f64) -> Curve {
    Curve { y: time.iter().map(|_| Some(value)).collect(), ..named("", time) }
}

fn named(name: &str, time: &[f64]) -> Curve {
    Curve { name: name.into(), x: time.to_vec(), ..Curve::default() }
}
