//! The scenario as a whole.

use indexmap::IndexSet;
use qdisc::QdiscSpec;
use units::{DirectionId, PerWay, Rng, Span, Way};

use crate::route::Map;
use crate::traffic::BACK;
use crate::{
    AddressPair, Change, Direction, Flow, Host, Link, Randomness, Route, Traffic, address,
};

/// A scenario in which everything has been checked: names are unique, every flow has a route,
/// and every value is within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The title: one line for people.
    pub title: String,
    /// The duration of the run.
    pub duration: Span,
    /// The time at the beginning that is left out of the statistics; shorter than `duration`.
    pub warmup: Span,
    /// The seed of all randomness.
    pub seed: u64,
    /// The links in file order, at least one.
    pub links: Vec<Link>,
    /// The flows in file order, at least one.
    pub flows: Vec<Flow>,
    /// The changes of links while the run lasts, in order of time.
    pub changes: Vec<Change>,
}

impl Scenario {
    /// The route of each flow, in the order of `flows`: the one with the fewest hops, ties broken
    /// by file order.
    pub fn routes(&self) -> Vec<Route> {
        let map = Map::new(&self.links);
        let route = |flow: &Flow| map.route(&flow.from, &flow.to);
        // Every flow of a checked scenario has a route; one built by hand may lack it, and gets an
        // empty one.
        self.flows.iter().map(|flow| route(flow).unwrap_or(Route { hops: Vec::new() })).collect()
    }

    /// The addresses of the packets of one of the flows on each link of their way: forward along
    /// its route, and in reverse back along it.
    pub fn addresses<'a>(&'a self, flow: &'a Flow, route: &Route) -> PerWay<Vec<AddressPair<'a>>> {
        address::addresses(flow, route, &self.links)
    }

    /// All hosts: the nodes, in the order in which the links name them, and the hosts behind them,
    /// in that of the flows.
    pub fn hosts(&self) -> IndexSet<Host<'_>> {
        let nodes = self.links.iter().flat_map(|link| [&link.from, &link.to]);
        let nodes = nodes.map(|node| Host { node, behind: None });
        let ends = self
            .flows
            .iter()
            .flat_map(|flow| [(&flow.from, &flow.host), (&flow.to, &flow.to_host)]);
        let behind =
            ends.filter_map(|(node, host)| Some(Host { node, behind: Some(host.as_ref()?) }));
        nodes.chain(behind).collect()
    }

    /// The names of all flows; the members of a `count` are `name[0]`, `name[1]`, ...
    pub fn flow_names(&self) -> Vec<String> {
        self.flows.iter().flat_map(|flow| members(&flow.name, flow.count)).collect()
    }

    /// The names of all directions: `uplink.forward`, `uplink.reverse`, and so on.
    pub fn direction_names(&self) -> Vec<String> {
        DirectionId::all(self.links.len()).map(|direction| self.direction_name(direction)).collect()
    }

    /// The name of a direction: `uplink.forward`.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn direction_name(&self, direction: DirectionId) -> String {
        format!("{}.{}", self.links[direction.link()].name, direction.way().name())
    }

    /// The direction with this name: `uplink` (the forward one), `uplink.forward` or
    /// `uplink.reverse`. `None` if there is no such link.
    pub fn named_direction(&self, name: &str) -> Option<DirectionId> {
        let find = |wanted: &str| self.links.iter().position(|link| link.name == wanted);
        // A link's own name may end like a direction.
        if let Some(link) = find(name) {
            return Some(DirectionId::new(link, Way::Forward));
        }
        let (link, way) = name.rsplit_once('.')?;
        let way = [Way::Forward, Way::Reverse].into_iter().find(|it| it.name() == way)?;
        Some(DirectionId::new(find(link)?, way))
    }

    /// The direction of a link with this number.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn direction(&self, direction: DirectionId) -> &Direction {
        &self.links[direction.link()].directions[direction.way()]
    }

    /// The settings of a direction's queue after the changes up to this time of the run.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn queue_at(&self, direction: DirectionId, at: Span) -> &QdiscSpec {
        let changes = self.changes.iter().take_while(|change| change.at <= at);
        let of_queue = changes.filter(|change| change.direction == direction);
        let last = of_queue.filter_map(|change| change.queue.as_ref()).last();
        last.unwrap_or(&self.direction(direction).queue)
    }

    /// All directions in the order of their names, each with its random streams. These are forked
    /// from the seed by the direction's name, so that a change of one link does not affect the
    /// others.
    pub fn directions(&self) -> impl Iterator<Item = (&Direction, Randomness)> {
        let rng = Rng::new(self.seed);
        let both = self.links.iter().flat_map(|link| link.directions.iter());
        both.zip(self.direction_names()).map(move |(direction, name)| {
            let rng = rng.fork(&name);
            (direction, Randomness { queue: rng.fork("queue"), loss: rng.fork("loss") })
        })
    }

    /// The random stream of each flow, in the order of their names, forked from the seed by name.
    /// Both ways of a call have one stream, so that they begin at the same time.
    pub fn flow_randomness(&self) -> impl Iterator<Item = Rng> {
        let rng = Rng::new(self.seed).fork("flows");
        let names = self.flows.iter().flat_map(|flow| members(self.way_there(flow), flow.count));
        names.map(move |name| rng.fork(&name))
    }

    /// The name of the call whose way back the flow is; the flow's own if it is none.
    fn way_there<'a>(&self, flow: &'a Flow) -> &'a str {
        let is_call = |flow: &Flow| matches!(flow.traffic, Traffic::Voip { .. });
        let there = flow.name.strip_suffix(BACK).filter(|_| is_call(flow));
        let exists = |name: &&str| self.flows.iter().any(|it| it.name == *name && is_call(it));
        there.filter(exists).unwrap_or(&flow.name)
    }
}

/// The names of the members of a flow: `name`, or `name[0]`, `name[1]`, ...
fn members(name: &str, count: u32) -> Vec<String> {
    match count {
        1 => vec![name.to_owned()],
        count => (0..count).map(|member| format!("{name}[{member}]")).collect(),
    }
}
