//! The plots of a line before and after a change: the same load in both.

use observation::Heading;
use results::{LoadedDirection, Measurement, ProbeSeries};

use super::{Times, direction};
use crate::figure::{Axis, Curve, Figure};
use crate::measurement::{over_time, probes, wait};
use crate::number::duration;
use crate::runs::boxes;
use crate::text::listed;

/// The plot that says most.
pub(super) const FIRST_FIGURE: &str = "spread";

/// Least delay that is told apart, in milliseconds: a logarithmic axis has no zero, and less than a tenth
/// of a millisecond is noise.
const LEAST_MS: f64 = 0.1;

/// All plots; those without data are left out.
pub(super) fn figures(times: &Times<'_>, headings: impl Iterator<Item = Heading>) -> Vec<Figure> {
    let over_time = headings.filter_map(|heading| delay(times, heading));
    spread(times).into_iter().chain(over_time).collect()
}

/// The delays of others in each direction while it was filled, as boxes side by side.
fn spread(times: &Times<'_>) -> Option<Figure> {
    let headings = [Heading::Down, Heading::Up];
    let of = |(name, measurement): (&'static str, &Measurement)| {
        let groups = headings.iter().enumerate().filter_map(|(place, heading)| {
            let window = known(measurement, *heading)?.window_s;
            let delays = added(measurement, *heading, window).into_iter().map(|(_, ms)| ms);
            Some((place as f64, delays.collect()))
        });
        boxes(name, groups)
    };
    let curves: Vec<Curve> = times.iter().map(of).filter(|curve| !curve.x.is_empty()).collect();
    (!curves.is_empty()).then(|| Figure {
        id: FIRST_FIGURE.into(),
        title: format!("How long others wait, {}", times.in_words()),
        explanation: format!(
            "How much longer small packets of others took in the full direction than on the idle line: the box holds \
             half of them. The scale is logarithmic.{}{}",
            least(&curves),
            left_out(times, &headings)
        ),
        x: Axis::named("Direction", headings.map(Heading::in_words)),
        y: Axis::log_from(LEAST_MS, "Added delay", "ms"),
        curves,
    })
}

/// The delays of others over the time of the load, before and after.
fn delay(times: &Times<'_>, heading: Heading) -> Option<Figure> {
    let name = heading.in_words();
    let of = |(when, measurement): (&'static str, &Measurement)| {
        known(measurement, heading)?;
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
             first second of the load. The figures in the table begin when the load has settled.{}{}",
            least(&curves),
            left_out(times, &[heading])
        ),
        x: Axis::linear("Time", "s"),
        y: Axis::log_from(LEAST_MS, "Added delay", "ms"),
        curves,
    })
}

/// The direction, if it is known how long others waited in it.
fn known(measurement: &Measurement, heading: Heading) -> Option<&LoadedDirection> {
    direction(measurement, heading).filter(|it| wait(it, duration).is_some())
}

/// A sentence about values that are drawn at the least one; empty without such values.
fn least(curves: &[Curve]) -> String {
    let is_least = |ms: &f64| *ms <= LEAST_MS;
    let has_least = |curve: &Curve| {
        let values = curve.y.iter().chain(&curve.low).flatten();
        values.chain(curve.five.iter().flatten()).any(is_least)
    };
    match curves.iter().any(has_least) {
        true => format!(" Delays below {LEAST_MS} ms are drawn at the line <{LEAST_MS}."),
        false => String::new(),
    }
}

/// A sentence about measurements of these directions that are not drawn, because the verdict calls them
/// unknown; empty if there are none.
fn left_out(times: &Times<'_>, headings: &[Heading]) -> String {
    let unknown = headings.iter().flat_map(|heading| {
        let of = times.iter().filter(|(_, it)| known(it, *heading).is_none());
        of.map(|(when, _)| format!("the {} {}", heading.in_words(), times.of_the_change(when)))
    });
    let unknown: Vec<String> = unknown.collect();
    match unknown.is_empty() {
        true => String::new(),
        false => {
            format!(" Not drawn, because how long others waited is not known: {}.", listed(unknown))
        }
    }
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
    within.filter_map(|(at, delay)| Some((*at, (*delay)?.max(LEAST_MS)))).collect()
}
