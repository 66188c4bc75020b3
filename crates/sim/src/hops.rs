//! The paths of packets.

use std::iter::repeat_n;

use scenario::Route;
use units::DirectionId;
pub(crate) use workload::End;

/// A step on the path of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// A direction of a link, which the packet crosses.
    Direction(DirectionId),
    /// The end of the packet's flow at which the packet is delivered.
    End(End),
}

/// The paths of all flows one after the other: of each flow the way there, and then the way back. A
/// packet carries its position, so that routing is an increment. The members of a `count` share a
/// path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hops {
    hops: Vec<Hop>,
    /// The positions at which the way there and the way back of each flow begin.
    starts: Vec<(u32, u32)>,
}

impl Hops {
    /// Appends the paths of the next `flows` flows.
    pub(crate) fn push(&mut self, route: &Route, flows: usize) {
        let there = self.push_path(route, End::Sink);
        let back = self.push_path(&route.back(), End::Source);
        self.starts.extend(repeat_n((there, back), flows));
    }

    /// The first hop of a packet that leaves this end of this flow.
    #[inline]
    pub(crate) fn first(&self, flow: u32, from: End) -> u32 {
        let (there, back) = self.starts[flow as usize];
        match from {
            End::Source => there,
            End::Sink => back,
        }
    }

    #[inline]
    pub(crate) fn at(&self, position: u32) -> Hop {
        self.hops[position as usize]
    }

    /// The end of the flow from which a packet at this position comes, and the number of links that
    /// it has crossed before.
    pub(crate) fn travelled(&self, flow: u32, position: u32) -> (End, u8) {
        let (there, back) = self.starts[flow as usize];
        let (from, start) = if position < back { (End::Source, there) } else { (End::Sink, back) };
        (from, u8::try_from(position - start).unwrap_or(u8::MAX))
    }

    /// The paths of all flows, there and back. Each ends at an end of its flow.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[Hop]> {
        self.hops.split_inclusive(|hop| matches!(hop, Hop::End(_)))
    }

    /// Appends a path, and returns its first position.
    fn push_path(&mut self, route: &Route, to: End) -> u32 {
        let start = self.hops.len() as u32;
        self.hops.extend(route.hops.iter().copied().map(Hop::Direction).chain([Hop::End(to)]));
        start
    }
}

#[cfg(test)]
mod tests {
    use units::Way;

    use super::*;

    #[test]
    fn there_and_back() {
        let hop = DirectionId::new;
        let mut hops = Hops::default();
        hops.push(&Route { hops: vec![hop(0, Way::Forward), hop(3, Way::Reverse)] }, 1);
        let walk = |from| {
            let start = hops.first(0, from);
            [0, 1, 2].map(|step| hops.at(start + step))
        };
        assert_eq!(
            walk(End::Source),
            [
                Hop::Direction(hop(0, Way::Forward)),
                Hop::Direction(hop(3, Way::Reverse)),
                Hop::End(End::Sink)
            ]
        );
        assert_eq!(
            walk(End::Sink),
            [
                Hop::Direction(hop(3, Way::Forward)),
                Hop::Direction(hop(0, Way::Reverse)),
                Hop::End(End::Source)
            ]
        );
        let travelled = |from, step| hops.travelled(0, hops.first(0, from) + step);
        assert_eq!(travelled(End::Source, 2), (End::Source, 2));
        assert_eq!(travelled(End::Sink, 0), (End::Sink, 0));
    }
}
