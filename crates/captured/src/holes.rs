//! Holes in what one end has sent, where a capture sees it: what is missing was lost before this place, or comes out
//! of order.

use std::collections::VecDeque;

use units::{Span, Time};

/// The most holes that are remembered.
const MOST: usize = 64;

/// The holes that were seen last.
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
        self.0.iter().rev().find(|hole| (hole.from..hole.to).contains(&place)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fills_a_hole_was_lost_when_the_hole_was_seen() {
        let mut holes = Holes::default();
        for step in 0..100 {
            let (at, behind) = (Time::from_millis(step), None);
            holes.note(Hole { from: step * 10, to: step * 10 + 5, at, behind });
        }
        assert_eq!(holes.at(983).map(|hole| hole.at), Some(Time::from_millis(98)));
        assert_eq!((holes.at(985), holes.at(10)), (None, None), "no hole, and forgotten");
    }
}
