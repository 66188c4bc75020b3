//! Measurements for the tests, of a line with 2 Mbit/s up and a queue of one second, and with 20
//! Mbit/s down and a queue of 0.1 s.

use observation::Heading;
use results::{FlowSeries, MeasuredSeries, MeasuredStage, Measurement, ProbeSeries};

/// Idle for five seconds, loaded for twenty, and idle again.
const LOADED_S: [f64; 2] = [5.0, 25.0];
const END_S: f64 = 30.0;

/// A test of Flent's: flows of these directions and classes, probes of these classes.
pub(crate) fn measured(test: &str, flows: &[(Heading, &str)], probes: &[&str]) -> Measurement {
    let heads = |heading: Heading| flows.iter().any(|(known, _)| *known == heading);
    let name = match (heads(Heading::Up), heads(Heading::Down)) {
        (true, true) => "both",
        (true, false) => "upload",
        _ => "download",
    };
    let bounds = [("idle", 0.0, 5.0), (name, 5.0, 25.0), ("idle", 25.0, END_S)];
    let stage = |(name, start_s, end_s): (&str, f64, f64)| MeasuredStage {
        name: name.into(),
        start_s,
        end_s,
    };
    let share =
        |heading: Heading| flows.iter().filter(|(known, _)| *known == heading).count() as f64;
    let series = MeasuredSeries {
        stages: bounds.map(stage).to_vec(),
        flows: flows
            .iter()
            .map(|(heading, class)| flow(*heading, class, share(*heading)))
            .collect(),
        probes: probes
            .iter()
            .map(|class| stream(class, heads(Heading::Up), heads(Heading::Down)))
            .collect(),
        ..MeasuredSeries::default()
    };
    Measurement {
        test: test.into(),
        server: "server.example".into(),
        address: "192.0.2.1:4242".into(),
        started: "2026-11-22T12:00:00Z".into(),
        duration_s: END_S,
        series: Some(series),
        ..Measurement::default()
    }
}

/// RRUL as in Flent.
pub(crate) fn rrul() -> Measurement {
    let classes = ["BE", "BK", "CS5", "EF"];
    let flows: Vec<(Heading, &str)> = [Heading::Up, Heading::Down]
        .into_iter()
        .flat_map(|way| classes.map(|class| (way, class)))
        .collect();
    measured("rrul", &flows, &["EF", "BK", "BE"])
}

fn flow(heading: Heading, class: &str, share: f64) -> FlowSeries {
    let (rate, delay) = if heading == Heading::Up { (1.9, 1049.0) } else { (19.0, 105.0) };
    let at_s: Vec<f64> = (1..=100).map(|step| LOADED_S[0] + f64::from(step) * 0.2).collect();
    FlowSeries {
        heading,
        class: class.into(),
        goodput_mbit: vec![Some(rate / share); at_s.len()],
        srtt_ms: at_s.iter().map(|at| Some(20.0 + queue(*at, delay))).collect(),
        cwnd: vec![Some(40.0); at_s.len()],
        at_s,
    }
}

/// Ten probes a second, of which each fiftieth is lost on the way up, and the next one on the way
/// down.
fn stream(class: &str, up: bool, down: bool) -> ProbeSeries {
    let at_s: Vec<f64> = (0..295).map(|probe| f64::from(probe) * 0.1).collect();
    let way = |loaded: bool, delay: f64| move |at: f64| if loaded { queue(at, delay) } else { 0.0 };
    let (up, down) = (way(up, 1049.0), way(down, 105.0));
    let mut probes = ProbeSeries { class: class.into(), ..ProbeSeries::default() };
    for (index, at) in at_s.iter().enumerate() {
        let up = Some(up(*at)).filter(|_| index % 50 != 10);
        let down = Some(down(*at)).filter(|_| up.is_some() && index % 50 != 11);
        probes.up_ms.push(up);
        probes.down_ms.push(down);
        probes.round_trip_ms.push(up.zip(down).map(|(up, down)| 20.0 + up + down));
    }
    ProbeSeries { at_s, ..probes }
}

/// The delay in a queue that fills within two seconds of load, and drains by a second a second.
fn queue(at: f64, full_ms: f64) -> f64 {
    let [start, end] = LOADED_S;
    match at {
        _ if at < start => 0.0,
        _ if at < end => full_ms * ((at - start) / 2.0).min(1.0),
        _ => (full_ms - (at - end) * 1e3).max(0.0),
    }
}
