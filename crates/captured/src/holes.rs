//! Holes in what one end has sent, where a capture sees it: what is missing was lost before this place, or comes out
//! of order.

use std::collections::VecDeque;

use units::{Span, Time};

/// The most holes that are remembered: while its sender doubles its rate, a full queue drops every other packet.
const MOST: usize = 2048;

/// The holes that were seen last, in the order of the space: each is behind all data before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holes(VecDeque<Hole>);

/// A part of the space that was missing when later data passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    /// The first sequence number, and the one behind the last.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// The time at which the hole was seen.
    pub(crate) at: Time,
    /// The latest round trip to the sender at that time; `None` if there was none.
    pub(crate) behind: Option<Span>,
}

impl Holes {
    /// Notes a hole.
    pub(crate) fn note(&mut self, hole: Hole) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(hole);
    }

    /// The hole at this place; `None` if there is none.
    pub(crate) fn at(&self, place: u64) -> Option<Hole> {
        let behind = self.0.partition_point(|hole| hole.from <= place);
        let hole = self.0.get(behind.checked_sub(1)?).copied()?;
        (place < hole.to).then_some(hole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fills_a_hole_was_lost_when_the_hole_was_seen() {
        let mut holes = Holes::default();
        for step in 0..3_000 {
            let (at, behind) = (Time::from_millis(step), None);
            holes.note(Hole { from: step * 10, to: step * 10 + 5, at, behind });
        }
        assert_eq!(holes.at(29_983).map(|hole| hole.at), Some(Time::from_millis(2_998)));
        assert_eq!((holes.at(29_985), holes.at(10)), (None, None), "no hole, and forgotten");
    }
}
