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
    replay_with_key(settings, observed, 1)
}

/// The same with this key of the hashes and of all random numbers.
pub(crate) fn replay_with_key(settings: &str, observed: &Observed, key: u64) -> Outcome {
    replay_behind(settings, observed, key, Device)
}

/// The same before something that does not take all packets at once.
pub(crate) fn replay_behind(
    settings: &str,
    observed: &Observed,
    key: u64,
    next: impl Next,
) -> Outcome {
    Replay::new(settings, next, key).run(observed)
}

/// An empty queue, whose random numbers follow from the key.
fn build(spec: &QdiscSpec, key: u64) -> AnyQdisc<TestPacket> {
    spec.build(LinkInfo::new(Rate::from_mbit(10), MTU), Rng::new(key))
}

struct Replay<N> {
    spec: QdiscSpec,
    queue: AnyQdisc<TestPacket>,
    next: N,
    departures: Vec<Departure>,
    tally: Tally,
    /// When the queue is to be asked again; `None` for at the next arrival.
    wake: Option<Time>,
}

impl<N: Next> Replay<N> {
    fn new(settings: &str, next: N, key: u64) -> Self {
        let spec = settings.parse().unwrap_or_else(|error| panic!("{settings}: {error}"));
        let (departures, tally) = (Vec::new(), Tally::default());
        Self { queue: build(&spec, key), spec, next, departures, tally, wake: None }
    }

    /// Runs until the queue is empty.
    fn run(mut self, observed: &Observed) -> Outcome {
        let mut now = Time::ZERO;
        let change_after = |count| observed.change.iter().find(|change| change.after == count);
        for (count, (nanos, packet)) in (1..).zip(&observed.arrivals) {
            now = self.run_until(Time::from_nanos(*nanos));
            self.queue.enqueue(TestPacket::new(packet), now, &mut self.tally);
            self.serve(now);
            if let Some(change) = change_after(count) {
                now = self.run_until(Time::from_nanos(change.nanos));
                self.change(&change.settings, now);
            }
        }
        while let Some(wake) = self.wake {
            now = wake;
            self.serve(now);
        }
        let Self { departures, tally, queue, .. } = self;
        Outcome { departures, tally, queue, end: now }
    }

    /// Changes the settings that are named, but not the random numbers.
    fn change(&mut self, settings: &str, now: Time) {
        let spec = self.spec.changed(settings);
        self.spec = spec.unwrap_or_else(|error| panic!("{settings}: {error}"));
        let changed = self.queue.change(build(&self.spec, 1), now, &mut self.tally);
        changed.expect("these settings can change");
        self.serve(now);
    }

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
