//! The links that a flow crosses.

use std::collections::{BTreeMap, VecDeque};

use units::{DirectionId, Way};

use crate::Link;

/// The links from a flow's `from` to its `to`, in order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The directions that the data crosses.
    pub hops: Vec<DirectionId>,
}

impl Route {
    /// The route back: the same links in reverse order and direction.
    pub fn back(&self) -> Self {
        Self { hops: self.hops.iter().rev().map(|hop| hop.opposite()).collect() }
    }
}

/// The nodes that the links join, and the shortest paths between them. Each link can be used both
/// ways.
///
/// The shortest path has the fewest hops. Among several such, it is the one whose links come first
/// in the file, compared from the start.
pub(crate) struct Map<'a> {
    /// The index of each node in `exits`.
    nodes: BTreeMap<&'a str, usize>,
    /// The hops that leave each node, in file order, and the nodes to which they lead.
    exits: Vec<Vec<(DirectionId, usize)>>,
}

impl<'a> Map<'a> {
    pub(crate) fn new(links: &'a [Link]) -> Self {
        let mut map = Self { nodes: BTreeMap::new(), exits: Vec::new() };
        for (link, Link { from, to, .. }) in links.iter().enumerate() {
            let (from, to) = (map.add(from), map.add(to));
            map.exits[from].push((DirectionId::new(link, Way::Forward), to));
            map.exits[to].push((DirectionId::new(link, Way::Reverse), from));
        }
        map
    }

    /// All nodes, in alphabetical order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &'a str> {
        self.nodes.keys().copied()
    }

    /// The route from one node to another; `None` if a node does not exist or if no links join the
    /// two.
    pub(crate) fn route(&self, from: &str, to: &str) -> Option<Route> {
        let (from, to) = (*self.nodes.get(from)?, *self.nodes.get(to)?);
        let mut entered: Vec<Option<(DirectionId, usize)>> = vec![None; self.exits.len()];
        let mut frontier = VecDeque::from([from]);
        while let Some(node) = frontier.pop_front().filter(|node| *node != to) {
            for (hop, next) in &self.exits[node] {
                if *next != from && entered[*next].is_none() {
                    entered[*next] = Some((*hop, node));
                    frontier.push_back(*next);
                }
            }
        }
        let mut hops = Vec::new();
        let mut node = to;
        while let Some((hop, previous)) = entered[node] {
            hops.push(hop);
            node = previous;
        }
        hops.reverse();
        (!hops.is_empty()).then_some(Route { hops })
    }

    fn add(&mut self, node: &'a str) -> usize {
        let index = *self.nodes.entry(node).or_insert(self.exits.len());
        if index == self.exits.len() {
            self.exits.push(Vec::new());
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use qdisc::QdiscSpec;
    use units::{Bytes, PerWay, Span};

    use super::*;
    use crate::{Direction, LossPlan};

    fn links(ends: &[(&str, &str)]) -> Vec<Link> {
        let queue: QdiscSpec = "pfifo limit 1000".parse().unwrap();
        let direction = Direction {
            rate: None,
            delay: Span::ZERO,
            queue,
            overhead: Bytes::ZERO,
            cells: link::Cells::None,
            shaper: None,
            loss: LossPlan::None,
        };
        let link = |(from, to): &(&str, &str)| Link {
            name: format!("{from}-{to}"),
            from: (*from).into(),
            to: (*to).into(),
            directions: PerWay::new(|_| direction.clone()),
            nat: None,
        };
        ends.iter().map(link).collect()
    }

    fn route(ends: &[(&str, &str)], from: &str, to: &str) -> Option<Vec<DirectionId>> {
        Some(Map::new(&links(ends)).route(from, to)?.hops)
    }

    fn forward(link: usize) -> DirectionId {
        DirectionId::new(link, Way::Forward)
    }

    fn reverse(link: usize) -> DirectionId {
        DirectionId::new(link, Way::Reverse)
    }

    #[test]
    fn takes_the_fewest_hops() {
        let ends = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")];
        assert_eq!(route(&ends, "a", "c"), Some(vec![forward(0), forward(1)]));
        assert_eq!(route(&ends, "a", "d"), Some(vec![reverse(3)]));
        assert_eq!(route(&ends, "d", "b"), Some(vec![reverse(2), reverse(1)]));
    }

    #[test]
    fn prefers_the_link_that_comes_first() {
        assert_eq!(route(&[("a", "b"), ("b", "a")], "b", "a"), Some(vec![reverse(0)]));
        let ends = [("x", "c"), ("a", "y"), ("a", "x"), ("y", "c")];
        assert_eq!(route(&ends, "a", "c"), Some(vec![forward(1), forward(3)]));
    }

    #[test]
    fn finds_no_way_where_there_is_none() {
        let ends = [("a", "b"), ("c", "d")];
        assert_eq!(route(&ends, "a", "d"), None);
        assert_eq!(route(&ends, "a", "nowhere"), None);
        assert_eq!(route(&ends, "a", "a"), None);
    }

    #[test]
    fn the_way_back_is_the_same_links_turned_round() {
        let links = links(&[("a", "b"), ("c", "b")]);
        let map = Map::new(&links);
        let there = map.route("a", "c").unwrap();
        assert_eq!(there.back(), map.route("c", "a").unwrap());
        assert_eq!(there.back().back(), there);
    }
}
