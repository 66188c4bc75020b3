use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use qdisc::{AnyQdisc, Cause, Ecn, LinkInfo, QdiscSpec, Signals};
use units::{Prob, Rate, Rng};

use super::*;
use crate::{GilbertElliott, Schedule, Trace};

mod closed_form;
mod random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    number: u64,
    len: Bytes,
}

impl Packet for Item {
    type Store = ();

    fn len(&self) -> Bytes {
        self.len
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ce(&mut self) {}
}

/// All packets are of one flow.
impl qdisc::Flow for Item {
    fn flow_hash(&self, _salt: u64) -> u32 {
        0
    }
}

impl qdisc::Headers for Item {}

/// A FIFO of at most `limit` packets that sends none within `gap` after the one before, and notes
/// the times at which it was asked in vain.
struct Fifo {
    items: VecDeque<(Time, Item)>,
    bytes: Bytes,
    limit: usize,
    gap: Span,
    not_before: Time,
    found_empty: Vec<Time>,
    last_call: Time,
}

impl Fifo {
    fn new(limit: usize) -> Self {
        let (bytes, gap, not_before) = (Bytes::ZERO, Span::ZERO, Time::ZERO);
        let (items, found_empty, last_call) = (VecDeque::new(), Vec::new(), Time::ZERO);
        Self { items, bytes, limit, gap, not_before, found_empty, last_call }
    }

    fn time_does_not_run_backwards(&mut self, now: Time) {
        assert!(now >= self.last_call, "{now:?} after {:?}", self.last_call);
        self.last_call = now;
    }
}

impl Qdisc<Item> for Fifo {
    fn enqueue(&mut self, packet: Item, now: Time, out: &mut dyn Signals<Item>) {
        self.time_does_not_run_backwards(now);
        if self.items.len() == self.limit {
            return out.dropped(packet, Cause::Overflow, now);
        }
        self.bytes += packet.len;
        self.items.push_back((now, packet));
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Signals<Item>) -> Dequeued<Item> {
        self.time_does_not_run_backwards(now);
        if self.items.is_empty() {
            self.found_empty.push(now);
            return Dequeued::Empty;
        }
        if now < self.not_before {
            return Dequeued::NotBefore(self.not_before);
        }
        let (since, packet) = self.items.pop_front().unwrap();
        self.bytes -= packet.len;
        self.not_before = now + self.gap;
        Dequeued::Packet { packet, sojourn: now.since(since) }
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.items.len() as u64, bytes: self.bytes }
    }
}

/// The fates of packets, by number.
#[derive(Debug, Default, PartialEq)]
struct Fates {
    departed: Vec<(u64, Span, Time)>,
    dropped: Vec<u64>,
    lost: Vec<u64>,
}

impl Signals<Item> for Fates {
    fn dropped(&mut self, packet: Item, _: Cause, _: Time) {
        self.dropped.push(packet.number);
    }
    fn marked(&mut self, _: &Item, _: Cause, _: Time) {}

    fn store(&self) -> &() {
        &()
    }
}

impl LinkSignals<Item> for Fates {
    fn departed(&mut self, packet: &Item, sojourn: Span, now: Time) {
        self.departed.push((packet.number, sojourn, now));
    }
    fn lost(&mut self, packet: Item, _: Time) {
        self.lost.push(packet.number);
    }
}

/// Drives a link as the event loop of a simulator does.
struct Bench {
    link: Link<Item, Fifo>,
    fates: Fates,
    delivered: Vec<(u64, Time)>,
    serves: usize,
    offered: u64,
}

impl Bench {
    fn new(limit: usize, wire: Wire) -> Self {
        let link = Link::new(Fifo::new(limit), wire, Rng::new(4));
        Self { link, fates: Fates::default(), delivered: Vec::new(), serves: 0, offered: 0 }
    }

    fn constant(rate: Rate, delay: Span) -> Self {
        let capacity = Capacity::Constant(rate);
        Self::new(usize::MAX, Wire { capacity, delay, ..Wire::default() })
    }

    fn traced(trace: &str) -> Self {
        let capacity = Capacity::Traced(Trace::parse(trace).unwrap());
        Self::new(usize::MAX, Wire { capacity, ..Wire::default() })
    }

    /// Does everything that is due before `until`.
    fn run(&mut self, until: Time) {
        loop {
            let (departure, delivery) = (self.link.next_departure(), self.link.next_delivery());
            let next = departure.into_iter().chain(delivery).min();
            let earliest = self.link.earliest_delivery();
            let Some(now) = next.filter(|next| *next < until) else { return };
            if departure == Some(now) {
                self.serves += 1;
                self.link.serve(now, &mut self.fates);
                assert_ne!(self.link.next_departure(), Some(now), "it would never end");
            }
            while let Some(packet) = self.link.take_delivery(now) {
                assert!(earliest.is_some_and(|earliest| earliest <= now), "it came unforeseen");
                self.delivered.push((packet.number, now));
            }
        }
    }

    fn offer(&mut self, len: u64, now: Time) {
        self.run(now);
        let packet = Item { number: self.offered, len: Bytes(len) };
        self.offered += 1;
        self.link.offer(packet, now, &mut self.fates);
    }

    fn finish(&mut self) {
        self.run(Time::MAX);
        assert_eq!(self.link.in_flight(), 0);
        assert_eq!(self.link.backlog(), Backlog::default());
    }

    /// Offers `(milliseconds, bytes)` and returns when each packet delivered, in milliseconds.
    fn deliveries(mut self, packets: &[(u64, u64)]) -> Vec<u64> {
        for &(millis, len) in packets {
            self.offer(len, Time::from_millis(millis));
        }
        self.finish();
        self.delivered.iter().map(|(_, time)| time.as_nanos() / 1_000_000).collect()
    }
}

#[test]
fn idle_link_adds_serialisation_and_delay() {
    let mut bench = Bench::constant(Rate::from_mbit(10), Span::from_millis(7));
    for n in 0..100 {
        bench.offer(1500, Time::from_millis(10 * n));
    }
    bench.finish();
    for (n, (number, time)) in (0..100).zip(&bench.delivered) {
        assert_eq!((*number, *time), (n, Time::from_millis(10 * n + 7) + Span::from_micros(1200)));
    }
    assert!(bench.fates.departed.iter().all(|(_, sojourn, _)| sojourn.is_zero()));
    assert_eq!(bench.serves, 0, "an idle link needs no event but the delivery");
}

#[test]
fn back_to_back_packets_need_no_event_either() {
    // The wire becomes free at the instant at which the next packet comes.
    let mut bench = Bench::constant(Rate::from_mbit(12), Span::ZERO);
    for n in 0..100 {
        bench.offer(1500, Time::from_millis(n));
    }
    assert_eq!((bench.serves, bench.link.busy_until()), (0, Time::from_millis(100)));
    bench.finish();
    assert_eq!(bench.link.queue().found_empty, []);
}

#[test]
fn full_queue_drains_at_exactly_the_rate() {
    let rate = Rate::from_bits_per_sec(9_999_991).unwrap();
    let delay = Span::from_millis(3);
    let mut bench = Bench::constant(rate, delay);
    for n in 0..100_000 {
        bench.offer(40 + n * 7919 % 1461, Time::ZERO);
    }
    bench.finish();
    let mut sent = Bytes::ZERO;
    for (n, (number, time)) in (0..100_000).zip(&bench.delivered) {
        sent += Bytes(40 + n * 7919 % 1461);
        assert_eq!((*number, *time), (n, Time::ZERO + sent / rate + delay));
    }
    assert_eq!(bench.serves, 99_999, "one departure a packet that waits");
    // The wire was busy all the time, so it carried as much as it can.
    let end = bench.link.busy_until() + Span::from_nanos(1);
    assert_eq!(bench.link.capacity(Time::ZERO, end), Some(sent));
}

/// Sleeps until `earliest_delivery`, and notes the times of waking.
fn sleepy(mut bench: Bench) -> (Bench, Vec<Time>) {
    let mut woken = vec![];
    while let Some(at) = bench.link.earliest_delivery() {
        woken.push(at);
        bench.run(at + Span::from_nanos(1));
    }
    (bench, woken)
}

#[test]
fn a_driver_may_sleep_through_departures() {
    let constant = || Bench::constant(Rate::from_mbit(12), Span::from_millis(5));
    assert_eq!(constant().link.earliest_delivery(), None);
    let (mut attentive, mut other) = (constant(), constant());
    for n in 0..20 {
        attentive.offer(1500, Time::ZERO + Span::from_micros(100) * n);
        other.offer(1500, Time::ZERO + Span::from_micros(100) * n);
    }
    attentive.finish();
    let (other, woken) = sleepy(other);
    assert_eq!(other.delivered, attentive.delivered);
    assert_eq!(other.fates.departed, attentive.fates.departed);
    assert_eq!(woken, Vec::from_iter((6..26).map(Time::from_millis)), "once a packet");
}

#[test]
fn what_waits_for_a_shaper_may_be_delivered_first() {
    // A shaper lets a packet go at once, so none is in flight while the next one waits.
    let capacity = Capacity::Constant(Rate::from_mbit(12));
    let wire = Wire { capacity, shaper: Some(Bytes::ZERO), ..Wire::default() };
    let mut bench = Bench::new(9, wire);
    for _ in 0..3 {
        bench.offer(1500, Time::ZERO);
    }
    let (bench, woken) = sleepy(bench);
    assert_eq!(woken, [0, 1, 2].map(Time::from_millis));
    assert_eq!(bench.delivered.len(), 3);
}

/// A policer: a token bucket with hardly any room to wait. A packet takes a millisecond.
#[test]
fn a_policer_is_busy_while_it_wastes_none_of_its_rate() {
    let policer = |packets: u64| {
        let capacity = Capacity::Constant(Rate::from_mbit(8));
        let mut bench = Bench::new(
            1,
            Wire { capacity, shaper: Some(Bytes(1000 * packets)), ..Wire::default() },
        );
        let mut burst = |packets| (0..packets).for_each(|_| bench.offer(1000, Time::ZERO));
        // The rate is enough for a burst.
        burst(packets);
        assert!(!bench.link.is_busy(Time::from_millis(1)));
        bench
    };
    let busy = |bench: &Bench, millis| bench.link.is_busy(Time::from_millis(millis));
    // Too many: one waits, one is dropped, and no rate is wasted until the burst is saved up.
    let mut bench = policer(10);
    (0..4).for_each(|_| bench.offer(1000, Time::from_millis(1)));
    bench.run(Time::from_millis(30));
    assert_eq!(bench.fates.dropped.len(), 1);
    assert_eq!(bench.link.backlog().packets, 0);
    assert!(busy(&bench, 9) && !busy(&bench, 30));
    // After the load has ended, the shaper is not busy for the minute that a long burst takes.
    let mut bench = policer(60_000);
    (0..4).for_each(|_| bench.offer(1000, Time::from_millis(1)));
    bench.run(Time::from_millis(30));
    assert!(busy(&bench, 900) && !busy(&bench, 1_100));
}

#[test]
fn limit_drops_what_does_not_fit() {
    let capacity = Capacity::Constant(Rate::from_mbit(12));
    let mut bench = Bench::new(3, Wire { capacity, ..Wire::default() });
    for _ in 0..6 {
        bench.offer(1500, Time::ZERO);
    }
    bench.finish();
    // One packet is on the wire and three wait.
    assert_eq!(bench.fates.dropped, [4, 5]);
    assert_eq!(bench.delivered.last(), Some(&(3, Time::from_millis(4))));
}

#[test]
fn arrivals_at_the_instant_of_a_departure_come_first() {
    let capacity = Capacity::Constant(Rate::from_mbit(12));
    let mut bench = Bench::new(2, Wire { capacity, ..Wire::default() });
    for millis in [0, 0, 1, 1] {
        bench.offer(1500, Time::from_millis(millis));
    }
    // At 1 ms the second packet could leave; it still fills the queue for the fourth.
    assert_eq!(bench.fates.dropped, [3]);
    bench.finish();
}

#[test]
fn without_a_limit_only_the_delay_remains() {
    let mut bench = Bench::new(1, Wire { delay: Span::from_millis(5), ..Wire::default() });
    for n in 0..10 {
        bench.offer(1500, Time::from_millis(n / 2));
    }
    bench.finish();
    let expected: Vec<_> = (0..10).map(|n| (n, Time::from_millis(n / 2 + 5))).collect();
    assert_eq!((bench.delivered, bench.serves), (expected, 0));
    assert_eq!(bench.link.capacity(Time::ZERO, Time::MAX), None);
}

/// A queue sees the link go idle at the right time, although no call came then.
#[test]
fn queue_is_told_when_the_link_became_idle() {
    let mut bench = Bench::constant(Rate::from_mbit(12), Span::ZERO);
    for millis in [0, 10, 10, 20] {
        bench.offer(1500, Time::from_millis(millis));
    }
    let idle = &bench.link.queue().found_empty;
    assert_eq!(*idle, [1, 12].map(Time::from_millis));
}

#[test]
fn held_packets_leave_when_the_queue_lets_them() {
    let capacity = Capacity::Constant(Rate::from_mbit(12));
    let mut bench = Bench::new(9, Wire { capacity, ..Wire::default() });
    bench.link.queue.gap = Span::from_millis(5);
    for millis in [0, 0, 2, 3] {
        bench.offer(1500, Time::from_millis(millis));
        bench.link.serve(Time::from_millis(millis), &mut bench.fates); // too early: does nothing
    }
    bench.finish();
    let delivered: Vec<_> =
        bench.delivered.iter().map(|(_, time)| time.as_nanos() / 1_000_000).collect();
    assert_eq!(delivered, [1, 6, 11, 16]);
}

#[test]
fn trace_delivers_at_its_opportunities() {
    // One packet for each opportunity; those at 2 ms find no packet and are wasted.
    assert_eq!(
        Bench::traced("2\n2\n5\n9").deliveries(&[(3, 1500), (3, 1500), (3, 1500)]),
        [5, 9, 11]
    );
    // Offered at the instant of an opportunity, a packet may use it.
    assert_eq!(Bench::traced("2\n5").deliveries(&[(2, 1500), (5, 1500), (5, 1500)]), [2, 5, 7]);
}

#[test]
fn opportunity_carries_several_small_packets() {
    // 3 x 500 in the first; the fourth waits, alone in its opportunity.
    let packets = [(0, 500), (0, 500), (0, 500), (0, 500)];
    assert_eq!(Bench::traced("4\n6").deliveries(&packets), [4, 4, 4, 6]);
    // The rest of an opportunity does not outlast its instant: 1000 of 1500 bytes are wasted.
    assert_eq!(Bench::traced("4\n6").deliveries(&[(0, 500), (5, 1500)]), [4, 6]);
    // A burst at the instant itself shares the opportunity.
    assert_eq!(Bench::traced("4\n6").deliveries(&[(4, 500), (4, 1000), (4, 500)]), [4, 4, 6]);
}

#[test]
fn packet_spans_opportunities() {
    // 1000 + 1000: the second has 500 bytes in the first opportunity, 500 in the next, and leaves
    // 1000 for the third.
    assert_eq!(Bench::traced("4\n6").deliveries(&[(0, 1000), (0, 1000), (0, 1000)]), [4, 6, 6]);
    // 9000 bytes take six opportunities.
    assert_eq!(Bench::traced("1\n1\n3").deliveries(&[(0, 9000), (0, 1)]), [6, 7]);
}

#[test]
fn sojourn_under_a_trace_ends_at_the_opportunity() {
    let mut bench = Bench::traced("4\n6");
    for _ in 0..3 {
        bench.offer(1000, Time::from_millis(1));
    }
    bench.finish();
    let millis = |n| (Span::from_millis(n), Time::from_millis(n + 1));
    let waits: Vec<_> =
        bench.fates.departed.iter().map(|(_, sojourn, now)| (*sojourn, *now)).collect();
    assert_eq!(waits, [millis(3), millis(3), millis(5)]);
}

#[test]
fn lost_packets_occupy_the_wire() {
    let model = GilbertElliott::bursts(Prob::clamped(0.2), 3.0).unwrap();
    let capacity = Capacity::Constant(Rate::from_mbit(12));
    let mut bench =
        Bench::new(usize::MAX, Wire { capacity, loss: Loss::Bursty(model), ..Wire::default() });
    for _ in 0..20_000 {
        bench.offer(1500, Time::ZERO);
    }
    bench.finish();
    let lost = bench.fates.lost.len();
    assert!((3_600..4_400).contains(&lost), "{lost}");
    assert_eq!(bench.delivered.len() + lost, 20_000);
    assert!(bench.delivered.iter().all(|(number, time)| *time == Time::from_millis(number + 1)));
}

/// The due departure follows a queue that a change empties, and the capacity follows the rate.
#[test]
fn a_change_is_in_force_at_once() {
    let capacity = Capacity::Constant(Rate::from_mbit(8));
    let wire = Wire { capacity, ..Wire::default() };
    let link = LinkInfo::new(Rate::from_mbit(8), Bytes(1500));
    let build = |text: &str| text.parse::<QdiscSpec>().unwrap().build(link, Rng::new(1));
    let mut link: Link<Item, AnyQdisc<Item>> =
        Link::new(build("red limit 400000"), wire, Rng::new(1));
    let at = Time::from_millis;
    for _ in 0..3 {
        link.offer(Item { number: 0, len: Bytes(1000) }, at(0), &mut ());
    }
    assert_eq!((link.backlog().packets, link.next_departure()), (2, Some(at(1))));
    link.change_rate(Rate::from_mbit(4), at(0) + Span::from_micros(500));
    assert_eq!(link.next_departure(), Some(at(1)), "the packet on the wire keeps its rate");
    link.serve(at(1), &mut ());
    assert_eq!(link.next_departure(), Some(at(3)));
    assert_eq!(link.capacity(at(0), at(2)), Some(Bytes(500 + 750)));
    link.change_queue(build("red limit 300000"), at(2), &mut ()).unwrap();
    assert_eq!((link.backlog().packets, link.next_departure()), (0, None));
    let error = link.change_queue(build("codel"), at(2), &mut ()).unwrap_err();
    assert_eq!(error, ChangeError::Kind);
    link.offer(Item { number: 0, len: Bytes(1000) }, at(2), &mut ());
    assert_eq!(link.next_departure(), Some(at(3)));
}

#[test]
fn only_some_wires_may_deliver_at_a_departure() {
    let may = |wire: Wire, queue: &str| {
        let spec: QdiscSpec = queue.parse().unwrap();
        let info = LinkInfo::new(Rate::from_mbit(12), Bytes(1500));
        let link: Link<Item, _> = Link::new(spec.build(info, Rng::new(1)), wire, Rng::new(2));
        link.may_deliver_at_departure()
    };
    let constant = Wire { capacity: Capacity::Constant(Rate::from_mbit(12)), ..Wire::default() };
    assert!(!may(constant.clone(), "pfifo"));
    let shaped = Wire { shaper: Some(Bytes(3000)), ..constant };
    assert!(may(shaped.clone(), "pfifo"));
    assert!(!may(Wire { delay: Span::from_nanos(1), ..shaped }, "pfifo"));
    assert!(!may(Wire::default(), "fq_codel"), "no packet waits");
    assert!(may(Wire::default(), "cake bandwidth 1mbit"), "CAKE holds packets back");
    let trace = Capacity::Traced(Trace::parse("1\n").unwrap());
    assert!(may(Wire { capacity: trace, ..Wire::default() }, "pfifo"));
}
