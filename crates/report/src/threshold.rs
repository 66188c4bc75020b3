//! The thresholds of `--fail-if`, which a measurement must not cross.
//!
//! `upload.added_delay_ms.p95 > 30ms` names a figure as in the measurement document, and a value
//! with its unit. Without a direction the worse one counts.

mod figure;
mod parse;

use std::fmt;

use results::{LoadedDirection, Measurement};

use figure::ThresholdFigure;
pub use parse::ThresholdError;

/// A figure, and the values that it must not have.
#[derive(Clone, Debug)]
pub struct Threshold {
    /// The text as it was written.
    text: String,
    figure: &'static ThresholdFigure,
    place: Section,
    crossing: Crossing,
    bound: f64,
}

/// The part of the measurement from which the figure is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// The measurement as a whole, or the worse of the directions.
    Anywhere,
    Download,
    Upload,
    BothDownload,
    BothUpload,
}

/// The side on which a value crosses the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crossing {
    Above,
    AtOrAbove,
    Below,
    AtOrBelow,
}

/// The name of a value, and the value; `None` if it could not be measured.
type Value = (String, Option<f64>);

impl Threshold {
    /// A sentence if the measurement crosses the threshold; `None` if it does not.
    ///
    /// A figure that was not measured crosses it too: a check must not pass without a value.
    pub fn crossed(&self, measurement: &Measurement) -> Option<String> {
        let values = self.values(measurement);
        if values.is_empty() {
            return Some(format!("`{self}`: {}.", self.nowhere()));
        }
        let mut found: Vec<(&str, f64)> = Vec::new();
        let mut missing = None;
        for (name, value) in &values {
            match value.filter(|value| value.is_finite()) {
                Some(value) if self.is_crossed(value) => found.push((name, value)),
                Some(_) => {}
                None => missing = Some(name),
            }
        }
        let worse = found.into_iter().reduce(|one, other| match self.crossing {
            Crossing::Above | Crossing::AtOrAbove if other.1 > one.1 => other,
            Crossing::Below | Crossing::AtOrBelow if other.1 < one.1 => other,
            _ => one,
        });
        match (worse, missing) {
            (Some((name, value)), _) => {
                Some(format!("`{self}`: {name} is {}.", self.figure.unit.words(value)))
            }
            (None, Some(name)) => Some(format!("`{self}`: {name} could not be measured.")),
            (None, None) => None,
        }
    }

    fn is_crossed(&self, value: f64) -> bool {
        match self.crossing {
            Crossing::Above => value > self.bound,
            Crossing::AtOrAbove => value >= self.bound,
            Crossing::Below => value < self.bound,
            Crossing::AtOrBelow => value <= self.bound,
        }
    }

    /// All values that must not cross the threshold.
    fn values(&self, measurement: &Measurement) -> Vec<Value> {
        if let (Section::Anywhere, Some(of)) = (self.place, self.figure.whole) {
            return vec![(self.figure.name.into(), of(measurement))];
        }
        let Some(of) = self.figure.direction else { return Vec::new() };
        let value = |(place, direction): (&str, &LoadedDirection)| {
            (format!("{place}.{}", self.figure.name), of(direction))
        };
        self.directions(measurement).into_iter().map(value).collect()
    }

    fn directions<'a>(
        &self,
        measurement: &'a Measurement,
    ) -> Vec<(&'static str, &'a LoadedDirection)> {
        let download = measurement.download.as_ref().map(|one| ("download", one));
        let upload = measurement.upload.as_ref().map(|one| ("upload", one));
        let both = measurement.both.as_ref();
        let both_download = both.map(|both| ("both.download", &both.download));
        let both_upload = both.map(|both| ("both.upload", &both.upload));
        let wanted = match self.place {
            Section::Download => [download, None],
            Section::Upload => [upload, None],
            Section::BothDownload => [both_download, None],
            Section::BothUpload => [both_upload, None],
            Section::Anywhere if download.or(upload).is_some() => [download, upload],
            Section::Anywhere => [both_download, both_upload],
        };
        wanted.into_iter().flatten().collect()
    }

    fn nowhere(&self) -> &'static str {
        match self.place {
            Section::Anywhere => "neither direction was loaded",
            Section::Download => "the download was not loaded alone",
            Section::Upload => "the upload was not loaded alone",
            Section::BothDownload | Section::BothUpload => {
                "both directions were not loaded at once"
            }
        }
    }
}

/// The text as it was written.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests;
