//! The reading of a file of Flent's as a measurement.

use observation::Heading;
use results::{FlowSeries, Limit, MeasuredSeries, MeasuredStage, Measurement, ProbeSeries};

use super::file::{File, FlentSample};
use super::names::SeriesKind;
use super::probe::FlentProbe;
use super::words::{limits, sentences};
use crate::foreign::{
    Fate, ForeignError, beyond_least, fill, parse, plausible, rfc3339, stages, unix, unpacked,
};
use crate::text::printable;

/// Latest Unix time that is read, in seconds: it is after the year 5000.
const LATEST_S: f64 = 1e11;

/// Longest duration that is read, in seconds: a year.
const LONGEST_S: f64 = 3.2e7;

/// Reads a file of Flent's, compressed by gzip or not: versions 1 to 4.
///
/// Figures that the file does not hold stay `None`. From version 1 the interpolated values are
/// taken.
///
/// # Errors
/// If the file is not one of Flent's, of a later version, too long or broken; with the place if it
/// is known.
pub fn read(bytes: &[u8]) -> Result<Measurement, ForeignError> {
    let file: File = parse(&unpacked(bytes)?)?;
    if !(1..=4).contains(&file.version) {
        let wrong = format!("version {} of Flent's format; known are 1 to 4", file.version);
        return Err(ForeignError::new(wrong));
    }
    let zero = zero(&file);
    let mut read = Read { zero, ..Read::default() };
    for name in file.results.0.iter().map(|(name, _)| name) {
        read.series(&file, name)?;
    }
    read.finish(&file)
}

/// The Unix time of 0 in `x_values`, in seconds; `None` if the file does not give it in UTC.
fn zero(file: &File) -> Option<f64> {
    let text = file.metadata.t0.as_deref()?;
    unix(text).filter(|_| text.ends_with('Z'))
}

/// The part of the measurement that was read so far. Times are Unix times until `finish`.
#[derive(Default)]
struct Read {
    zero: Option<f64>,
    series: MeasuredSeries,
    fates: Vec<Vec<Fate>>,
    /// Series that are not understood.
    left_out: Vec<String>,
}

impl Read {
    fn series(&mut self, file: &File, name: &str) -> Result<(), ForeignError> {
        let kind = SeriesKind::of(name);
        match kind {
            SeriesKind::Computed => return Ok(()),
            SeriesKind::Other => {
                self.left_out.push(name.to_owned());
                return Ok(());
            }
            SeriesKind::Flow { .. } | SeriesKind::Probes { .. } => {}
        }
        let raw = file.raw_values.0.iter().find(|(known, raw)| known == name && !raw.is_empty());
        let samples = match raw {
            Some((_, raw)) => raw.clone(),
            None => self.gridded(file, name)?,
        };
        for sample in &samples {
            check(name, sample)?;
        }
        match kind {
            SeriesKind::Flow { heading, class } => self.flow(heading, class, &samples),
            SeriesKind::Probes { class } => {
                // Before version 4 the raw values of netperf's UDP_RR were transactions a second.
                let per_second = file.version < 4 && raw.is_some() && name.contains("UDP");
                self.probes(class, &samples, per_second);
            }
            SeriesKind::Computed | SeriesKind::Other => {}
        }
        Ok(())
    }

    /// The interpolated values as samples.
    fn gridded(&self, file: &File, name: &str) -> Result<Vec<FlentSample>, ForeignError> {
        let result = file.results.0.iter().find(|(known, _)| known == name);
        let values = result.map_or(&[][..], |(_, values)| values);
        if values.len() != file.x_values.len() {
            let (values, times) = (values.len(), file.x_values.len());
            let wrong = format!("results of `{name}`: {values} values, but {times} x_values");
            return Err(ForeignError::new(wrong));
        }
        let zero = self.zero.unwrap_or(0.0);
        let sample = |(x, val): (&f64, &Option<f64>)| FlentSample {
            t: Some(zero + x),
            val: *val,
            // The value is of an interval, and not of a packet.
            dur: Some(0.0),
            ..FlentSample::default()
        };
        Ok(file.x_values.iter().zip(values).map(sample).collect())
    }

    fn flow(&mut self, heading: Heading, class: String, samples: &[FlentSample]) {
        let told = |sample: &&FlentSample| sample.val.or(sample.tcp_rtt).is_some();
        let mut samples: Vec<(f64, &FlentSample)> =
            samples.iter().filter(told).filter_map(|sample| Some((sample.t?, sample))).collect();
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.series.flows.push(FlowSeries {
            heading,
            class,
            at_s: samples.iter().map(|(at, _)| *at).collect(),
            goodput_mbit: samples.iter().map(|(_, sample)| sample.val).collect(),
            srtt_ms: samples.iter().map(|(_, sample)| sample.tcp_rtt).collect(),
            cwnd: samples.iter().map(|(_, sample)| sample.tcp_cwnd).collect(),
        });
    }

    fn probes(&mut self, class: String, samples: &[FlentSample], per_second: bool) {
        let mut probes: Vec<FlentProbe> =
            samples.iter().filter_map(|sample| FlentProbe::of(sample, per_second)).collect();
        probes.sort_by(|a, b| a.sent.total_cmp(&b.sent));
        let up: Vec<Option<f64>> = probes.iter().map(|probe| probe.up).collect();
        let down: Vec<Option<f64>> = probes.iter().map(|probe| probe.down).collect();
        let told = up.iter().any(Option::is_some);
        self.fates.push(match told {
            true => probes.iter().map(|probe| probe.fate).collect(),
            false => Vec::new(),
        });
        self.series.probes.push(ProbeSeries {
            class,
            at_s: probes.iter().map(|probe| probe.sent).collect(),
            up_ms: beyond_least(&up),
            down_ms: beyond_least(&down),
            round_trip_ms: probes.iter().map(|probe| probe.round_trip).collect(),
        });
    }

    fn finish(mut self, file: &File) -> Result<Measurement, ForeignError> {
        let Some((first, last)) = self.ends() else {
            let wrong = "no series of it is one of round trips (`Ping (ms) ...`) or of goodput \
                (`TCP upload ...`, `TCP download ...`) with values";
            return Err(ForeignError::new(wrong));
        };
        let zero = self.zero.map_or(first, |zero| zero.min(first));
        if last - zero > LONGEST_S {
            return Err(ForeignError::new(format!(
                "it lasts {:.0} s, more than a year",
                last - zero
            )));
        }
        self.times().for_each(|at| *at -= zero);
        let later = self.zero.unwrap_or(zero) - zero;
        let told = told_stages(file, later);
        self.series.stages = told.unwrap_or_else(|| stages(&self.series.flows, last - zero));
        let metadata = &file.metadata;
        let host = printable(metadata.host.as_deref().unwrap_or_default());
        let mut measurement = Measurement {
            test: printable(&metadata.name),
            server: host.clone(),
            address: host,
            started: started(file, zero),
            duration_s: last - zero,
            ..Measurement::default()
        };
        measurement.limits =
            limits(&self.series, &self.left_out).into_iter().map(Limit::from).collect();
        measurement.series = Some(self.series);
        fill(&mut measurement, &self.fates);
        measurement.verdict = sentences(file, &measurement);
        Ok(measurement)
    }

    /// The first and the last time in all series; `None` if there is none.
    fn ends(&mut self) -> Option<(f64, f64)> {
        let times = self.times();
        times.fold(None, |ends, at| match ends {
            None => Some((*at, *at)),
            Some((first, last)) => Some((at.min(first), at.max(last))),
        })
    }

    fn times(&mut self) -> impl Iterator<Item = &mut f64> {
        let flows = self.series.flows.iter_mut().flat_map(|flow| &mut flow.at_s);
        flows.chain(self.series.probes.iter_mut().flat_map(|probes| &mut probes.at_s))
    }
}

/// The stages of the load, `None` unless the file is ours and has them. They cannot be derived from
/// the flows, because two stages that follow each other look like one. `later` is added to all
/// times.
fn told_stages(file: &File, later: f64) -> Option<Vec<MeasuredStage>> {
    const NAMES: [&str; 7] =
        ["idle", "download", "upload", "both", "download_small", "upload_small", "drain"];
    let stages = file.metadata.unbloat_stages.as_ref()?;
    let is_one = |stage: &MeasuredStage| {
        let seconds = 0.0..=LONGEST_S;
        NAMES.contains(&stage.name.as_str())
            && seconds.contains(&stage.start_s)
            && seconds.contains(&stage.end_s)
            && stage.start_s <= stage.end_s
    };
    let shifted = |stage: &MeasuredStage| MeasuredStage {
        start_s: stage.start_s + later,
        end_s: stage.end_s + later,
        ..stage.clone()
    };
    stages.iter().all(is_one).then(|| stages.iter().map(shifted).collect())
}

/// Checks that each number is one that a clock or a link can have.
fn check(name: &str, sample: &FlentSample) -> Result<(), ForeignError> {
    /// Largest plausible value: a month in milliseconds, and more Mbit/s than any link carries.
    const MOST: f64 = 2.7e9;
    let wall = [sample.owd_up, sample.owd_down];
    plausible(name, "t", sample.t, 0.0..=LATEST_S)?;
    plausible(name, "val", sample.val, 0.0..=MOST)?;
    plausible(name, "tcp_rtt", sample.tcp_rtt, 0.0..=MOST)?;
    plausible(name, "tcp_cwnd", sample.tcp_cwnd, 0.0..=MOST)?;
    // The two clocks may differ.
    wall.into_iter().try_for_each(|delay| plausible(name, "owd", delay, -1e14..=1e14))
}

/// The start of the test, as RFC 3339 in UTC; empty if it is not known.
fn started(file: &File, zero: f64) -> String {
    let text = file.metadata.time.as_deref().unwrap_or_default();
    // The packets' times, if there are any, are more reliable than a time without a zone.
    let counted = Some(zero).filter(|zero| *zero > LONGEST_S && !text.ends_with('Z'));
    counted.or_else(|| unix(text)).map_or_else(String::new, rfc3339)
}
