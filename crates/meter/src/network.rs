//! The links of a run, and the flows that cross them.

use std::sync::Arc;

use scenario::{Codec, Scenario, Traffic};
use units::DirectionId;

/// The most flows that are recorded over time: a plot of more is unreadable.
pub(crate) const MOST_RECORDED: usize = 24;

/// The links of a run, and the flows that cross them.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The names of the links.
    pub links: Vec<String>,
    /// The flows in the order of their numbers.
    pub flows: Vec<NetworkFlow>,
}

/// A flow and its paths.
#[derive(Clone, Debug)]
pub struct NetworkFlow {
    /// The name.
    pub name: String,
    /// The index of the flow among the members of a `count`; 0 for a flow on its own.
    pub member: u32,
    /// The codec of a call; `None` for other flows.
    pub codec: Option<Codec>,
    /// The paths of the packets.
    pub paths: Arc<Paths>,
}

/// The directions that the packets of a flow cross, each path in the order of its hops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// The path of the data, from the flow's source to its sink.
    pub there: Vec<DirectionId>,
    /// The path of answers and acknowledgements, from the sink to the source.
    pub back: Vec<DirectionId>,
}

impl Network {
    /// The network of a scenario, whose flows take its routes.
    pub fn of(scenario: &Scenario) -> Self {
        let routes = scenario.flows.iter().zip(scenario.routes());
        let members = routes.flat_map(|(flow, route)| {
            let paths = Arc::new(Paths { back: route.back().hops, there: route.hops });
            let codec = match flow.traffic {
                Traffic::Voip { codec } => Some(codec),
                _ => None,
            };
            (0..flow.count).map(move |member| (member, codec, Arc::clone(&paths)))
        });
        let flows = members.zip(scenario.flow_names());
        Self {
            links: scenario.links.iter().map(|link| link.name.clone()).collect(),
            flows: flows
                .map(|((member, codec, paths), name)| NetworkFlow { name, member, codec, paths })
                .collect(),
        }
    }

    /// All directions, in the order of their numbers.
    pub fn directions(&self) -> impl Iterator<Item = DirectionId> + use<> {
        DirectionId::all(self.links.len())
    }

    /// The names of all directions: `uplink.forward`, `uplink.reverse`, and so on.
    pub fn direction_names(&self) -> Vec<String> {
        let name = |direction: DirectionId| {
            format!("{}.{}", self.links[direction.link()], direction.way().name())
        };
        self.directions().map(name).collect()
    }

    /// The numbers of the flows that are recorded over time. The first member of each `count` is
    /// chosen, then the second, and so on, so that a hundred flows of one kind do not crowd out the
    /// others.
    pub(crate) fn recorded_flows(&self) -> Vec<usize> {
        let members = self.flows.iter().map(|flow| flow.member);
        let mut ranks: Vec<(u32, usize)> = members.zip(0..).collect();
        ranks.sort_unstable();
        ranks.truncate(MOST_RECORDED);
        let mut recorded: Vec<usize> = ranks.into_iter().map(|(_, flow)| flow).collect();
        recorded.sort_unstable();
        recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_of_one_kind_leaves_room_for_the_others() {
        let flow = |member| NetworkFlow {
            name: String::new(),
            member,
            codec: None,
            paths: Arc::default(),
        };
        // A hundred of one `count`, and one flow on its own.
        let flows = (0..100).chain([0]).map(flow).collect();
        let recorded = Network { links: Vec::new(), flows }.recorded_flows();
        assert_eq!(recorded.len(), MOST_RECORDED);
        assert!(recorded.is_sorted());
        assert_eq!((recorded[22], recorded[23]), (22, 100));
    }
}
