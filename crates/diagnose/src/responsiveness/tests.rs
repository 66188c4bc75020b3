use observation::{Ended, ForeignProbe, Heading, Load, Stage};
use results::{BothLoaded, FlowSeries, MeasuredSeries, MeasuredStage};
use units::{Span, Time};

use super::*;
use crate::conclusions::tests::direction;

/// Seconds of the client's clock at the beginning of the document's time.
const BEGINNING_S: u64 = 500;

/// Connections and round trips from 2 s to 6 s with these durations, in milliseconds.
fn observed(connect: u64, exchange: u64, srtt: f64) -> (Observations, Measurement) {
    let start = Time::from_secs(BEGINNING_S);
    let stage = Stage {
        load: Load::One(Heading::Up),
        start,
        end: start + Span::from_secs(8),
        ended: Ended::Planned,
    };
    let foreign = (0..32).map(|probe| ForeignProbe {
        at: start + Span::from_millis(probe * 250),
        connect: Span::from_millis(connect),
        exchange: Span::from_millis(exchange),
    });
    let observations =
        Observations { stages: vec![stage], foreign: foreign.collect(), ..Observations::default() };
    let at_s: Vec<f64> = (0..160).map(|sample| f64::from(sample) / 20.0).collect();
    let srtt_ms = vec![Some(srtt); at_s.len()];
    let flow = FlowSeries { at_s, srtt_ms, ..FlowSeries::new(Heading::Up, "BE") };
    let stage = MeasuredStage { name: "upload".into(), start_s: 0.0, end_s: 8.0 };
    let series =
        MeasuredSeries { stages: vec![stage], flows: vec![flow], ..MeasuredSeries::default() };
    let measurement = Measurement {
        upload: Some(direction(1000.0)),
        series: Some(series),
        ..Measurement::default()
    };
    (observations, measurement)
}

fn rpm((observations, mut measurement): (Observations, Measurement)) -> Option<f64> {
    fill(&observations, &mut measurement);
    measurement.responsiveness_rpm
}

/// By hand: (60000 / ((20 + 40) / 2) + 60000 / 100) / 2.
#[test]
fn it_is_the_mean_of_two_rates() {
    assert_eq!(rpm(observed(20, 40, 100.0)), Some(1300.0));
    // All of them take a second: a round trip a second.
    assert_eq!(rpm(observed(1000, 1000, 1000.0)), Some(60.0));
}

#[test]
fn what_lies_outside_the_window_does_not_count() {
    let (mut observations, measurement) = observed(20, 40, 100.0);
    for probe in observations.foreign.iter_mut().take(8) {
        probe.connect = Span::from_secs(9);
    }
    assert_eq!(rpm((observations, measurement)), Some(1300.0));
}

#[test]
fn the_worst_twentieth_is_left_out() {
    let values = || (1..=20).map(f64::from);
    assert_eq!(trimmed_mean(values()), Some(10.0));
    assert_eq!(trimmed_mean(values().take(1)), Some(1.0));
    assert_eq!(trimmed_mean([f64::NAN, f64::INFINITY, 0.0].into_iter()), None);
}

#[test]
fn without_either_kind_of_sample_there_is_no_number() {
    let (observations, measurement) = observed(20, 40, 100.0);
    let silent = Observations { foreign: Vec::new(), ..observations.clone() };
    assert_eq!(rpm((silent, measurement.clone())), None);
    assert_eq!(rpm((observations.clone(), Measurement { series: None, ..measurement })), None);
    assert_eq!(rpm(observed(0, 0, 0.0)), None);
}

/// Both directions at once count for the path only where neither was loaded alone.
#[test]
fn the_lower_of_both_directions_is_the_path_s() {
    let (observations, mut measurement) = observed(20, 40, 100.0);
    let both = BothLoaded { upload: direction(9.0), download: direction(9.0) };
    measurement.both = Some(both);
    fill(&observations, &mut measurement);
    let upload = measurement.upload.take().unwrap();
    assert_eq!(upload.responsiveness_rpm, Some(1300.0));
    let both = measurement.both.as_ref().unwrap();
    assert_eq!(both.upload.responsiveness_rpm, Some(1300.0));
    assert_eq!(both.download.responsiveness_rpm, None);
}
