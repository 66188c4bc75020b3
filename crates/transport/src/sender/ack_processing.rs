//! Reading an acknowledgement: which segments it delivers, and the round-trip times in it.
//!
//! Specification: RFC 2018 and RFC 2883 (SACK, DSACK), RFC 6298 section 3 (Karn's algorithm),
//! RFC 7323 section 4 (timestamps); Linux `tcp_sacktag_write_queue`, `tcp_clean_rtx_queue`.
//! Deviations: Linux keeps acknowledgements that may have been delayed out of the smallest
//! round-trip time; that only matters after five minutes.

use units::{Span, Time};

use super::losses::Delivery;
use super::{Acknowledgement, CongestionState, Sender};
use crate::rtt::since_echo;
use crate::scoreboard::{Mark, Record};

/// The content of one acknowledgement.
#[derive(Debug, Default)]
pub(super) struct AckContent {
    pub(super) echo: Option<u32>,
    /// The peer's clock minus the echo of ours, in milliseconds that wrap; `None` without
    /// timestamps.
    pub(super) one_way: Option<u32>,
    pub(super) ece: bool,
    pub(super) carries_data: bool,
    pub(super) window_changed: bool,
    /// True if the cumulative acknowledgement advanced.
    pub(super) advanced: bool,
    /// The number of segments newly acknowledged cumulatively.
    pub(super) acked: u32,
    /// The number of segments newly acknowledged selectively.
    pub(super) sacked: u32,
    /// The number of segments that were delivered, duplicates included.
    pub(super) delivered: u32,
    /// True if a duplicate was reported (RFC 2883).
    pub(super) duplicate: bool,
    /// True if the reported duplicate is the tail loss probe.
    pub(super) duplicate_probe: bool,
    /// True if a segment was delivered that was sent only once, before the present recovery began.
    pub(super) original: bool,
    /// True if the retransmission timer restarts.
    pub(super) restarts_timer: bool,
    /// True if a retransmission was found to be lost.
    pub(super) lost_retransmission: bool,
    /// The round-trip time of the latest of the delivered segments; `None` if none gives one.
    pub(super) latest_rtt: Option<Span>,
    /// True if a segment that was sent again was acknowledged cumulatively.
    ambiguous: bool,
    /// The times at which the first and the last segment were sent, of those cumulatively
    /// acknowledged and sent once; `None` if there are none.
    acked_sent: Option<(Time, Time)>,
    sacked_sent: Option<(Time, Time)>,
    /// The largest distance, in sequence numbers, from the start of a segment sent once to the end
    /// of the data delivered before it; `None` if no such segment was delivered late.
    reordered: Option<u64>,
}

impl AckContent {
    /// True for a duplicate acknowledgement as in RFC 5681 section 2, except that deliveries above
    /// do not matter.
    pub(super) const fn is_duplicate(&self) -> bool {
        !self.advanced && !self.window_changed && !self.carries_data && !self.duplicate
    }

    /// Notes a segment acknowledged cumulatively. `high` is the end of the data that the present
    /// recovery repairs, `highest` the end of the data selectively acknowledged before.
    fn note_acked(&mut self, record: &Record, high: u64, highest: u64) {
        self.acked += 1;
        self.delivered += u32::from(!record.is(Mark::SACKED));
        if record.is(Mark::AMBIGUOUS) {
            self.ambiguous = true;
        } else if !record.is(Mark::SACKED) {
            self.note_original(record, high, highest);
            stretch(&mut self.acked_sent, record.sent);
        }
    }

    /// Notes a segment acknowledged selectively.
    fn note_sacked(&mut self, record: &Record, high: u64, highest: u64) {
        self.sacked += 1;
        self.delivered += 1;
        if !record.is(Mark::AMBIGUOUS) {
            self.note_original(record, high, highest);
            stretch(&mut self.sacked_sent, record.sent);
        }
    }

    /// Notes the delivery of a segment that was sent once.
    fn note_original(&mut self, record: &Record, high: u64, highest: u64) {
        self.original |= record.end() <= high;
        if record.seq < highest {
            self.reordered = self.reordered.max(Some(highest - record.seq));
        }
    }
}

impl Sender {
    /// Reads `ack` into `content`, and marks the scoreboard.
    #[inline(always)]
    pub(super) fn read_ack(&mut self, ack: &Acknowledgement, now: Time, content: &mut AckContent) {
        content.echo = ack.echo.filter(|_| self.options.timestamps);
        let echoed = content.echo.filter(|echo| *echo != 0);
        content.one_way = ack.stamp.zip(echoed).map(|(stamp, echo)| stamp.wrapping_sub(echo));
        content.ece = ack.ece && self.options.ecn;
        content.carries_data = ack.carries_data;
        let una_before = self.sequence.una();
        let highest = self.losses.board().highest_sacked().unwrap_or(0);
        content.window_changed = self.sequence.on_window(ack.ack, ack.window);
        content.advanced = self.sequence.on_acknowledged(ack.ack);
        if content.advanced {
            self.phase.on_advance();
        }
        let delivery = Delivery { now, min_rtt: self.round_trips.min(), echo: content.echo };
        if self.losses.has_sack() && !ack.sack.is_empty() {
            self.read_duplicates(ack, una_before, content);
            self.read_sack(ack, delivery, content);
        }
        if content.advanced {
            let high = self.phase.high();
            let note = |record: &Record| content.note_acked(record, high, highest);
            self.losses.on_acknowledged(ack.ack, delivery, note);
        }
        // RFC 8985 section 6.2 step 3. In the recovery after a timeout, a segment sent once may
        // have been taken for lost; it shows reordering only while the reduction can be taken back.
        if let Some(distance) = content.reordered
            && (self.phase.state() != CongestionState::Loss || self.undo.is_open())
        {
            self.losses.on_reordering(distance.div_ceil(u64::from(self.options.mss)));
        }
        self.sample_rtt(now, content);
    }

    /// Reads the report of a duplicate: the first block, if it lies below the cumulative
    /// acknowledgement or within the second block (RFC 2883 section 4).
    fn read_duplicates(
        &mut self,
        ack: &Acknowledgement,
        una_before: u64,
        content: &mut AckContent,
    ) {
        let mut blocks = ack.sack.near(ack.ack);
        let Some((start, end)) = blocks.next() else { return };
        let within = blocks.next().is_some_and(|(s, e)| start >= s && end <= e);
        if end <= start || !(start < ack.ack || within) {
            return;
        }
        let segments = (end - start).div_ceil(u64::from(self.options.mss)) as u32;
        let is_probe = segments == 1 && self.probe.ends_at(end);
        content.duplicate_probe = is_probe;
        if !self.losses.accepts_duplicates(segments, self.output.sent().retransmitted) {
            return;
        }
        if !is_probe {
            self.losses.on_duplicate(self.sequence.una(), self.sequence.next());
        }
        content.duplicate = true;
        content.delivered += segments;
        if end <= una_before || (end > ack.ack && self.losses.was_sent_again(start)) {
            self.undo.on_duplicates(end, segments);
        }
    }

    fn read_sack(&mut self, ack: &Acknowledgement, delivery: Delivery, content: &mut AckContent) {
        let (una, next, high) = (self.sequence.una(), self.sequence.next(), self.phase.high());
        for (start, end) in ack.sack.near(ack.ack) {
            if end <= start || end <= una || end > next {
                continue;
            }
            let note = |record: &Record, highest| content.note_sacked(record, high, highest);
            self.losses.on_sacked(start.max(una), end, delivery, note);
        }
    }

    /// Takes round-trip samples: of segments sent once, and of segments sent again only by their
    /// timestamp (RFC 6298 section 3 and RFC 7323 section 4.1).
    fn sample_rtt(&mut self, now: Time, content: &mut AckContent) {
        let acked = content.acked_sent.filter(|_| !content.ambiguous);
        let mut first = acked.or(content.sacked_sent).map(|(first, _)| now.since(first));
        let mut last = content.sacked_sent.or(acked).map(|(_, last)| now.since(last));
        if let Some(exact) = first {
            self.round_trips.on_exact(exact);
        }
        if first.is_none() && content.acked > 0 {
            first = content.echo.and_then(|echo| since_echo(echo, now));
            last = first;
        }
        content.restarts_timer = content.acked > 0 || self.is_sack_older_than_oldest(now, content);
        content.latest_rtt = last;
        let Some((first, last)) = first.zip(last) else { return };
        self.round_trips.sample(first, last, &self.sequence, now);
        self.timer.end_window_probes();
    }

    /// True if the selectively delivered segments were sent before the last transmission of the
    /// oldest segment. Segments sent after it must not postpone its timer for ever.
    fn is_sack_older_than_oldest(&self, now: Time, content: &AckContent) -> bool {
        let Some((first, _)) = content.sacked_sent else { return false };
        self.losses.oldest_sent().is_some_and(|sent| now.since(first) > now.since(sent))
    }
}

/// Makes `span` include `sent`, the time of a segment later in the sequence space.
fn stretch(span: &mut Option<(Time, Time)>, sent: Time) {
    let (first, _) = span.unwrap_or((sent, sent));
    *span = Some((first, sent));
}
