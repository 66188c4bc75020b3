//! Sentences about a file of Flent's.

use results::{Claim, MeasuredSeries, Measurement, Remark};

use super::file::File;
use crate::foreign::{TWO_CLOCKS, round_trips, words};
use crate::measurement::measurement_verdict;
use crate::text::printable;

/// The verdict on the figures of the file or, where no direction has a delay of its own, the round
/// trips; and the origin of the file.
pub(super) fn sentences(file: &File, measurement: &Measurement) -> Vec<Remark> {
    let mut said = Vec::new();
    if measurement.worse().is_some() {
        said = measurement_verdict(measurement);
    } else if let Some(series) = &measurement.series {
        let (stage, during) = match measurement.both {
            Some(_) => (Some("both"), " while both directions were loaded"),
            None => (None, ""),
        };
        let taken = words(&round_trips(series, stage));
        let taken = taken.map(|words| format!("Round trips{during} took {words}."));
        said.extend(taken.map(|text| Remark::new(Claim::RoundTrips, text)));
    }
    said.push(Remark::new(Claim::Recorded, recorded(file)));
    said
}

/// The origin of the file, in a sentence.
fn recorded(file: &File) -> String {
    let metadata = &file.metadata;
    let title = match metadata.title.as_deref() {
        Some(title) if !title.is_empty() => format!(" ({title})"),
        _ => String::new(),
    };
    let by = match metadata.flent_version.as_deref() {
        Some(version) => format!("by Flent {version}"),
        None => "in Flent's format".into(),
    };
    printable(&format!("Recorded {by}: its test {}{title}.", metadata.name))
}

/// The limits of the figures.
pub(super) fn limits(series: &MeasuredSeries, left_out: &[String]) -> Vec<Remark> {
    const MOST_NAMED: usize = 8;
    let mut limits = Vec::new();
    if !series.flows.is_empty() {
        limits.push(Remark::new(
            Claim::BeginningLeftOut,
            "The first quarter of each load is left out, because its queue may still have been \
             filling. The load is assumed to have filled the path.",
        ));
    }
    let one_way = series.probes.iter().flat_map(|probes| &probes.up_ms);
    let loaded = |name: &str| series.stages.iter().any(|stage| stage.name == name);
    match one_way.flatten().next() {
        Some(_) => limits.push(Remark::new(Claim::TwoClocks, TWO_CLOCKS)),
        None if loaded("both") => limits.push(Remark::new(
            Claim::EitherDirection,
            "Round trips under load in both directions do not show in which direction packets \
             wait.",
        )),
        None => {}
    }
    if !left_out.is_empty() {
        let names: Vec<&str> = left_out.iter().map(String::as_str).take(MOST_NAMED).collect();
        let more = match left_out.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = printable(&format!("Series that are not read: {}{more}.", names.join(", ")));
        limits.push(Remark::new(Claim::SeriesNotRead, text));
    }
    limits
}
