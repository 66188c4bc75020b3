//! The state of every outstanding segment, and counts of segments in each state.
//!
//! The sender needs four answers with each acknowledgement: which segments are new in it, which
//! were sent longest ago, which is the next lost one to send again, and how many are in flight.
//! None of them walks the window: acknowledged runs are skipped by pointers that shorten as they
//! are used (union-find with path halving), segments are linked in the order of their last
//! transmission, lost ones wait in a heap, and all counts are updated as marks change.
//!
//! Specification: RFC 2018 (SACK), RFC 6675 section 4 (scoreboard, pipe), RFC 8985 section 5.2
//! (per-segment variables). Deviations: counted in whole segments, as Linux does.

mod losses;
mod order;
mod ring;
#[cfg(test)]
mod tests;

use units::Time;

use losses::Waiting;
use order::Order;
use ring::Ring;
pub(crate) use ring::{Id, Mark, Record};

use crate::stream::Piece;

/// The outstanding segments.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    ring: Ring,
    order: Order,
    waiting: Waiting,
    sacked: u32,
    lost: u32,
    retransmitted: u32,
    /// The end of the highest selectively acknowledged segment.
    highest_sacked: u64,
    /// The number of segments ever taken for lost.
    lost_ever: u64,
}

impl Scoreboard {
    pub(crate) fn new(first: Id) -> Self {
        Self {
            ring: Ring::new(first),
            order: Order::default(),
            waiting: Waiting::new(),
            sacked: 0,
            lost: 0,
            retransmitted: 0,
            highest_sacked: 0,
            lost_ever: 0,
        }
    }

    /// Sets the payload of a full segment, in bytes.
    pub(crate) fn set_mss(&mut self, mss: u32) {
        self.ring.set_mss(mss);
    }

    /// Adds a piece of the stream, which is sent for the first time.
    // In line, always, as the whole way of a new segment is.
    #[inline(always)]
    pub(crate) fn push(&mut self, piece: &Piece, now: Time) {
        let mut record = Record::new(piece.seq, piece.len, now);
        if piece.fin {
            record.set(Mark::FIN);
        }
        if piece.push {
            record.set(Mark::PUSH);
        }
        self.order.transmit_first(&mut self.ring, &mut record);
        self.ring.push(record);
    }

    /// Removes the segments below `ack`, and calls `visit` with the last state of each.
    pub(crate) fn acknowledge(&mut self, ack: u64, mut visit: impl FnMut(&Record)) {
        while let Some(record) = self.ring.oldest().filter(|record| record.end() <= ack) {
            let record = *record;
            self.ring.step();
            visit(&record);
            if !record.is_unmarked() {
                self.sacked -= u32::from(record.is(Mark::SACKED));
                self.lost -= u32::from(record.is(Mark::LOST));
                self.retransmitted -= u32::from(record.is(Mark::RETRANSMITTED));
            }
            let id = self.ring.first();
            self.order.forget(&mut self.ring, id, &record);
            self.ring.pop();
        }
    }

    /// Marks the segments that lie wholly in `start..end` as delivered. Calls `visit` for each that
    /// was not yet delivered, before it is marked.
    pub(crate) fn sack(&mut self, start: u64, end: u64, mut visit: impl FnMut(&Self, Id)) {
        let mut id = self.ring.find(start);
        loop {
            id = self.unsacked_from(id);
            if !self.ring.contains(id) || self.ring.get(id).end() > end {
                return;
            }
            self.ring.step();
            visit(self, id);
            self.mark_sacked(id);
        }
    }

    fn mark_sacked(&mut self, id: Id) {
        self.order.remove(&mut self.ring, id);
        let record = self.ring.get_mut(id);
        self.lost -= u32::from(record.is(Mark::LOST));
        self.retransmitted -= u32::from(record.is(Mark::RETRANSMITTED));
        record.clear(Mark::LOST);
        record.clear(Mark::RETRANSMITTED);
        record.set(Mark::SACKED);
        record.next = id.wrapping_add(1);
        let end = record.end();
        self.highest_sacked = if self.sacked == 0 { end } else { self.highest_sacked.max(end) };
        self.sacked += 1;
    }

    /// The first segment from `id` on that is not selectively acknowledged, or the end of the ring.
    pub(crate) fn unsacked_from(&mut self, mut id: Id) -> Id {
        while self.ring.contains(id) && self.ring.get(id).is(Mark::SACKED) {
            self.ring.step();
            let mut next = self.ring.skip(id);
            if self.ring.contains(next) && self.ring.get(next).is(Mark::SACKED) {
                next = self.ring.skip(next);
                self.ring.shorten(id, next);
            }
            id = next;
        }
        id
    }

    /// The segment that was sent longest ago, of those neither delivered nor waiting to be sent
    /// again; `None` if there is none.
    pub(crate) fn sent_first(&self) -> Option<Id> {
        self.order.oldest()
    }

    /// The last segment, in the order of transmission, of the run at the front of that order for
    /// which `overtaken` holds; `None` if that run is empty. Once `overtaken` holds for a segment
    /// it must hold for ever.
    pub(crate) fn overtaken(&mut self, overtaken: impl Fn(&Record) -> bool) -> Option<Id> {
        self.order.reach(&mut self.ring, overtaken)
    }

    pub(crate) fn get(&self, id: Id) -> &Record {
        self.ring.get(id)
    }

    pub(crate) fn contains(&self, id: Id) -> bool {
        self.ring.contains(id)
    }

    /// The first segment that begins at `seq` or after it, or the end of the ring.
    pub(crate) fn find(&mut self, seq: u64) -> Id {
        self.ring.find(seq)
    }

    /// The segment with the lowest sequence numbers; `None` if nothing is outstanding.
    pub(crate) fn oldest(&self) -> Option<Id> {
        (self.ring.len() > 0).then(|| self.ring.first())
    }

    /// The segment with the highest sequence numbers; `None` if nothing is outstanding.
    pub(crate) fn newest(&self) -> Option<Id> {
        (self.ring.len() > 0).then(|| self.ring.end().wrapping_sub(1))
    }

    /// The id of the next segment to be sent for the first time.
    pub(crate) const fn end(&self) -> Id {
        self.ring.end()
    }

    /// The number of segments not yet acknowledged cumulatively.
    pub(crate) const fn packets_out(&self) -> u32 {
        self.ring.len()
    }

    /// The number of segments selectively acknowledged.
    pub(crate) const fn sacked(&self) -> u32 {
        self.sacked
    }

    /// The number of segments taken for lost, sent again or not.
    pub(crate) const fn lost(&self) -> u32 {
        self.lost
    }

    /// The number of segments whose retransmission is in flight.
    pub(crate) const fn retransmitted(&self) -> u32 {
        self.retransmitted
    }

    /// The number of segments in flight: SetPipe of RFC 6675 section 4.
    pub(crate) const fn pipe(&self) -> u32 {
        self.ring.len() - self.sacked - self.lost + self.retransmitted
    }

    /// The number of segments ever taken for lost, once for each transmission.
    pub(crate) const fn lost_ever(&self) -> u64 {
        self.lost_ever
    }

    /// The end of the highest selectively acknowledged segment; `None` if there is none.
    pub(crate) fn highest_sacked(&self) -> Option<u64> {
        (self.sacked > 0).then_some(self.highest_sacked)
    }
}
