//! The records of all outstanding segments, oldest first, in a ring that grows by half.
//!
//! A segment's id counts up by one with each segment sent and wraps; it stays the same when the
//! ring grows, so that records can point at each other by id.

use units::Time;

/// The identifier of an outstanding segment.
pub(crate) type Id = u32;

/// One bit of a segment's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u8);

impl Mark {
    /// The segment is selectively acknowledged.
    pub(crate) const SACKED: Self = Self(1);
    /// The segment is taken for lost.
    pub(crate) const LOST: Self = Self(1 << 1);
    /// The segment was sent again, and that transmission is taken to be in flight.
    pub(crate) const RETRANSMITTED: Self = Self(1 << 2);
    /// The segment was sent more than once, so that it gives no round-trip sample (Karn's
    /// algorithm).
    pub(crate) const AMBIGUOUS: Self = Self(1 << 3);
    pub(crate) const FIN: Self = Self(1 << 4);
    pub(crate) const PUSH: Self = Self(1 << 5);
    /// The segment is in the list of transmissions.
    pub(super) const LISTED: Self = Self(1 << 6);
}

/// The state of one segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) seq: u64,
    /// The time at which the segment was last sent.
    pub(crate) sent: Time,
    /// The number of the last transmission, counted over all segments; it wraps.
    pub(crate) transmission: u32,
    /// The previous segment in the list of transmissions; any segment at the list's start.
    pub(super) older: Id,
    /// The next segment in the list of transmissions; any segment at the list's end. Of a
    /// selectively acknowledged segment that is not in the list: a later segment, where all between
    /// are acknowledged too.
    pub(super) next: Id,
    /// The payload in bytes, in 16 bits as in the MSS option (RFC 9293 section 3.7.1).
    len: u16,
    marks: u8,
}

impl Record {
    /// The record of a segment of `len` bytes, 65535 at most.
    pub(crate) const fn new(seq: u64, len: u32, sent: Time) -> Self {
        Self { seq, sent, transmission: 0, older: 0, next: 0, len: len as u16, marks: 0 }
    }

    /// The payload in bytes.
    pub(crate) const fn len(&self) -> u32 {
        self.len as u32
    }

    pub(crate) const fn is(&self, mark: Mark) -> bool {
        self.marks & mark.0 != 0
    }

    /// True if the segment was neither delivered nor taken for lost nor sent again.
    pub(crate) const fn is_unmarked(&self) -> bool {
        self.marks & (Mark::SACKED.0 | Mark::LOST.0 | Mark::RETRANSMITTED.0) == 0
    }

    pub(crate) fn set(&mut self, mark: Mark) {
        self.marks |= mark.0;
    }

    pub(crate) fn clear(&mut self, mark: Mark) {
        self.marks &= !mark.0;
    }

    /// True if the segment is taken for lost and not yet sent again.
    pub(crate) const fn waits(&self) -> bool {
        self.is(Mark::LOST) && !self.is(Mark::RETRANSMITTED)
    }

    /// The sequence number after the segment's last one.
    pub(crate) const fn end(&self) -> u64 {
        self.seq + self.len as u64 + self.is(Mark::FIN) as u64
    }
}

/// The ring of records.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    places: Vec<Record>,
    /// The place of the oldest segment.
    start: u32,
    /// The id of the oldest segment.
    first: Id,
    len: u32,
    mss: u32,
    /// The number of places visited by searches; the tests show that it is small.
    #[cfg(test)]
    pub(crate) steps: u64,
}

impl Ring {
    /// Creates an empty ring; the first segment will have the id `first`.
    pub(crate) const fn new(first: Id) -> Self {
        Self {
            places: Vec::new(),
            start: 0,
            first,
            len: 0,
            mss: 1,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// Sets the payload of most segments in bytes, from which searches guess where to start.
    pub(crate) fn set_mss(&mut self, mss: u32) {
        self.mss = mss.max(1);
    }

    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// The id of the oldest segment; without any, that of the next one to be sent.
    pub(crate) const fn first(&self) -> Id {
        self.first
    }

    /// The id of the next segment to be sent.
    pub(crate) const fn end(&self) -> Id {
        self.first.wrapping_add(self.len)
    }

    pub(crate) const fn contains(&self, id: Id) -> bool {
        self.offset(id) < self.len
    }

    /// The number of segments older than `id`.
    pub(crate) const fn offset(&self, id: Id) -> u32 {
        id.wrapping_sub(self.first)
    }

    pub(crate) fn get(&self, id: Id) -> &Record {
        &self.places[self.place(id)]
    }

    pub(crate) fn get_mut(&mut self, id: Id) -> &mut Record {
        let place = self.place(id);
        &mut self.places[place]
    }

    /// A segment after `id`, where `id` and all segments between are selectively acknowledged.
    pub(super) fn skip(&self, id: Id) -> Id {
        let record = self.get(id);
        if record.is(Mark::LISTED) { id.wrapping_add(1) } else { record.next }
    }

    /// Lets [`Self::skip`] of the selectively acknowledged `id` return `next`.
    pub(super) fn shorten(&mut self, id: Id, next: Id) {
        let record = self.get_mut(id);
        if !record.is(Mark::LISTED) {
            record.next = next;
        }
    }

    pub(crate) fn oldest(&self) -> Option<&Record> {
        if self.len == 0 { None } else { self.places.get(self.start as usize) }
    }

    #[inline]
    pub(crate) fn push(&mut self, record: Record) -> Id {
        if self.len as usize == self.places.len() {
            self.grow();
        }
        let id = self.end();
        *self.get_mut(id) = record;
        self.len += 1;
        id
    }

    pub(crate) fn pop(&mut self) {
        self.first = self.first.wrapping_add(1);
        self.start = if self.start as usize + 1 == self.places.len() { 0 } else { self.start + 1 };
        self.len -= 1;
    }

    /// The first segment that begins at `seq` or after it; [`Ring::end`] if none does.
    pub(crate) fn find(&mut self, seq: u64) -> Id {
        let Some(oldest) = self.oldest() else { return self.end() };
        if seq <= oldest.seq {
            return self.first;
        }
        // No segment is longer than the MSS, so the segment lies here or further on; exactly here
        // if all are full.
        let guess = (seq - oldest.seq) / u64::from(self.mss);
        let (mut low, mut high) = (guess.min(u64::from(self.len)) as u32, self.len);
        while low < high {
            self.step();
            let at = self.get(self.first.wrapping_add(low)).seq;
            if at >= seq {
                break;
            }
            low += 1;
            let middle = low + (high - low) / 2;
            if middle < high && self.get(self.first.wrapping_add(middle)).seq < seq {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.first.wrapping_add(low)
    }

    /// Counts one visit of a place, in tests.
    #[inline]
    pub(super) fn step(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }

    const fn place(&self, id: Id) -> usize {
        let place = self.start as usize + self.offset(id) as usize;
        if place < self.places.len() { place } else { place.wrapping_sub(self.places.len()) }
    }

    /// Grows by half and does not double, since ten thousand flows have ten thousand rings.
    #[cold]
    fn grow(&mut self) {
        /// The fewest places that a ring grows by, so that an end with a request and a FIN to send
        /// takes little memory.
        const FEWEST: usize = 2;
        self.places.rotate_left(self.start as usize);
        self.start = 0;
        let more = (self.places.len() / 2).max(FEWEST);
        self.places.reserve_exact(more);
        self.places.resize(self.places.len() + more, Record::new(0, 0, Time::ZERO));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flow has one record for each packet in flight.
    #[test]
    fn a_record_is_half_a_cache_line() {
        assert!(size_of::<Record>() <= 32, "{}", size_of::<Record>());
    }

    #[test]
    fn ids_stay_when_the_ring_grows() {
        let mut ring = Ring::new(u32::MAX - 20);
        for seq in 0..1000 {
            let id = ring.push(Record::new(seq, 1, Time::ZERO));
            if seq % 3 == 0 {
                ring.pop();
            }
            for back in 0..ring.len() {
                assert_eq!(ring.get(id.wrapping_sub(back)).seq, seq - u64::from(back));
            }
        }
        assert!(ring.places.len() <= 1000, "{}", ring.places.len());
    }
}
