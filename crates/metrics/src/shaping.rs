//! The figures of a shaper.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use results::{ShapedDirection, Shaping, ShapingState};
use serde_json::Value;
use tc::{Fields, tin_names};

use crate::autorate::{BLIND, BLIND_MEANING};
use crate::bytes_per_second;
use crate::form::Form;

/// The labels of a figure.
type Labels = Vec<(String, String)>;
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;
type Counters = Family<Labels, Counter<f64, AtomicU64>>;

/// A counter of a tin: its name, its meaning, its field in tc's JSON.
const TIN_COUNTERS: [(&str, &str, &str); 5] = [
    (
        "unbloat_shape_tin_arrived_bytes",
        "Bytes that came to the tin, with those that wait in it and those that it dropped",
        "sent_bytes",
    ),
    (
        "unbloat_shape_tin_arrived_packets",
        "Packets that came to the tin, with those that wait in it and those that it dropped",
        "sent_packets",
    ),
    ("unbloat_shape_tin_dropped_packets", "Packets that were dropped", "drops"),
    ("unbloat_shape_tin_marked_packets", "Packets that were marked", "ecn_mark"),
    ("unbloat_shape_tin_filtered_acks", "Acknowledgements that were filtered", "ack_drops"),
];

/// A moving average of a tin's delays: the label, and its field in tc's JSON.
const TIN_DELAYS: [(&str, &str); 3] =
    [("peak", "peak_delay_us"), ("average", "avg_delay_us"), ("base", "base_delay_us")];

/// The state of a shaper as Prometheus reads it.
pub fn shaping(state: &Shaping, form: Form) -> Vec<u8> {
    let mut registry = Registry::default();
    let interface = vec![("interface".to_owned(), state.interface.clone())];
    let shaped = f64::from(u8::from(state.state == ShapingState::Shaping));
    gauge(&mut registry, "unbloat_shape_active", "1 while packets go through the queues")
        .get_or_create(&interface)
        .set(shaped);
    gauge(&mut registry, "unbloat_shape_cpu", "Share of a processor that the shaper uses")
        .get_or_create(&interface)
        .set(state.cpu);
    let late = "99 % of the packets were sent no later than this after they were due";
    let late = seconds(&mut registry, "unbloat_shape_lateness", late);
    if let Some(lateness) = state.lateness_us {
        late.get_or_create(&interface).set(lateness / 1e6);
    }
    let times = "Times that the shaper could not keep up, and let packets pass";
    counter(&mut registry, "unbloat_shape_stepped_aside", times)
        .get_or_create(&interface)
        .inc_by(state.stepped_aside as f64);
    if let Some(autorate) = &state.autorate {
        gauge(&mut registry, BLIND, BLIND_MEANING)
            .get_or_create(&interface)
            .set(f64::from(u8::from(autorate.blind.is_some())));
    }
    let directions = [("up", &state.up), ("down", &state.down)];
    let directions: Vec<_> = directions
        .into_iter()
        .filter_map(|(name, direction)| {
            let label = ("direction".to_owned(), name.to_owned());
            let labels = interface.iter().cloned().chain([label]).collect();
            Some(Labeled { labels, direction: direction.as_ref()? })
        })
        .collect();
    add_directions(&mut registry, &directions);
    add_tins(&mut registry, &directions);
    form.encode(&registry)
}

/// A direction and the labels of its figures.
struct Labeled<'a> {
    labels: Labels,
    direction: &'a ShapedDirection,
}

impl Labeled<'_> {
    fn with(&self, name: &str, value: &str) -> Labels {
        self.labels.iter().cloned().chain([(name.to_owned(), value.to_owned())]).collect()
    }
}

fn add_directions(registry: &mut Registry, directions: &[Labeled<'_>]) {
    let limit =
        gauge(registry, "unbloat_shape_limit_bytes_per_second", "Rate that packets are held to");
    let delay = seconds(registry, "unbloat_shape_delay", "Times that packets of a second waited");
    let backlog = gauge(registry, "unbloat_shape_backlog_bytes", "Bytes that wait");
    let sent = counter(registry, "unbloat_shape_sent_bytes", "Bytes that left the queue");
    let packets = counter(registry, "unbloat_shape_sent_packets", "Packets that left the queue");
    let drops =
        counter(registry, "unbloat_shape_dropped_packets", "Packets that the queue dropped");
    let passed = counter(
        registry,
        "unbloat_shape_passed_bytes",
        "Bytes sent on without waiting: DHCP, Neighbor Discovery, and malformed packets",
    );
    let missed = "Bytes that the interface counted and the shaper did not see";
    let missed = counter(registry, "unbloat_shape_missed_bytes", missed);
    let lost = counter(registry, "unbloat_shape_lost_packets", "Packets lost before the queue");
    let refused = "Packets that the interface refused after the queue";
    let refused = counter(registry, "unbloat_shape_refused_packets", refused);
    for it in directions {
        let ShapedDirection { tc, limit_mbit, delay_ms, .. } = it.direction;
        if let Some(mbit) = limit_mbit {
            limit.get_or_create(&it.labels).set(bytes_per_second(*mbit));
        }
        if let Some(waits) = delay_ms {
            for (quantile, millis) in [("0.5", waits.p50), ("0.95", waits.p95), ("1", waits.max)] {
                delay.get_or_create(&it.with("quantile", quantile)).set(millis / 1e3);
            }
        }
        backlog.get_or_create(&it.labels).set(number(tc, "backlog"));
        for (family, count) in [
            (&sent, number(tc, "bytes")),
            (&packets, number(tc, "packets")),
            (&drops, number(tc, "drops")),
            (&passed, it.direction.passed_bytes as f64),
            (&missed, it.direction.missed_bytes as f64),
            (&lost, it.direction.lost_packets as f64),
            (&refused, it.direction.refused_packets as f64),
        ] {
            family.get_or_create(&it.labels).inc_by(count);
        }
    }
}

fn add_tins(registry: &mut Registry, directions: &[Labeled<'_>]) {
    let counters = TIN_COUNTERS.map(|(name, help, field)| (counter(registry, name, help), field));
    let backlog = gauge(registry, "unbloat_shape_tin_backlog_bytes", "Bytes that wait in the tin");
    let delay = seconds(registry, "unbloat_shape_tin_delay", "Moving averages of CAKE's delays");
    for it in directions {
        let tins = it.direction.tc.get("tins").and_then(Value::as_array);
        let tins: Vec<_> = tins.into_iter().flatten().filter_map(Value::as_object).collect();
        for (name, tin) in tin_names(tins.len()).iter().zip(tins) {
            let labels = it.with("tin", name);
            for (family, field) in &counters {
                family.get_or_create(&labels).inc_by(number(tin, field));
            }
            backlog.get_or_create(&labels).set(number(tin, "backlog_bytes"));
            for (kind, field) in TIN_DELAYS {
                let labels: Labels =
                    labels.iter().cloned().chain([("kind".to_owned(), kind.to_owned())]).collect();
                delay.get_or_create(&labels).set(number(tin, field) / 1e6);
            }
        }
    }
}

fn number(fields: &Fields, name: &str) -> f64 {
    fields.get(name).and_then(Value::as_f64).unwrap_or_default()
}

fn gauge(registry: &mut Registry, name: &str, help: &str) -> Gauges {
    let family = Gauges::default();
    registry.register(name, help, family.clone());
    family
}

/// A gauge of seconds, whose unit the registry puts behind its name.
fn seconds(registry: &mut Registry, name: &str, help: &str) -> Gauges {
    let family = Gauges::default();
    registry.register_with_unit(name, help, Unit::Seconds, family.clone());
    family
}

fn counter(registry: &mut Registry, name: &str, help: &str) -> Counters {
    let family = Counters::default();
    registry.register(name, help, family.clone());
    family
}

#[cfg(test)]
mod tests {
    use results::{ShapedDelay, ShapingSchema, Version};
    use serde_json::json;

    use super::*;

    #[test]
    fn all_figures_have_their_labels() {
        let tin = json!({"sent_bytes": 9, "drops": 4, "backlog_bytes": 7, "peak_delay_us": 2500});
        let tc = json!({"bytes": 3000, "packets": 2, "drops": 1, "backlog": 1514, "tins": [tin]});
        let up = ShapedDirection {
            queue: "cake".into(),
            limit_mbit: Some(18.0),
            rate_mbit: 17.0,
            delay_ms: Some(ShapedDelay { p50: 1.0, p95: 2.0, max: 3.0 }),
            passed_bytes: 5,
            missed_bytes: 6,
            lost_packets: 8,
            refused_packets: 9,
            tc: tc.as_object().unwrap().clone(),
        };
        let state = Shaping {
            schema: ShapingSchema::Shaping,
            version: Version,
            interface: "wan0".into(),
            state: ShapingState::Shaping,
            uptime_s: 1.0,
            up: Some(up),
            down: None,
            lateness_us: Some(50.0),
            stepped_aside: 0,
            cpu: 0.25,
            autorate: None,
        };
        let text = |form| String::from_utf8(shaping(&state, form)).unwrap();
        let (open, text) = (text(Form::OpenMetrics), text(Form::Text));
        assert!(
            open.ends_with("# EOF\n") && open.contains("# UNIT unbloat_shape_lateness_seconds ")
        );
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"), "{text}");
        for line in [
            r#"unbloat_shape_active{interface="wan0"} 1.0"#,
            r#"unbloat_shape_lateness_seconds{interface="wan0"} 0.00005"#,
            r#"unbloat_shape_limit_bytes_per_second{interface="wan0",direction="up"} 2250000.0"#,
            r#"unbloat_shape_delay_seconds{interface="wan0",direction="up",quantile="0.95"} 0.002"#,
            r#"unbloat_shape_sent_bytes_total{interface="wan0",direction="up"} 3000.0"#,
            r#"unbloat_shape_missed_bytes_total{interface="wan0",direction="up"} 6.0"#,
            r#"unbloat_shape_tin_dropped_packets_total{interface="wan0",direction="up",tin="Tin 0"} 4.0"#,
            r#"unbloat_shape_tin_delay_seconds{interface="wan0",direction="up",tin="Tin 0",kind="peak"} 0.0025"#,
        ] {
            assert!(open.lines().any(|it| it == line), "{line}\nis not in\n{open}");
            assert!(text.lines().any(|it| it == line), "{line}\nis not in\n{text}");
        }
    }
}
