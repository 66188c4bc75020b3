//! The round trips at losses.

use observation::CapturedFlow;
use units::{Span, Time};

use crate::holes::{Hole, Holes};
use crate::sent::Sending;

/// The most round trips at losses: those of the first ones.
const MOST: usize = CapturedFlow::MOST_LOSSES;

/// The round trips, from the place of the capture to both ends, that were the latest ones before something that was lost:
/// at most one a round trip. What is lost within a round trip may be sent again in many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    /// To the other end.
    pub(crate) ahead: Vec<Span>,
    /// To this end.
    pub(crate) behind: Vec<Span>,
    holes: Holes,
    /// The time at which the latest of them was sent, or was missing here.
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

    /// Notes what a segment with data tells of losses. What had been seen here was lost ahead of this place, what was missing
    /// here was lost before it. `ahead` is the latest round trip to the other end.
    pub(crate) fn note(&mut self, start: u64, sending: Sending, ahead: Option<Span>, now: Time) {
        let ahead = ahead.filter(|_| sending.again > 0);
        let hole = self.holes.at(start).filter(|_| sending.is_out_of_order);
        let behind = hole.and_then(|it| it.behind);
        let Some(round_trip) = ahead.max(behind) else { return };
        let lost = sending.lost_at.or(hole.map(|it| it.at)).unwrap_or(now);
        if self.latest.is_none_or(|latest| lost.since(latest) > round_trip) {
            self.latest = Some(lost);
            for (list, span) in [(&mut self.ahead, ahead), (&mut self.behind, behind)] {
                list.extend(span.filter(|_| list.len() < MOST));
            }
        }
    }
}
