use serde_json::{Value, json};

use super::*;
use crate::{
    Completion, DirectionResult, Drops, FlowDelay, FlowKind, Lateness, MeanMax, Sojourn, Soundness,
    Starvation,
};

fn example() -> Document {
    let mut document = Document::new(json!({ "title": "One upload", "seed": 1 }));
    let forward = DirectionResult {
        queue: "pfifo limit 300".into(),
        delivered_packets: 9_000,
        delivered_bytes: 12_500_000,
        rate_mbit: Some(2.0),
        utilisation: Some(1.0),
        drops: Drops { full: 12, aqm: 0, loss: 1, ..Drops::default() },
        sojourn_ms: Sojourn { p50: Some(1200.5), ..Sojourn::default() },
        backlog_packets: MeanMax { mean: Some(200.25), max: Some(300) },
        ..DirectionResult::default()
    };
    document.links.insert("uplink".into(), LinkResult { forward, ..LinkResult::default() });
    let flow = FlowResult {
        kind: FlowKind::Transfer,
        goodput_mbit: Some(1.9),
        rtt_ms: Some(FlowDelay { min: Some(20.0), ..FlowDelay::default() }),
        completion_s: Some(Completion { count: 1, mean: Some(3.5), ..Completion::default() }),
        timeouts: Some(0),
        ..FlowResult::default()
    };
    document.flows.insert("backup".into(), flow);
    document
        .flows
        .insert("a ping".into(), FlowResult { kind: FlowKind::Ping, ..Default::default() });
    document
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The contract: exactly these names, in this order.
#[test]
fn names_and_shapes() {
    let value = serde_json::to_value(example()).unwrap();
    assert_eq!(keys(&value), ["schema", "version", "scenario", "links", "flows", "cost"]);
    assert_eq!((&value["schema"], &value["version"]), (&json!("unbloat.result"), &json!(1)));
    let uplink = &value["links"]["uplink"];
    assert_eq!(keys(uplink), ["forward", "reverse"]);
    let forward = &uplink["forward"];
    let names = "queue delivered_packets delivered_bytes rate_mbit utilisation drops marks \
        sojourn_ms others_wait_ms filled_s grade grade_reason backlog_packets backlog_bytes \
        goodput_mbit other_loss jain_goodput jain_drops";
    assert_eq!(keys(forward).join(" "), names);
    assert_eq!(forward["drops"], json!({ "full": 12, "aqm": 0, "loss": 1 }));
    assert_eq!(keys(&forward["sojourn_ms"]).join(" "), "mean p25 p50 p75 p90 p95 p99 max");
    assert_eq!(forward["backlog_packets"], json!({ "mean": 200.25, "max": 300 }));
    let flow = &value["flows"]["backup"];
    let names = "kind goodput_mbit rtt_ms delay_ms delivered_bytes sent_packets lost_packets \
        retransmitted_packets marks timeouts completion_s";
    assert_eq!(keys(flow).join(" "), names);
    assert_eq!(keys(&flow["rtt_ms"]).join(" "), "min mean p50 p95 p99 max");
    assert_eq!(keys(&flow["completion_s"]).join(" "), "count mean p50 p95 max");
    let names = "bottleneck_packets packets events cpu_s packets_per_cpu_s peak_rss_mb";
    assert_eq!(keys(&value["cost"]).join(" "), names);
}

#[test]
fn what_is_missing_is_null() {
    let value = serde_json::to_value(example()).unwrap();
    let ping = &value["flows"]["a ping"];
    assert!(ping["rtt_ms"].is_null() && ping["retransmitted_packets"].is_null());
    assert!(value["links"]["uplink"]["reverse"]["sojourn_ms"]["p50"].is_null());
    assert_eq!(value["flows"]["backup"]["timeouts"], 0);
}

#[test]
fn reads_what_it_writes() {
    let text = serde_json::to_string_pretty(&example()).unwrap();
    assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), example());
}

fn error(change: impl FnOnce(&mut Value)) -> String {
    let mut value = serde_json::to_value(example()).unwrap();
    change(&mut value);
    serde_json::from_value::<Document>(value).unwrap_err().to_string()
}

#[test]
fn refuses_what_is_not_this_format() {
    let message = error(|value| value["schema"] = json!("unbloat.measurement"));
    assert!(message.contains("unbloat.measurement") && message.contains("unbloat.result"));
    let message = error(|value| value["version"] = json!(2));
    assert_eq!(message, "this document has version 2, but only version 1 can be read");
    let message = error(|value| drop(value.as_object_mut().unwrap().remove("version")));
    assert!(message.contains("missing field `version`"), "{message}");
    error(|value| value["links"]["uplink"]["forward"]["marks"] = json!(-1));
}

#[test]
fn ignores_what_later_writers_add() {
    let mut value = serde_json::to_value(example()).unwrap();
    value["weather"] = json!("fair");
    assert_eq!(serde_json::from_value::<Document>(value).unwrap(), example());
}

/// A run by the real clock states its clock and how well it kept time; a simulated run states
/// neither.
#[test]
fn a_real_run_has_a_clock_and_a_verdict() {
    let validity = Validity {
        verdict: Soundness::Starved,
        reasons: vec!["the machine was busy".into()],
        causes: vec![Starvation::Late { p99_ms: 3.5, sound_ms: 1.0 }],
        ports: "packet".into(),
        lateness_us: Lateness { p50: Some(5.0), p99: Some(2000.0), max: None },
        lost_credit_s: 0.25,
        device_drops: 3,
        cpu: Some(0.5),
        ..Validity::default()
    };
    let document = Document { clock: Some(ClockKind::Real), validity: Some(validity), ..example() };
    let mut value = serde_json::to_value(&document).unwrap();
    let names = ["schema", "version", "scenario", "clock", "validity", "links", "flows", "cost"];
    assert_eq!(keys(&value), names);
    assert_eq!(value["clock"], "real");
    let names = "verdict reasons causes ports lateness_us lost_credit_s device_drops no_memory \
        malformed cpu";
    assert_eq!(keys(&value["validity"]).join(" "), names);
    assert_eq!(value["validity"]["verdict"], "starved");
    let cause = json!({ "kind": "late", "p99_ms": 3.5, "sound_ms": 1.0 });
    assert_eq!(value["validity"]["causes"], json!([cause]));
    assert_eq!(value["validity"]["lateness_us"], json!({ "p50": 5.0, "p99": 2000.0, "max": null }));
    assert_eq!(serde_json::from_value::<Document>(value.clone()).unwrap(), document);
    // As earlier releases wrote it: with the sentences alone.
    value["validity"].as_object_mut().unwrap().remove("causes");
    let earlier = serde_json::from_value::<Document>(value).unwrap().validity.unwrap();
    assert_eq!((earlier.reasons.len(), earlier.causes), (1, vec![]));
}

#[test]
fn cost_is_per_bottleneck_packet_and_never_infinite() {
    let cost = Cost { bottleneck_packets: 6_000_000, ..Cost::default() };
    let measured = cost.measured(Some(2.0), Some(9.5));
    assert_eq!((measured.packets_per_cpu_s, measured.peak_rss_mb), (Some(3e6), Some(9.5)));
    assert_eq!(cost.measured(Some(0.0), None).packets_per_cpu_s, None);
    assert_eq!(cost.measured(Some(f64::NAN), Some(f64::INFINITY)), cost);
}
