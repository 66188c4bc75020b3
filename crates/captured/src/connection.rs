//! One connection: two ends, and what each of them has sent.

use units::{Span, Time};
use wire::{Hello, Segment};

use crate::direction::Direction;
use crate::endpoint::Endpoint;
use crate::event::{AckEffect, Effect};
use crate::packet::Captured;
use crate::sent::Acknowledgement;

/// The longest silence of a connection, as in tcptrace: what comes later on the same ports is another one.
const LONGEST_SILENCE: Span = Span::from_secs(4 * 60);

/// How much of a connection was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    /// SYN and FIN of both ends.
    Complete,
    /// One end has ended it at once.
    Reset,
    /// SYN or FIN is missing.
    Partial,
}

/// A connection between two ends. The first one has sent the first captured segment.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// The two ends.
    pub(crate) ends: [Endpoint; 2],
    /// The time of the first segment.
    pub(crate) first: Time,
    /// The time of the last segment.
    pub(crate) last: Time,
    /// What each end has sent.
    pub(crate) directions: [Direction; 2],
    /// The time of a client's first message of TLS, and the index of the client; `None` before it.
    client_hello: Option<(usize, Time)>,
    /// The time from that message to the server's, and the index of the client; `None` if it is not known.
    pub(crate) hello: Option<(usize, Span)>,
}

impl Connection {
    pub(crate) fn new(ends: [Endpoint; 2], now: Time) -> Self {
        let directions = Default::default();
        Self { ends, first: now, last: now, directions, client_hello: None, hello: None }
    }

    /// Takes the data of a segment, as far as it was captured, if it may be a first message of TLS.
    pub(crate) fn note_hello(&mut self, index: usize, data: &[u8], now: Time) {
        if self.directions[index].counts.data_packets > 0 {
            return;
        }
        match (Hello::of(data), self.client_hello) {
            (Some(Hello::Client), None) => self.client_hello = Some((index, now)),
            (Some(Hello::Server), Some((client, since))) if client != index => {
                // Sent again: nobody knows which one is answered.
                let is_once = self.directions[client].counts.retransmitted_packets == 0;
                self.hello = is_once.then(|| (client, now.since(since)));
            }
            _ => {}
        }
    }

    /// How much of it was captured.
    pub(crate) fn completion(&self) -> Completion {
        let [one, other] = &self.directions;
        if one.counts.resets + other.counts.resets > 0 {
            Completion::Reset
        } else if self.directions.iter().all(|it| it.counts.syns > 0 && it.counts.fins > 0) {
            Completion::Complete
        } else {
            Completion::Partial
        }
    }

    /// True if both ends have no more data, or if one has ended it at once.
    pub(crate) fn has_ended(&self) -> bool {
        let [one, other] = &self.directions;
        one.counts.resets + other.counts.resets > 0 || one.counts.fins > 0 && other.counts.fins > 0
    }

    /// The time from the first segment to the last.
    pub(crate) fn elapsed(&self) -> Span {
        self.last.since(self.first)
    }

    /// True if the packets of both ends have timestamps.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.directions.iter().all(|it| it.counts.has_timestamps)
    }

    /// True if both ends have agreed on a scale of windows.
    pub(crate) fn is_scaled(&self) -> bool {
        self.directions.iter().all(|it| it.windows.scaled.is_some())
    }

    /// True if a segment of the end with this index belongs to a later connection between the same ends, by
    /// tcptrace's rules: a silence, or a SYN that fits none of this one's data (RFC 9293 section 3.6.1).
    pub(crate) fn is_over(&self, index: usize, segment: &Segment, now: Time) -> bool {
        if now.since(self.last) > LONGEST_SILENCE {
            return true;
        }
        if !segment.flags.is_syn() {
            return false;
        }
        let (this, other) = (&self.directions[index], &self.directions[1 - index]);
        // The answer to this connection's SYN, even if its client gave up meanwhile.
        if segment.flags.is_ack()
            && other.syn.is_some_and(|syn| segment.ack == (syn as u32).wrapping_add(1))
        {
            return false;
        }
        let is_after = |one: u32, place: u64| one.wrapping_sub(place as u32).cast_signed() > 0;
        let has_ended =
            this.counts.fins + other.counts.fins + this.counts.resets + other.counts.resets > 0;
        let is_beyond = is_after(segment.seq, other.window_end.unwrap_or(0))
            || this.syn.is_some_and(|syn| is_after(syn as u32, u64::from(segment.seq)));
        let is_another =
            this.counts.syns > 1 && this.syn.map(|syn| syn as u32) != Some(segment.seq);
        has_ended && is_beyond || is_another
    }

    /// True if a segment of the end with this index is one that was seen at another place of the capture before.
    #[inline]
    pub(crate) fn is_copy(&mut self, index: usize, captured: &Captured<'_>) -> bool {
        let copies = &mut self.directions[index].copies;
        !copies.is_first(captured.point) && self.was_seen(index, captured)
    }

    #[cold]
    fn was_seen(&mut self, index: usize, captured: &Captured<'_>) -> bool {
        let (this, other) = (&self.directions[index], &self.directions[1 - index]);
        let is_new = this.is_new(captured, other);
        let sent = (captured.segment.data_len > 0).then(|| this.sent_once(captured.segment.seq));
        let copies = &mut self.directions[index].copies;
        copies.take(captured.point, is_new, sent.flatten(), captured.at)
    }

    /// Takes a segment of the end with this index. Returns what the segment did.
    pub(crate) fn take(&mut self, index: usize, captured: &Captured<'_>) -> Effect {
        let Captured { segment, at, .. } = *captured;
        self.last = self.last.max(at);
        let [one, two] = &mut self.directions;
        let (this, other) = if index == 0 { (one, two) } else { (two, one) };
        let flags = segment.flags;
        let start = this.place(segment.seq);
        this.count_ends(segment, start);
        let window = window(segment, this, other);
        let ack = flags.is_ack().then(|| other.place(segment.ack));
        if let Some(ack) = ack {
            this.window_end = Some(ack + window);
        }
        let pause = this.pause(at);
        this.count(segment, start, at);
        let is_twice = this.count_packet(captured);
        if flags.is_ece() && !flags.is_syn() {
            other.hear_of_mark();
        }
        let is_probe = other.counts.packets > 0 && other.windows.latest == 0;
        let sending = this.send(segment, start, is_probe, other, at);
        if let Some((value, _)) = segment.timestamps {
            this.stamp(value, at);
        }
        let acknowledged = ack.map(|ack| acknowledge(this, other, captured, ack, window));
        let echo = segment.timestamps.filter(|_| flags.is_ack());
        let echo = echo.and_then(|(_, echo)| other.echo(echo, at, pause, this));
        other.note_arrival(segment, this, at);
        this.note_limit(other, at);
        other.note_limit(this, at);
        this.sample(at);
        other.sample(at);
        let mut outstanding = None;
        if !flags.is_rst() {
            note_window(this, other, segment, window);
            if flags.is_syn() && other.ack.is_none() {
                other.ack = Some(start);
            }
            this.ack = ack.or(this.ack);
            this.count_initial(segment, sending);
            let is_in_order = !sending.is_out_of_order && sending.again == 0;
            outstanding = (!flags.is_syn() && is_in_order)
                .then(|| outstanding_behind(start, segment, other.ack));
        }
        if let Some(bytes) = outstanding {
            this.in_flight.record(bytes, at);
        }
        Effect {
            start,
            again: sending.again,
            is_out_of_order: sending.is_out_of_order,
            is_probe: is_probe && !flags.is_syn() && segment.sequence_len() > 0,
            is_twice,
            window,
            outstanding,
            ack: acknowledged,
            echo,
        }
    }
}

/// True if both ends have agreed on a scale of windows, as far as their SYNs have passed.
fn have_scales(this: &Direction, other: &Direction) -> bool {
    this.counts.window_scale.is_some() && other.counts.window_scale.is_some()
}

/// The window in bytes of a segment of `this` end; 0 if the field does not count.
fn window(segment: &Segment, this: &Direction, other: &Direction) -> u64 {
    /// RFC 7323 section 2.3: a larger shift counts as this one.
    const LARGEST_SHIFT: u8 = 14;
    if !segment.flags.is_ack() && !segment.flags.is_syn() {
        return 0;
    }
    let scale =
        this.counts.window_scale.filter(|_| !segment.flags.is_syn() && have_scales(this, other));
    u64::from(segment.window) << scale.unwrap_or(0).min(LARGEST_SHIFT)
}

/// Takes the acknowledgement of a segment of `this` end, of data of the `other` one. Returns what the acknowledgement did.
fn acknowledge(
    this: &mut Direction,
    other: &mut Direction,
    captured: &Captured<'_>,
    ack: u64,
    window: u64,
) -> AckEffect {
    let Captured { segment, at, .. } = *captured;
    let flags = segment.flags;
    let is_same = this.ack == Some(ack) && segment.data_len == 0 && window == this.windows.latest;
    // RFC 5681 section 2.
    let is_end = flags.is_syn() || flags.is_fin() || flags.is_rst();
    let is_duplicate = is_same && !is_end && other.sent.is_greatest_in_flight(ack);
    other.sent.duplicates += u64::from(is_duplicate);
    this.counts.acks += 1;
    let acknowledgement = Acknowledgement {
        ack,
        at,
        is_duplicate: is_same && other.in_flight.sum > 0,
        tells_hole: !segment.sack().is_empty(),
        window,
    };
    let effect = other.acknowledge(acknowledgement, &mut this.way);
    let selective = other.note_delivery(ack, segment, &mut this.way, at);
    AckEffect { is_duplicate, selective, ..effect }
}

/// Counts the window of a segment of `this` end, with what else an acknowledgement offers.
fn note_window(this: &mut Direction, other: &Direction, segment: &Segment, window: u64) {
    let flags = segment.flags;
    this.windows.latest = window;
    if flags.is_ack() || flags.is_syn() {
        this.windows.offer(window, have_scales(this, other) && !flags.is_syn());
    }
    if flags.is_ack() {
        this.windows.zero += u64::from(window == 0);
        this.counts.pure_acks += u64::from(segment.sequence_len() == 0);
        this.count_sacks(segment);
    }
}

/// The bytes in flight behind a segment, and one more, as in tcptrace.
fn outstanding_behind(start: u64, segment: &Segment, ack: Option<u64>) -> u64 {
    let len = u64::from(segment.data_len);
    ack.map_or(len, |ack| (start + len + 1).saturating_sub(ack))
}
