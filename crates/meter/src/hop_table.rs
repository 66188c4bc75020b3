//! The counts of each flow at each direction that its packets cross.

use crate::{HopCounts, Network, Tag};

/// The counts of all flows at all directions.
///
/// The counts at one direction are next to each other, in the order of the flows: even with ten
/// thousand flows a cache holds those of a busy direction.
#[derive(Clone, Debug)]
pub(crate) struct HopTable {
    /// Packets offered to the queue.
    offered: Vec<u64>,
    /// Packets that were dropped or lost, and packets that were marked: few, and so stored apart.
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

/// The flows that are counted at one direction: from the first that crosses it to the last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// The number of the first flow.
    first: u32,
    /// The number of flows.
    flows: u32,
    /// The place of the first flow's counts.
    start: usize,
}

impl Row {
    /// The place of a flow's counts; `None` if the flow is not counted here.
    #[inline]
    fn place(self, flow: u32) -> Option<usize> {
        let index = flow.wrapping_sub(self.first);
        (index < self.flows).then(|| self.start + index as usize)
    }

    /// The row with this flow added, whose number is higher than the others.
    fn with(self, flow: u32) -> Self {
        let first = if self.flows == 0 { flow } else { self.first };
        Self { first, flows: flow - first + 1, ..self }
    }
}

impl HopTable {
    /// The table, with all counts zero, and the row of each direction.
    pub(crate) fn new(network: &Network) -> (Self, Vec<Row>) {
        let mut rows = vec![Row::default(); network.directions().count()];
        for (flow, number) in network.flows.iter().zip(0..) {
            for direction in flow.paths.there.iter().chain(&flow.paths.back) {
                let row = &mut rows[direction.index()];
                *row = row.with(number);
            }
        }
        let mut places = 0;
        for row in &mut rows {
            row.start = places;
            places += row.flows as usize;
        }
        let counts = vec![0; places];
        (Self { offered: counts.clone(), dropped: counts.clone(), marked: counts }, rows)
    }

    /// Counts packets that are offered to the queue.
    #[inline]
    pub(crate) fn offered(&mut self, row: Row, tag: &Tag) {
        if let Some(place) = row.place(tag.flow) {
            self.offered[place] += tag.packets;
        }
    }

    /// Counts packets that the queue drops, or the wire loses.
    pub(crate) fn dropped(&mut self, row: Row, tag: &Tag) {
        if let Some(place) = row.place(tag.flow) {
            self.dropped[place] += tag.packets;
        }
    }

    /// Counts packets that the queue marks.
    pub(crate) fn marked(&mut self, row: Row, tag: &Tag) {
        if let Some(place) = row.place(tag.flow) {
            self.marked[place] += tag.packets;
        }
    }

    /// Sets all counts to zero.
    pub(crate) fn reset(&mut self) {
        for counts in [&mut self.offered, &mut self.dropped, &mut self.marked] {
            counts.fill(0);
        }
    }

    /// The counts of a flow at a direction; zero if it does not cross the direction.
    pub(crate) fn counts(&self, row: Row, flow: usize) -> HopCounts {
        let Some(place) = row.place(flow as u32) else {
            return HopCounts::default();
        };
        let [offered, dropped, marked] =
            [&self.offered, &self.dropped, &self.marked].map(|counts| counts[place]);
        HopCounts { offered, dropped, marked }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use units::{Bytes, DirectionId, Way};

    use super::*;
    use crate::{NetworkFlow, Paths};

    /// Five flows: three over both links, two over the second alone.
    #[test]
    fn each_flow_has_its_counts() {
        let forward = |link| DirectionId::new(link, Way::Forward);
        let flow = |number: u32| {
            let there = if number < 3 { vec![forward(0), forward(1)] } else { vec![forward(1)] };
            let back = there.iter().rev().map(|direction| direction.opposite()).collect();
            let paths = Arc::new(Paths { there, back });
            NetworkFlow { name: String::new(), member: 0, codec: None, paths }
        };
        let network = Network { links: vec![String::new(); 2], flows: (0..5).map(flow).collect() };
        let (mut table, rows) = HopTable::new(&network);
        let row = |direction: DirectionId| rows[direction.index()];
        let tag = |flow| Tag { flow, packets: 2, bytes: Bytes::ZERO, is_marked: false };
        for (flow, times) in (0..7).zip(1..) {
            for direction in network.directions() {
                (0..times).for_each(|_| table.dropped(row(direction), &tag(flow)));
            }
        }
        assert_eq!(table.dropped.len(), 2 * (3 + 5), "no row has flows that do not cross it");
        for (number, flow) in network.flows.iter().enumerate() {
            let counts = HopCounts { dropped: 2 * (number as u64 + 1), ..HopCounts::default() };
            let hops = flow.paths.there.len();
            assert_eq!(hops, flow.paths.back.len());
            for direction in flow.paths.there.iter().chain(&flow.paths.back) {
                assert_eq!(table.counts(row(*direction), number), counts);
            }
        }
        assert_eq!(table.counts(row(forward(0)), 4), HopCounts::default());
        table.reset();
        assert_eq!(table.counts(row(forward(1)), 4), HopCounts::default());
    }
}
