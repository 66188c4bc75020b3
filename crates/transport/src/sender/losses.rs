//! The outstanding segments, and which of them are lost.
//!
//! The scoreboard records every outstanding segment; RACK (by time) or RFC 6675 (by count) finds
//! the lost ones. Every mark is made here, so that the scoreboard and the state of the detection
//! always agree.
//!
//! Specification: RFC 2018, RFC 2883, RFC 6675, RFC 8985, in the parts.
//! Deviations: see the parts.

use units::{Span, Time};

use crate::config::LossDetection;
use crate::rack::{Circumstances, Rack};
use crate::rfc6675::Frontier;
use crate::rtt::timestamp;
use crate::scoreboard::{Id, Mark, Record, Scoreboard};
use crate::stream::Piece;

/// The id of the first segment. Ids wrap, and with this one they wrap early, so that errors show.
const FIRST_SEGMENT: u32 = u32::MAX - 1000;

/// The scoreboard and the detection of losses.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    detection: LossDetection,
    board: Scoreboard,
    rack: Rack,
    /// The state of the detection by count; `None` with another detection.
    frontier: Option<Box<Frontier>>,
    /// The number of segments that the peer reported as duplicates.
    duplicates: u64,
}

/// The circumstances of a delivery, which show whether it is too early for a retransmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    pub(super) now: Time,
    /// The smallest round-trip time; `None` before any sample.
    pub(super) min_rtt: Option<Span>,
    /// The timestamp that the acknowledgement echoes; `None` if it echoes none.
    pub(super) echo: Option<u32>,
}

impl Losses {
    pub(super) fn new(detection: LossDetection) -> Self {
        let by_count = detection == LossDetection::Scoreboard;
        Self {
            detection,
            board: Scoreboard::new(FIRST_SEGMENT),
            rack: Rack::new(),
            frontier: by_count.then(|| Box::new(Frontier::new(FIRST_SEGMENT))),
            duplicates: 0,
        }
    }

    /// Takes notice that the handshake is complete. `mss` is the payload of a full segment in
    /// bytes; `sack` says that the peer may send selective acknowledgements.
    pub(super) fn open(&mut self, mss: u32, sack: bool) {
        self.board.set_mss(mss);
        if !sack {
            self.detection = LossDetection::DuplicateAcks;
            self.frontier = None;
        }
    }

    /// The method by which losses are found.
    pub(super) const fn detection(&self) -> LossDetection {
        self.detection
    }

    /// True if selective acknowledgements are used.
    pub(super) fn has_sack(&self) -> bool {
        self.detection != LossDetection::DuplicateAcks
    }

    /// True if losses are found by time.
    pub(super) fn has_rack(&self) -> bool {
        self.detection == LossDetection::RackTlp
    }

    /// The outstanding segments, to be read.
    pub(super) const fn board(&self) -> &Scoreboard {
        &self.board
    }

    /// The time at which the oldest outstanding segment was last sent; `None` if there is none.
    pub(super) fn oldest_sent(&self) -> Option<Time> {
        self.board.oldest().map(|id| self.board.get(id).sent)
    }

    /// True if a retransmission is in flight or the oldest segment was sent again.
    pub(super) fn has_retransmitted(&self) -> bool {
        let oldest = self.board.oldest().map(|id| self.board.get(id));
        self.board.retransmitted() > 0 || oldest.is_some_and(|record| record.is(Mark::AMBIGUOUS))
    }

    /// True if there is a hole in the data that was delivered, or may be one.
    pub(super) fn has_hole(&self) -> bool {
        self.board.sacked() + self.board.lost() > 0 || self.has_retransmitted()
    }

    /// Adds `piece`, which is sent for the first time.
    #[inline]
    pub(super) fn on_sent(&mut self, piece: &Piece, now: Time) {
        self.board.push(piece, now);
    }

    /// Marks a segment that is sent again.
    pub(super) fn on_retransmitted(&mut self, id: Id, now: Time) {
        self.board.mark_retransmitted(id, now);
    }

    /// Marks a segment that is sent again as a probe, whatever its marks are.
    pub(super) fn on_probed(&mut self, id: Id, now: Time) {
        self.board.mark_sent_again(id, now);
    }

    /// Marks the segments in `start..end`, which are acknowledged selectively. Calls `note` for
    /// each that is new, with the end of the data delivered before it.
    pub(super) fn on_sacked(
        &mut self,
        start: u64,
        end: u64,
        delivery: Delivery,
        mut note: impl FnMut(&Record, u64),
    ) {
        let (rack, frontier) = (&mut self.rack, &mut self.frontier);
        self.board.sack(start, end, |board, id| {
            let record = board.get(id);
            note(record, board.highest_sacked().unwrap_or(0));
            rack.on_delivered(record, delivery.min_rtt, delivery.now);
            if let Some(frontier) = frontier {
                frontier.on_sacked(board, id, record.len());
            }
        });
    }

    /// Removes the segments below `una`, which are acknowledged cumulatively. Calls `note` for
    /// each.
    pub(super) fn on_acknowledged(
        &mut self,
        una: u64,
        delivery: Delivery,
        mut note: impl FnMut(&Record),
    ) {
        if let Some(frontier) = &mut self.frontier {
            let first = self.board.find(una);
            frontier.on_acknowledged(&self.board, first);
        }
        let rack = &mut self.rack;
        self.board.acknowledge(una, |record| {
            note(record);
            if !record.is(Mark::SACKED) && !is_spurious(record, delivery.echo) {
                rack.on_delivered(record, delivery.min_rtt, delivery.now);
            }
        });
    }

    /// Takes notice that a segment sent once was delivered after later ones, the last of which ends
    /// `distance` segments further on.
    pub(super) fn on_reordering(&mut self, distance: u64) {
        self.rack.on_reordering(distance);
    }

    /// True if segments are reordered so far that selective acknowledgements count as progress.
    pub(super) const fn is_reordering_high(&self) -> bool {
        self.rack.is_degree_high()
    }

    /// Counts `segments` that the peer reported as duplicates, of `retransmitted` segments that
    /// were sent again so far. Returns false if the network itself duplicates segments: then such
    /// reports say nothing about our retransmissions.
    pub(super) fn accepts_duplicates(&mut self, segments: u32, retransmitted: u64) -> bool {
        self.duplicates += u64::from(segments);
        self.duplicates <= retransmitted
    }

    /// Takes notice of a duplicate that is not a probe, with `una` acknowledged and `next` to be
    /// sent.
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        self.rack.on_duplicate(una, next);
    }

    /// True if the outstanding segment that begins at `seq` was sent again.
    pub(super) fn was_sent_again(&mut self, seq: u64) -> bool {
        let id = self.board.find(seq);
        self.board.contains(id) && self.board.get(id).is(Mark::AMBIGUOUS)
    }

    /// True if a search for losses by time is due: a segment was delivered since the last search.
    pub(super) fn take_search_due(&mut self) -> bool {
        self.rack.take_advanced()
    }

    /// Searches for losses by time (RFC 8985 section 6.2 step 5). Returns the time until another
    /// search is due; `None` if none is.
    pub(super) fn search_by_time(
        &mut self,
        circumstances: &Circumstances,
        now: Time,
    ) -> Option<Span> {
        self.rack.detect(&mut self.board, circumstances, now)
    }

    /// Searches for losses by count, after an acknowledgement that `advanced` or reported `sacked`
    /// segments (IsLost of RFC 6675 section 5). Returns true if it is the third duplicate in a row.
    pub(super) fn search_by_count(&mut self, mss: u32, advanced: bool, sacked: u32) -> bool {
        let Some(frontier) = &mut self.frontier else { return false };
        frontier.detect(&mut self.board, mss);
        frontier.count_duplicate(advanced, sacked)
    }

    /// Takes the first transmission of the oldest segment for lost.
    pub(super) fn lose_oldest_original(&mut self) {
        if let Some(oldest) = self.board.oldest() {
            self.board.mark_original_lost(oldest);
        }
    }

    /// Takes the oldest segment for lost. Returns false if nothing is outstanding.
    pub(super) fn lose_oldest(&mut self) -> bool {
        let oldest = self.board.oldest();
        if let Some(oldest) = oldest {
            self.board.mark_lost(oldest);
        }
        oldest.is_some()
    }

    /// Takes all segments for lost but those sent too recently for that, because the retransmission
    /// timer ran out.
    pub(super) fn on_timeout(&mut self, now: Time) {
        let timed = self.has_rack();
        let rack = &self.rack;
        let reneged = self.board.mark_all_lost(|record| timed && rack.is_recent(record, now));
        if let Some(frontier) = &mut self.frontier {
            if reneged {
                frontier.forget(&self.board);
            }
            frontier.on_recovery(&self.board);
        }
    }

    /// Begins a recovery.
    pub(super) fn on_recovery(&mut self) {
        if let Some(frontier) = &mut self.frontier {
            frontier.on_recovery(&self.board);
        }
    }

    /// Takes notice that a recovery has ended, and was not spurious.
    pub(super) fn on_recovered(&mut self) {
        self.rack.on_recovered();
    }

    /// Takes back all losses, because nothing was lost.
    pub(super) fn take_back(&mut self) {
        self.board.forget_losses();
    }

    /// Makes a search for losses due, although nothing was delivered.
    pub(super) fn search_again(&mut self) {
        self.rack.reconsider();
    }

    /// The lowest lost segment that waits to be sent again; `None` if none waits.
    pub(super) fn next_lost(&mut self) -> Option<Id> {
        self.board.next_lost()
    }

    /// The next segment by NextSeg rule 3 (RFC 6675 section 4); `None` if there is none.
    pub(super) fn eager(&mut self) -> Option<Id> {
        self.frontier.as_mut()?.eager(&mut self.board)
    }

    /// The rescue segment by NextSeg rule 4 (RFC 6675 section 4); `None` if there is none.
    pub(super) fn rescue(&self, una: u64) -> Option<Id> {
        self.frontier.as_ref()?.rescue(&self.board, una)
    }

    /// Notes that the rescue is sent, in a recovery that ends at `high`.
    pub(super) fn on_rescued(&mut self, high: u64) {
        if let Some(frontier) = &mut self.frontier {
            frontier.on_rescued(high);
        }
    }
}

/// True if the segment was sent again although its first transmission was delivered.
fn is_spurious(record: &Record, echo: Option<u32>) -> bool {
    record.is(Mark::AMBIGUOUS)
        && echo
            .is_some_and(|echo| echo != 0 && (echo.wrapping_sub(timestamp(record.sent)) as i32) < 0)
}
