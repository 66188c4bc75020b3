//! The receiving half of a connection.
//!
//! The receiver puts data in order, and decides what to report to the sender and when. Each segment
//! sent, an acknowledgement alone or data of the sending half, carries the receiver's current
//! state. The application is assumed to read data in order at once.
//!
//! Specification: RFC 9293 section 3.10.7.4 (arriving segments); for the rest see the parts.
//!
//! Deviations: none beyond those of the parts.

use units::{Span, Time};

use crate::config::Config;
use crate::delayed_ack::{DelayedAck, MOST_QUICK, Situation};
use crate::ecn_echo::{EcnEcho, Urgency};
use crate::gaps::Gaps;
use crate::reassembly::Range;
use crate::receive_window::OfferedWindow;
use crate::segment::{Flags, Segment, Timestamps};
use crate::sender::Negotiated;
use crate::timestamp_echo::TimestampEcho;

/// The number of acknowledgements sent at once after a mark (Linux `__tcp_ecn_check_ce`).
const QUICK_AFTER_MARK: u32 = 2;
/// The time in which at most one segment without data is answered (Linux `tcp_invalid_ratelimit`).
const ANSWER_SPACING: Span = Span::from_millis(500);

/// Counters of the receiving half since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Number of segments with data or a FIN.
    pub segments: u64,
    /// Number of those segments that came ahead of a gap.
    pub out_of_order: u64,
    /// Number of those segments that brought no new data.
    pub duplicates: u64,
    /// Number of those segments with a congestion mark.
    pub marked: u64,
    /// Number of acknowledgements sent, those with data included.
    pub acknowledgements: u64,
}

/// The receiving half of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next expected sequence number (RCV.NXT).
    next: u64,
    /// The acknowledgement number sent last: Last.ACK.sent (RFC 7323 section 4.3).
    acknowledged: u64,
    /// Sequence number of the peer's FIN; [`u64::MAX`] until it is received.
    fin: u64,
    sack: bool,
    echo: TimestampEcho,
    /// The data beyond gaps; `None` if there is none, and none is to be reported.
    gaps: Option<Box<Gaps>>,
    delayed: DelayedAck,
    window: OfferedWindow,
    /// The window field of the acknowledgement sent last; `None` once data has come since.
    offer: Option<u16>,
    ecn: EcnEcho,
    /// The time from which on a segment without data is answered.
    next_answer: Time,
    stats: ReceiverStats,
}

impl Receiver {
    /// Creates a receiver that expects the peer's SYN; `mss` is the segment size that the receiver
    /// announces.
    pub(crate) fn new(config: &Config, mss: u32) -> Self {
        Self {
            next: 1,
            acknowledged: 1,
            fin: u64::MAX,
            sack: false,
            echo: TimestampEcho::default(),
            gaps: None,
            delayed: DelayedAck::new(config.acks),
            window: OfferedWindow::new(config, mss),
            offer: None,
            ecn: EcnEcho::default(),
            next_answer: Time::ZERO,
            stats: ReceiverStats::default(),
        }
    }

    /// The window field of a SYN, which is never scaled (RFC 7323 section 2.2).
    pub(crate) fn syn_window(&mut self) -> u16 {
        self.window.offer(self.next, 0)
    }

    /// The echo of the peer's timestamps.
    pub(crate) fn echo(&mut self) -> &mut TimestampEcho {
        &mut self.echo
    }

    /// Takes notice that the handshake is complete.
    pub(crate) fn established(
        &mut self,
        agreed: &Negotiated,
        shift: u8,
        round_trip: Option<Span>,
        now: Time,
    ) {
        self.sack = agreed.sack;
        self.echo.enabled = agreed.timestamps;
        self.ecn.enabled = agreed.ecn;
        self.delayed.established(agreed.mss, round_trip);
        self.window.established(agreed.mss, shift, self.next, now);
        self.offer = None;
    }

    /// The next expected sequence number.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The number of payload bytes that were received in order.
    pub const fn received(&self) -> u64 {
        self.next - 1 - self.peer_closed() as u64
    }

    /// True if everything up to the peer's FIN has been received.
    pub const fn peer_closed(&self) -> bool {
        self.next > self.fin
    }

    /// The number of bytes that wait beyond a gap.
    pub fn out_of_order(&self) -> u64 {
        self.gaps.as_ref().map_or(0, |gaps| gaps.held())
    }

    fn has_gap(&self) -> bool {
        self.gaps.as_ref().is_some_and(|gaps| gaps.is_open())
    }

    /// The number of bytes that the peer may still send.
    pub const fn window(&self) -> u64 {
        self.window.edge().saturating_sub(self.next)
    }

    /// The counters since the connection began.
    pub const fn stats(&self) -> &ReceiverStats {
        &self.stats
    }

    /// Takes a segment of the established connection. `ce` says that it bears a congestion mark.
    pub(crate) fn on_segment(&mut self, segment: &Segment, ce: bool, now: Time) {
        self.echo.on_segment(segment, self.acknowledged);
        if segment.seq_len() == 0 {
            return self.answer_probe(segment, now);
        }
        self.offer = None;
        self.stats.segments += 1;
        self.stats.marked += u64::from(ce);
        let start = segment.seq;
        // RFC 9293 section 3.10.7.4: data beyond the window is cut off, but not a FIN, which takes
        // no room.
        let fin = segment.flags.has(Flags::FIN);
        let end = segment.end().min(self.window.edge() + u64::from(fin));
        if segment.end() <= self.next || end <= start {
            return self.refuse(segment);
        }
        match self.ecn.on_data(segment, ce) {
            Urgency::None => {}
            Urgency::Quick => self.delayed.enter_quick(QUICK_AFTER_MARK, self.window()),
            Urgency::Now => self.delayed.demand(),
        }
        if fin && end == segment.end() {
            self.fin = end - 1;
        }
        let is_full = self.delayed.is_full(segment.len);
        let in_order = start <= self.next;
        let displaces = if in_order {
            self.take(segment, end, now);
            false
        } else {
            self.hold(start, end)
        };
        self.adapt_window(segment, is_full, in_order, now);
        self.decide(displaces, now);
    }

    /// Adapts the window to a segment that was taken or held. `is_full` says that it is as long as
    /// those before, `in_order` that the application has read it.
    #[inline]
    fn adapt_window(&mut self, segment: &Segment, is_full: bool, in_order: bool, now: Time) {
        let (edge, held) = (self.window.edge(), self.out_of_order());
        let Some(sizing) = self.window.sizing() else { return };
        if let Some(Timestamps { echo, .. }) = segment.timestamps
            && is_full
        {
            sizing.on_echo(echo, now);
        }
        if in_order {
            sizing.on_read(self.next, edge, now);
        }
        if sizing.on_data(segment.len, held) {
            self.delayed.on_window_growth();
        }
    }

    /// Gives a segment in order to the application, with the held data that it connects to.
    fn take(&mut self, segment: &Segment, end: u64, now: Time) {
        if segment.seq < self.next {
            self.report_duplicate((segment.seq, self.next));
        }
        if segment.len > 0 {
            self.delayed.on_in_order(segment, self.window(), now);
        }
        self.next = end;
        if let Some(gaps) = self.gaps.as_mut().filter(|gaps| gaps.is_open()) {
            self.next = gaps.advance(end);
            if !gaps.is_open() {
                // RFC 5681 section 4.2: at once when a gap is filled.
                self.delayed.demand();
            }
        }
        if self.peer_closed() {
            self.delayed.demand();
        }
    }

    /// Holds data beyond a gap. Returns true if the data goes to none of the two blocks reported
    /// last.
    fn hold(&mut self, start: u64, end: u64) -> bool {
        self.stats.out_of_order += 1;
        self.gaps.get_or_insert_default().hold(start, end, self.sack)
    }

    /// Reports that `range` was received again.
    fn report_duplicate(&mut self, range: Range) {
        if self.sack {
            self.gaps.get_or_insert_default().report_duplicate(range);
        }
    }

    /// Acknowledges at once a segment without new data, or without data that may be taken.
    fn refuse(&mut self, segment: &Segment) {
        if segment.seq < self.next {
            self.stats.duplicates += 1;
            self.report_duplicate((segment.seq, segment.end().min(self.next)));
        }
        self.delayed.enter_quick(MOST_QUICK, self.window());
        self.delayed.demand();
    }

    /// Answers a segment from before the window (RFC 9293 section 3.10.7.4); a probe of a closed
    /// window is such a segment.
    fn answer_probe(&mut self, segment: &Segment, now: Time) {
        if segment.seq < self.acknowledged && now >= self.next_answer {
            self.next_answer = now + ANSWER_SPACING;
            self.delayed.demand();
        }
    }

    fn decide(&mut self, displaces: bool, now: Time) {
        let situation = Situation {
            next: self.next,
            unacknowledged: self.next - self.acknowledged,
            window: self.window.edge().saturating_sub(self.acknowledged),
            gap: self.has_gap(),
            displaces,
            sack: self.sack,
        };
        self.delayed.decide(&situation, now);
    }

    /// Makes an acknowledgement due at once.
    pub(crate) fn demand_ack(&mut self) {
        self.delayed.demand();
    }

    /// True if an acknowledgement must be sent now, if need be without data.
    pub(crate) const fn ack_due(&self) -> bool {
        self.delayed.due()
    }

    /// The time at which [`Self::on_timer`] is to be called; `None` if nothing waits.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        self.delayed.deadline()
    }

    /// Makes an acknowledgement due if the time of [`Self::next_timer`] has come.
    pub(crate) fn on_timer(&mut self, now: Time) {
        self.delayed.on_timer(now);
    }

    /// Writes the acknowledgement into a segment that is sent now, with as many selective blocks as
    /// fit into `room` bytes of options. If there are blocks and none fits, an acknowledgement
    /// stays due.
    // In line, always, as the whole way of a new segment is.
    #[inline(always)]
    pub(crate) fn acknowledge(&mut self, segment: &mut Segment, room: u32, now: Time) {
        if self.echo.enabled {
            segment.timestamps = Some(self.echo.option(now));
        }
        segment.flags |= Flags::ACK;
        if self.ecn.echoing() {
            segment.flags |= Flags::ECE;
        }
        segment.ack = self.next;
        segment.window = self.offer();
        let told = self.gaps.is_none() || self.report(segment, room);
        if segment.len > 0 {
            self.delayed.on_data_sent(now);
        }
        self.acknowledged = self.next;
        if told {
            self.stats.acknowledgements += 1;
            self.delayed.on_sent();
        }
    }

    /// Writes as many selective blocks into `segment` as fit into `room` bytes of options. Returns
    /// false if none does.
    #[cold]
    fn report(&mut self, segment: &mut Segment, room: u32) -> bool {
        let Some(gaps) = &mut self.gaps else { return true };
        let fitting = (room.saturating_sub(4) / 8) as usize;
        let Some(blocks) = gaps.take_report(fitting) else { return false };
        segment.sack = blocks;
        if gaps.is_over() {
            self.gaps = None;
        }
        true
    }

    /// The window field of an acknowledgement that is sent now.
    #[inline(always)]
    fn offer(&mut self) -> u16 {
        let held = self.out_of_order();
        *self.offer.get_or_insert_with(|| self.window.offer(self.next, held))
    }
}

#[cfg(test)]
mod tests;
