//! The plots of a measurement.

mod added;
mod buffer;
mod distribution;
mod hops;
pub(crate) mod over_time;
mod ping;
mod rates;

use observation::Heading;
use results::{MeasuredSeries, Measurement, ProbeSeries};

use crate::figure::{Curve, Figure, Mark};

/// The names of the plots of a measurement, in their order.
pub const MEASUREMENT_FIGURES: &[&str] =
    &[FIRST_FIGURE, "download", "upload", "ping", "cdf", "buffer", "hops"];

/// The plot that everybody wants to see.
pub(super) const FIRST_FIGURE: &str = "added";

/// All plots of a measurement: one-way delays over time (`added`), RRUL's three panels as in Flent's
/// `all_scaled` (`download`, `upload`, `ping`), round trips by load (`cdf`), delay
/// against rate as Netalyzr drew it (`buffer`), and `hops`. Plots without data are left out.
pub(super) fn figures(measurement: &Measurement) -> Vec<Figure> {
    let series = measurement.series.as_ref();
    [
        series.and_then(added::figure),
        series.and_then(|series| rates::figure(series, Heading::Down)),
        series.and_then(|series| rates::figure(series, Heading::Up)),
        series.and_then(ping::figure),
        series.and_then(distribution::figure),
        buffer::figure(measurement),
        hops::figure(measurement),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The probes of plain traffic, or of the first class that there is; `None` if there are none.
pub(crate) fn probes(series: &MeasuredSeries) -> Option<&ProbeSeries> {
    series.probes.iter().find(|stream| stream.class == "BE").or(series.probes.first())
}

/// The stages with a load, as shaded parts with names.
fn stages(series: &MeasuredSeries) -> impl Iterator<Item = Curve> {
    series.stages.iter().filter_map(|stage| {
        let known = stage.start_s.is_finite() && stage.end_s > stage.start_s;
        Some(Curve {
            name: load(&stage.name).filter(|_| known)?.into(),
            mark: Mark::Span,
            x: vec![stage.start_s, stage.end_s],
            y: vec![None, None],
            ..Curve::default()
        })
    })
}

/// The name of a stage's load; `None` if it has none.
fn load(stage: &str) -> Option<&'static str> {
    match stage {
        "download" => Some("download"),
        "upload" => Some("upload"),
        "both" => Some("both"),
        "download_small" => Some("small down"),
        "upload_small" => Some("small up"),
        _ => None,
    }
}
