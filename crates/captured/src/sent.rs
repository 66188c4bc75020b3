//! The data that one end has sent: what was sent again, what came out of order, and how long it took until
//! it was acknowledged.
//!
//! The space of sequence numbers is a list of ranges, each sent in one piece. An acknowledgement gives a round
//! trip if it ends at the end of a range that was sent once, and if nothing before that range was sent later
//! (P. Karn and C. Partridge, SIGCOMM 1987, and tcptrace's rule for what was sent again before it). What is
//! acknowledged and has no gap is one range, so that the list is as long as the data in flight.
//!
//! Deviation: tcptrace cuts the space into quarters, and forgets a quarter when data comes three quarters
//! later; here nothing is forgotten but what is beyond [`MOST`] ranges.

use std::collections::VecDeque;

use units::{Span, Time};

use crate::round_trips::RoundTrips;

/// The most ranges: where no acknowledgements were captured, the list would grow with the packets.
const MOST: usize = 1 << 16;

/// The most gaps in what is acknowledged: packets that were not captured. What is sent in older gaps counts as sent
/// again.
const MOST_GAPS: usize = 64;

/// Duplicate acknowledgements that make a sender send again (RFC 5681 section 3.2).
const TRIPLE: u32 = 4;

/// A part of the space that was sent in one piece.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// The first sequence number, and the one after the last.
    start: u64,
    end: u64,
    /// The time at which the range was sent last.
    sent: Time,
    /// The number of times that the range, or a part of it, was sent again.
    again: u32,
    /// The number of acknowledgements of the range; 0 for data in flight.
    acked: u32,
    /// The bytes in flight when the range was sent, with its own; `None` while something was lost: then it is not
    /// known how much of them was still on the way.
    in_flight: Option<u64>,
}

impl Range {
    /// The round trip of the part of a super-packet that ends here, and was sent once.
    fn part(&self, ack: u64, at: Time) -> Sample {
        let behind = self.end - ack;
        let in_flight = self.in_flight.map(|bytes| bytes.saturating_sub(behind));
        let len = self.end - self.start;
        Sample { span: at.since(self.sent), in_flight, len, acked: 0, is_part: true }
    }
}

/// A round trip of data that was sent once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) span: Span,
    /// The bytes in flight when the data was sent; `None` if that is not known.
    pub(crate) in_flight: Option<u64>,
    /// The length of what was sent in one piece, and of all that is newly acknowledged.
    pub(crate) len: u64,
    pub(crate) acked: u64,
    /// True if a part of a super-packet was acknowledged, of which tcptrace knows no round trip.
    pub(crate) is_part: bool,
}

/// What a segment was to the data before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sending {
    /// The bytes that had been sent before.
    pub(crate) again: u64,
    /// True if later data had been sent before.
    pub(crate) is_out_of_order: bool,
    /// The time at which the data had been sent before, if it was not acknowledged: it was lost then. `None` otherwise.
    pub(crate) lost_at: Option<Time>,
}

/// An acknowledgement, and what a duplicate one is known by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledgement {
    pub(crate) ack: u64,
    pub(crate) at: Time,
    /// True if it repeats the one before, without data and with the same window, behind any data at all: tcptrace's rule.
    pub(crate) is_duplicate: bool,
    /// True if it tells of data behind a hole. It answers that data at once, and may have waited until then for what it
    /// acknowledges.
    pub(crate) tells_hole: bool,
    /// The window that it offers, in bytes.
    pub(crate) window: u64,
}

/// The data that one end has sent, and what became of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    ranges: VecDeque<Range>,
    /// The end of what was sent, and that of what was acknowledged.
    end: u64,
    acked: u64,
    /// The end of what selective acknowledgements have told of.
    sacked: u64,
    /// The end of what was sent when something was sent again or out of order: until it is acknowledged, data is
    /// missing.
    recovery: u64,
    /// The round trips of data that was sent once ("RTT").
    pub(crate) round_trips: RoundTrips,
    /// The same, of the largest segments alone ("RTT full_sz").
    pub(crate) full_sized: RoundTrips,
    full_size: u64,
    /// The time since data was sent last, where it was sent more than once ("RTT (last)").
    pub(crate) ambiguous: RoundTrips,
    /// The latest round trip; `None` if the latest acknowledgement gave none.
    pub(crate) latest: Option<Span>,
    /// The acknowledgements of data before which something was sent again ("post-loss acks").
    pub(crate) after_loss: u64,
    /// The segments that were acknowledged with later ones ("segs cum acked").
    pub(crate) cumulatively_acked: u64,
    /// The duplicate acknowledgements ("duplicate acks"), by the rules of BSD.
    pub(crate) duplicate_acks: u64,
    /// The duplicate acknowledgements of RFC 5681 section 2.
    pub(crate) duplicates: u64,
    /// The third ones of a row ("triple dupacks").
    pub(crate) triple_duplicates: u64,
    /// The most times that a segment was sent again ("max # retrans").
    pub(crate) most_again: u32,
    /// The times after which a segment was sent again ("retr time").
    pub(crate) retransmission_times: RoundTrips,
}

impl Sent {
    /// Notes that a part of the space was sent. `len` is not zero.
    pub(crate) fn send(&mut self, start: u64, len: u64, now: Time) -> Sending {
        let (mut start, end) = (start, start + len);
        self.end = self.end.max(end);
        let is_known = self.acked > 0 && self.acked >= self.recovery;
        let in_flight = is_known.then(|| self.in_flight());
        let mut sending = Sending::default();
        let mut is_first = true;
        let mut index = match self.ranges.back() {
            Some(last) if last.end > start => self.ranges.partition_point(|it| it.end <= start),
            _ => self.ranges.len(),
        };
        while let Some(range) = self.ranges.get(index).copied() {
            if start < range.start {
                sending.is_out_of_order |= end < range.end;
                self.recovery = self.end;
                let gap_end = end.min(range.start);
                let gap = Range { start, end: gap_end, sent: now, again: 0, acked: 0, in_flight };
                self.ranges.insert(index, gap);
                index += 1;
                if end <= range.start {
                    self.bound();
                    return sending;
                }
                start = range.start;
            }
            let lost_at = self.send_again(index, is_first, now);
            sending.lost_at = sending.lost_at.or(lost_at);
            is_first = false;
            sending.again += end.min(range.end) - start;
            if end <= range.end {
                return sending;
            }
            start = range.end;
            index += 1;
        }
        self.ranges.push_back(Range { start, end, sent: now, again: 0, acked: 0, in_flight });
        self.bound();
        sending
    }

    /// Keeps the number of ranges within its bound.
    fn bound(&mut self) {
        if self.ranges.len() > MOST {
            self.forget(MOST / 2);
        }
    }

    /// Notes that a range, or a part of it, was sent again; the first one that a segment covers has a new
    /// time. Returns the time before, if the data was not acknowledged.
    fn send_again(&mut self, index: usize, is_first: bool, now: Time) -> Option<Time> {
        self.recovery = self.end;
        let range = &mut self.ranges[index];
        range.again += 1;
        if !is_first {
            return None;
        }
        if range.acked == 0 {
            self.most_again = self.most_again.max(range.again);
            self.retransmission_times.record(now.since(range.sent));
        }
        let before = std::mem::replace(&mut range.sent, now);
        (range.acked == 0).then_some(before)
    }

    /// The bytes that were sent and not acknowledged; 0 before the first acknowledgement.
    pub(crate) const fn in_flight(&self) -> u64 {
        if self.acked == 0 { 0 } else { self.end.saturating_sub(self.acked) }
    }

    /// True if this is the greatest acknowledgement so far, and data is in flight.
    pub(crate) const fn is_greatest_in_flight(&self, ack: u64) -> bool {
        self.acked == ack && self.in_flight() > 0
    }

    /// The end of what was sent.
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// The end of what was acknowledged; 0 before the first acknowledgement.
    pub(crate) const fn acked(&self) -> u64 {
        self.acked
    }

    /// True if all of this part of the space was sent.
    pub(crate) fn has(&self, mut start: u64, end: u64) -> bool {
        let mut index = self.ranges.partition_point(|it| it.end <= start);
        while start < end {
            match self.ranges.get(index) {
                Some(range) if range.start <= start => start = range.end,
                _ => return false,
            }
            index += 1;
        }
        true
    }

    /// The time at which what begins there was sent, if that was done once and is not acknowledged; `None` otherwise.
    pub(crate) fn sent_once(&self, start: u64) -> Option<Time> {
        let range = self.ranges.get(self.ranges.partition_point(|it| it.end <= start))?;
        let is_once = range.start <= start && range.again == 0 && range.acked == 0;
        is_once.then_some(range.sent)
    }

    /// Takes an acknowledgement of the other end. Returns the round trip; `None` if it tells none.
    pub(crate) fn acknowledge(&mut self, of: Acknowledgement) -> Option<Sample> {
        let Acknowledgement { ack, at, is_duplicate, .. } = of;
        let before = self.acked;
        self.acked = before.max(ack);
        let (mut ended, mut part) = (None, None);
        let mut newest = Time::ZERO;
        let mut count = 0;
        for range in &mut self.ranges {
            if ack <= range.start {
                break;
            }
            newest = newest.max(range.sent);
            let is_end = ack == range.end;
            if range.acked == 0 {
                range.acked = 1;
                count += 1;
                ended = is_end.then_some(*range);
                part = (range.end > ack).then_some(*range);
            } else if is_duplicate && is_end {
                range.acked += 1;
                self.duplicate_acks += 1;
                self.triple_duplicates += u64::from(range.acked == TRIPLE);
            } else {
                range.acked = 1;
                part = (range.end >= ack && ack > before).then_some(*range);
            }
        }
        let part = part.filter(|it| it.again == 0 && newest <= it.sent).map(|it| it.part(ack, at));
        let part = part.map(|part| Sample { acked: self.acked - before, ..part });
        if count == 0 {
            return part;
        }
        self.cumulatively_acked += count - u64::from(ended.is_some());
        let sample = ended.and_then(|range| self.round_trip(range, at, newest > range.sent));
        self.collapse();
        sample.map(|sample| Sample { acked: self.acked - before, ..sample }).or(part)
    }

    /// Takes a selective acknowledgement, whose first block ends at this place: it tells of the data that came last
    /// (RFC 2018 section 4), at once (RFC 5681 section 4.2). Returns the round trip; `None` if it tells none.
    pub(crate) fn acknowledge_selectively(&mut self, to: u64, now: Time) -> Option<Sample> {
        let before = self.sacked.max(self.acked);
        if to <= before {
            return None;
        }
        self.sacked = to;
        let range = self.ranges.get(self.ranges.partition_point(|it| it.end < to))?;
        let len = range.end - range.start;
        let is_once = range.end == to && range.again == 0;
        let span = now.since(range.sent);
        is_once.then_some(Sample { span, in_flight: None, len, acked: len, is_part: false })
    }

    /// Takes the acknowledgement of a range that ends there.
    fn round_trip(&mut self, range: Range, at: Time, is_after_loss: bool) -> Option<Sample> {
        let span = at.since(range.sent);
        self.latest = None;
        if is_after_loss {
            self.after_loss += 1;
        } else if range.again > 0 {
            self.ambiguous.record(span);
        } else {
            self.latest = Some(span);
            self.round_trips.record(span);
            let size = range.end - range.start;
            if size > self.full_size {
                (self.full_size, self.full_sized) = (size, RoundTrips::default());
            }
            if size == self.full_size {
                self.full_sized.record(span);
            }
        }
        let Range { start, end, in_flight, .. } = range;
        let sample = |span| Sample { span, in_flight, len: end - start, acked: 0, is_part: false };
        self.latest.map(sample)
    }

    /// Makes one range of those at the beginning that are acknowledged and have no gap. The first one is acknowledged.
    fn collapse(&mut self) {
        let Some(mut whole) = self.ranges.pop_front() else { return };
        while let Some(next) = self.ranges.front()
            && next.acked > 0
            && next.start == whole.end
        {
            let sent = whole.sent.max(next.sent);
            whole = Range { end: next.end, acked: next.acked, sent, ..whole };
            self.ranges.pop_front();
        }
        self.ranges.push_front(whole);
        if self.ranges.get(1).is_some_and(|it| it.acked > 0) {
            self.collapse_gaps();
        }
    }

    /// The same of those between gaps.
    #[cold]
    fn collapse_gaps(&mut self) {
        let mut kept = 0;
        let mut next = 1;
        while next < self.ranges.len() && self.ranges[kept].acked > 0 {
            let range = self.ranges[next];
            let before = &mut self.ranges[kept];
            if range.acked > 0 && before.end == range.start {
                before.end = range.end;
                before.acked = range.acked;
                before.sent = before.sent.max(range.sent);
            } else {
                kept += 1;
                self.ranges[kept] = range;
            }
            next += 1;
        }
        self.ranges.drain(kept + 1..next);
        if kept > MOST_GAPS {
            self.forget(kept / 2);
        }
    }

    /// Makes one acknowledged range of so many at the beginning, with the gaps between them, and without a round
    /// trip.
    #[cold]
    fn forget(&mut self, count: usize) {
        let older = self.ranges.drain(..count).reduce(|one, other| Range {
            end: other.end,
            acked: 1,
            sent: one.sent.max(other.sent),
            ..one
        });
        self.ranges.extend(older);
        self.ranges.rotate_right(1);
    }
}

#[cfg(test)]
mod tests;
