//! What one end of a connection has sent.

use results::CapturedCounts;
use units::{Span, Time};
use wire::Segment;

use crate::copies::Copies;
use crate::duplicates::Duplicates;
use crate::echoes::Echoes;
use crate::event::AckEffect;
use crate::holes::Holes;
use crate::in_flight::InFlight;
use crate::limits::{Limit, Limits};
use crate::pace::Pace;
use crate::packet::Captured;
use crate::passed::Passed;
use crate::samples::{Counts, Samples};
use crate::scoreboard::Scoreboard;
use crate::sent::{Acknowledgement, Sample, Sending, Sent};
use crate::sequence::Unwrapper;
use crate::waits::Waits;
use crate::windows::Windows;

/// The data of a full packet in bytes: that of Ethernet with timestamps. A super-packet has more.
const FULL: u32 = 1448;

/// The shortest time that a receiver waits with an acknowledgement: Linux's (`TCP_DELACK_MIN`).
const SHORTEST_WAIT: Span = Span::from_millis(40);

/// The most round trips at losses: those of the first ones.
const MOST_AT_LOSSES: usize = 4096;

/// The round trips, from the place of the capture to both ends, when something was lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtLosses {
    /// To the other end.
    pub(crate) ahead: Vec<Span>,
    /// To this end.
    pub(crate) behind: Vec<Span>,
}

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
    /// The same by timestamps.
    pub(crate) echo_waits: Waits,
    /// The round trips that were the latest ones when something was lost: at most one a round trip.
    pub(crate) at_losses: AtLosses,
    /// What kept the end from sending more.
    pub(crate) limits: Limits,
    pub(crate) pace: Pace,
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
    holes: Holes,
    latest_loss: Option<Time>,
    /// The time of the latest acknowledgement that told a round trip.
    latest_sample: Option<Time>,
    /// The length of the latest segment with data.
    latest_len: u32,
    duplicates: Duplicates,
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
    seen: Option<Time>,
}

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

    /// The time from the first to the last segment with data ("data xmit time").
    pub(crate) fn data_time(&self) -> Span {
        self.data_times.map_or(Span::ZERO, |(first, last)| last.since(first))
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
        self.counts.mss = segment.mss.or(self.counts.mss);
        self.counts.window_scale = segment.window_scale.or(self.counts.window_scale);
        self.counts.has_timestamps |= segment.timestamps.is_some();
        self.counts.accepts_sack |= segment.sack_permitted;
        self.counts.sack_segments += u64::from(!segment.sack().is_empty());
        if let Some(scaled) = &mut self.windows.scaled {
            *scaled += 1;
        }
        if segment.data_len > 0 {
            self.count_data(segment, now);
        }
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
        self.data_times = Some((self.data_times.map_or(now, |(first, _)| first), now));
        let missing = segment.data_len.saturating_sub(segment.captured_len);
        self.counts.truncated_bytes += u64::from(missing);
        self.counts.truncated_packets += u64::from(missing > 0);
    }

    /// True if the packet was captured twice; only IPv4 has identifications.
    pub(crate) fn count_duplicate(&mut self, identification: u16, seq: u32) -> bool {
        self.duplicates.take(identification, seq)
    }

    /// Takes the part of the space that a segment takes. `is_probe` tells that the other end's window is zero,
    /// `behind` the latest round trip from here to this end.
    pub(crate) fn send(
        &mut self,
        segment: &Segment,
        start: u64,
        is_probe: bool,
        behind: Option<Span>,
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
        if let Some(behind) = behind.filter(|_| start > self.sent.end() && self.sent.end() > 0) {
            self.holes.note(self.sent.end(), start, behind);
            self.passed.lost_before(start - self.sent.end(), now);
        }
        let sending = self.sent.send(start, len, now);
        if let Some(sent) = sending.lost_at {
            self.passed.lost_ahead(sending.again, sent);
        }
        self.passed.seen(data, now);
        self.pace.sent(data, now);
        self.counts.out_of_order += u64::from(sending.is_out_of_order);
        if sending.again > 0 {
            self.counts.retransmitted_packets += 1;
            self.counts.retransmitted_bytes += sending.again;
        }
        if data > 0 {
            self.note_loss(start, sending, now);
        }
        // SYN and FIN are no data, nor are they when they are sent again.
        let ends = u64::from(segment.flags.is_syn() && self.counts.syns > 1)
            + u64::from(segment.flags.is_fin() && self.counts.fins > 1);
        self.counts.unique_bytes += data.saturating_sub(sending.again.saturating_sub(ends));
        sending
    }

    /// Notes that something was lost: what comes again within a round trip was lost with it. What had been seen here was
    /// lost ahead of this place, and what was missing here was lost before it.
    fn note_loss(&mut self, start: u64, sending: Sending, now: Time) {
        let ahead = self.waits.latest().filter(|_| sending.again > 0);
        let behind = self.holes.seen(start).filter(|_| sending.is_out_of_order);
        let Some(round_trip) = ahead.max(behind) else { return };
        if self.latest_loss.is_none_or(|latest| now.since(latest) > round_trip) {
            self.latest_loss = Some(now);
            let both = [(&mut self.at_losses.ahead, ahead), (&mut self.at_losses.behind, behind)];
            for (list, span) in both {
                list.extend(span.filter(|_| list.len() < MOST_AT_LOSSES));
            }
        }
    }

    /// Takes the timestamp of a segment of this end.
    pub(crate) fn stamp(&mut self, value: u32, now: Time) {
        self.echoes.sent(value, now);
    }

    /// Takes an echo of this end's timestamps. `pause` is how long the other end had sent nothing: the echo may have
    /// waited there as long. Returns the round trip; `None` if the echo tells none.
    pub(crate) fn echo(&mut self, value: u32, now: Time, pause: Option<Span>) -> Option<Span> {
        let span = self.echoes.echoed(value, now)?;
        match pause.is_some_and(|pause| pause <= (span / 10).max(Span::from_millis(1))) {
            true => self.echo_waits.record(now, span, None),
            false => self.echo_waits.note_least(span),
        }
        Some(span)
    }

    /// Notes what keeps the end from sending more from now on, with this end of the receiver's window.
    pub(crate) fn note_limit(&mut self, window_end: Option<u64>, now: Time) {
        if self.counts.data_packets == 0 {
            return;
        }
        let room = window_end.map_or(u64::MAX, |end| end.saturating_sub(self.sent.end()));
        let limit = if self.sent.in_flight() == 0 {
            Limit::Application
        } else if room < u64::from(self.largest) {
            Limit::Receiver
        } else if self.latest_len < self.largest {
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

    /// The packets that a queue has marked, as far as the capture shows it: those that passed with their mark, or those
    /// of which the end has heard, at most one a round trip.
    pub(crate) fn marks(&self) -> u64 {
        self.counts.congestion_marks.max(self.reactions)
    }

    /// The data of a full packet in bytes, as far as it is known; a super-packet has more.
    pub(crate) fn full(&self) -> u32 {
        self.largest.min(FULL)
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
        let Limits { application, receiver, path, .. } = self.limits;
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

    /// Takes what the other end has of this one's data, by an acknowledgement up to this place.
    pub(crate) fn note_delivery(&mut self, ack: u64, segment: &Segment) {
        let near = |number: u32| {
            let step = number.wrapping_sub(segment.ack).cast_signed();
            ack.saturating_add_signed(step.into())
        };
        let blocks = segment.sack().iter().map(|(from, to)| (near(*from), near(*to)));
        self.scoreboard.take(ack, blocks);
    }

    /// Takes an acknowledgement of what this end has sent.
    pub(crate) fn acknowledge(&mut self, of: Acknowledgement) -> AckEffect {
        self.pace.acknowledged(of.at);
        let triples = self.sent.triple_duplicates;
        let sample = self.sent.acknowledge(of);
        let is_wait = sample.is_some_and(|sample| self.note_wait(sample, &of));
        let behind_syn = self.syn.map(|syn| syn + 1);
        if behind_syn == Some(of.ack) && self.counts.syns == 1 {
            self.handshake = self.sent.latest;
        }
        self.is_acked |= behind_syn != Some(of.ack);
        AckEffect {
            place: of.ack,
            is_third_duplicate: self.sent.triple_duplicates > triples,
            round_trip: sample.map(|sample| sample.span),
            in_flight: sample.and_then(|sample| sample.in_flight),
            is_wait,
            ..AckEffect::default()
        }
    }

    /// Notes a round trip of full segments. A receiver may wait with the acknowledgement of one segment, and not with
    /// that of two (RFC 9293 section 3.8.6.3): between two acknowledgements with a wait there is at least the wait, unless
    /// other data ends it.
    /// Returns whether the round trip tells of queues.
    fn note_wait(&mut self, sample: Sample, of: &Acknowledgement) -> bool {
        let now = of.at;
        let full = self.full().into();
        if self.largest == 0 || sample.len < full {
            return false;
        }
        let latest = self.latest_sample.replace(now);
        let is_at_once = latest.is_some_and(|latest| now.since(latest) < SHORTEST_WAIT);
        let is_wait = sample.acked > full || is_at_once && !of.tells_hole;
        match is_wait {
            true => self.waits.record(now, sample.span, sample.in_flight),
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
