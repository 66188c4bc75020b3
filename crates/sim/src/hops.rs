//! The paths of packets, and the counts of each flow at each hop.

use std::iter::repeat_n;

use meter::HopCounts;
use scenario::Route;
use units::DirectionId;
pub(crate) use workload::End;

use crate::packet::SimPacket;

/// A step on the path of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// The packet crosses this direction of a link.
    Direction(DirectionId),
    /// An end of the packet's flow.
    End(End),
}

/// The paths of all flows one after the other, each with the way there and then the way back. A
/// packet carries its position, so routing is an increment. The members of a `count` share a path.
///
/// Packets are counted by position and not by flow: even with ten thousand flows a cache holds
/// these counts, while the states of two flows lie far apart in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hops {
    /// Each hop, with the number to add to a flow's index for its place among the counts below.
    hops: Vec<(Hop, usize)>,
    /// The positions at which the way there and the way back of each flow begin.
    starts: Vec<(u32, u32)>,
    /// Packets offered to the queue.
    offered: Vec<u64>,
    /// Packets that were dropped or lost, and packets that were marked: few, and so stored apart.
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Hops {
    /// Appends the paths of the next `flows` flows.
    pub(crate) fn push(&mut self, route: &Route, flows: usize) {
        let there = self.push_path(route, End::Sink, flows);
        let back = self.push_path(&route.back(), End::Source, flows);
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
        self.hops[position as usize].0
    }

    /// The packet is offered to the queue of its present hop.
    #[inline]
    pub(crate) fn offer(&mut self, packet: &SimPacket) {
        let place = self.place(packet.hop, packet.flow);
        self.offered[place] += 1;
    }

    /// The packet was dropped or lost at its present hop.
    pub(crate) fn drop(&mut self, packet: &SimPacket) {
        let place = self.place(packet.hop, packet.flow);
        self.dropped[place] += 1;
    }

    /// The packet was marked at its present hop.
    pub(crate) fn mark(&mut self, packet: &SimPacket) {
        let place = self.place(packet.hop, packet.flow);
        self.marked[place] += 1;
    }

    /// The end of the flow from which a packet at this position comes, and the number of links that
    /// it has crossed before.
    pub(crate) fn travelled(&self, flow: u32, position: u32) -> (End, u8) {
        let (there, back) = self.starts[flow as usize];
        let (from, start) = if position < back { (End::Source, there) } else { (End::Sink, back) };
        (from, u8::try_from(position - start).unwrap_or(u8::MAX))
    }

    /// The directions on the way that begins at `from`, each with the counts of this flow there.
    pub(crate) fn hop_counts(
        &self,
        flow: u32,
        from: End,
    ) -> impl Iterator<Item = (DirectionId, HopCounts)> + '_ {
        (self.first(flow, from)..).map_while(move |position| match self.at(position) {
            Hop::Direction(direction) => Some((direction, self.counts(position, flow))),
            Hop::End(_) => None,
        })
    }

    /// The number of flows.
    pub(crate) fn flows(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Sets all counts to zero.
    pub(crate) fn reset(&mut self) {
        for counts in [&mut self.offered, &mut self.dropped, &mut self.marked] {
            counts.fill(0);
        }
    }

    /// The counts of this flow at this position.
    fn counts(&self, position: u32, flow: u32) -> HopCounts {
        let place = self.place(position, flow);
        let [offered, dropped, marked] =
            [&self.offered, &self.dropped, &self.marked].map(|counts| counts[place]);
        HopCounts { offered, dropped, marked }
    }

    #[inline]
    fn place(&self, position: u32, flow: u32) -> usize {
        self.hops[position as usize].1.wrapping_add(flow as usize)
    }

    /// Appends a path of the next `flows` flows, and returns its first position.
    fn push_path(&mut self, route: &Route, to: End, flows: usize) -> u32 {
        let start = self.hops.len() as u32;
        for hop in &route.hops {
            let places = self.offered.len();
            self.hops.push((Hop::Direction(*hop), places.wrapping_sub(self.starts.len())));
            for counts in [&mut self.offered, &mut self.dropped, &mut self.marked] {
                counts.reserve_exact(flows);
                counts.resize(places + flows, 0);
            }
        }
        self.hops.push((Hop::End(to), 0));
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

    #[test]
    fn each_flow_has_its_counts() {
        let hop = |link| DirectionId::new(link, Way::Forward);
        let mut hops = Hops::default();
        hops.push(&Route { hops: vec![hop(0), hop(1)] }, 3);
        hops.push(&Route { hops: vec![hop(1)] }, 2);
        let mut met = vec![];
        for flow in 0..hops.flows() {
            for (from, step) in [(End::Source, 0), (End::Sink, 0)] {
                let position = hops.first(flow, from) + step;
                let place = hops.place(position, flow);
                hops.dropped[place] += u64::from(flow) + 1;
                met.push(place);
            }
        }
        met.sort_unstable();
        met.dedup();
        assert_eq!(met.len(), 10, "no two share a place");
        for flow in 0..hops.flows() {
            let hop_counts: Vec<_> = hops.hop_counts(flow, End::Source).collect();
            let first = hop(usize::from(flow >= 3));
            assert_eq!((hop_counts[0].0, hop_counts[0].1.dropped), (first, u64::from(flow) + 1));
            assert_eq!(hop_counts.len(), if flow < 3 { 2 } else { 1 });
        }
        hops.reset();
        assert_eq!(hops.hop_counts(4, End::Source).next(), Some((hop(1), HopCounts::default())));
    }
}
