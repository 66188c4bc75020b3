//! Documents for the tests: one upload, a call and a ping over a home's uplink.

use results::{Direction, Document, Drops, FlowResult, LinkResult, MeanMax, Sojourn, Spread};
use serde_json::json;

/// As if `queue` let packets wait so long at the median, and half as long again at the worst.
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

pub(crate) fn spread(base_ms: f64, wait_ms: f64) -> Spread {
    Spread {
        min: Some(base_ms),
        mean: Some(base_ms + wait_ms),
        p50: Some(base_ms + wait_ms),
        p95: Some(base_ms + wait_ms * 1.25),
        p99: Some(base_ms + wait_ms * 1.25),
        max: Some(base_ms + wait_ms * 1.5),
    }
}

fn uplink(queue: &str, wait_ms: f64) -> Direction {
    Direction {
        queue: queue.into(),
        delivered_packets: 8_258,
        delivered_bytes: 12_500_000,
        rate_mbit: Some(2.0),
        utilisation: Some(0.998),
        drops: Drops { full: 12, aqm: 0, loss: 0 },
        sojourn_ms: Sojourn {
            p50: Some(wait_ms),
            p95: Some(wait_ms * 1.25),
            max: Some(wait_ms * 1.5),
            ..Sojourn::default()
        },
        backlog_packets: MeanMax { mean: Some(200.0), max: Some(300) },
        ..Direction::default()
    }
}

fn downlink() -> Direction {
    Direction {
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
        ..Direction::default()
    }
}

fn backup(wait_ms: f64) -> FlowResult {
    FlowResult {
        kind: "bulk".into(),
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
        kind: "cbr".into(),
        goodput_mbit: Some(0.064),
        delay_ms: Some(spread(10.0, wait_ms)),
        sent_packets: Some(2_500),
        lost_packets: Some(0),
        ..FlowResult::default()
    }
}

fn ping(wait_ms: f64) -> FlowResult {
    FlowResult {
        kind: "ping".into(),
        rtt_ms: Some(spread(20.0, wait_ms)),
        sent_packets: Some(500),
        lost_packets: Some(1),
        ..FlowResult::default()
    }
}
