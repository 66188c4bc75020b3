//! Nothing is allocated for a packet. A queue takes memory when it is made, and when the packets of
//! one of its flows are more than they ever were.
//!
//! First each flow by itself fills the queue, and then all do. No queue of a flow can get longer after that, and every allocation
//! is counted.

#![expect(unsafe_code, reason = "an allocator that counts is an implementation of an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use qdisc::history::Probe;
use qdisc::{AnyQdisc, Cause, Dequeued, Ecn, LinkInfo, Qdisc, QdiscSpec, Signals};
use units::{Bytes, Rate, Rng, Span, Time};

thread_local! {
    /// The number of allocations of this thread.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all is the system allocator's; a cell that needs no destructor is all that is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// CAKE with each of its mechanisms, beside the examples of every discipline.
const CAKES: [&str; 8] = [
    "cake besteffort triple-isolate rtt 2ms",
    "cake bandwidth 8mbit diffserv4 triple-isolate ack-filter rtt 2ms memlimit 60kb",
    "cake bandwidth 8mbit diffserv4 ack-filter-aggressive ingress rtt 2ms memlimit 60kb",
    "cake bandwidth 8mbit diffserv8 autorate-ingress ingress dual-srchost rtt 2ms",
    "cake bandwidth 8mbit diffserv3 nat dual-dsthost overhead 44 atm rtt 2ms",
    "cake bandwidth 8mbit precedence flows wash memlimit 30kb",
    "cake diffserv4 hosts ptm rtt 2ms memlimit 60kb",
    "cake flowblind rtt 2ms memlimit 60kb",
];

/// More packets than any queue of the examples holds.
const FLOOD: u64 = 11_000;
/// The number of flows.
const FLOWS: u64 = 40;
/// The rounds in which allocations are counted, and as many before.
const ROUNDS: u64 = 40;

/// The number of drops and marks, by their cause.
#[derive(Default)]
struct Counts {
    overflows: u64,
    signals: u64,
    superseded: u64,
}

impl Counts {
    fn count(&mut self, cause: Cause) {
        match cause {
            Cause::Overflow => self.overflows += 1,
            Cause::Superseded => self.superseded += 1,
            _ => self.signals += 1,
        }
    }
}

impl Signals<Probe> for Counts {
    fn dropped(&mut self, _packet: Probe, cause: Cause, _now: Time) {
        self.count(cause);
    }

    fn marked(&mut self, _packet: &Probe, cause: Cause, _now: Time) {
        self.count(cause);
    }

    fn store(&self) -> &() {
        &()
    }
}

/// A queue in front of a link of 10 Mbit/s.
struct Line {
    queue: AnyQdisc<Probe>,
    now: Time,
    arrivals: u64,
    counts: Counts,
}

impl Line {
    fn new(spec: &str) -> Self {
        let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
        let queue = spec.parse::<QdiscSpec>().unwrap().build(link, Rng::new(1));
        Self { queue, now: Time::ZERO, arrivals: 0, counts: Counts::default() }
    }

    /// Each flow by itself, and then all of them together, send more than the queue holds. SFB, which
    /// admits by chance, is as long as it gets after some rounds.
    fn fill(&mut self) {
        for flow in 0..FLOWS {
            (0..FLOOD).for_each(|_| self.arrive(flow as u8));
            self.drain();
        }
        (0..FLOOD).for_each(|packet| self.arrive((packet % FLOWS) as u8));
        self.drain();
        self.rounds();
    }

    fn rounds(&mut self) {
        (0..ROUNDS).for_each(|_| self.round());
    }

    /// Packets of all flows at twice the rate of the link, and then none until all are gone: every
    /// queue fills, overflows, empties and comes to rest.
    fn round(&mut self) {
        for packet in 0..4000 {
            self.arrive((packet % FLOWS) as u8);
            if packet % 2 == 0 {
                self.depart();
            }
        }
        self.drain();
        // Longer than every timer; the longest is that of SFB.
        self.now += Span::from_secs(1000);
    }

    fn drain(&mut self) {
        while self.queue.backlog().packets > 0 {
            self.depart();
        }
    }

    fn arrive(&mut self, flow: u8) {
        let id = self.arrivals;
        let len = if flow % 4 >= 2 { Bytes(66) } else { Bytes(1514) };
        let ecn = if flow.is_multiple_of(8) { Ecn::Ect0 } else { Ecn::NotEct };
        let packet = Probe { id, flow, len, ecn, packets: 1, wrongly_marked: false };
        self.queue.enqueue(packet, self.now, &mut self.counts);
        self.arrivals += 1;
    }

    /// The link takes a packet, if it may.
    fn depart(&mut self) {
        match self.queue.dequeue(self.now, &mut self.counts) {
            Dequeued::Packet { packet, .. } => self.now += packet.len / Rate::from_mbit(10),
            Dequeued::NotBefore(time) => self.now = time,
            Dequeued::Empty => {}
        }
    }
}

fn allocations_in(run: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

#[test]
fn nothing_is_allocated_for_a_packet() {
    let mut all = Counts::default();
    for spec in QdiscSpec::examples().chain(CAKES) {
        let mut line = Line::new(spec);
        let growth = allocations_in(|| line.fill());
        assert!(growth > 0, "{spec}: the first packets take memory");
        line.counts = Counts::default();
        let allocations = allocations_in(|| line.rounds());
        assert_eq!(allocations, 0, "{spec}");
        all.overflows += line.counts.overflows;
        all.signals += line.counts.signals;
        all.superseded += line.counts.superseded;
    }
    let Counts { overflows, signals, superseded } = all;
    let took_every_path = overflows.min(signals).min(superseded) > 1000;
    assert!(took_every_path, "{overflows} overflows, {signals} signals, {superseded} superseded");
}
