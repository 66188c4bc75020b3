//! Where packets go next, and what each flow met on each hop.

use std::iter::repeat_n;

use meter::Toll;
use scenario::Route;

use crate::packet::SimPacket;

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Where the data comes from.
    Source,
    /// Where the data goes to.
    Sink,
}

/// What a packet meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// This direction of a link: twice the link's index, plus one for the way back.
    Direction(u32),
    /// An end of the packet's flow.
    End(End),
}

/// The paths of all flows one after the other, each with the way there and then the way back. A
/// packet carries its position, so routing is an increment. Flows that the scenario counts as one
/// share a path.
///
/// What flows met is counted by position and not by flow: that is less than a cache holds even of
/// ten thousand flows, while all that is known of one flow is far from what is known of the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hops {
    /// With each hop, what to add to a flow for its place among the counts below.
    hops: Vec<(Hop, usize)>,
    /// Per flow: where its way there and its way back begin.
    starts: Vec<(u32, u32)>,
    /// Packets offered to the queue.
    offered: Vec<u64>,
    /// Packets that were dropped or lost, and those that were marked: few, and so apart.
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Hops {
    /// Appends the paths of the next flows, which are so many.
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

    /// From which end of its flow a packet at this position comes, and how many links it has
    /// crossed before.
    pub(crate) fn travelled(&self, flow: u32, position: u32) -> (End, u8) {
        let (there, back) = self.starts[flow as usize];
        let (from, start) = if position < back { (End::Source, there) } else { (End::Sink, back) };
        (from, u8::try_from(position - start).unwrap_or(u8::MAX))
    }

    /// What this flow met on the way that begins at `from`, hop by hop.
    pub(crate) fn tolls(&self, flow: u32, from: End) -> impl Iterator<Item = (usize, Toll)> + '_ {
        (self.first(flow, from)..).map_while(move |position| match self.at(position) {
            Hop::Direction(direction) => Some((direction as usize, self.toll(position, flow))),
            Hop::End(_) => None,
        })
    }

    /// How many flows there are.
    pub(crate) fn flows(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Forgets what has been counted.
    pub(crate) fn reset(&mut self) {
        for counts in [&mut self.offered, &mut self.dropped, &mut self.marked] {
            counts.fill(0);
        }
    }

    /// What this flow met at this position.
    fn toll(&self, position: u32, flow: u32) -> Toll {
        let place = self.place(position, flow);
        let [offered, dropped, marked] =
            [&self.offered, &self.dropped, &self.marked].map(|counts| counts[place]);
        Toll { offered, dropped, marked }
    }

    #[inline]
    fn place(&self, position: u32, flow: u32) -> usize {
        self.hops[position as usize].1.wrapping_add(flow as usize)
    }

    /// Appends a path of the next flows, which are so many.
    fn push_path(&mut self, route: &Route, to: End, flows: usize) -> u32 {
        let start = self.hops.len() as u32;
        for hop in &route.hops {
            let direction = 2 * hop.link as u32 + u32::from(!hop.forward);
            let places = self.offered.len();
            self.hops.push((Hop::Direction(direction), places.wrapping_sub(self.starts.len())));
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
    use super::*;

    #[test]
    fn there_and_back() {
        let hop = |link, forward| scenario::Hop { link, forward };
        let mut hops = Hops::default();
        hops.push(&Route { hops: vec![hop(0, true), hop(3, false)] }, 1);
        let walk = |from| {
            let start = hops.first(0, from);
            [0, 1, 2].map(|step| hops.at(start + step))
        };
        assert_eq!(walk(End::Source), [Hop::Direction(0), Hop::Direction(7), Hop::End(End::Sink)]);
        assert_eq!(walk(End::Sink), [Hop::Direction(6), Hop::Direction(1), Hop::End(End::Source)]);
        let travelled = |from, step| hops.travelled(0, hops.first(0, from) + step);
        assert_eq!(travelled(End::Source, 2), (End::Source, 2));
        assert_eq!(travelled(End::Sink, 0), (End::Sink, 0));
    }

    #[test]
    fn each_flow_has_its_tolls() {
        let hop = |link| scenario::Hop { link, forward: true };
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
            let tolls: Vec<_> = hops.tolls(flow, End::Source).collect();
            let link = if flow < 3 { 0 } else { 2 };
            assert_eq!((tolls[0].0, tolls[0].1.dropped), (link, u64::from(flow) + 1));
            assert_eq!(tolls.len(), if flow < 3 { 2 } else { 1 });
        }
        hops.reset();
        assert_eq!(hops.tolls(4, End::Source).next(), Some((2, Toll::default())));
    }
}
