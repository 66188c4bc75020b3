//! What one end of a connection has sent.

mod figures;

use results::CapturedCounts;
use units::{Span, Time};
use wire::Segment;

use crate::copies::Copies;
use crate::duplicates::Duplicates;
use crate::echoes::Echoes;
use crate::event::AckEffect;
use crate::holes::Hole;
use crate::in_flight::InFlight;
use crate::limits::{Limit, Limits};
use crate::losses::Losses;
use crate::over_time::LONGEST;
use crate::pace::Pace;
use crate::packet::{CONGESTION_EXPERIENCED, Captured};
use crate::passed::Passed;
use crate::samples::{Counts, Samples};
use crate::scoreboard::Scoreboard;
use crate::sent::{Acknowledgement, Sample, Sending, Sent};
use crate::sequence::Unwrapper;
use crate::spacing::Spacing;
use crate::waits::{SHORTEST_WAIT, Waits};
use crate::way::Way;
use crate::windows::Windows;

/// The data of a full packet in bytes: that of Ethernet with timestamps. A super-packet has more.
const FULL: u32 = 1448;

/// What one end of a connection has sent, and what became of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direction {
    /// The counts, as the document has them.
    pub(crate) counts: CapturedCounts,
    /// The largest segment in bytes of data ("max segm size").
    pub(crate) largest: u32,
    /// The smallest with data ("min segm size"); 0 if there is none.
    pub(crate) smallest: u32,
    /// The windows that the end has offered.
    pub(crate) windows: Windows,
    /// The data that the end had in flight.
    pub(crate) in_flight: InFlight,
    longest_idle: Span,
    /// The round trip of the handshake ("RTT from 3WHS"); `None` if it was not captured, or if the SYN was sent
    /// again.
    pub(crate) handshake: Option<Span>,
    /// What was sent, and when it was acknowledged.
    pub(crate) sent: Sent,
    /// Round trips from here to the other end and back, by acknowledgements, over time.
    pub(crate) waits: Waits,
    /// The latest of them by the acknowledgement of all data before: that of the data before a loss.
    latest_wait: Option<Span>,
    /// The same by timestamps.
    pub(crate) echo_waits: Waits,
    /// The longest round trip by timestamps, without the time that its echo may have waited at the other end.
    pub(crate) longest_echo: Span,
    /// The round trips when something was lost.
    pub(crate) losses: Losses,
    /// What kept the end from sending more.
    pub(crate) limits: Limits,
    pub(crate) pace: Pace,
    spacing: Spacing,
    /// The data that passed and that was lost, from the first loss on.
    pub(crate) passed: Passed,
    /// What the end had sent, and the other end had, by each time.
    pub(crate) samples: Samples,
    scoreboard: Scoreboard,
    /// True since the other end has told of a mark (ECE) to which this one has not answered yet.
    hears_of_mark: bool,
    /// The segments with data that answer it (CWR, RFC 3168 section 6.1.2). By itself CWR tells no mark: it is also
    /// set after a loss.
    reactions: u64,
    echoes: Echoes,
    /// The way of the end's packets to here.
    pub(crate) way: Way,
    /// The time of the latest acknowledgement that told a round trip.
    latest_sample: Option<Time>,
    /// The length of the latest segment with data.
    latest_len: u32,
    duplicates: Duplicates,
    /// True if options of a segment of the end were cut off.
    pub(crate) has_cut_options: bool,
    /// The places at which the packets of the end are seen.
    pub(crate) copies: Copies,
    space: Unwrapper,
    /// The sequence numbers of SYN and FIN, and the one behind the latest segment.
    pub(crate) syn: Option<u64>,
    fin: Option<u64>,
    latest: u64,
    /// The latest acknowledgement of the other end's data, in the other end's space.
    pub(crate) ack: Option<u64>,
    /// The end of the window that the end has offered last, in the other end's space.
    pub(crate) window_end: Option<u64>,
    /// True once the other end has acknowledged more than the SYN.
    is_acked: bool,
    /// The times of the first and the latest segment with data.
    data_times: Option<(Time, Time)>,
    /// The time in which data was sent, without pauses.
    active: Span,
    seen: Option<Time>,
}

impl Direction {
    /// The place of a sequence number that this end has sent, or that the other one acknowledges.
    pub(crate) fn place(&mut self, number: u32) -> u64 {
        self.space.place(number)
    }

    /// True if something in a segment of this end had not been seen before: data, an acknowledgement of what `other` has
    /// sent, or a packet that was sent later, as its timestamp or its identification shows.
    pub(crate) fn is_new(&self, captured: &Captured<'_>, other: &Self) -> bool {
        let segment = captured.segment;
        let place = |mut space: Unwrapper, number| space.place(number);
        let start = place(self.space, segment.seq);
        let end = start + u64::from(segment.sequence_len());
        // A probe of a window of zero takes no place in the stream.
        let is_probe = other.counts.packets > 0 && other.windows.latest == 0;
        let is_ack = segment.flags.is_ack();
        !is_probe && !self.sent.has(start, end)
            || is_ack && place(other.space, segment.ack) > other.sent.acked()
            || segment.flags.is_rst() && self.counts.resets == 0
            || match segment.timestamps {
                Some((value, _)) => self.echoes.is_new(value),
                None => self.copies.is_later(captured.identification),
            }
    }

    /// The time at which the data with this number was sent, if that was done once and it is in flight; `None` otherwise.
    pub(crate) fn sent_once(&self, seq: u32) -> Option<Time> {
        let mut space = self.space;
        self.sent.sent_once(space.place(seq))
    }

    /// Counts SYN, FIN and RST, which also tell whether a later SYN is that of another connection.
    pub(crate) fn count_ends(&mut self, segment: &Segment, start: u64) {
        let flags = segment.flags;
        self.counts.resets += u64::from(flags.is_rst());
        if flags.is_syn() {
            self.counts.syns += 1;
            self.syn = Some(start);
        }
        if flags.is_fin() {
            self.counts.fins += 1;
            self.fin = Some(start + u64::from(segment.data_len));
        }
    }

    /// The time since the latest segment; `None` before the first.
    pub(crate) fn pause(&self, now: Time) -> Option<Span> {
        self.seen.map(|seen| now.since(seen))
    }

    /// Counts a segment by itself, whatever the other end did.
    pub(crate) fn count(&mut self, segment: &Segment, start: u64, now: Time) {
        if let Some(seen) = self.seen.replace(now) {
            self.longest_idle = self.longest_idle.max(now.since(seen));
        }
        self.counts.packets += 1;
        self.latest = start + u64::from(segment.data_len);
        self.counts.has_timestamps |= segment.timestamps.is_some();
        self.has_cut_options |= segment.has_cut_options;
        if segment.flags.is_syn() {
            self.note_options(segment);
        }
        self.counts.sack_segments += u64::from(!segment.sack().is_empty());
        if let Some(scaled) = &mut self.windows.scaled {
            *scaled += 1;
        }
        if segment.data_len > 0 {
            self.count_data(segment, now);
        }
    }

    /// Takes the options of a SYN.
    #[cold]
    fn note_options(&mut self, segment: &Segment) {
        self.counts.mss = segment.mss.or(self.counts.mss);
        self.counts.window_scale = segment.window_scale.or(self.counts.window_scale);
        self.counts.accepts_sack |= segment.sack_permitted;
    }

    fn count_data(&mut self, segment: &Segment, now: Time) {
        self.counts.data_packets += 1;
        self.counts.data_bytes += u64::from(segment.data_len);
        self.counts.pushed += u64::from(segment.flags.is_psh());
        if segment.flags.is_urg() {
            self.counts.urgent_packets += 1;
            self.counts.urgent_bytes += u64::from(segment.urgent);
        }
        if segment.flags.is_cwr() && std::mem::take(&mut self.hears_of_mark) {
            self.reactions += 1;
        }
        self.latest_len = segment.data_len;
        self.largest = self.largest.max(segment.data_len);
        if self.smallest == 0 || segment.data_len < self.smallest {
            self.smallest = segment.data_len;
        }
        let (first, latest) = self.data_times.unwrap_or((now, now));
        self.data_times = Some((first, now));
        let pause = now.since(latest);
        self.active += pause.min(LONGEST);
        if segment.data_len == self.largest && self.counts.data_packets > 1 {
            self.spacing.note(pause);
        }
        let missing = segment.data_len.saturating_sub(segment.captured_len);
        self.counts.truncated_bytes += u64::from(missing);
        self.counts.truncated_packets += u64::from(missing > 0);
    }

    /// Counts what the header of IP tells of a segment. Returns true if the packet was captured, or sent, twice; only IPv4
    /// has identifications.
    pub(crate) fn count_packet(&mut self, captured: &Captured<'_>) -> bool {
        self.copies.note(captured.identification);
        self.counts.congestion_marks += u64::from(captured.ecn == CONGESTION_EXPERIENCED);
        (captured.identification).is_some_and(|it| self.duplicates.take(it, captured.segment.seq))
    }

    /// Takes the part of the space that a segment takes. `is_probe` tells that the window of the `other` end is zero.
    pub(crate) fn send(
        &mut self,
        segment: &Segment,
        start: u64,
        is_probe: bool,
        other: &Self,
        now: Time,
    ) -> Sending {
        let len = u64::from(segment.sequence_len());
        if len == 0 {
            return Sending::default();
        }
        let data = u64::from(segment.data_len);
        if is_probe && !segment.flags.is_syn() {
            self.counts.window_probes += 1;
            self.counts.window_probe_bytes += data;
            return Sending::default();
        }
        let end = self.sent.end();
        if start > end && end > 0 {
            let behind = other.echo_waits.latest();
            self.losses.note_hole(Hole { from: end, to: start, at: now, behind });
            self.passed.lost_before(start - end, now);
        }
        let sending = self.sent.send(start, len, now);
        if let Some(sent) = sending.lost_at {
            self.passed.lost_ahead(sending.again, sent);
        }
        self.passed.seen(data, now);
        self.pace.sent(data, now);
        if sending.is_out_of_order {
            self.counts.out_of_order += 1;
            let least_behind = other.least_to_other_end();
            if self.losses.is_repair(start, least_behind, now) {
                self.counts.repairs += 1;
                self.counts.repaired_bytes += data;
            }
        }
        if sending.again > 0 {
            self.counts.retransmitted_packets += 1;
            self.counts.retransmitted_bytes += sending.again;
        }
        if data > 0 {
            self.losses.note(start, sending, self.latest_wait, now);
        }
        // SYN and FIN are no data, nor are they when they are sent again.
        let ends = u64::from(segment.flags.is_syn() && self.counts.syns > 1)
            + u64::from(segment.flags.is_fin() && self.counts.fins > 1);
        self.counts.unique_bytes += data.saturating_sub(sending.again.saturating_sub(ends));
        sending
    }

    /// The shortest round trip from here to the other end by timestamps, or that of the handshake; `None` without both.
    fn least_to_other_end(&self) -> Option<Span> {
        self.echo_waits.least().or(self.handshake)
    }

    /// Takes the timestamp of a segment of this end.
    pub(crate) fn stamp(&mut self, value: u32, now: Time) {
        self.echoes.sent(value, now);
        self.way.take(value, now);
    }

    /// Takes an echo of this end's timestamps. `pause` is how long the `other` end had sent nothing: the echo may have
    /// waited there as long. Returns the round trip; `None` if the echo tells none.
    ///
    /// A line that is busy makes pauses of its own, in which perhaps nobody has waited with anything. With half of the
    /// pause, the round trip is wrong by no more than the other half.
    pub(crate) fn echo(
        &mut self,
        value: u32,
        now: Time,
        pause: Option<Span>,
        other: &mut Self,
    ) -> Option<Span> {
        let span = self.echoes.echoed(value, now)?;
        let waited = pause.unwrap_or(span);
        self.echo_waits.note_least(span);
        let least = self.echo_waits.least().unwrap_or_default();
        let way = other.way.wait(span - least);
        if way.is_some() {
            let offset = least.as_nanos().cast_signed() - other.way.shortest();
            self.echo_waits.note_offset(offset);
        }
        let back = way.map_or(Span::ZERO, |it| it.here());
        self.longest_echo = self.longest_echo.max(span.saturating_sub(waited + back));
        let is_short = waited <= (span / 10).max(Span::from_millis(1));
        if is_short || waited <= span / 2 && other.spacing.is_of_busy_line(waited) {
            let span = least.max(span - waited / 2);
            // The data comes by this way: what waits on the other one are its acknowledgements.
            let there = way.map(|it| it.there(span - least));
            self.echo_waits.record_echo(now, span, there);
        }
        Some(span)
    }

    /// Takes the wait of a segment with data of the `other` end, by its timestamp.
    pub(crate) fn note_arrival(&mut self, segment: &Segment, other: &Self, now: Time) {
        if segment.timestamps.is_some() && segment.data_len >= other.full() {
            self.echo_waits.record_arrival(now, || other.way.latest_wait().map(|it| it.here()));
        }
    }

    /// The data of a full packet in bytes, of which a super-packet has several, as far as it is known: what the receiver
    /// allows (RFC 6691 section 2), unless the path allows less. `None` if the capture does not show it.
    fn packet_data(&self, receiver: &Self) -> Option<u32> {
        /// The bytes that the option of timestamps takes (RFC 7323 appendix A).
        const TIMESTAMPS: u32 = 12;
        let options = if self.counts.has_timestamps { TIMESTAMPS } else { 0 };
        let allowed = u32::from(receiver.counts.mss?).saturating_sub(options);
        let packet = allowed.min(self.largest);
        self.largest.is_multiple_of(packet).then_some(packet)
    }

    /// Notes what keeps the end from sending more from now on, with what the `receiver` allows.
    pub(crate) fn note_limit(&mut self, receiver: &Self, now: Time) {
        if self.counts.data_packets == 0 {
            return;
        }
        let (packet, latest) = (self.packet_data(receiver), self.latest_len);
        let is_full = packet.map_or(latest >= self.full(), |packet| latest.is_multiple_of(packet));
        let window_end = receiver.window_end;
        let room = window_end.map_or(u64::MAX, |end| end.saturating_sub(self.sent.end()));
        // A window may shrink by some bytes, and a probe of a closed one is beyond it.
        if window_end.is_some_and(|end| self.sent.end() > end + u64::from(self.largest)) {
            self.limits.note_exceeded();
        }
        let limit = if room < u64::from(packet.unwrap_or(self.largest)) {
            Limit::Receiver
        } else if self.sent.in_flight() == 0 || !is_full {
            Limit::Application
        } else {
            Limit::Path
        };
        self.limits.note(limit, now);
    }

    /// Notes that the other end has told of a mark (RFC 3168 section 6.1.3).
    pub(crate) fn hear_of_mark(&mut self) {
        self.hears_of_mark = true;
    }

    /// Takes a sample of the end, if it is time for one.
    #[inline]
    pub(crate) fn sample(&mut self, now: Time) {
        if self.samples.is_due(now) && self.counts.data_packets > 0 {
            self.take_sample(now);
        }
    }

    #[cold]
    fn take_sample(&mut self, now: Time) {
        let Limits { application, receiver, path, .. } = self.limits.known();
        let counts = Counts {
            delivered: self.scoreboard.delivered(),
            sent: self.counts.data_packets,
            again: self.counts.retransmitted_packets + self.counts.out_of_order,
            busy: application + receiver + path,
            receiver,
            program: application,
        };
        self.samples.add(now, counts);
    }

    /// Takes what the other end has of this one's data, by an acknowledgement up to this place, which came by this `way`.
    /// Returns the round trip that its first SACK block tells, while data is missing; `None` if there is none.
    pub(crate) fn note_delivery(
        &mut self,
        ack: u64,
        segment: &Segment,
        way: &mut Way,
        now: Time,
    ) -> Option<Span> {
        let near = |number: u32| {
            let step = number.wrapping_sub(segment.ack).cast_signed();
            ack.saturating_add_signed(step.into())
        };
        let blocks = segment.sack().iter().map(|(from, to)| (near(*from), near(*to)));
        self.scoreboard.take(ack, blocks, now);
        let (_, to) = segment.sack().first()?;
        let sample = self.sent.acknowledge_selectively(near(*to), now)?;
        let is_full = self.largest > 0 && sample.len >= self.full().into();
        if is_full {
            let back = self.waits.back(sample.span, way);
            self.waits.record_data(now, sample.span, back, None);
        }
        is_full.then_some(sample.span)
    }

    /// Takes an acknowledgement of what this end has sent, which came by this `way`.
    pub(crate) fn acknowledge(&mut self, of: Acknowledgement, way: &mut Way) -> AckEffect {
        self.pace.acknowledged(of.at);
        let triples = self.sent.triple_duplicates;
        let sample = self.sent.acknowledge(of);
        let is_wait = sample.is_some_and(|sample| self.note_wait(sample, &of, way));
        let behind_syn = self.syn.map(|syn| syn + 1);
        if behind_syn == Some(of.ack) && self.counts.syns == 1 {
            self.handshake = self.sent.latest;
        }
        self.is_acked |= behind_syn != Some(of.ack);
        let told = sample.filter(|sample| !sample.is_part);
        AckEffect {
            place: of.ack,
            is_third_duplicate: self.sent.triple_duplicates > triples,
            round_trip: told.map(|sample| sample.span),
            in_flight: told.and_then(|sample| sample.in_flight),
            is_wait: is_wait && told.is_some(),
            ..AckEffect::default()
        }
    }

    /// Notes a round trip of full segments. A receiver may wait with the acknowledgement of one segment, and not with
    /// that of two (RFC 9293 section 3.8.6.3): between two acknowledgements with a wait there is at least the wait, unless
    /// other data ends it. A receiver that has hardly room waits whatever comes, since its program does not read.
    /// Returns whether the round trip tells of queues.
    fn note_wait(&mut self, sample: Sample, of: &Acknowledgement, way: &mut Way) -> bool {
        let now = of.at;
        let full = self.full().into();
        if self.largest == 0 || sample.len < full {
            return false;
        }
        let latest = self.latest_sample.replace(now);
        let is_at_once = latest.is_some_and(|latest| now.since(latest) < SHORTEST_WAIT);
        let has_room = of.window >= 2 * full;
        let is_wait = has_room && (sample.acked > full || is_at_once && !of.tells_hole);
        match is_wait {
            true => {
                let back = self.waits.back(sample.span, way);
                self.latest_wait = Some(sample.span - back.unwrap_or_default());
                self.waits.record_data(now, sample.span, back, sample.in_flight);
            }
            false => self.waits.note_least(sample.span),
        }
        is_wait
    }

    /// Takes the SACK blocks of a segment that acknowledges.
    pub(crate) fn count_sacks(&mut self, segment: &Segment) {
        let blocks = segment.sack();
        let Some(first) = blocks.first() else { return };
        self.counts.sacks += 1;
        self.counts.most_sack_blocks = self.counts.most_sack_blocks.max(blocks.len() as u64);
        let is_double = match blocks.get(1) {
            _ if !is_after(first.1, segment.ack) => true,
            Some(second) => is_after(first.1, second.0) && is_after(second.1, first.0),
            None => false,
        };
        self.counts.duplicate_sacks += u64::from(is_double);
    }

    /// Counts the data of the initial window (RFC 5681 section 3.1).
    pub(crate) fn count_initial(&mut self, segment: &Segment, sending: Sending) {
        if segment.data_len > 0 && !self.is_acked && sending.again == 0 {
            self.counts.initial_bytes += u64::from(segment.data_len);
            self.counts.initial_packets += 1;
        }
    }
}

/// True if a sequence number comes after another one.
const fn is_after(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() > 0
}
