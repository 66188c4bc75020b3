//! Two ends of a connection, and a wire between them that a test controls.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::{BTreeMap, VecDeque};

use transport::{AckPolicy, Config, Endpoint, Flags, Segment};
use units::{Rate, Serializer, Span, Time};

/// The index of an end.
pub(crate) type Side = usize;
pub(crate) const CLIENT: Side = 0;
pub(crate) const SERVER: Side = 1;

/// The fate of a segment on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Pass,
    Drop,
    Mark,
    /// Is delivered later than others by this time.
    Late(Span),
    Twice,
}

/// One direction: optionally a buffer and a rate, then a delay.
pub(crate) struct Path {
    pub(crate) delay: Span,
    pub(crate) rate: Option<Serializer>,
    /// The most packets that wait or are being sent.
    pub(crate) buffer: usize,
    departures: VecDeque<Time>,
    pub(crate) dropped: u64,
}

impl Path {
    pub(crate) fn new(delay: Span, rate: Option<Rate>, buffer: usize) -> Self {
        let rate = rate.map(Serializer::new);
        Self { delay, rate, buffer, departures: VecDeque::new(), dropped: 0 }
    }

    /// The time at which a segment that is sent now is delivered; `None` if the buffer is full.
    fn delivery(&mut self, segment: &Segment, now: Time) -> Option<Time> {
        let Some(rate) = &mut self.rate else { return Some(now + self.delay) };
        while self.departures.front().is_some_and(|&departure| departure <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() >= self.buffer {
            self.dropped += 1;
            return None;
        }
        let begin = self.departures.back().copied().unwrap_or(now).max(now);
        let departure = begin + rate.span(segment.ip_len());
        self.departures.push_back(departure);
        Some(departure + self.delay)
    }

    /// Packets in the buffer.
    pub(crate) fn backlog(&self) -> usize {
        self.departures.len()
    }
}

type Judge = Box<dyn FnMut(Side, &Segment, Time) -> Fate>;

/// A segment that an end sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) from: Side,
    pub(crate) segment: Segment,
}

/// The world of one connection.
pub(crate) struct Wire {
    pub(crate) ends: [Endpoint; 2],
    pub(crate) paths: [Path; 2],
    pub(crate) now: Time,
    judge: Judge,
    in_flight: BTreeMap<(Time, u64), (Side, Segment, bool)>,
    sequence: u64,
    /// All segments sent, if a test wants them.
    pub(crate) log: Option<Vec<Sent>>,
}

impl Wire {
    /// A wire with `delay` each way, without a bottleneck.
    pub(crate) fn new(client: Config, server: Config, delay: Span) -> Self {
        let path = || Path::new(delay, None, usize::MAX);
        Self {
            ends: [Endpoint::client(client), Endpoint::server(server)],
            paths: [path(), path()],
            now: Time::ZERO,
            judge: Box::new(|_, _, _| Fate::Pass),
            in_flight: BTreeMap::new(),
            sequence: 0,
            log: None,
        }
    }

    /// The client's direction passes a bottleneck.
    pub(crate) fn bottleneck(mut self, rate: Rate, buffer: usize) -> Self {
        self.paths[CLIENT] = Path::new(self.paths[CLIENT].delay, Some(rate), buffer);
        self
    }

    pub(crate) fn judge(
        mut self,
        judge: impl FnMut(Side, &Segment, Time) -> Fate + 'static,
    ) -> Self {
        self.judge = Box::new(judge);
        self
    }

    pub(crate) fn logged(mut self) -> Self {
        self.log = Some(Vec::new());
        self
    }

    pub(crate) fn connect(mut self) -> Self {
        self.ends[CLIENT].connect(self.now);
        self.flush(CLIENT);
        self
    }

    /// Sends the segments that an end has to send now.
    pub(crate) fn flush(&mut self, from: Side) {
        let mut sent = 0;
        while let Some(segment) = self.ends[from].poll(self.now) {
            sent += 1;
            assert!(sent < 1_000_000, "an end that never stops sending");
            if let Some(log) = &mut self.log {
                log.push(Sent { at: self.now, from, segment });
            }
            self.send(from, segment);
        }
    }

    fn send(&mut self, from: Side, segment: Segment) {
        let fate = (self.judge)(from, &segment, self.now);
        let (extra, copies) = match fate {
            Fate::Drop => return,
            Fate::Late(extra) => (extra, 1),
            Fate::Twice => (Span::ZERO, 2),
            Fate::Pass | Fate::Mark => (Span::ZERO, 1),
        };
        for _ in 0..copies {
            if let Some(delivery) = self.paths[from].delivery(&segment, self.now) {
                self.sequence += 1;
                let marked = fate == Fate::Mark && segment.ect;
                let key = (delivery + extra, self.sequence);
                self.in_flight.insert(key, (1 - from, segment, marked));
            }
        }
    }

    /// Runs the next event; false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let delivery = self.in_flight.first_key_value().map(|(&(at, _), _)| at);
        let timer = |side: Side| self.ends[side].next_timer().map(|at| at.max(self.now));
        let timers = [timer(CLIENT), timer(SERVER)];
        let Some(next) = timers.into_iter().chain([delivery]).flatten().min() else { return false };
        self.now = next;
        if delivery == Some(next) {
            let (_, (to, segment, marked)) = self.in_flight.pop_first().unwrap();
            self.ends[to].on_segment(&segment, marked, next);
            self.flush(to);
        } else {
            for side in [CLIENT, SERVER] {
                if timers[side] == Some(next) {
                    self.ends[side].on_timer(next);
                    let later = self.ends[side].next_timer();
                    self.flush(side);
                    let settled = self.ends[side].next_timer();
                    assert!(
                        later != Some(next) || settled != Some(next) || !self.in_flight.is_empty(),
                        "a timer that does not go off"
                    );
                }
            }
        }
        true
    }

    /// Runs all events until `end`.
    pub(crate) fn run_until(&mut self, end: Time) {
        loop {
            let delivery = self.in_flight.first_key_value().map(|(&(at, _), _)| at);
            let timers = self.ends.iter().map(Endpoint::next_timer);
            match timers.chain([delivery]).flatten().min() {
                Some(next) if next <= end => self.step(),
                _ => break,
            };
        }
        self.now = self.now.max(end);
    }

    /// Runs until there are no more events, which must be before `end`.
    pub(crate) fn run_dry(&mut self, end: Time) {
        while self.step() {
            assert!(self.now < end, "still going at {:?}", self.now);
        }
    }

    /// Lets both ends send the rest of their data; both must close.
    pub(crate) fn close_both(&mut self, end: Time) {
        for side in [CLIENT, SERVER] {
            self.ends[side].close();
            self.flush(side);
        }
        self.run_dry(end);
        assert!(self.ends.iter().all(Endpoint::is_closed), "{:?}", self.states());
    }

    pub(crate) fn states(&self) -> [transport::ConnectionState; 2] {
        [self.ends[CLIENT].state(), self.ends[SERVER].state()]
    }

    pub(crate) fn write(&mut self, side: Side, bytes: u64) {
        self.ends[side].write(bytes);
        self.flush(side);
    }

    pub(crate) fn close(&mut self, side: Side) {
        self.ends[side].close();
        self.flush(side);
    }

    /// The segments sent, as `ms C SYN` or `ms S 1+1448 ack 1`.
    pub(crate) fn script(&self) -> Vec<String> {
        self.log.iter().flatten().map(describe).collect()
    }
}

fn describe(sent: &Sent) -> String {
    let segment = &sent.segment;
    let mut text = format!(
        "{} {}",
        sent.at.as_nanos() as f64 / 1e6,
        if sent.from == CLIENT { "C" } else { "S" }
    );
    for (flag, name) in
        [(Flags::SYN, "SYN"), (Flags::FIN, "FIN"), (Flags::ECE, "ECE"), (Flags::CWR, "CWR")]
    {
        if segment.flags.has(flag) {
            text += " ";
            text += name;
        }
    }
    if segment.len > 0 {
        text += &format!(" {}+{}", segment.seq, segment.len);
    }
    if segment.flags.has(Flags::ACK) {
        text += &format!(" ack {}", segment.ack);
    }
    text
}

/// A peer of the papers' era: no options, an acknowledgement for each segment.
pub(crate) fn plain() -> Config {
    Config {
        sack: false,
        timestamps: false,
        loss_detection: transport::LossDetection::DuplicateAcks,
        acks: AckPolicy::EverySegment,
        ..Config::default()
    }
}
