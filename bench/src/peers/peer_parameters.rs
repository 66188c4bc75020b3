//! A scenario as arguments of the programs in `bench/peers`.

use std::fmt;

use qdisc::QdiscSpec;
use scenario::{Direction, Flow, RatePlan, ReceiveWindow, Scenario, Traffic};
use units::Rate;

/// Pairs of a name and a value, with rates in bit/s and times in seconds.
#[derive(Clone, Debug)]
pub(super) struct PeerParameters(Vec<(&'static str, String)>);

impl PeerParameters {
    /// The parameters of a dumbbell of `bench/scenarios`.
    pub(super) fn of(scenario: &Scenario) -> Result<Self, String> {
        let (bottleneck, edge) = (forward(scenario, "bottleneck")?, forward(scenario, "access")?);
        let queue = queue(scenario)?;
        let mut pairs = vec![
            ("seconds", scenario.duration.as_secs_f64().to_string()),
            ("rate", rate(bottleneck)?.bits_per_sec().to_string()),
            ("delay", bottleneck.delay.as_secs_f64().to_string()),
            ("edge", rate(edge)?.bits_per_sec().to_string()),
            ("edge_delay", edge.delay.as_secs_f64().to_string()),
            ("queue", queue.kind().into()),
            ("limit", limit(queue)?.to_string()),
        ];
        for flow in &scenario.flows {
            pairs.extend(wishes_for(flow)?);
        }
        Ok(Self(pairs))
    }

    /// The parameters with this value for `name`.
    pub(super) fn with(&self, name: &'static str, value: impl ToString) -> Self {
        let kept = self.0.iter().filter(|(other, _)| *other != name).cloned();
        Self(kept.chain([(name, value.to_string())]).collect())
    }

    /// The parameters as words.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|(name, value)| [*name, value.as_str()])
    }

    /// The duration of the simulation in seconds.
    pub(super) fn seconds(&self) -> f64 {
        let seconds = self.0.iter().find(|(name, _)| *name == "seconds");
        seconds.and_then(|(_, value)| value.parse().ok()).unwrap_or(0.0)
    }
}

impl fmt::Display for PeerParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.words().collect();
        f.write_str(&words.join(" "))
    }
}

/// The queue at the bottleneck.
pub(super) fn queue(scenario: &Scenario) -> Result<&QdiscSpec, String> {
    forward(scenario, "bottleneck").map(|direction| &direction.queue)
}

fn forward<'a>(scenario: &'a Scenario, name: &str) -> Result<&'a Direction, String> {
    let link = scenario.links.iter().find(|link| link.name == name);
    link.map(|link| &link.directions.forward)
        .ok_or_else(|| format!("the scenario has no link {name}"))
}

fn rate(direction: &Direction) -> Result<Rate, String> {
    match direction.rate {
        Some(RatePlan::Constant(rate)) => Ok(rate),
        _ => Err("the peers' links have one rate".into()),
    }
}

fn limit(queue: &QdiscSpec) -> Result<u64, String> {
    match queue {
        QdiscSpec::Pfifo(queue) => Ok(queue.limit),
        QdiscSpec::CoDel(queue) => Ok(queue.limit),
        QdiscSpec::FqCoDel(queue) => Ok(queue.queues.limit),
        other => Err(format!("the peers have no {}", other.kind())),
    }
}

fn wishes_for(flow: &Flow) -> Result<Vec<(&'static str, String)>, String> {
    match flow.traffic {
        Traffic::Bulk { .. } => {
            let (ReceiveWindow::Auto { max: window } | ReceiveWindow::Fixed(window)) =
                flow.tcp.receive_window;
            Ok(vec![
                ("flows", flow.count.to_string()),
                ("mss", flow.tcp.mss.to_string()),
                ("window", window.0.to_string()),
            ])
        }
        Traffic::Ping { interval, .. } => Ok(vec![("ping", interval.as_secs_f64().to_string())]),
        Traffic::Cbr { rate, packet } => {
            let interval = (packet.0 * 8) as f64 / rate.bits_per_sec() as f64;
            Ok(vec![("call", interval.to_string()), ("call_bytes", packet.0.to_string())])
        }
        _ => Err(format!("the peers have no traffic like that of {}", flow.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::DUMBBELLS;

    fn parameters(index: usize, seconds: Option<u32>) -> String {
        let scenario = DUMBBELLS[index].scenario(seconds).unwrap();
        PeerParameters::of(&scenario).unwrap().to_string()
    }

    #[test]
    fn the_scenarios_can_be_said() {
        let tcp = "mss 1448 window 4000000";
        assert_eq!(
            parameters(0, None),
            format!(
                "seconds 60 rate 10000000 delay 0.024 edge 1000000000 edge_delay 0.0005 queue \
                 pfifo limit 1000 flows 1 {tcp}"
            )
        );
        let third = parameters(2, Some(5));
        assert!(third.starts_with("seconds 5 "), "{third}");
        let traffic = format!("flows 4 {tcp} ping 0.01 call 0.0125 call_bytes 100");
        assert!(third.ends_with(&traffic), "{third}");
        assert!(parameters(4, None).contains("queue codel limit 20000 flows 100"));
    }

    #[test]
    fn a_wish_takes_the_place_of_another() {
        let parameters = PeerParameters::of(&DUMBBELLS[0].scenario(None).unwrap()).unwrap();
        assert_eq!(parameters.seconds(), 60.0);
        assert_eq!(parameters.with("seconds", 0).seconds(), 0.0);
        assert_eq!(parameters.with("trace", 1).words().count(), parameters.words().count() + 2);
    }
}
