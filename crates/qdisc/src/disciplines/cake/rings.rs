//! The rotations of a tin: three lists of flows, threaded through one array, so that moving a flow
//! allocates nothing and takes the same time wherever the flow is.

use alloc::boxed::Box;

use super::flow_table::FLOWS;

/// The number of places in the lists: those of flows, and an anchor for each list.
const PLACES: usize = FLOWS + 3;

/// A list of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Flows with little to send, which go first.
    New,
    /// Flows that take turns.
    Old,
    /// Flows without packets whose controller has not come to rest.
    Decaying,
}

impl List {
    /// The place of the list's anchor, behind those of the flows.
    const fn anchor(self) -> usize {
        FLOWS + self as usize
    }
}

/// Three circular lists. Each passes through its anchor; a flow that is on no list is a circle of
/// its own.
#[derive(Clone, Debug)]
pub(super) struct Rings(Box<[Links; PLACES]>);

/// The neighbours of a flow or an anchor.
#[derive(Clone, Copy, Debug)]
struct Links {
    next: u16,
    previous: u16,
}

impl Rings {
    pub(super) fn new() -> Self {
        let alone = |place| Links { next: place as u16, previous: place as u16 };
        Self(Box::new(core::array::from_fn(alone)))
    }

    /// The first flow of the list; `None` if the list is empty.
    pub(super) fn first(&self, list: List) -> Option<usize> {
        let first = self.next(list.anchor());
        (first != list.anchor()).then_some(first)
    }

    /// Moves the flow, wherever it is, to the end of the list.
    pub(super) fn move_to_end(&mut self, flow: usize, list: List) {
        self.move_before(flow, list.anchor());
    }

    /// Takes the flow off its list.
    pub(super) fn remove(&mut self, flow: usize) {
        self.bridge(flow);
        self.join(flow, flow);
    }

    /// The flow behind this one, which is on the list; behind the last it is the first.
    pub(super) fn after(&self, flow: usize, list: List) -> usize {
        let next = self.next(flow);
        if next == list.anchor() { self.next(next) } else { next }
    }

    /// Turns the list so that this flow of it is the first: those before it are now the last.
    pub(super) fn begin_with(&mut self, flow: usize, list: List) {
        self.move_before(list.anchor(), flow);
    }

    /// The flows of the list in their order.
    pub(super) fn iter(&self, list: List) -> impl Iterator<Item = usize> {
        let after = move |at: usize| Some(self.next(at)).filter(|next| *next != list.anchor());
        core::iter::successors(after(list.anchor()), move |flow| after(*flow))
    }

    fn next(&self, place: usize) -> usize {
        self.0[place].next.into()
    }

    /// Moves what is at one place, wherever it is, to before another place.
    fn move_before(&mut self, place: usize, other: usize) {
        self.bridge(place);
        let before = self.0[other].previous;
        self.join(before.into(), place);
        self.join(place, other);
    }

    /// Makes the neighbours of a place neighbours of each other.
    fn bridge(&mut self, place: usize) {
        let Links { next, previous } = self.0[place];
        self.join(previous.into(), next.into());
    }

    fn join(&mut self, one: usize, other: usize) {
        self.0[one].next = other as u16;
        self.0[other].previous = one as u16;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn flows_move_from_list_to_list() {
        let mut rings = Rings::new();
        let listed = |rings: &Rings, list| rings.iter(list).collect::<Vec<_>>();
        assert_eq!(rings.first(List::New), None);
        for flow in [5, 0, 1023] {
            rings.move_to_end(flow, List::New);
        }
        assert_eq!(listed(&rings, List::New), [5, 0, 1023]);
        rings.move_to_end(0, List::Decaying);
        rings.move_to_end(5, List::Old);
        rings.move_to_end(0, List::Old);
        assert_eq!(listed(&rings, List::New), [1023]);
        assert_eq!(listed(&rings, List::Old), [5, 0]);
        assert!(listed(&rings, List::Decaying).is_empty());
        rings.remove(5);
        rings.remove(5);
        assert_eq!(rings.first(List::Old), Some(0));
        rings.move_to_end(0, List::Old);
        assert_eq!(listed(&rings, List::Old), [0]);
    }

    #[test]
    fn a_list_turns() {
        let mut rings = Rings::new();
        (3..7).for_each(|flow| rings.move_to_end(flow, List::Old));
        let around: Vec<_> = (3..7).map(|flow| rings.after(flow, List::Old)).collect();
        assert_eq!(around, [4, 5, 6, 3]);
        for first in [5, 5, 3, 6, 4] {
            rings.begin_with(first, List::Old);
            let expected: Vec<_> = (0..4).map(|place| 3 + (first - 3 + place) % 4).collect();
            assert_eq!(rings.iter(List::Old).collect::<Vec<_>>(), expected);
        }
        rings.remove(4);
        rings.begin_with(6, List::Old);
        assert_eq!(rings.iter(List::Old).collect::<Vec<_>>(), [6, 3, 5]);
    }
}
