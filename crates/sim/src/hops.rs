//! Where packets go next, and what each flow met on each hop.

use meter::Toll;
use scenario::Route;

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

/// The paths of all flows one after the other, each flow's way there and then its way back. A
/// packet carries its position and nothing else, so routing is an increment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hops {
    hops: Vec<(Hop, Toll)>,
    /// Per flow: where its way there and its way back begin.
    starts: Vec<(u32, u32)>,
}

impl Hops {
    /// Appends the paths of the next flow.
    pub(crate) fn push(&mut self, route: &Route) {
        let there = self.push_path(route, End::Sink);
        let back = self.push_path(&route.back(), End::Source);
        self.starts.push((there, back));
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

    #[inline]
    pub(crate) fn toll(&mut self, position: u32) -> &mut Toll {
        &mut self.hops[position as usize].1
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
        self.hops[self.first(flow, from) as usize..].iter().map_while(|(hop, toll)| match hop {
            Hop::Direction(direction) => Some((*direction as usize, *toll)),
            Hop::End(_) => None,
        })
    }

    /// How many flows there are.
    pub(crate) fn flows(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Forgets what has been counted.
    pub(crate) fn reset(&mut self) {
        self.hops.iter_mut().for_each(|(_, toll)| *toll = Toll::default());
    }

    fn push_path(&mut self, route: &Route, to: End) -> u32 {
        let start = self.hops.len() as u32;
        for hop in &route.hops {
            let direction = 2 * hop.link as u32 + u32::from(!hop.forward);
            self.hops.push((Hop::Direction(direction), Toll::default()));
        }
        self.hops.push((Hop::End(to), Toll::default()));
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
        hops.push(&Route { hops: vec![hop(0, true), hop(3, false)] });
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
}
