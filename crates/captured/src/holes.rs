//! Holes in what one end has sent, where a capture sees it: what is missing was lost before this place, or comes out
//! of order.

use std::collections::VecDeque;

use units::Span;

/// The most holes that are remembered.
const MOST: usize = 64;

/// The holes, with the round trip to the sender that was the latest one when each was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holes(VecDeque<(u64, u64, Span)>);

impl Holes {
    /// Notes that nothing came from this place to that one, while the latest round trip was so long.
    pub(crate) fn note(&mut self, from: u64, to: u64, behind: Span) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((from, to, behind));
    }

    /// The round trip when the hole at this place was seen; `None` if there is none.
    pub(crate) fn seen(&self, place: u64) -> Option<Span> {
        let hole = self.0.iter().rev().find(|(from, to, _)| (*from..*to).contains(&place));
        hole.map(|(.., behind)| *behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fills_a_hole_was_lost_when_the_hole_was_seen() {
        let mut holes = Holes::default();
        (0..100).for_each(|step| holes.note(step * 10, step * 10 + 5, Span::from_millis(step)));
        assert_eq!(holes.seen(983), Some(Span::from_millis(98)));
        assert_eq!((holes.seen(985), holes.seen(10)), (None, None), "no hole, and forgotten");
    }
}
