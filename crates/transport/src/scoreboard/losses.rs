//! The marks of losses: segments taken for lost, sent again, and losses taken back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use units::Time;

use super::{Id, Mark, Record, Scoreboard};

/// Lost segments to be sent again, lowest first. An entry whose segment no longer waits is dropped
/// when it becomes the lowest.
pub(super) type Waiting = BinaryHeap<Reverse<(u64, Id)>>;

impl Scoreboard {
    /// Takes every transmission of the segment for lost: it waits to be sent again. A segment that
    /// was delivered, or waits already, keeps its marks. In every case the segment leaves the order
    /// of transmission, so that a caller that goes through that order comes to its end (Linux
    /// `tcp_rack_detect_loss`, `list_del_init`).
    pub(crate) fn mark_lost(&mut self, id: Id) {
        self.order.remove(&mut self.ring, id);
        let record = self.ring.get_mut(id);
        if record.is(Mark::SACKED) {
            return;
        }
        let (was_lost, was_sent_again) = (record.is(Mark::LOST), record.is(Mark::RETRANSMITTED));
        if was_lost && !was_sent_again {
            return;
        }
        record.set(Mark::LOST);
        record.clear(Mark::RETRANSMITTED);
        let seq = record.seq;
        self.lost += u32::from(!was_lost);
        self.retransmitted -= u32::from(was_sent_again);
        self.lost_ever += 1;
        self.waiting.push(Reverse((seq, id)));
    }

    /// Takes the first transmission of the segment for lost. If the segment was sent again already,
    /// its retransmission stays in flight (RFC 6675 section 4, SetPipe).
    pub(crate) fn mark_original_lost(&mut self, id: Id) {
        let record = self.ring.get_mut(id);
        if record.is(Mark::SACKED) || record.is(Mark::LOST) {
            return;
        }
        if !record.is(Mark::RETRANSMITTED) {
            self.mark_lost(id);
            return;
        }
        record.set(Mark::LOST);
        self.lost += 1;
        self.lost_ever += 1;
    }

    /// The lowest lost segment that waits to be sent again; `None` if none waits.
    pub(crate) fn next_lost(&mut self) -> Option<Id> {
        while let Some(&Reverse((seq, id))) = self.waiting.peek() {
            self.ring.step();
            if self.ring.contains(id) {
                let record = self.ring.get(id);
                if record.seq == seq && record.waits() {
                    return Some(id);
                }
            }
            self.waiting.pop();
        }
        None
    }

    /// Marks the segment as sent again in recovery; it counts as in flight.
    pub(crate) fn mark_retransmitted(&mut self, id: Id, now: Time) {
        let record = self.ring.get_mut(id);
        self.retransmitted += u32::from(!record.is(Mark::RETRANSMITTED));
        record.set(Mark::RETRANSMITTED);
        self.mark_sent_again(id, now);
    }

    /// Notes that the segment is sent again, while its marks of loss and retransmission stay, as
    /// for a probe, which is sent whatever the marks are. A segment that waits goes on waiting, and
    /// RACK skips it (Linux `tcp_rack_detect_loss`).
    pub(crate) fn mark_sent_again(&mut self, id: Id, now: Time) {
        let record = self.ring.get_mut(id);
        record.set(Mark::AMBIGUOUS);
        record.sent = now;
        let waits = record.waits();
        self.order.remove(&mut self.ring, id);
        self.order.transmit(&mut self.ring, id);
        if waits {
            self.order.remove(&mut self.ring, id);
        }
    }

    /// Takes for lost, after a retransmission timeout, all segments that are not selectively
    /// acknowledged, except those, but for the oldest, for which `spare` holds. If the oldest is
    /// selectively acknowledged, the receiver has dropped it after all (RFC 2018 section 8), and no
    /// selective acknowledgement counts any more. Returns true in that case.
    pub(crate) fn mark_all_lost(&mut self, spare: impl Fn(&Record) -> bool) -> bool {
        let reneged = self.ring.oldest().is_some_and(|oldest| oldest.is(Mark::SACKED));
        if reneged {
            self.sacked = 0;
        }
        for offset in 0..self.ring.len() {
            let id = self.ring.first().wrapping_add(offset);
            if reneged {
                self.ring.get_mut(id).clear(Mark::SACKED);
            }
            if offset == 0 || reneged || !spare(self.ring.get(id)) {
                self.mark_lost(id);
            }
        }
        reneged
    }

    /// Takes back all losses, because nothing was lost.
    pub(crate) fn forget_losses(&mut self) {
        let mut ids = Vec::new();
        for offset in 0..self.ring.len() {
            let id = self.ring.first().wrapping_add(offset);
            // All segments, since one that a probe sent again is in the list although delivered.
            self.order.remove(&mut self.ring, id);
            let record = self.ring.get_mut(id);
            record.clear(Mark::LOST);
            if !record.is(Mark::SACKED) {
                ids.push(id);
            }
        }
        self.lost = 0;
        self.waiting.clear();
        let newest = self.order.transmissions();
        ids.sort_by_key(|&id| Reverse(newest.wrapping_sub(self.ring.get(id).transmission)));
        self.order.rebuild(&mut self.ring, &ids);
    }
}
