//! The round trips at losses.

use observation::CapturedFlow;
use units::{Span, Time};

use crate::holes::{Hole, Holes};
use crate::sent::Sending;

/// The most round trips at losses: those of the first ones.
const MOST: usize = CapturedFlow::MOST_LOSSES;

/// The round trips, from the place of the capture to both ends, that were the latest ones when something was lost: at most
/// one a round trip.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    /// To the other end.
    pub(crate) ahead: Vec<Span>,
    /// To this end.
    pub(crate) behind: Vec<Span>,
    holes: Holes,
    latest: Option<Time>,
}

impl Losses {
    /// Notes that a part of the space is missing.
    pub(crate) fn note_hole(&mut self, hole: Hole) {
        self.holes.note(hole);
    }

    /// True if a segment at this place was sent again for a hole: it comes at least the shortest round trip to its
    /// sender after the hole was seen. What only comes out of order comes earlier.
    pub(crate) fn is_repair(&self, start: u64, least_behind: Option<Span>, now: Time) -> bool {
        let hole = self.holes.at(start).zip(least_behind);
        hole.is_some_and(|(hole, least)| now.since(hole.at) >= least)
    }

    /// Notes what a segment with data tells of losses. What comes again within a round trip was lost with the packet before.
    /// What had been seen here was lost ahead of this place, what was missing here was lost before it. `ahead` is the latest
    /// round trip to the other end.
    pub(crate) fn note(&mut self, start: u64, sending: Sending, ahead: Option<Span>, now: Time) {
        let ahead = ahead.filter(|_| sending.again > 0);
        let behind =
            self.holes.at(start).filter(|_| sending.is_out_of_order).and_then(|it| it.behind);
        let Some(round_trip) = ahead.max(behind) else { return };
        if self.latest.is_none_or(|latest| now.since(latest) > round_trip) {
            self.latest = Some(now);
            for (list, span) in [(&mut self.ahead, ahead), (&mut self.behind, behind)] {
                list.extend(span.filter(|_| list.len() < MOST));
            }
        }
    }
}
