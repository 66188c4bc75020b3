//! The link by which packets leave a node for another.
//!
//! A kernel looks at the destination only, while the simulator gives each flow a route. Both take
//! shortest paths, so that they differ only where several paths are equally short. Each such choice
//! is made by the first flow whose data, or whose answers over the same links, pass there; without
//! such a flow it is made by the order of the links.

use std::collections::VecDeque;

use scenario::Route;
use units::{DirectionId, Way};

use super::{FlowPlan, LinkPlan};

/// The first link from each node to each other.
#[derive(Clone, Debug)]
pub(super) struct Exits {
    nodes: usize,
    /// Row by row: from a node to all others.
    exits: Vec<Option<DirectionId>>,
}

impl Exits {
    /// The exits between this number of nodes. Each flow comes with its route.
    pub(super) fn of<'a>(
        nodes: usize,
        links: &[LinkPlan],
        flows: impl Iterator<Item = (&'a FlowPlan, &'a Route)>,
    ) -> Self {
        let mut this = Self { nodes, exits: vec![None; nodes * nodes] };
        for (FlowPlan { source, sink, .. }, route) in flows {
            this.follow(links, route, *source, *sink);
            this.follow(links, &route.back(), *sink, *source);
        }
        (0..nodes).for_each(|destination| this.complete(links, destination));
        this
    }

    pub(super) fn at(&self, node: usize, destination: usize) -> Option<DirectionId> {
        self.exits[node * self.nodes + destination]
    }

    /// Makes all nodes on a shortest path from `start` to `end` send packets for its end along it,
    /// unless they have an exit already. Either exit brings packets nearer to the end, so that no
    /// packet goes in circles.
    fn follow(&mut self, links: &[LinkPlan], route: &Route, start: usize, end: usize) {
        let mut node = start;
        for hop in &route.hops {
            self.exit(node, end).get_or_insert(*hop);
            let LinkPlan { from, to, .. } = links[hop.link()];
            node = match hop.way() {
                Way::Forward => to,
                Way::Reverse => from,
            };
        }
    }

    /// Gives the shortest path to all nodes that have no exit yet.
    fn complete(&mut self, links: &[LinkPlan], destination: usize) {
        let mut is_near = vec![false; self.nodes];
        is_near[destination] = true;
        let mut frontier = VecDeque::from([destination]);
        while let Some(near) = frontier.pop_front() {
            for (link, LinkPlan { from, to, .. }) in links.iter().enumerate() {
                for (node, next, way) in [(*from, *to, Way::Forward), (*to, *from, Way::Reverse)] {
                    if next == near && !is_near[node] {
                        is_near[node] = true;
                        self.exit(node, destination).get_or_insert(DirectionId::new(link, way));
                        frontier.push_back(node);
                    }
                }
            }
        }
    }

    fn exit(&mut self, node: usize, destination: usize) -> &mut Option<DirectionId> {
        &mut self.exits[node * self.nodes + destination]
    }
}
