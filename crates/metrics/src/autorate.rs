//! The figures of rates that follow a line.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use results::Autorate;

use crate::bytes_per_second;
use crate::form::Form;

type Gauges = Family<Vec<(String, String)>, Gauge<f64, AtomicU64>>;

/// Rates that follow a line as Prometheus reads them.
pub fn autorate(state: &Autorate, form: Form) -> Vec<u8> {
    let mut registry = Registry::default();
    let interface = ("interface".to_owned(), state.interface.clone());
    let mut gauge = |name: &str, meaning: &str| {
        let gauges = Gauges::default();
        registry.register(name, meaning, gauges.clone());
        gauges
    };
    let blind = gauge(BLIND, BLIND_MEANING);
    blind
        .get_or_create(&vec![interface.clone()])
        .set(f64::from(u8::from(state.state.blind.is_some())));
    let rate = gauge("unbloat_autorate_limit_bytes_per_second", "Rate of the queue");
    let carried = "Rate that crossed the line in the last second";
    let carried = gauge("unbloat_autorate_carried_bytes_per_second", carried);
    for (name, direction) in [("up", &state.state.up), ("down", &state.state.down)] {
        let labels = vec![interface.clone(), ("direction".to_owned(), name.to_owned())];
        rate.get_or_create(&labels).set(bytes_per_second(direction.rate_mbit));
        carried.get_or_create(&labels).set(bytes_per_second(direction.carried_mbit));
    }
    form.encode(&registry)
}

/// The name and the meaning of the figure of blindness, which a shaper of ours has too.
pub(crate) const BLIND: &str = "unbloat_autorate_blind";
pub(crate) const BLIND_MEANING: &str = "1 while no delay is known that the rates could follow";

#[cfg(test)]
mod tests {
    use results::{
        AutorateBlind, AutorateDirection, AutorateReason, AutorateSchema, AutorateSource,
        AutorateState, Version,
    };

    use super::*;

    #[test]
    fn rates_and_blindness_are_figures() {
        let direction = AutorateDirection {
            rate_mbit: 8.0,
            reason: AutorateReason::Hold,
            carried_mbit: 2.5,
            minimum_mbit: 1.0,
            base_mbit: 8.0,
            maximum_mbit: 20.0,
        };
        let state = Autorate {
            schema: AutorateSchema::Autorate,
            version: Version,
            interface: "wan".into(),
            uptime_s: 1.0,
            state: AutorateState {
                source: AutorateSource::Passing,
                blind: Some(AutorateBlind::Silent),
                blind_s: Some(3.0),
                up: direction,
                down: direction,
            },
        };
        let text = String::from_utf8(autorate(&state, Form::Text)).unwrap();
        for line in [
            r#"unbloat_autorate_blind{interface="wan"} 1.0"#,
            r#"unbloat_autorate_limit_bytes_per_second{interface="wan",direction="down"} 1000000.0"#,
            r#"unbloat_autorate_carried_bytes_per_second{interface="wan",direction="up"} 312500.0"#,
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\nis not in\n{text}");
        }
    }
}
