//! The plots of a line before and after a change: the same load in both.

use observation::Heading;
use results::{Measurement, ProbeSeries};

use super::{Times, direction};
use crate::figure::{Axis, Curve, Figure};
use crate::measurement::{over_time, probes};
use crate::runs::boxes;

/// The plot that says most.
pub(super) const FIRST_FIGURE: &str = "spread";

/// Least delay that is drawn, in milliseconds: a logarithmic axis has no zero, and less than a tenth
/// of a millisecond is noise.
const FLOOR_MS: f64 = 0.1;

/// All plots; those without data are left out.
pub(super) fn figures(times: &Times<'_>, headings: impl Iterator<Item = Heading>) -> Vec<Figure> {
    let over_time = headings.filter_map(|heading| delay(times, heading));
    spread(times).into_iter().chain(over_time).collect()
}

/// The delays of others in each direction while it was filled, as boxes side by side.
fn spread(times: &Times<'_>) -> Option<Figure> {
    let headings = [Heading::Down, Heading::Up];
    let of = |(name, measurement): (&'static str, &Measurement)| {
        let groups = headings.iter().enumerate().map(|(place, heading)| {
            let window = direction(measurement, *heading).map_or([0.0; 2], |it| it.window_s);
            (
                place as f64,
                added(measurement, *heading, window).into_iter().map(|(_, ms)| ms).collect(),
            )
        });
        boxes(name, groups)
    };
    let curves: Vec<Curve> = times.iter().map(of).filter(|curve| !curve.x.is_empty()).collect();
    (!curves.is_empty()).then(|| Figure {
        id: FIRST_FIGURE.into(),
        title: "What others wait, before and after".into(),
        explanation: "How much longer small packets of others took in the full direction than on \
                      the idle line: the box holds half of them. Each grid line is ten times the \
                      one below."
            .into(),
        x: Axis::named("Direction", headings.map(Heading::in_words)),
        y: Axis::log("Added delay", "ms"),
        curves,
    })
}

/// The delays of others over the time of the load, before and after.
fn delay(times: &Times<'_>, heading: Heading) -> Option<Figure> {
    let name = heading.in_words();
    let of = |(when, measurement): (&'static str, &Measurement)| {
        let series = measurement.series.as_ref()?;
        let stage = series.stages.iter().find(|stage| stage.name == name)?;
        let points = added(measurement, heading, [stage.start_s, stage.end_s]);
        let at_s: Vec<f64> = points.iter().map(|(at, _)| at - stage.start_s).collect();
        let delays: Vec<Option<f64>> = points.iter().map(|(_, ms)| Some(*ms)).collect();
        over_time::curve(when, &at_s, &delays)
    };
    let curves: Vec<Curve> = times.iter().filter_map(of).collect();
    (!curves.is_empty()).then(|| Figure {
        id: name.into(),
        title: format!("Added delay during the {name}"),
        explanation: format!(
            "How much longer a packet of others took in the {name} than on the idle line, from the \
             first second of the load. The figures in the table begin when the load has settled."
        ),
        x: Axis::linear("Time", "s"),
        y: Axis::log("Added delay", "ms"),
        curves,
    })
}

/// The times, in seconds, and the added delays, in milliseconds, of the probes that were sent in this
/// window.
fn added(measurement: &Measurement, heading: Heading, window: [f64; 2]) -> Vec<(f64, f64)> {
    let Some(stream) = measurement.series.as_ref().and_then(probes) else { return Vec::new() };
    let ProbeSeries { at_s, up_ms, down_ms, .. } = stream;
    let delays = match heading {
        Heading::Up => up_ms,
        Heading::Down => down_ms,
    };
    let is_within = |(at, _): &(&f64, &Option<f64>)| (window[0]..window[1]).contains(*at);
    let within = at_s.iter().zip(delays).filter(is_within);
    within.filter_map(|(at, delay)| Some((*at, (*delay)?.max(FLOOR_MS)))).collect()
}
