//! The figures of what one end has sent.

use units::{Span, Time};

use super::{Direction, FULL};

impl Direction {
    /// The packets that were captured, or sent, twice ("hardware dups"). While there are any, the other counts
    /// are not those of the connection.
    pub(crate) const fn hardware_duplicates(&self) -> u64 {
        self.duplicates.count
    }

    /// The longest time without a segment ("idletime max"), up to the end of a capture where the connection has
    /// none; `None` if there is no segment.
    pub(crate) fn longest_idle(&self, end: Option<Time>) -> Option<Span> {
        let since_last = end.map_or(Span::ZERO, |end| end.since(self.seen.unwrap_or(end)));
        self.seen.map(|_| self.longest_idle.max(since_last))
    }

    /// The times of the first and the latest segment with data; `None` if there is none.
    pub(crate) fn data_times(&self) -> Option<[Time; 2]> {
        self.data_times.map(<[Time; 2]>::from)
    }

    /// The time from the first to the last segment with data ("data xmit time").
    pub(crate) fn data_time(&self) -> Span {
        self.data_times().map_or(Span::ZERO, |[first, last]| last.since(first))
    }

    /// The time in which data was sent, without pauses.
    pub(crate) const fn active(&self) -> Span {
        self.active
    }

    /// The bytes that the other end has, by its acknowledgements, beyond the first one.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.scoreboard.delivered()
    }

    /// True if no packet of the end was captured, and the other end has acknowledged more than a SYN or a FIN.
    pub(crate) fn is_unseen(&self) -> bool {
        self.counts.packets == 0 && self.acknowledged() > 1
    }

    /// The rate in bytes per second at which data arrived, by its acknowledgements; without any, that at which new data
    /// passed. `None` where it took no time, or where there is no data.
    pub(crate) fn goodput(&self) -> Option<f64> {
        let (bytes, time) = self.arrived()?;
        (time > Span::ZERO).then(|| bytes as f64 / time.as_secs_f64())
    }

    /// The same as a result. `None` also if it was little data in a short time: that is one burst, whose rate is not that
    /// of the connection.
    pub(crate) fn told_goodput(&self) -> Option<f64> {
        /// The least data that shows a rate: that of 20 full packets, two initial windows (RFC 6928 section 2).
        const LEAST: u64 = 20 * FULL as u64;
        let (bytes, time) = self.arrived()?;
        self.goodput().filter(|_| bytes >= LEAST || time >= diagnose::BRIEF)
    }

    /// The bytes that arrived, and the time in which they did.
    fn arrived(&self) -> Option<(u64, Span)> {
        let first = match self.data_times {
            Some((first, _)) => first,
            None if self.is_unseen() => Time::ZERO,
            None => return None,
        };
        Some(match (self.acknowledged(), self.scoreboard.delivery_time(first)) {
            (0, _) => (self.counts.unique_bytes, self.data_time()),
            acknowledged => acknowledged,
        })
    }

    /// The length of the data from SYN to FIN ("ttl stream length"); `None` if one of both was not captured.
    pub(crate) fn stream_len(&self) -> Option<u64> {
        let (syn, fin) = self.syn.zip(self.fin)?;
        let last = if self.counts.resets > 0 { self.latest } else { fin };
        Some(last.saturating_sub(syn + 1))
    }

    /// The bytes of the stream that were not captured ("missed data"); `None` if its length is not known. Less
    /// than none is possible where SYN or FIN came several times.
    pub(crate) fn missed(&self) -> Option<i64> {
        let len = self.stream_len()?;
        Some(len.cast_signed() - self.counts.unique_bytes.cast_signed())
    }

    /// The mean segment in bytes of data ("avg segm size"); 0 if there is none.
    pub(crate) fn mean_segment(&self) -> u64 {
        self.counts.data_bytes.checked_div(self.counts.data_packets).unwrap_or(0)
    }

    /// The packets that a queue has marked, as far as the capture shows it: those that passed with their mark, or those
    /// of which the end has heard, at most one a round trip.
    pub(crate) fn marks(&self) -> u64 {
        self.counts.congestion_marks.max(self.reactions)
    }

    /// The data of a full packet in bytes, as far as it is known; a super-packet has more.
    pub(crate) fn full(&self) -> u32 {
        self.largest.min(FULL)
    }
}
