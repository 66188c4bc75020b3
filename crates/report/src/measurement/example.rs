//! Measurements for the tests: a line of 2 Mbit/s up and 20 Mbit/s down with a buffer of 256 KiB in
//! each direction, the same line cured, and others.

use observation::Heading;
use results::{
    BothLoaded, Buffer, DelaySpread, Effects, FlowSeries, Grade, Hop, HopSeries, Leg, Limit,
    LoadedDirection, MeasuredSeries, MeasuredStage, Measurement, NetworkPart, Offender,
    ProbeSeries, QueueFinding, QueueKind, Ungraded,
};

/// The load of each stage, its start and its end, in seconds.
const STAGES: [(&str, f64, f64); 6] = [
    ("idle", 0.0, 2.0),
    ("download", 2.0, 8.0),
    ("drain", 8.0, 9.0),
    ("upload", 9.0, 15.0),
    ("drain", 15.0, 17.0),
    ("both", 17.0, 20.0),
];
/// The round trip of the idle path, in milliseconds.
const IDLE_MS: f64 = 20.0;

/// A measurement of a line with a buffer of 256 KiB in both directions, limited in bytes.
pub(crate) fn bloated() -> Measurement {
    let download = LoadedDirection {
        offender: Some(at(1, NetworkPart::AccessLine, Leg::Return)),
        ..direction(20.0, 104.9, QueueKind::ByteFifo)
    };
    let upload = LoadedDirection {
        offender: Some(at(1, NetworkPart::AccessLine, Leg::Forward)),
        responsiveness_rpm: Some(57.0),
        ..direction(2.0, 1048.6, QueueKind::ByteFifo)
    };
    let both = BothLoaded { download: download.clone(), upload: upload.clone() };
    Measurement {
        grade: Some(Grade::F),
        lag_ms: Some(1068.0),
        responsiveness_rpm: Some(57.0),
        effects: Some(Effects { call_mos: Some(1.0), game_ms: Some(1069.0), page_s: Some(10.4) }),
        offender: upload.offender.clone(),
        download: Some(download),
        upload: Some(upload),
        both: Some(both),
        hops: hops(),
        series: Some(series(104.9, 1048.6)),
        ..named()
    }
}

/// A measurement of the line of [`bloated`], with fair queueing below its rate.
pub(crate) fn cured() -> Measurement {
    let cured = |rate, p95| LoadedDirection {
        buffer: None,
        queue: Some(QueueFinding { kind: QueueKind::FairQueueing, confidence: 0.93 }),
        loss: Some(0.0),
        grade: Some(Grade::APlus),
        responsiveness_rpm: Some(2440.0),
        ..direction(rate, p95, QueueKind::FairQueueing)
    };
    Measurement {
        grade: Some(Grade::APlus),
        lag_ms: Some(24.1),
        responsiveness_rpm: Some(2440.0),
        effects: Some(Effects { call_mos: Some(4.38), game_ms: Some(24.6), page_s: Some(0.22) }),
        download: Some(cured(19.0, 1.2)),
        upload: Some(cured(1.9, 4.1)),
        series: Some(series(1.2, 4.1)),
        ..named()
    }
}

/// A measurement of a policer, which drops the packets above its rate.
pub(crate) fn policed() -> Measurement {
    let download = LoadedDirection {
        loss: Some(0.034),
        buffer: None,
        ..direction(10.0, 3.0, QueueKind::Policer)
    };
    Measurement { download: Some(download), grade: Some(Grade::APlus), ..named() }
}

/// A measurement of a radio whose rate varies all the time.
pub(crate) fn wireless() -> Measurement {
    let download = LoadedDirection {
        offender: Some(at(1, NetworkPart::FirstHop, Leg::Return)),
        buffer: Some(Buffer { bytes: Some(4e6), at_least: true, ..Buffer::default() }),
        ..direction(74.0, 180.0, QueueKind::VariableRate)
    };
    Measurement { download: Some(download), grade: Some(Grade::C), ..named() }
}

/// A measurement that could not fill the path.
pub(crate) fn unfilled() -> Measurement {
    let upload = LoadedDirection {
        saturated: false,
        grade: None,
        grade_reason: Some(Ungraded::NotFilled),
        buffer: None,
        ..direction(940.0, 0.8, QueueKind::None)
    };
    let limits = vec![Limit::ProcessorBusy { part: 0.98 }];
    Measurement { upload: Some(upload), limits, ..named() }
}

/// A measurement during which the server was lost.
pub(crate) fn partial() -> Measurement {
    let partial = Some("the server was lost after 9 s.".into());
    Measurement { partial, upload: None, both: None, grade: Some(Grade::C), ..bloated() }
}

fn named() -> Measurement {
    Measurement {
        test: "test".into(),
        server: "server.example".into(),
        address: "192.0.2.1:7007".into(),
        started: "2026-11-22T12:00:00Z".into(),
        duration_s: 20.0,
        idle_ms: Some(IDLE_MS),
        ..Measurement::default()
    }
}

fn direction(rate: f64, p95: f64, kind: QueueKind) -> LoadedDirection {
    let added = DelaySpread {
        p50: Some(p95 * 0.93),
        p95: Some(p95),
        p99: Some(p95 * 1.0005),
        max: Some(p95 * 1.001),
    };
    LoadedDirection {
        window_s: [4.0, 8.0],
        rate_mbit: Some(rate),
        goodput_mbit: Some(rate * 0.96),
        added_delay_ms: added,
        loss: Some(0.004),
        buffer: Some(Buffer {
            bytes: Some(rate * p95 * 125.0),
            confidence: 0.9,
            ..Buffer::default()
        }),
        queue: Some(QueueFinding { kind, confidence: 0.95 }),
        grade: Some(Grade::of(p95)),
        saturated: true,
        flows: 4,
        congestion: "cubic".into(),
        ..LoadedDirection::default()
    }
}

fn at(hop: u8, place: NetworkPart, leg: Leg) -> Offender {
    Offender {
        hop: Some(hop),
        address: format!("10.0.{hop}.1").parse().ok(),
        leg,
        place,
        confidence: 0.9,
        evidence: "The round trip grows there, and stays long from there on.".into(),
        ..Offender::default()
    }
}

fn hops() -> Vec<Hop> {
    let hop = |hop: u8, min_ms: f64, down: f64, up: f64| Hop {
        hop,
        address: format!("10.0.{hop}.1").parse().ok(),
        sent: 20,
        answered: 18,
        min_ms: Some(min_ms),
        download_ms: Some(min_ms + down),
        upload_ms: Some(min_ms + up),
        ..Hop::default()
    };
    let silent = Hop { hop: 3, sent: 20, ..Hop::default() };
    let server = Hop { is_server: true, ..hop(4, IDLE_MS, 98.0, 973.0) };
    vec![hop(1, 0.4, 98.0, 0.1), hop(2, 9.0, 97.0, 970.0), silent, server]
}

/// Series with 50 probes and 10 samples of each flow a second. The queue fills in two seconds, and
/// every second a flow backs off.
fn series(down_ms: f64, up_ms: f64) -> MeasuredSeries {
    let at_s: Vec<f64> = (0..1000).map(|probe| f64::from(probe) / 50.0).collect();
    let delays = |loaded: &[&str], full_ms: f64| -> Vec<Option<f64>> {
        at_s.iter()
            .map(|at| (at * 50.0 % 97.0 >= 1.0).then(|| wait(loaded, full_ms, *at)))
            .collect()
    };
    let down = delays(&["download", "both"], down_ms);
    let up = delays(&["upload", "both"], up_ms);
    let sum = |(one, other): (&Option<f64>, &Option<f64>)| Some(IDLE_MS + (*one)? + (*other)?);
    let stream = ProbeSeries {
        class: "BE".into(),
        round_trip_ms: down.iter().zip(&up).map(sum).collect(),
        up_ms: up,
        down_ms: down,
        at_s,
    };
    let stage = |(name, start_s, end_s): (&str, f64, f64)| MeasuredStage {
        name: name.into(),
        start_s,
        end_s,
    };
    let flows = [Heading::Down, Heading::Up]
        .into_iter()
        .flat_map(|heading| (0..4).map(move |n| flow(heading, n)));
    let hops = (1..=4).map(|hop| HopSeries {
        hop,
        at_s: vec![1.0, 5.0],
        round_trip_ms: vec![Some(1.0), None],
    });
    MeasuredSeries {
        stages: STAGES.map(stage).to_vec(),
        probes: vec![stream],
        flows: flows.collect(),
        hops: hops.collect(),
        ..MeasuredSeries::default()
    }
}

/// The delay in the queue at a time, in milliseconds, if one of these loads fills it; otherwise 0.
fn wait(loaded: &[&str], full_ms: f64, at: f64) -> f64 {
    let jitter = (at * 7919.0 % 1.0) * 0.4;
    let load = STAGES.iter().rfind(|(name, start, _)| loaded.contains(name) && at >= *start);
    let Some((_, start, end)) = load else { return jitter };
    let filled = ((at.min(*end) - start) / 2.0).min(1.0);
    let given_way = if filled < 1.0 { 0.0 } else { 0.15 * (1.0 - (at.min(*end) % 1.0)) };
    // After the load the queue drains by 1000 ms a second.
    let left = ((at - end) * 1000.0).max(0.0);
    (full_ms * (filled - given_way) - left).max(0.0) + jitter
}

fn flow(heading: Heading, number: u32) -> FlowSeries {
    let (loads, rate) = match heading {
        Heading::Up => (["upload", "both"], 2.0),
        Heading::Down => (["download", "both"], 20.0),
    };
    let at_s: Vec<f64> = (1..=200).map(|sample| f64::from(sample) / 10.0).collect();
    let is_loaded = |at: &f64| {
        STAGES.iter().any(|(name, start, end)| loads.contains(name) && (start..&end).contains(&at))
    };
    let share = |at: &f64| {
        let wave = libm::sin(at * 2.1 + f64::from(number) * 1.57) * 0.08;
        is_loaded(at).then_some(rate * 0.96 * (0.25 + wave))
    };
    FlowSeries {
        heading,
        class: "BE".into(),
        goodput_mbit: at_s.iter().map(share).collect(),
        srtt_ms: vec![Some(100.0); at_s.len()],
        cwnd: vec![Some(40.0); at_s.len()],
        at_s,
    }
}
