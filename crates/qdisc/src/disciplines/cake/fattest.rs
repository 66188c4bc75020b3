//! The flow with the most bytes, of all flows of all tins: a heap, which is kept up only while
//! overflows are recent.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_heapify`, `cake_heapify_up`, `cake_drop`.

use alloc::boxed::Box;
use alloc::vec;

use units::Bytes;

use super::flow_table::FLOWS;

/// The most tins.
pub(super) const TINS: usize = 8;
const PLACES: usize = TINS * FLOWS;
/// The number of departures after an overflow for which the heap is kept up.
const KEPT_FOR: u16 = u16::MAX;

/// A flow of a tin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TinFlow {
    pub(super) tin: usize,
    pub(super) flow: usize,
}

impl TinFlow {
    const fn number(self) -> usize {
        self.tin * FLOWS + self.flow
    }

    const fn of(number: u16) -> Self {
        Self { tin: number as usize / FLOWS, flow: number as usize % FLOWS }
    }
}

/// The bytes of each flow, and the flow that has the most.
#[derive(Clone, Debug)]
pub(super) struct Backlogs {
    bytes: Box<[Bytes]>,
    /// The flows, each with no more bytes than the one at half its place.
    heap: Box<[u16]>,
    /// The place of each flow in the heap.
    places: Box<[u16]>,
    /// Departures until the heap is no longer kept up; 0 if it is not.
    kept_for: u16,
}

impl Backlogs {
    pub(super) fn new() -> Self {
        // As in Linux the tins alternate, which decides between flows with the same bytes.
        let heap: Box<[u16]> =
            (0..PLACES).map(|place| (place % TINS * FLOWS + place / TINS) as u16).collect();
        let mut places = vec![0; PLACES];
        for (flow, place) in heap.iter().zip(0..) {
            places[usize::from(*flow)] = place;
        }
        Self { bytes: vec![Bytes::ZERO; PLACES].into(), heap, places: places.into(), kept_for: 0 }
    }

    /// The bytes of a flow.
    pub(super) fn of(&self, flow: TinFlow) -> Bytes {
        self.bytes[flow.number()]
    }

    /// Adds the bytes of an arrival.
    pub(super) fn add(&mut self, flow: TinFlow, bytes: Bytes) {
        self.bytes[flow.number()] += bytes;
        if self.kept_for > 0 {
            self.sift_up(self.places[flow.number()].into());
        }
    }

    /// Puts the bytes of an arrival in the place of those of a packet that it made needless. A flow
    /// that keeps its bytes keeps its place.
    pub(super) fn replace(&mut self, flow: TinFlow, less: Bytes, more: Bytes) {
        if more >= less {
            self.add(flow, more - less);
        } else {
            self.subtract(flow, less - more);
        }
    }

    /// Takes off the bytes of a packet that leaves.
    pub(super) fn subtract(&mut self, flow: TinFlow, bytes: Bytes) {
        self.bytes[flow.number()] -= bytes;
        if self.kept_for > 0 {
            self.sift_down(self.places[flow.number()].into());
        }
    }

    /// Counts a departure from the queue.
    pub(super) const fn count_departure(&mut self) {
        self.kept_for = self.kept_for.saturating_sub(1);
    }

    /// The flow with the most bytes; `None` if no flow has any.
    pub(super) fn fattest(&mut self) -> Option<TinFlow> {
        if self.kept_for == 0 {
            (0..PLACES / 2).rev().for_each(|place| self.sift_down(place));
        }
        self.kept_for = KEPT_FOR;
        let fattest = TinFlow::of(self.heap[0]);
        (self.of(fattest) > Bytes::ZERO).then_some(fattest)
    }

    fn at(&self, place: usize) -> Bytes {
        self.bytes[usize::from(self.heap[place])]
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        for place in [one, other] {
            self.places[usize::from(self.heap[place])] = place as u16;
        }
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let mut most = place;
            for below in [2 * place + 1, 2 * place + 2] {
                if below < PLACES && self.at(below) > self.at(most) {
                    most = below;
                }
            }
            if most == place {
                return;
            }
            self.swap(place, most);
            place = most;
        }
    }

    fn sift_up(&mut self, mut place: usize) {
        while place > 0 {
            let above = (place - 1) / 2;
            if self.at(place) <= self.at(above) {
                return;
            }
            self.swap(place, above);
            place = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_flow_has_more_bytes_than_the_fattest(
            changes in proptest::collection::vec((0..TINS, 0..6_usize, 0..3000_u64, any::<bool>()), 1..200),
        ) {
            let mut backlogs = Backlogs::new();
            for (tin, flow, bytes, grows) in changes {
                let flow = TinFlow { tin, flow };
                if grows {
                    backlogs.add(flow, Bytes(bytes));
                } else {
                    let bytes = backlogs.of(flow).min(Bytes(bytes));
                    backlogs.subtract(flow, bytes);
                }
                let most = backlogs.bytes.iter().max().copied().unwrap();
                let fattest = backlogs.fattest();
                prop_assert_eq!(fattest.map_or(Bytes::ZERO, |flow| backlogs.of(flow)), most);
                prop_assert_eq!(fattest.is_some(), most > Bytes::ZERO);
            }
        }
    }

    #[test]
    fn a_heap_that_was_not_kept_up_is_built_anew() {
        let mut backlogs = Backlogs::new();
        let [thin, fat] = [TinFlow { tin: 1, flow: 3 }, TinFlow { tin: 7, flow: 1000 }];
        backlogs.add(thin, Bytes(100));
        assert_eq!(backlogs.fattest(), Some(thin));
        (0..KEPT_FOR).for_each(|_| backlogs.count_departure());
        backlogs.add(fat, Bytes(200));
        assert_eq!(backlogs.fattest(), Some(fat));
    }
}
