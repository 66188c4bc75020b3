//! The time at which the receiver acknowledges.
//!
//! In-order data is acknowledged once more than one full segment is unacknowledged, or when a
//! timer runs out that adapts to the spacing of the data. A gap, its end, a duplicate and a small
//! last segment are acknowledged at once; so is nearly everything while the sender is probably in
//! slow start ("quick acknowledgements").
//!
//! Specification: RFC 5681 section 4.2 and RFC 1122 section 4.2.3.2 for what must hold; for the
//! rest Linux 6.1 (`tcp_event_data_recv`, `__tcp_ack_snd_check`, `tcp_send_delayed_ack`).
//!
//! Deviations: a FIN is acknowledged at once (Linux delays it if the application has not closed).
//! Linux rounds times to its ticks of 1 to 10 ms; here they are exact.

use units::{Span, Time};

use crate::ack_compression::AckCompression;
use crate::config::AckPolicy;
use crate::segment::{Flags, Segment};

/// The shortest delay (Linux `TCP_ATO_MIN` and `TCP_DELACK_MIN`).
const SHORTEST: Span = Span::from_millis(40);
/// The longest delay (Linux `TCP_DELACK_MAX`).
const LONGEST: Span = Span::from_millis(200);
/// The most quick acknowledgements (Linux `TCP_MAX_QUICKACKS`).
pub(crate) const MOST_QUICK: u32 = 16;
/// The peer's segment size in bytes until its first data (Linux `tcp_initialize_rcv_mss`).
const FIRST_GUESS: u32 = 536;
/// The payload in bytes of the smallest segment that may be a full one (Linux
/// `tcp_measure_rcv_mss`).
const SMALLEST_FULL: u32 = 88;
/// The retransmission timeout without a measured round trip (RFC 6298 section 2.1).
const FIRST_TIMEOUT: Span = Span::from_secs(1);
/// The least variance term of the timeout (Linux `TCP_RTO_MIN`).
const LEAST_VARIANCE: Span = Span::from_millis(200);

/// The receiver's state after it has taken a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    /// The next expected sequence number.
    pub(crate) next: u64,
    /// The number of sequence numbers that were received in order since the last acknowledgement
    /// left.
    pub(crate) unacknowledged: u64,
    /// The window offered last, in bytes.
    pub(crate) window: u64,
    /// True if data is held beyond a gap.
    pub(crate) gap: bool,
    /// True if the segment went beyond a gap, and to none of the two blocks reported last.
    pub(crate) displaces: bool,
    /// True if SACK was negotiated.
    pub(crate) sack: bool,
}

/// The state of one receiver's acknowledgements.
#[derive(Clone, Debug)]
pub(crate) struct DelayedAck {
    policy: AckPolicy,
    /// The payload of the largest segment that the connection allows, in bytes.
    mss: u32,
    /// The estimated payload of the peer's full segments, in bytes (Linux `rcv_mss`).
    full: u32,
    /// The payload of the peer's last smaller segment, in bytes.
    last_small: u32,
    /// The delay (Linux `ato`); `None` before the first data.
    delay: Option<Span>,
    last_data: Time,
    /// The number of acknowledgements still to be sent at once.
    quick: u32,
    /// True if data flows both ways, so that data can carry acknowledgements (Linux "pingpong").
    interactive: bool,
    /// True if a segment is to be acknowledged.
    scheduled: bool,
    /// True if the acknowledgement must be sent now.
    urgent: bool,
    /// The number of segments since the last acknowledgement that seem to end a write: small ones,
    /// and one full segment with PSH.
    last: u32,
    /// The time at which a delayed acknowledgement is sent; [`Time::MAX`] if none is delayed.
    deadline: Time,
    compression: AckCompression,
    round_trip: Option<Span>,
}

impl DelayedAck {
    pub(crate) const fn new(policy: AckPolicy) -> Self {
        Self {
            policy,
            mss: FIRST_GUESS,
            full: FIRST_GUESS,
            last_small: 0,
            delay: None,
            last_data: Time::ZERO,
            quick: 0,
            interactive: false,
            scheduled: false,
            urgent: false,
            last: 0,
            deadline: Time::MAX,
            compression: AckCompression::NONE,
            round_trip: None,
        }
    }

    pub(crate) fn established(&mut self, mss: u32, round_trip: Option<Span>) {
        self.mss = mss;
        self.full = self.full.min(mss);
        self.round_trip = round_trip;
    }

    /// True if an acknowledgement must be sent now.
    pub(crate) const fn due(&self) -> bool {
        self.urgent
    }

    /// The time at which [`Self::on_timer`] is to be called; `None` if nothing waits.
    pub(crate) fn deadline(&self) -> Option<Time> {
        let due = self.deadline.min(self.compression.deadline());
        (due < Time::MAX).then_some(due)
    }

    /// True if `len` is at least the estimated payload of the peer's full segments.
    pub(crate) const fn is_full(&self, len: u32) -> bool {
        len >= self.full
    }

    /// Makes an acknowledgement due at once.
    pub(crate) fn demand(&mut self) {
        (self.scheduled, self.urgent) = (true, true);
    }

    /// Acknowledges this segment and the following ones at once: up to `most` of them, but no more
    /// than half a window.
    pub(crate) fn enter_quick(&mut self, most: u32, window: u64) {
        self.raise_quick(most, window);
        self.interactive = false;
        self.delay = Some(SHORTEST);
    }

    /// Makes an acknowledgement due at once because the window grew, which the sender should know.
    pub(crate) fn on_window_growth(&mut self) {
        if self.quick_allowed() {
            self.quick |= 1;
        }
    }

    /// Takes a segment that was received in order (Linux `tcp_event_data_recv`).
    pub(crate) fn on_in_order(&mut self, segment: &Segment, window: u64, now: Time) {
        self.measure(segment);
        let gap = now.since(self.last_data);
        match self.delay {
            None => {
                self.raise_quick(MOST_QUICK, window);
                self.delay = Some(SHORTEST);
            }
            Some(delay) if gap <= SHORTEST / 2 => self.delay = Some(delay / 2 + SHORTEST / 2),
            Some(delay) if gap < delay => {
                self.delay = Some((delay / 2 + gap).min(self.timeout()));
            }
            // The sender was idle for longer than its timeout, and restarts in slow start.
            Some(_) if gap > self.timeout() => self.raise_quick(MOST_QUICK, window),
            Some(_) => {}
        }
        self.last_data = now;
    }

    /// Decides when the segment just taken is acknowledged.
    pub(crate) fn decide(&mut self, situation: &Situation, now: Time) {
        self.scheduled = true;
        match self.policy {
            AckPolicy::Delayed { .. } => self.decide_as_linux(situation, now),
            AckPolicy::EverySegment => self.urgent = true,
            AckPolicy::OncePerWindow => {
                // No further full segment fits into the window.
                let full = situation.unacknowledged + u64::from(self.full) > situation.window;
                if full || situation.gap {
                    self.urgent = true;
                } else {
                    self.deadline = self.deadline.min(now + LONGEST);
                }
            }
        }
    }

    fn decide_as_linux(&mut self, situation: &Situation, now: Time) {
        // RFC 5681 section 4.2: at least every second full segment.
        let enough = situation.unacknowledged > u64::from(self.full);
        // Linux `tcp_cleanup_rbuf`: the application reads the end of a write at once, with all data
        // before it.
        let last = self.last > u32::from(self.interactive) && !situation.gap;
        if enough || last || (self.quick > 0 && !self.interactive) {
            self.urgent = true;
        } else if !situation.gap {
            self.delay_until(now);
        } else if !situation.sack || !self.compresses(situation, now) {
            // RFC 5681 section 4.2: out-of-order data at once.
            self.urgent = true;
        }
    }

    fn compresses(&mut self, situation: &Situation, now: Time) -> bool {
        let Situation { next, displaces, .. } = *situation;
        let round_trip = self.round_trip.unwrap_or(Span::ZERO);
        !self.urgent && self.compression.holds(next, displaces, round_trip, now)
    }

    /// Delays the acknowledgement (Linux `tcp_send_delayed_ack`).
    fn delay_until(&mut self, now: Time) {
        // The delay is no longer than the round trip, so that the sender's timeout never comes
        // first.
        let bound = self.round_trip.map_or(LONGEST, |rtt| rtt.clamp(SHORTEST, LONGEST));
        let delay = self.delay.unwrap_or(SHORTEST).min(bound);
        if self.deadline <= now + delay / 4 {
            self.urgent = true;
        } else {
            self.deadline = self.deadline.min(now + delay);
        }
    }

    /// Notes that an acknowledgement is sent, alone or with data.
    pub(crate) fn on_sent(&mut self) {
        // Only what schedules an acknowledgement sets what is reset here.
        if !self.scheduled {
            return;
        }
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay = Some(SHORTEST);
            }
        }
        (self.scheduled, self.urgent, self.last) = (false, false, 0);
        self.deadline = Time::MAX;
        self.compression.on_sent();
    }

    /// Notes that this end sends data. If the data follows the peer's within the delay, it is an
    /// answer.
    pub(crate) fn on_data_sent(&mut self, now: Time) {
        if self.delay.is_some_and(|delay| now.since(self.last_data) < delay) {
            self.interactive = true;
        }
    }

    /// Makes an acknowledgement due if the time of [`Self::deadline`] has come.
    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.compression.deadline() <= now {
            self.urgent = true;
        }
        if self.deadline <= now {
            // No more data came to be acknowledged together, or no answer to carry the
            // acknowledgement. Therefore wait longer next time, or expect no answer.
            let missed = self.delay.unwrap_or(SHORTEST);
            let inflated = (missed * 2).min(self.timeout());
            self.delay = Some(if self.interactive { SHORTEST } else { inflated });
            self.interactive = false;
            self.deadline = Time::MAX;
            self.urgent = true;
        }
    }

    /// Updates the estimate of a full segment, and counts segments that seem to end a write: those
    /// with PSH, and smaller ones. Linux `tcp_measure_rcv_mss` (for a full segment since 6.6).
    fn measure(&mut self, segment: &Segment) {
        let is_pushed = segment.flags.has(Flags::PSH);
        if segment.len >= self.full {
            self.full = segment.len.min(self.mss);
            if is_pushed {
                self.last = self.last.max(1);
            }
            return;
        }
        let pushed = is_pushed || segment.flags.has(Flags::FIN);
        let smallest = if pushed { FIRST_GUESS } else { SMALLEST_FULL };
        if segment.len >= smallest {
            let again = segment.len == self.last_small;
            self.last_small = segment.len;
            if again {
                self.full = segment.len;
                return;
            }
        }
        self.last += 1;
    }

    /// Raises the number of quick acknowledgements (Linux `tcp_incr_quickack`).
    fn raise_quick(&mut self, most: u32, window: u64) {
        if self.quick_allowed() {
            let half = window / (2 * u64::from(self.full.max(1)));
            let wanted = if half == 0 { 2 } else { half.min(u64::from(most)) as u32 };
            self.quick = self.quick.max(wanted);
        }
    }

    const fn quick_allowed(&self) -> bool {
        matches!(self.policy, AckPolicy::Delayed { quick_start: true })
    }

    /// The retransmission timeout that the handshake's round trip gives (RFC 6298 section 2.2,
    /// with Linux's floor).
    fn timeout(&self) -> Span {
        self.round_trip.map_or(FIRST_TIMEOUT, |rtt| rtt + (rtt * 2).max(LEAST_VARIANCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    /// Linux `tcp_event_data_recv`: data within 20 ms halves the distance of the delay to 40 ms;
    /// later data sets the delay to half its old value plus the gap.
    #[test]
    fn the_delay_follows_the_spacing_of_data() {
        let segment = Segment { len: 1448, ..Segment::EMPTY };
        for (gap, delays) in [(20, [120, 80, 60, 50]), (21, [121, 81, 61, 51])] {
            let mut acks = DelayedAck::new(AckPolicy::Delayed { quick_start: false });
            acks.delay = Some(ms(200));
            let mut now = Time::ZERO;
            for delay in delays {
                now += ms(gap);
                acks.on_in_order(&segment, 65_536, now);
                let is = acks.delay.unwrap_or_default();
                assert_eq!(is.as_millis_f64() as u64, delay, "{gap} ms apart");
            }
        }
    }

    /// Linux `tcp_dec_quickack_mode`: the delay begins at 40 ms, whatever its value was.
    #[test]
    fn the_delay_is_short_after_the_last_quick_acknowledgement() {
        let mut acks = DelayedAck::new(AckPolicy::Delayed { quick_start: true });
        (acks.quick, acks.delay) = (2, Some(ms(200)));
        acks.demand();
        acks.on_sent();
        assert_eq!(acks.delay, Some(ms(200)));
        acks.demand();
        acks.on_sent();
        assert_eq!(acks.delay, Some(ms(40)));
    }

    /// Linux `tcp_delack_timer_handler`: if an expected answer did not come, no more answers are
    /// expected, and the delay is 40 ms again; else it doubles, up to the timeout.
    #[test]
    fn a_delay_that_ran_out_doubles_unless_an_answer_was_hoped_for() {
        for (interactive, delay) in [(false, 160), (true, 40)] {
            let mut acks = DelayedAck::new(AckPolicy::Delayed { quick_start: true });
            (acks.interactive, acks.delay) = (interactive, Some(ms(80)));
            acks.deadline = Time::from_millis(80);
            acks.on_timer(Time::from_millis(80));
            assert_eq!((acks.delay, acks.interactive), (Some(ms(delay)), false));
        }
    }

    /// Linux `tcp_event_data_sent`: data sent within the delay after the peer's data is an answer.
    #[test]
    fn data_within_the_delay_is_an_answer() {
        for (elapsed, is_answer) in [(39, true), (40, false)] {
            let mut acks = DelayedAck::new(AckPolicy::Delayed { quick_start: true });
            (acks.delay, acks.last_data) = (Some(ms(40)), Time::from_millis(100));
            acks.on_data_sent(Time::from_millis(100 + elapsed));
            assert_eq!(acks.interactive, is_answer, "{elapsed} ms");
        }
    }

    /// Linux `tcp_measure_rcv_mss`: two smaller segments of the same length in a row are full
    /// segments of a peer that sends smaller ones; until then each seems to end a write.
    #[test]
    fn the_full_size_shrinks_when_a_smaller_one_comes_twice() {
        let mut acks = DelayedAck::new(AckPolicy::Delayed { quick_start: true });
        acks.full = 1448;
        for (len, full, last) in [(700, 1448, 1), (800, 1448, 2), (700, 1448, 3), (700, 700, 3)] {
            acks.measure(&Segment { len, ..Segment::EMPTY });
            assert_eq!((acks.full, acks.last), (full, last));
        }
    }

    /// Linux `tcp_rcv_rtt_measure_ts`: only full segments give samples of the round trip.
    #[test]
    fn a_full_segment_is_as_long_as_those_before() {
        let mut acks = DelayedAck::new(AckPolicy::EverySegment);
        acks.full = 1448;
        assert_eq!([1447, 1448, 1449].map(|len| acks.is_full(len)), [false, true, true]);
    }
}
