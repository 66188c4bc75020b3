//! Packets through our queues.

use qdisc::{AnyQdisc, Dequeued, LinkInfo, Packet, Qdisc, QdiscSpec, Tally};
use units::{Bytes, Rate, Rng, Time};

use super::packet::TestPacket;
use super::{Departure, Observed};

/// The frame of the longest packet, as Linux counts it.
const MTU: Bytes = Bytes(1514);

/// What came of the packets in our queue.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) departures: Vec<Departure>,
    /// The counts of packets.
    pub(crate) tally: Tally,
    pub(crate) queue: AnyQdisc<TestPacket>,
    /// The time of the last event.
    pub(crate) end: Time,
}

/// What follows our queue.
pub(crate) trait Next {
    /// The time from which it takes a packet; `None` for now.
    fn not_before(&self, now: Time) -> Option<Time>;
    /// Takes a packet at this time, and returns when that packet departs.
    fn take(&mut self, len: Bytes, now: Time) -> Time;
}

/// A device that takes all that it gets at once: the queue has a shaper.
struct Device;

impl Next for Device {
    fn not_before(&self, _now: Time) -> Option<Time> {
        None
    }

    fn take(&mut self, _len: Bytes, now: Time) -> Time {
        now
    }
}

/// The shaper of tbf(8) above a queue: it takes a packet from the queue as soon as the one before
/// has gone, and keeps it until the bucket holds enough.
pub(crate) struct TokenBucket {
    rate: Rate,
    burst: u64,
    /// The nanobytes in the bucket when the last packet departed.
    credit: u64,
    departed: Time,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) fn new(rate: Rate, burst: Bytes) -> Self {
        let burst = burst.0 * 1_000_000_000;
        Self { rate, burst, credit: burst, departed: Time::ZERO }
    }
}

impl Next for TokenBucket {
    fn not_before(&self, now: Time) -> Option<Time> {
        (self.departed > now).then_some(self.departed)
    }

    fn take(&mut self, len: Bytes, now: Time) -> Time {
        let (wanted, bytes_per_sec) = (len.0 * 1_000_000_000, self.rate.bits_per_sec() / 8);
        let gained = now.since(self.departed).as_nanos().saturating_mul(bytes_per_sec);
        let credit = self.credit.saturating_add(gained).min(self.burst);
        let wait = wanted.saturating_sub(credit).div_ceil(bytes_per_sec);
        self.credit = credit + wait * bytes_per_sec - wanted;
        self.departed = now + units::Span::from_nanos(wait);
        self.departed
    }
}

/// The same packets at the same times as the kernel had them, through our queue of these settings.
pub(crate) fn replay(settings: &str, observed: &Observed) -> Outcome {
    replay_behind(settings, observed, Device)
}

/// The same before something that does not take all packets at once.
pub(crate) fn replay_behind(settings: &str, observed: &Observed, next: impl Next) -> Outcome {
    let mut replay = Replay {
        queue: build(settings),
        next,
        departures: Vec::new(),
        tally: Tally::default(),
        wake: None,
    };
    let mut now = Time::ZERO;
    for (nanos, packet) in &observed.arrivals {
        now = replay.run_until(Time::from_nanos(*nanos));
        replay.queue.enqueue(TestPacket::new(packet), now, &mut replay.tally);
        replay.serve(now);
    }
    if let Some((nanos, settings)) = &observed.changed {
        now = replay.run_until(Time::from_nanos(*nanos));
        let changed = replay.queue.change(build(settings), now, &mut replay.tally);
        changed.expect("these settings can change");
        replay.serve(now);
    }
    while let Some(wake) = replay.wake {
        now = wake;
        replay.serve(now);
    }
    let Replay { departures, tally, queue, .. } = replay;
    Outcome { departures, tally, queue, end: now }
}

fn build(settings: &str) -> AnyQdisc<TestPacket> {
    let spec: QdiscSpec = settings.parse().unwrap_or_else(|error| panic!("{settings}: {error}"));
    spec.build(LinkInfo::new(Rate::from_mbit(10), MTU), Rng::new(1))
}

struct Replay<N> {
    queue: AnyQdisc<TestPacket>,
    next: N,
    departures: Vec<Departure>,
    tally: Tally,
    /// When the queue is to be asked again; `None` for at the next arrival.
    wake: Option<Time>,
}

impl<N: Next> Replay<N> {
    /// Serves all that is due before `end`, and returns that.
    fn run_until(&mut self, end: Time) -> Time {
        while let Some(wake) = self.wake.filter(|wake| *wake <= end) {
            self.serve(wake);
        }
        end
    }

    /// Takes from the queue what may go now.
    fn serve(&mut self, now: Time) {
        self.wake = loop {
            if let Some(time) = self.next.not_before(now) {
                break Some(time);
            }
            match self.queue.dequeue(now, &mut self.tally) {
                Dequeued::Packet { packet, .. } => {
                    let nanos = self.next.take(packet.len(), now).as_nanos();
                    let (id, traffic_class) = (packet.identity(), packet.traffic_class());
                    self.departures.push(Departure { nanos, id, traffic_class });
                }
                Dequeued::NotBefore(time) => break Some(time),
                Dequeued::Empty => break None,
            }
        };
    }
}
