//! Documents for the tests: an upload, a call and a ping over the uplink of a home.

use results::{
    DelaySpread, DirectionResult, DirectionTimeline, Distributions, Document, Drops, Extremes,
    FlowDelay, FlowKind, FlowResult, FlowTimeline, Grade, LinkDistributions, LinkResult,
    LinkTimeline, MeanMax, Sojourn, Timeline, Ungraded,
};
use serde_json::json;

/// A run in which packets wait in `queue` for `wait_ms` at the median, and 1.5 times as long at
/// most.
pub(crate) fn home(queue: &str, wait_ms: f64) -> Document {
    let mut document = Document::new(json!({
        "title": "One upload over a bloated uplink", "duration": "60s", "warmup": "10s", "seed": 1,
    }));
    let uplink = LinkResult { forward: uplink(queue, wait_ms), reverse: downlink() };
    document.links.insert("uplink".into(), uplink);
    document.links.insert("unused".into(), LinkResult::default());
    document.flows.insert("backup".into(), backup(wait_ms));
    document.flows.insert("call".into(), call(wait_ms));
    document.flows.insert("ping".into(), ping(wait_ms));
    document
}

/// The run of [`home`] with a timeline, in steps of half a second, in which the queue fills and
/// drains again and again.
pub(crate) fn home_over_time(queue: &str, wait_ms: f64) -> Document {
    let mut timeline = Timeline { step_s: 0.5, ..Timeline::default() };
    let forward = filling(wait_ms);
    let uplink = LinkTimeline { forward, reverse: DirectionTimeline::default() };
    timeline.links.insert("uplink".into(), uplink);
    for (name, has_window, bytes) in [("backup", true, 120_000), ("ping", false, 0)] {
        let cwnd_segments = if has_window { ramp(10.0, 1.0) } else { Extremes::default() };
        let delivered_bytes = vec![bytes; STEPS];
        let flow = FlowTimeline { cwnd_segments, rtt_ms: ramp(20.0, wait_ms), delivered_bytes };
        timeline.flows.insert(name.into(), flow);
    }
    let mut distributions = Distributions { quantiles: vec![0.0, 0.5, 1.0], ..Default::default() };
    let waits = vec![0.0, wait_ms, wait_ms * 1.5];
    let both = LinkDistributions { forward: waits.clone(), reverse: Vec::new() };
    distributions.links.insert("uplink".into(), both);
    distributions.flows.insert("ping".into(), waits.iter().map(|wait| 20.0 + wait).collect());
    let mut document = home(queue, wait_ms);
    document.scenario["link"] =
        json!([{ "name": "uplink", "rate": "2mbit", "delay": "5ms", "reverse": {} }]);
    document.timeline = Some(timeline);
    document.distributions = Some(distributions);
    document
}

/// Number of steps in a minute.
const STEPS: usize = 120;

fn filling(wait_ms: f64) -> DirectionTimeline {
    let drops = (0..STEPS).map(|step| u64::from(step % 10 == 9)).collect();
    DirectionTimeline {
        sojourn_ms: ramp(0.0, wait_ms),
        backlog_packets: ramp(0.0, wait_ms / 6.0),
        delivered_bytes: vec![125_000; STEPS],
        drops,
        marks: vec![0; STEPS],
    }
}

/// A ramp from `base` to `base + 1.5 * height` every five seconds.
fn ramp(base: f64, height: f64) -> Extremes {
    let at = |step: usize| base + height * 1.5 * (step % 10) as f64 / 9.0;
    let high: Vec<Option<f64>> = (0..STEPS).map(|step| Some(at(step))).collect();
    let low = high.iter().map(|high| high.map(|high| base + (high - base) / 2.0)).collect();
    Extremes { low, high }
}

pub(crate) fn spread(base_ms: f64, wait_ms: f64) -> FlowDelay {
    FlowDelay {
        min: Some(base_ms),
        mean: Some(base_ms + wait_ms),
        p50: Some(base_ms + wait_ms),
        p95: Some(base_ms + wait_ms * 1.25),
        p99: Some(base_ms + wait_ms * 1.25),
        max: Some(base_ms + wait_ms * 1.5),
    }
}

fn uplink(queue: &str, wait_ms: f64) -> DirectionResult {
    DirectionResult {
        queue: queue.into(),
        delivered_packets: 8_258,
        delivered_bytes: 12_500_000,
        rate_mbit: Some(2.0),
        utilisation: Some(0.998),
        drops: Drops { full: 12, aqm: 0, loss: 0, ..Drops::default() },
        sojourn_ms: Sojourn {
            p50: Some(wait_ms),
            p95: Some(wait_ms * 1.25),
            max: Some(wait_ms * 1.5),
            ..Sojourn::default()
        },
        others_wait_ms: DelaySpread {
            p50: Some(wait_ms),
            p95: Some(wait_ms * 1.25),
            p99: Some(wait_ms * 1.4),
            max: Some(wait_ms * 1.5),
        },
        filled_s: Some(50.0),
        grade: Some(Grade::of(wait_ms * 1.25)),
        goodput_mbit: Some(1.97),
        backlog_packets: MeanMax { mean: Some(200.0), max: Some(300) },
        ..DirectionResult::default()
    }
}

fn downlink() -> DirectionResult {
    DirectionResult {
        queue: "pfifo limit 1000".into(),
        delivered_packets: 4_200,
        delivered_bytes: 280_000,
        rate_mbit: Some(0.0448),
        utilisation: Some(0.00224),
        sojourn_ms: Sojourn {
            p50: Some(0.0),
            p95: Some(0.1),
            max: Some(0.2),
            ..Sojourn::default()
        },
        filled_s: Some(0.0),
        grade_reason: Some(Ungraded::NotFilled),
        ..DirectionResult::default()
    }
}

fn backup(wait_ms: f64) -> FlowResult {
    FlowResult {
        kind: FlowKind::Bulk,
        goodput_mbit: Some(1.91),
        rtt_ms: Some(spread(20.0, wait_ms)),
        delivered_bytes: Some(11_940_000),
        sent_packets: Some(8_258),
        lost_packets: Some(12),
        retransmitted_packets: Some(12),
        marks: Some(0),
        timeouts: Some(0),
        ..FlowResult::default()
    }
}

fn call(wait_ms: f64) -> FlowResult {
    FlowResult {
        kind: FlowKind::Cbr,
        goodput_mbit: Some(0.064),
        delay_ms: Some(spread(10.0, wait_ms)),
        sent_packets: Some(2_500),
        lost_packets: Some(0),
        ..FlowResult::default()
    }
}

fn ping(wait_ms: f64) -> FlowResult {
    FlowResult {
        kind: FlowKind::Ping,
        rtt_ms: Some(spread(20.0, wait_ms)),
        sent_packets: Some(500),
        lost_packets: Some(1),
        ..FlowResult::default()
    }
}
