//! Makes the links of a scenario between the namespaces of its nodes.

use live::{
    DirectionSetup, Fabric, Namespace, Port, PortError, PortKind, PortOptions, QueuedPacket,
    packets_of_a_slice,
};
use qdisc::{AnyQdisc, QdiscSpec};
use scenario::{Change, Direction, LossPlan, MTU, RatePlan, Scenario};
use units::{DirectionId, PerWay, Rate, Time};

use crate::plan::{LinkPlan, Plan};
use crate::{LabError, Options};

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
        let most = |queue: &QdiscSpec| match options.one_by_one() {
            true => 1,
            false => most_packets(spec, queue, &changes),
        };
        Some(DirectionSetup {
            queue: spec.build_queue(rng.queue),
            wire: spec.wire(),
            framing: spec.framing(),
            most_packets: most(&spec.queue),
            passes_others: false,
            rng: rng.loss,
            changes: live_changes(spec, &changes, most),
        })
    };
    for link in &plan.links {
        let (Some(forward), Some(reverse)) = (setups(), setups()) else { break };
        let LinkPlan { device, from, to } = link;
        let mut port = |node: usize, setup: &DirectionSetup| -> Result<Port, LabError> {
            let super_packets = setup.most_packets > 1 || divides(&setup.queue, options);
            let options = PortOptions { kind, mtu: MTU, super_packets };
            let port =
                Port::open(&nodes[node], root_namespace, device, options).map_err(no_port)?;
            kind = Some(port.kind());
            Ok(port)
        };
        let ports = PerWay { forward: port(*from, &forward)?, reverse: port(*to, &reverse)? };
        fabric.add_link(ports, PerWay { forward, reverse }).map_err(|error| {
            LabError::Machine(format!("cannot make an epoll for {device}: {error}"))
        })?;
    }
    kind.ok_or_else(|| LabError::Unfit("there is no link".into()))
}

/// True if the queue is offered the packets of super-packets one by one, as CAKE's `split-gso` does
/// it, and not a kernel that has cut them before.
fn divides(queue: &AnyQdisc<QueuedPacket>, options: &Options<'_>) -> bool {
    matches!(queue, AnyQdisc::Cake(_)) && !options.one_by_one()
}

/// The changes of this direction for the loop, in which a queue takes pieces of the packets that
/// `most` says.
fn live_changes<'a>(
    spec: &'a Direction,
    changes: &[&'a Change],
    most: impl Fn(&QdiscSpec) -> u16,
) -> Vec<live::Change> {
    let mut queue = &spec.queue;
    let mut live = Vec::with_capacity(changes.len());
    for change in changes {
        queue = change.queue.as_ref().unwrap_or(queue);
        live.push(live::Change {
            shaping: None,
            at: Time::ZERO + change.at,
            queue: change.queue.as_ref().map(|settings| spec.changed_queue(settings)),
            rate: change.rate,
            most_packets: most(queue),
        });
    }
    live
}

/// The most packets of a super-packet that may pass the queue in one piece. With losses and traces
/// it is one, since those act on single packets. CAKE says itself whether it divides super-packets.
fn most_packets(spec: &Direction, queue: &QdiscSpec, changes: &[&Change]) -> u16 {
    let slowest = |rate: Rate| packets_of_a_slice(rate, spec.framing().frame(MTU));
    if matches!(&spec.rate, Some(RatePlan::Trace { .. })) || spec.loss != LossPlan::None {
        return 1;
    }
    match (queue, &spec.rate) {
        (QdiscSpec::Cake(cake), _) if cake.split_gso => 1,
        (QdiscSpec::Cake(_), _) | (_, None | Some(RatePlan::Trace { .. })) => u16::MAX,
        (_, Some(RatePlan::Constant(rate))) => {
            let later = changes.iter().filter_map(|change| change.rate);
            later.chain([*rate]).map(slowest).min().unwrap_or(1)
        }
        (_, Some(RatePlan::Schedule(schedule))) => {
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
        let spec = &scenario.links[0].directions.forward;
        most_packets(spec, &spec.queue, &[])
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
    fn cake_divides_super_packets_unless_it_is_told_not_to() {
        for rate in ["rate = \"10mbit\"", "rate = \"10gbit\"", "delay = \"1ms\""] {
            let with = |queue: &str| most(&format!("{rate}, queue = \"{queue}\""));
            assert_eq!(with("cake"), 1, "{rate}");
            assert_eq!(with("cake bandwidth 10gbit no-split-gso"), u16::MAX, "{rate}");
        }
        assert_eq!(most("rate = \"1gbit\", queue = \"cake no-split-gso\", loss = 0.01"), 1);
    }

    #[test]
    fn what_is_about_single_packets_sees_single_packets() {
        assert_eq!(most("rate = \"1gbit\", queue = \"codel\", loss = 0.01"), 1);
        assert_eq!(most("rate = { trace = \"t\" }, queue = \"codel\""), 1);
        let schedule = "rate = [[\"0s\", \"1gbit\"], [\"1s\", \"300mbit\"]], queue = \"codel\"";
        assert_eq!(most(schedule), 3);
    }
}
