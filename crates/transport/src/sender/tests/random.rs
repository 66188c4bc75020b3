//! Random loss, reordering and duplication between the sender and a plain receiver: everything
//! is delivered, the counts agree, and no window is exceeded.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use proptest::prelude::*;
use units::{Prob, Rng};

use super::*;

#[derive(Clone, Debug)]
struct Path {
    /// The loss of data, and that of acknowledgements.
    loss: f64,
    loss_back: f64,
    reordering: f64,
    duplication: f64,
    marking: f64,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Data { seq: u64, end: u64, fin: bool, sent: u32, marked: bool },
    Ack { ack: u64, edge: u64, blocks: [(u64, u64); 3], echo: u32, ece: bool },
    Write,
    Read,
}

/// A receiver that acknowledges everything at once.
#[derive(Default)]
struct Peer {
    next: u64,
    /// Runs beyond a gap, end by start.
    held: BTreeMap<u64, u64>,
    fin: Option<u64>,
    latest: u64,
    edge: u64,
    ece: bool,
    echo: u32,
}

impl Peer {
    fn take(&mut self, seq: u64, end: u64, sent: u32) -> Option<(u64, u64)> {
        if end <= self.next {
            return (end > seq).then_some((seq, end));
        }
        assert!(end <= self.edge + 1, "beyond the receive window");
        let duplicate = self.held.range(..=seq).next_back().is_some_and(|(_, &e)| e >= end);
        if seq <= self.next {
            self.echo = sent;
        }
        self.held.insert(seq, self.held.get(&seq).copied().unwrap_or(end).max(end));
        self.latest = seq;
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (&start, &end) in &self.held {
            match merged.last_mut() {
                Some(last) if last.1 >= start => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        self.held = merged.into_iter().collect();
        while let Some((&start, &end)) = self.held.first_key_value() {
            if start > self.next {
                break;
            }
            self.next = self.next.max(end);
            self.held.pop_first();
        }
        duplicate.then_some((seq, end))
    }

    fn blocks(&self, duplicate: Option<(u64, u64)>) -> [(u64, u64); 3] {
        let mut blocks = [(0, 0); 3];
        let recent = self.held.range(..=self.latest).next_back();
        let others = self.held.iter().rev().filter(|&run| Some(run) != recent);
        let runs = recent.into_iter().chain(others).map(|(&start, &end)| (start, end));
        for (place, block) in blocks.iter_mut().zip(duplicate.into_iter().chain(runs)) {
            *place = block;
        }
        blocks
    }
}

struct World {
    sender: Sender,
    peer: Peer,
    path: Path,
    rng: Rng,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    count: u64,
    now: Time,
    total: u64,
    written: u64,
    window: u64,
}

impl World {
    fn schedule(&mut self, delay: Span, event: Event) {
        self.count += 1;
        self.events.push(Reverse((self.now + delay, self.count, event)));
    }

    fn transmit(&mut self, event: Event) {
        let chance = |rng: &mut Rng, p: f64| rng.chance(Prob::clamped(p));
        let is_data = matches!(event, Event::Data { .. });
        let loss = if is_data { self.path.loss } else { self.path.loss_back };
        let copies = 1 + u32::from(chance(&mut self.rng, self.path.duplication));
        for _ in 0..copies {
            if chance(&mut self.rng, loss) {
                continue;
            }
            let late = if chance(&mut self.rng, self.path.reordering) {
                self.rng.below(60_000)
            } else {
                self.rng.below(50)
            };
            self.schedule(Span::from_micros(20_000 + late), event);
        }
    }

    fn send(&mut self) {
        let mut burst = 0;
        loop {
            let forced = self.sender.output.is_forced();
            let limit = self.sender.cwnd() + 2;
            let Some(segment) = self.sender.poll(self.now) else { break };
            self.sender.check();
            assert!(forced || self.sender.in_flight() <= limit.max(self.sender.cwnd()));
            let end =
                segment.seq + u64::from(segment.len) + u64::from(segment.flags.has(Flags::FIN));
            let marked = segment.ect && self.rng.chance(Prob::clamped(self.path.marking));
            let sent = crate::timestamp(self.now);
            let Segment { seq, fin } =
                Segment { seq: segment.seq, fin: segment.flags.has(Flags::FIN) };
            if segment.flags.has(Flags::CWR) {
                self.peer.ece = false;
            }
            self.transmit(Event::Data { seq, end, fin, sent, marked });
            burst += 1;
            assert!(burst < 100_000, "a burst without end");
        }
        assert_eq!(self.sender.poll(self.now), None);
        self.sender.check();
        let stuck = self.sender.sequence.has_unsent() && self.sender.next_timer().is_none();
        assert!(!stuck, "data to send, and nothing that will send it");
    }

    fn step(&mut self) {
        let event = self.events.peek().map(|Reverse((time, ..))| *time);
        let timer = self.sender.next_timer();
        match (event, timer) {
            (Some(event), timer) if timer.is_none_or(|timer| event <= timer) => {
                self.now = event;
                let Some(Reverse((_, _, event))) = self.events.pop() else { return };
                self.happen(event);
            }
            (_, Some(timer)) => {
                assert!(timer >= self.now);
                self.now = timer;
                self.sender.on_timer(timer);
                self.send();
            }
            _ => panic!("nothing more happens: {:?}", self.sender),
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Data { seq, end, fin, sent, marked } => {
                self.peer.ece |= marked;
                self.peer.fin = self.peer.fin.or(fin.then_some(end));
                let duplicate = self.peer.take(seq, end, sent);
                self.answer(duplicate);
            }
            Event::Ack { ack, edge, blocks, echo, ece } => {
                let mut sack = SackBlocks::EMPTY;
                for (start, end) in blocks.into_iter().filter(|block| block.1 > 0) {
                    sack.push(start, end);
                }
                let content = Acknowledgement {
                    ack,
                    window: edge.saturating_sub(ack),
                    sack,
                    echo: Some(echo),
                    stamp: None,
                    ece,
                    carries_data: false,
                };
                self.sender.on_ack(&content, self.now);
                self.sender.check();
                self.send();
            }
            Event::Write => {
                let bytes = (1 + self.rng.below(5_000)).min(self.total - self.written);
                self.written += bytes;
                self.sender.write(bytes);
                if self.written == self.total {
                    self.sender.finish();
                } else {
                    self.schedule(Span::from_millis(self.rng.clone().below(20)), Event::Write);
                }
                self.send();
            }
            Event::Read => {
                let edge = self.peer.next + self.window;
                if edge > self.peer.edge {
                    self.peer.edge = edge;
                    self.answer(None);
                }
                if self.peer.fin.is_none_or(|fin| self.peer.next < fin) {
                    self.schedule(Span::from_millis(50), Event::Read);
                }
            }
        }
    }

    fn answer(&mut self, duplicate: Option<(u64, u64)>) {
        let Peer { next, edge, echo, ece, .. } = self.peer;
        let blocks = self.peer.blocks(duplicate);
        self.transmit(Event::Ack { ack: next, edge, blocks, echo, ece });
    }
}

struct Segment {
    seq: u64,
    fin: bool,
}

/// A receive window in bytes that is never full.
const UNBOUNDED: u64 = u64::MAX / 2;

fn run(config: &Config, path: Path, total: u64, window: u64, slow_reader: bool) {
    let mut sender = Sender::new(config);
    let peer = Negotiated {
        mss: MSS,
        sack: config.sack,
        timestamps: config.timestamps,
        ecn: config.ecn,
        window: if slow_reader { window } else { UNBOUNDED },
    };
    sender.established(peer, Some(Span::from_millis(40)), Time::ZERO);
    let edge = 1 + peer.window;
    let mut world = World {
        sender,
        peer: Peer { next: 1, edge, ..Peer::default() },
        rng: Rng::new(path.seed),
        path,
        events: BinaryHeap::new(),
        count: 0,
        now: Time::ZERO,
        total,
        written: 0,
        window,
    };
    if slow_reader {
        world.schedule(Span::ZERO, Event::Read);
    }
    world.schedule(Span::ZERO, Event::Write);
    let mut steps = 0_u64;
    while !world.sender.is_done() {
        world.step();
        steps += 1;
        assert!(steps < 2_000_000, "it does not end");
    }
    assert_eq!(world.peer.next, total + 2, "all bytes and the FIN");
    assert_eq!(world.sender.in_flight(), 0);
    let stats = world.sender.stats();
    assert!(stats.bytes.0 >= total && stats.retransmitted <= stats.segments);
}

fn configs() -> impl Strategy<Value = Config> {
    let detection = prop_oneof![
        Just(LossDetection::RackTlp),
        Just(LossDetection::Scoreboard),
        Just(LossDetection::DuplicateAcks),
    ];
    let congestion = prop_oneof![
        Just(Congestion::Reno),
        any::<bool>().prop_map(|hystart| Congestion::Cubic { hystart, beta: 0.7 }),
        Just(Congestion::Ledbat { target: Span::from_millis(25), gain: 1.0 }),
    ];
    let window = prop_oneof![1_u32..4, 1_u32..40, 100_u32..1000];
    (detection, congestion, any::<[bool; 6]>(), window).prop_map(
        |(loss_detection, congestion, bits, initial_window)| {
            let [sack, timestamps, pacing, ecn, abe, offload] = bits;
            Config {
                initial_window,
                congestion,
                sack,
                timestamps,
                pacing,
                ecn,
                abe,
                offload,
                loss_detection,
                ..Config::default()
            }
        },
    )
}

fn paths() -> impl Strategy<Value = Path> {
    let share = |most: f64| prop_oneof![Just(0.0), 0.0..most];
    let shares = (share(0.4), share(0.4), share(0.3), share(0.2), share(0.5));
    (shares, any::<u64>()).prop_map(
        |((loss, loss_back, reordering, duplication, marking), seed)| Path {
            loss,
            loss_back,
            reordering,
            duplication,
            marking,
            seed,
        },
    )
}

proptest! {
    #[test]
    fn everything_is_delivered(
        config in configs(),
        path in paths(),
        total in prop_oneof![1_u64..20_000, 1_u64..300_000],
        window in prop_oneof![1_u64..2_000, 500_u64..60_000, 60_000_u64..10_000_000],
        slow_reader: bool,
    ) {
        // 100 windows take long enough when most segments are lost.
        run(&config, path, total.min(100 * window), window, slow_reader);
    }
}
