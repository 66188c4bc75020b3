//! What the lab knows of a scenario's flows on each link beside the bytes of their packets: hosts
//! behind the nodes, the translation of addresses, and firewall marks.
//!
//! In the lab a node has one address, which nobody translates, and a kernel takes the mark off a
//! packet that leaves its network. The queues are told of each flow's packets what they would see
//! of them.

use std::collections::HashMap;

use live::KnownFlow;
use scenario::Scenario;
use units::DirectionId;

/// What is known on each direction, by the numbers of flows, in the order of directions. Nothing,
/// if the bytes of all packets tell what there is to know.
pub(super) fn flows(scenario: &Scenario) -> Vec<HashMap<u32, KnownFlow>> {
    let mut known = vec![HashMap::new(); DirectionId::all(scenario.links.len()).count()];
    let is_behind = |flow: &scenario::Flow| flow.host.is_some() || flow.to_host.is_some();
    let is_more = scenario.links.iter().any(|link| link.nat.is_some())
        || scenario.flows.iter().any(|flow| flow.mark > 0 || is_behind(flow));
    if !is_more {
        return known;
    }
    let hosts = scenario.hosts();
    let mut first = 0;
    for (flow, route) in scenario.flows.iter().zip(scenario.routes()) {
        let addresses = scenario.addresses(flow, &route);
        let back = route.back();
        let there = addresses.forward.into_iter().zip(&route.hops);
        for (pair, direction) in there.chain(addresses.reverse.into_iter().zip(&back.hops)) {
            let facts = KnownFlow {
                hosts: pair.on_link.among(&hosts),
                untranslated: pair.untranslated.among(&hosts),
                mark: flow.mark,
            };
            let members = first..first + flow.count;
            known[direction.index()].extend(members.map(|member| (member, facts)));
        }
        first += flow.count;
    }
    known
}

#[cfg(test)]
mod tests {
    use qdisc::Hosts;

    use super::*;

    #[test]
    fn only_what_bytes_do_not_tell_is_known() {
        let read = |line: &str| {
            let text = format!(
                "duration = '1s'\n\
                 link = [{{ name = 'l', from = 'a', to = 'b', delay = '1ms', {line} }}]\n\
                 [[flow]]\nname = 'f'\nfrom = 'a'\nhost = 'x'\nto = 'b'\ntraffic = 'ping'\n\
                 [[flow]]\nname = 'g'\nfrom = 'a'\nto = 'b'\ntraffic = 'ping'\nmark = 5\ncount = 2\n"
            );
            let text = if line.is_empty() {
                text.replace("host = 'x'\n", "").replace("mark = 5\n", "")
            } else {
                text
            };
            let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
            flows(&Scenario::parse(&text, "test", &[], &no_traces).unwrap())
        };
        assert!(read("").iter().all(HashMap::is_empty));
        let known = read("nat = 'a'");
        assert_eq!(known.iter().map(HashMap::len).collect::<Vec<_>>(), [3, 3]);
        // The node a is 0, b is 1, and the host x behind a is 2.
        let hosts = |source, destination| Hosts { source, destination };
        let of = |mark, hosts, untranslated| KnownFlow { hosts, untranslated, mark };
        assert_eq!(known[0][&0], of(0, hosts(0, 1), hosts(2, 1)));
        assert_eq!(known[1][&0], of(0, hosts(1, 0), hosts(1, 2)));
        assert_eq!(known[0][&2], of(5, hosts(0, 1), hosts(0, 1)));
    }
}
