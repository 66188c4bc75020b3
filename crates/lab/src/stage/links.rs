//! Makes the links of a scenario between the namespaces of its nodes.

use live::{DirectionSetup, Fabric, Namespace, Port, PortError, PortKind, PortOptions};
use scenario::{Change, Direction, LossPlan, MTU, RatePlan, Scenario};
use units::{DirectionId, PerWay, Rate, Span, Time};

use crate::plan::{LinkPlan, Plan};
use crate::{LabError, Options};

/// The time that the wire takes for the most that may pass the queue in one piece. None of the
/// kernel's shapers is finer, and no packet behind a piece waits noticeably longer.
const SLICE: Span = Span::from_micros(120);

/// Makes all links. Returns the kind of their ports: all are of the same kind, which is that of the
/// first port if none was asked for.
pub(super) fn add(
    scenario: &Scenario,
    plan: &Plan,
    nodes: &[Namespace],
    root_namespace: &Namespace,
    options: &Options<'_>,
    fabric: &mut Fabric,
) -> Result<PortKind, LabError> {
    let mut kind = options.ports;
    let mut directions = scenario.directions();
    let mut ids = DirectionId::all(scenario.links.len());
    let mut setups = || {
        let ((spec, rng), id) = directions.next().zip(ids.next())?;
        let changes: Vec<_> = scenario.changes.iter().filter(|one| one.direction == id).collect();
        Some(DirectionSetup {
            queue: spec.build_queue(rng.queue),
            wire: spec.wire(),
            overhead: spec.overhead,
            most_packets: if options.one_by_one() { 1 } else { most_packets(spec, &changes) },
            rng: rng.loss,
            changes: changes.into_iter().map(|change| live_change(spec, change)).collect(),
        })
    };
    for link in &plan.links {
        let (Some(forward), Some(reverse)) = (setups(), setups()) else { break };
        let LinkPlan { device, from, to } = link;
        let mut port = |node: usize, setup: &DirectionSetup| -> Result<Port, LabError> {
            let options = PortOptions { kind, mtu: MTU, super_packets: setup.most_packets > 1 };
            let port =
                Port::open(&nodes[node], root_namespace, device, options).map_err(no_port)?;
            kind = Some(port.kind());
            Ok(port)
        };
        let ports = PerWay { forward: port(*from, &forward)?, reverse: port(*to, &reverse)? };
        fabric.add_link(ports, PerWay { forward, reverse }).map_err(|error| {
            LabError::Machine(format!("there is no epoll for {device}: {error}"))
        })?;
    }
    kind.ok_or_else(|| LabError::Unfit("there is no link".into()))
}

/// A change of this direction for the loop.
fn live_change(spec: &Direction, change: &Change) -> live::Change {
    live::Change {
        at: Time::ZERO + change.at,
        queue: change.queue.as_ref().map(|settings| spec.changed_queue(settings)),
        rate: change.rate,
    }
}

/// The most packets of a super-packet that may pass the queue in one piece. With losses and traces
/// it is one, since those act on single packets.
fn most_packets(spec: &Direction, changes: &[&Change]) -> u16 {
    let slowest = |rate: Rate| {
        let frame = MTU + spec.overhead;
        let packets = (rate * SLICE).0 / frame.0;
        u16::try_from(packets).unwrap_or(u16::MAX).max(1)
    };
    match (&spec.rate, &spec.loss) {
        (Some(RatePlan::Trace { .. }), _) => 1,
        (_, LossPlan::Random(_) | LossPlan::Bursty { .. }) => 1,
        (None, LossPlan::None) => u16::MAX,
        (Some(RatePlan::Constant(rate)), LossPlan::None) => {
            let later = changes.iter().filter_map(|change| change.rate);
            later.chain([*rate]).map(slowest).min().unwrap_or(1)
        }
        (Some(RatePlan::Schedule(schedule)), LossPlan::None) => {
            let rates = schedule.steps().iter().map(|(_, rate)| *rate);
            rates.map(slowest).min().unwrap_or(1)
        }
    }
}

fn no_port(error: PortError) -> LabError {
    LabError::Machine(format!("{error}; `unbloat lab --check` says what this machine allows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most(link: &str) -> u16 {
        let text = format!(
            "duration = \"1s\"\nlink = [{{ name = \"l\", from = \"a\", to = \"b\", {link} }}]\n\
             flow = [{{ name = \"f\", from = \"a\", to = \"b\", traffic = \"bulk\" }}]"
        );
        let trace = |_: &str| Ok("1\n2\n3\n".to_owned());
        let scenario = Scenario::parse(&text, "test", &[], &trace).unwrap();
        most_packets(&scenario.links[0].directions.forward, &[])
    }

    /// About one packet for each 100 Mbit/s.
    #[test]
    fn slices_are_as_long_as_the_wire_takes_for_them() {
        assert_eq!(most("delay = \"1ms\", queue = \"codel\""), u16::MAX);
        let rates = [("2mbit", 1), ("100mbit", 1), ("200mbit", 2), ("1gbit", 10), ("10gbit", 100)];
        for (rate, packets) in rates {
            assert_eq!(most(&format!("rate = \"{rate}\", queue = \"codel\"")), packets, "{rate}");
        }
        let framed = "rate = \"1gbit\", overhead = 38, queue = \"codel\"";
        assert_eq!(most(framed), 9);
    }

    #[test]
    fn what_is_about_single_packets_sees_single_packets() {
        assert_eq!(most("rate = \"1gbit\", queue = \"codel\", loss = 0.01"), 1);
        assert_eq!(most("rate = { trace = \"t\" }, queue = \"codel\""), 1);
        let schedule = "rate = [[\"0s\", \"1gbit\"], [\"1s\", \"300mbit\"]], queue = \"codel\"";
        assert_eq!(most(schedule), 3);
    }
}
