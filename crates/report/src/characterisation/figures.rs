//! Plots of delay against goodput, loss against delay, shares of goodput, and delays over time.

use results::{
    Characterisation, CharacterisedCase, CharacterisedClass, CharacterisedScenario, Windows,
};

use crate::figure::{Axis, Curve, Figure, Mark, Scale};
use crate::runs::cloud;
use crate::text::printable;

/// Least delay that is drawn, in milliseconds. Shorter delays are drawn as this one: a logarithmic
/// axis has no zero, and differences below it would take the room of those that matter.
const LEAST: f64 = 0.1;

/// All figures of a document, in the order of its scenarios; then the figure that covers all of
/// them.
pub(super) fn figures(document: &Characterisation) -> Vec<Figure> {
    let queues: Vec<String> = document.queues.iter().map(|queue| printable(queue)).collect();
    let mut figures = Vec::new();
    for scenario in &document.scenarios {
        figures.extend(shares(scenario, &queues));
        for case in &scenario.cases {
            let title = format!("{}, {}", scenario.section, scenario.title);
            let title = match scenario.cases.len() {
                1 => printable(&title),
                _ => printable(&format!("{title}: {}", case.name)),
            };
            figures.extend(tradeoff(case, &title, &queues));
            figures.extend(classes(case, &title, &queues));
            figures.extend(over_time(case, &title, &queues));
        }
    }
    figures.extend(loss(document, &queues));
    figures
}

/// A plot of delay against goodput, with the ellipse of one standard deviation (RFC 7928 section
/// 2.7).
fn tradeoff(case: &CharacterisedCase, title: &str, queues: &[String]) -> Option<Figure> {
    let explanation = "Each small dot is one second: how long packets waited in the queue, and the \
                       goodput of all flows. The ellipse is one standard deviation around the \
                       dots, the large dot their medians. The best place is the upper left corner.";
    clouds(&case.id, title, explanation, queues, &case.windows)
}

/// Plots of delay against goodput for each class of flows, as RFC 7928 sections 5.1.2 and 7.2 ask
/// for: one for each application.
fn classes(case: &CharacterisedCase, title: &str, queues: &[String]) -> Vec<Figure> {
    let figure = |class: &CharacterisedClass| {
        let of = printable(&class.of);
        let explanation = format!(
            "The same for {of} alone: how long its packets waited in the queue, and its goodput, \
             second by second."
        );
        let (id, title) = (format!("{}-{of}", case.id), format!("{title}; {of} alone"));
        clouds(&id, &title, &explanation, queues, &class.windows)
    };
    case.classes.iter().filter_map(figure).collect()
}

/// The common value of all, if they differ by no more than a packet on the edge of a second does;
/// `None` otherwise. On an axis of its own range, so small a difference would look large.
fn level(values: impl Iterator<Item = f64>) -> Option<f64> {
    const LITTLE: f64 = 0.01;
    let range = values.fold(None, |range: Option<(f64, f64)>, value| {
        Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let (low, high) = range?;
    (high - low <= LITTLE * high).then_some(f64::midpoint(low, high))
}

fn clouds(
    id: &str,
    title: &str,
    explanation: &str,
    queues: &[String],
    windows: &[Windows],
) -> Option<Figure> {
    let goodputs = || windows.iter().flat_map(|windows| windows.goodput_mbit.iter().copied());
    let level = level(goodputs());
    let curves = queues.iter().zip(windows).flat_map(|(queue, windows)| {
        let delays = windows.delay_ms.iter().map(|delay| delay.max(LEAST));
        let goodputs = windows.goodput_mbit.iter().map(|goodput| level.unwrap_or(*goodput));
        let points: Vec<(f64, f64)> = delays.zip(goodputs).collect();
        cloud(queue, &points, (Scale::Log, Scale::Linear))
    });
    let curves: Vec<Curve> = curves.filter(|curve| !curve.x.is_empty()).collect();
    (!curves.is_empty()).then(|| Figure {
        id: id.into(),
        title: title.into(),
        explanation: explanation.into(),
        x: Axis::log("Delay in the queue", "ms"),
        y: Axis::linear("Goodput", "Mbit/s"),
        curves,
    })
}

/// The ratio of two classes' goodputs, against the varied number.
fn shares(scenario: &CharacterisedScenario, queues: &[String]) -> Option<Figure> {
    let curve = |(index, queue): (usize, &String)| {
        let points = scenario.cases.iter().filter_map(|case| {
            let ratio = case.figures.iter().find(|figure| figure.of.contains(" / "))?;
            Some((case.at?, ratio.values.get(index).copied()?))
        });
        let (x, y): (Vec<f64>, Vec<Option<f64>>) = points.unzip();
        Curve { name: queue.clone(), mark: Mark::LinePoints, x, y, ..Curve::default() }
    };
    let curves: Vec<Curve> = queues.iter().enumerate().map(curve).collect();
    (curves.first()?.x.len() > 2).then(|| Figure {
        id: format!("{}-shares", scenario.section),
        title: printable(&format!("{}, {}", scenario.section, scenario.title)),
        explanation: "The goodput of the flow of category II, divided by that of the flow of \
                      category I, whose round trip is 100 ms. A queue that is fair to both stays \
                      at 1."
            .into(),
        x: Axis::log(&first_upper(&printable(&scenario.varied)), &scenario.unit),
        y: Axis::log("Goodput, II / I", ""),
        curves,
    })
}

fn over_time(case: &CharacterisedCase, title: &str, queues: &[String]) -> Option<Figure> {
    let curve = |(queue, delays): (&String, &Vec<Option<f64>>)| Curve {
        name: queue.clone(),
        mark: Mark::Line,
        x: (0..delays.len()).map(|at| (at as f64 + 0.5) * case.step_s).collect(),
        y: delays.iter().map(|delay| delay.map(|delay| delay.max(LEAST))).collect(),
        ..Curve::default()
    };
    let curves: Vec<Curve> = queues.iter().zip(&case.over_time).map(curve).collect();
    (!curves.is_empty()).then(|| Figure {
        id: format!("{}-time", case.id),
        title: format!("{title}, over time"),
        explanation: "The mean wait in the queue, second by second, in the first run.".into(),
        x: Axis::linear("Time", "s"),
        y: Axis::log("Delay in the queue", "ms"),
        curves,
    })
}

/// A plot of delay against loss, the second one of RFC 7928 section 2.7, with one dot a case.
fn loss(document: &Characterisation, queues: &[String]) -> Option<Figure> {
    let cases = || document.scenarios.iter().flat_map(|scenario| &scenario.cases);
    let curve = |(index, queue): (usize, &String)| {
        let value = |case: &CharacterisedCase, metric| *case.figure("queue", metric)?.get(index)?;
        let point = |case| Some((value(case, "delay p95")?.max(LEAST), value(case, "loss")));
        let mut points: Vec<(f64, Option<f64>)> = cases().filter_map(point).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (x, y) = points.into_iter().unzip();
        Curve { name: queue.clone(), mark: Mark::Points, x, y, ..Curve::default() }
    };
    let curves: Vec<Curve> = queues.iter().enumerate().map(curve).collect();
    (curves.iter().any(|curve| !curve.x.is_empty())).then(|| Figure {
        id: "loss".into(),
        title: "Delay against loss, all cases".into(),
        explanation:
            "Each dot is a case. A queue with a short delay must drop more packets. The further \
                      down to the left, the better."
                .into(),
        x: Axis::log("Delay in the queue, 95th percentile", "ms"),
        y: Axis::linear("Packets lost", "%"),
        curves,
    })
}

fn first_upper(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}
