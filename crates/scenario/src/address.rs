//! The hosts that a packet's addresses name, link by link: a router that translates addresses puts
//! its own in place of those behind it.
//!
//! Specification: RFC 3022 section 2.2, which translates addresses and ports. Ports are kept: those
//! of a scenario's flows differ anyway.

use std::fmt;

use indexmap::IndexSet;
use units::{DirectionId, PerWay, Way};

use crate::{Flow, Link, Route};

/// A host of the scenario, which has an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Host<'a> {
    /// The node.
    pub node: &'a str,
    /// The host behind the node; `None` for the node itself.
    pub behind: Option<&'a str>,
}

impl fmt::Display for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.behind {
            Some(host) => write!(f, "{host}.{}", self.node),
            None => f.write_str(self.node),
        }
    }
}

/// The two ends of a packet's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses<'a> {
    /// The host from which the packet comes.
    pub source: Host<'a>,
    /// The host to which the packet goes.
    pub destination: Host<'a>,
}

/// The addresses of a flow's packets on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPair<'a> {
    /// The addresses that the packets have on the link.
    pub on_link: Addresses<'a>,
    /// The addresses without the translation by a node at this link, which that node knows.
    pub untranslated: Addresses<'a>,
}

impl Addresses<'_> {
    /// The places of these hosts among [all of the scenario](crate::Scenario::hosts).
    pub fn among(self, hosts: &IndexSet<Host<'_>>) -> qdisc::Hosts {
        // All are among them.
        let number = |host: Host<'_>| hosts.get_index_of(&host).unwrap_or(hosts.len()) as u64;
        qdisc::Hosts { source: number(self.source), destination: number(self.destination) }
    }

    fn back(self) -> Self {
        Self { source: self.destination, destination: self.source }
    }
}

/// The address of one end of a flow on a link.
struct End<'a> {
    on_link: Host<'a>,
    untranslated: Host<'a>,
}

/// The addresses of a flow's packets on each link of their way: forward from its source along
/// `route`, and in reverse back along it.
pub(crate) fn addresses<'a>(
    flow: &'a Flow,
    route: &Route,
    links: &'a [Link],
) -> PerWay<Vec<AddressPair<'a>>> {
    let from = Host { node: &flow.from, behind: flow.host.as_deref() };
    let to = Host { node: &flow.to, behind: flow.to_host.as_deref() };
    let sources = ends(from, route, links);
    let mut destinations = ends(to, &route.back(), links);
    destinations.reverse();
    let pair = |(source, destination): (End<'a>, End<'a>)| {
        let on_link = Addresses { source: source.on_link, destination: destination.on_link };
        let untranslated =
            Addresses { source: source.untranslated, destination: destination.untranslated };
        AddressPair { on_link, untranslated }
    };
    let forward: Vec<_> = sources.into_iter().zip(destinations).map(pair).collect();
    let back = |pair: &AddressPair<'a>| AddressPair {
        on_link: pair.on_link.back(),
        untranslated: pair.untranslated.back(),
    };
    let reverse = forward.iter().rev().map(back).collect();
    PerWay { forward, reverse }
}

/// The source address of packets from `host` on each link of `route`.
fn ends<'a>(mut host: Host<'a>, route: &Route, links: &'a [Link]) -> Vec<End<'a>> {
    let translate = |hop: &DirectionId| {
        let link = &links[hop.link()];
        let untranslated = host;
        if link.nat == Some(hop.way()) {
            let node = if hop.way() == Way::Forward { &link.from } else { &link.to };
            host = Host { node, behind: None };
        }
        End { on_link: host, untranslated }
    };
    route.hops.iter().map(translate).collect()
}

#[cfg(test)]
mod tests {
    use crate::Scenario;

    /// A household behind its router, which is behind the provider's: both translate.
    const TWICE: &str = r#"
        duration = "1s"
        [[link]]
        name = "lan"
        from = "laptop"
        to = "router"
        delay = "1ms"
        [[link]]
        name = "line"
        from = "isp"
        to = "router"
        nat = "router"
        [[link]]
        name = "world"
        from = "isp"
        to = "server"
        nat = "isp"
        delay = "1ms"
        [[flow]]
        name = "up"
        from = "laptop"
        to = "server"
        traffic = "bulk"
        [[flow]]
        name = "down"
        from = "server"
        to = "router"
        to_host = "tv"
        traffic = "bulk"
    "#;

    fn told(pairs: &[super::AddressPair<'_>]) -> Vec<String> {
        let host = |host: super::Host<'_>| host.behind.unwrap_or(host.node).to_owned();
        let ends = |ends: super::Addresses<'_>| {
            format!("{} > {}", host(ends.source), host(ends.destination))
        };
        pairs
            .iter()
            .map(|pair| format!("{} ({})", ends(pair.on_link), ends(pair.untranslated)))
            .collect()
    }

    #[test]
    fn each_router_hides_what_lies_behind_it() {
        let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let scenario = Scenario::parse(TWICE, "test.toml", &[], &no_traces).unwrap();
        let routes = scenario.routes();
        let [up, down] =
            [0, 1].map(|flow| scenario.addresses(&scenario.flows[flow], &routes[flow]));
        assert_eq!(
            told(&up.forward),
            [
                "laptop > server (laptop > server)",
                "router > server (laptop > server)",
                "isp > server (router > server)",
            ]
        );
        assert_eq!(
            told(&up.reverse),
            [
                "server > isp (server > router)",
                "server > router (server > laptop)",
                "server > laptop (server > laptop)",
            ]
        );
        assert_eq!(
            told(&down.forward),
            ["server > isp (server > router)", "server > router (server > tv)"]
        );
        assert_eq!(
            told(&down.reverse),
            ["router > server (tv > server)", "isp > server (router > server)"]
        );
    }
}
