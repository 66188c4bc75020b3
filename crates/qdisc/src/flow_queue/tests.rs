//! Fair queueing: the order of turns, the drops when nothing more fits, and collisions of flows.

use alloc::vec::Vec;
use core::ops::Range;

use super::*;
use crate::aqm::TailDrop;
use crate::disciplines::codel::{CoDel, CoDelParameters, CoDelState};
use crate::disciplines::fq_codel::FqCoDel;
use crate::history::{Fates, Probe};
use crate::{AnyQdisc, Ecn, LinkInfo, Packet, QdiscSpec};
use units::{Rate, Span};

fn probe(id: u64, flow: u8, len: u64) -> Probe {
    Probe { id, flow, len: Bytes(len), ecn: Ecn::NotEct, wrongly_marked: false, packets: 1 }
}

/// A packet that is hashed to the queue that its number selects, whatever the salt.
#[derive(Clone, Debug)]
struct Placed(u32, u64);

impl Packet for Placed {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(self.1)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ce(&mut self) {}
}

impl Flow for Placed {
    fn flow_hash(&self, _salt: u64) -> u32 {
        self.0 << 22
    }
}

/// A thousand queues without a controller.
fn fair(parameters: FlowQueueParameters) -> FlowQueue<Placed, TailDrop> {
    FlowQueue::new(parameters, TailDrop, Rng::new(1))
}

fn fill(queue: &mut FlowQueue<Placed, TailDrop>, flow: u32, packets: Range<u64>, len: u64) {
    packets.for_each(|_| queue.enqueue(Placed(flow, len), Time::ZERO, &mut ()));
}

/// The flows of the next packets.
fn turns(queue: &mut FlowQueue<Placed, TailDrop>, packets: usize) -> Vec<u32> {
    let turn = |_| match queue.dequeue(Time::ZERO, &mut ()) {
        Dequeued::Packet { packet, .. } => Some(packet.0),
        Dequeued::NotBefore(_) | Dequeued::Empty => None,
    };
    (0..packets).map_while(turn).collect()
}

/// A new flow waits for the packets that other new flows may still send in their first turn, the
/// last of them whole, and for no old flow. Where every queue is taken, it shares one.
#[test]
fn ahead_of_a_new_flow_are_the_quanta_of_other_new_flows() {
    let mut queue = fair(FlowQueueParameters::default());
    assert_eq!(queue.ahead_of_new_flow(), Bytes::ZERO);
    fill(&mut queue, 1, 0..10, 1000);
    assert_eq!(queue.ahead_of_new_flow(), Bytes(2000), "1514 is reached with the second");
    assert_eq!(turns(&mut queue, 1), [1]);
    assert_eq!(queue.ahead_of_new_flow(), Bytes(1000));
    assert_eq!(turns(&mut queue, 2), [1, 1]);
    assert_eq!(queue.ahead_of_new_flow(), Bytes::ZERO, "it is an old one now");
    fill(&mut queue, 2, 0..1, 64);
    assert_eq!(queue.ahead_of_new_flow(), Bytes(64));

    let mut one = fair(FlowQueueParameters { flows: 1, ..FlowQueueParameters::default() });
    fill(&mut one, 1, 0..10, 1000);
    assert_eq!(one.ahead_of_new_flow(), Bytes(10_000));
}

/// RFC 8290 section 4.2: a flow that had nothing waiting goes first, but for one quantum only.
#[test]
fn new_flows_go_first_for_a_quantum() {
    let mut queue = fair(FlowQueueParameters::default());
    fill(&mut queue, 1, 0..10, 1514);
    assert_eq!(turns(&mut queue, 2), [1, 1]);
    fill(&mut queue, 2, 0..3, 1000);
    fill(&mut queue, 3, 0..1, 1000);
    // Flow 2 has credit for two packets (1514, then 514); flow 3 is next; and of the old ones flow
    // 1 has spent its credit, so that flow 2 is served before it.
    assert_eq!(turns(&mut queue, 7), [2, 2, 3, 2, 1, 1, 1]);
}

/// RFC 8290 section 4.2: a queue that has gone empty is put behind the old ones, so that sending
/// a packet at a time does not buy priority over and over.
#[test]
fn an_emptied_queue_does_not_come_back_as_new() {
    let mut queue = fair(FlowQueueParameters::default());
    fill(&mut queue, 1, 0..10, 1514);
    assert_eq!(turns(&mut queue, 1), [1]);
    fill(&mut queue, 2, 0..1, 100);
    assert_eq!(turns(&mut queue, 2), [2, 1]);
    assert_eq!(queue.listed(), (0, 2));
    fill(&mut queue, 2, 0..1, 100);
    assert_eq!(queue.new_flow_count(), 2, "it is still on the list of old queues");
}

/// The packets of the fattest queue that a rule drops when one packet too many arrives.
fn dropped(overflow: Overflow, drop_batch: u64, lens: &[u64]) -> Vec<u64> {
    let limit = lens.len() as u64;
    let parameters =
        FlowQueueParameters { limit, drop_batch, overflow, ..FlowQueueParameters::default() };
    let mut queue = FlowQueue::new(parameters, TailDrop, Rng::new(1));
    let mut outcome = Fates::default();
    for (id, len) in (0..).zip(lens) {
        queue.enqueue(probe(id, 0, *len), Time::ZERO, &mut outcome);
    }
    assert!(outcome.dropped.is_empty());
    queue.enqueue(probe(limit, 1, 1), Time::ZERO, &mut outcome);
    outcome.dropped.iter().map(|(_, packet, _)| packet.id).collect()
}

/// RFC 8290 section 4.1.3: half the packets, at most 64, from the head.
#[test]
fn overflow_as_in_rfc_8290() {
    let drops = |lens: &[u64]| dropped(Overflow::Rfc8290, 64, lens);
    assert_eq!(drops(&[1000, 100, 100, 100, 100, 100]), [0, 1, 2]);
    assert_eq!(drops(&[1000; 7]), [0, 1, 2]);
    assert_eq!(drops(&[1000]), [0]);
    assert_eq!(drops(&[1000; 300]), (0..64).collect::<Vec<_>>());
}

/// Linux: half the bytes, at most 64 packets.
#[test]
fn overflow_as_in_linux() {
    let drops = |lens: &[u64]| dropped(Overflow::Linux, 64, lens);
    assert_eq!(drops(&[1000, 100, 100, 100, 100, 100]), [0]);
    assert_eq!(drops(&[100, 100, 100, 100, 100, 1000]), [0, 1, 2, 3, 4, 5]);
    assert_eq!(drops(&[1000; 300]), (0..64).collect::<Vec<_>>());
    assert_eq!(dropped(Overflow::Linux, 1, &[1000; 300]), [0]);
}

/// RFC 8290 section 4.1.3: half the packets, however few pieces they come in.
#[test]
fn overflow_counts_what_pieces_stand_for() {
    let parameters = FlowQueueParameters { limit: 20, ..FlowQueueParameters::default() };
    let mut queue = FlowQueue::new(parameters, TailDrop, Rng::new(1));
    let mut outcome = Fates::default();
    for id in 0..5 {
        let packet = Probe { packets: 4, ..probe(id, 0, 4000) };
        queue.enqueue(packet, Time::ZERO, &mut outcome);
    }
    assert!(outcome.dropped.is_empty());
    queue.enqueue(probe(5, 1, 1), Time::ZERO, &mut outcome);
    assert_eq!(outcome.dropped.len(), 3, "12 of 20 packets, 8 being less than half");
    assert_eq!(queue.backlog(), Backlog { packets: 9, bytes: Bytes(8001) });
}

/// Packets are dropped from the queue with the most bytes, not from the one with the most packets,
/// and the arriving packet stays.
#[test]
fn the_fattest_queue_pays() {
    let limit = FlowQueueParameters { limit: 6, ..FlowQueueParameters::default() };
    let mut queue = fair(limit);
    fill(&mut queue, 1, 0..4, 100);
    fill(&mut queue, 2, 0..2, 1000);
    fill(&mut queue, 3, 0..1, 999);
    assert_eq!(queue.bytes[1..4], [Bytes(400), Bytes(1000), Bytes(999)]);
}

#[test]
fn the_memory_limit_holds() {
    let memory_limit = Bytes(10_000);
    let mut queue = fair(FlowQueueParameters { memory_limit, ..FlowQueueParameters::default() });
    for flow in 0..100 {
        fill(&mut queue, flow, 0..3, 700 + u64::from(flow));
        assert!(queue.backlog().bytes <= memory_limit);
    }
}

/// RFC 8290 section 4.1.3 and Linux: only Linux adds the batch to CoDel's count.
#[test]
fn linux_tells_codel_of_the_batch() {
    for (count_overflow, count) in [(false, 0), (true, 3)] {
        let codel = CoDel::new(CoDelParameters { count_overflow, ..CoDelParameters::default() });
        let parameters = FlowQueueParameters { limit: 6, ..FlowQueueParameters::default() };
        let mut queue = FqCoDel::new(parameters, codel, Rng::new(1));
        (0..7).for_each(|id| queue.enqueue(probe(id, 0, 1000), Time::ZERO, &mut ()));
        let counts: u32 = queue.queues.iter().map(|queue| CoDelState::count(&queue.state)).sum();
        assert_eq!(counts, count);
    }
}

/// sch_fq_codel.c: half of 7000 bytes are four packets.
#[test]
fn the_overflow_rule_says_whether_codel_is_told() {
    let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
    for (rule, count) in [("rfc8290", 0), ("linux", 4)] {
        let spec = alloc::format!("fq_codel limit 6 overflow {rule}").parse::<QdiscSpec>().unwrap();
        let AnyQdisc::FqCoDel(mut queue) = spec.build(link, Rng::new(1)) else {
            panic!("it is fq_codel")
        };
        (0..7).for_each(|id| queue.enqueue(probe(id, 0, 1000), Time::ZERO, &mut ()));
        let counts: u32 = queue.queues.iter().map(|queue| CoDelState::count(&queue.state)).sum();
        assert_eq!(counts, count, "{rule}");
    }
}

/// RFC 8289 section 4.4: the guard looks at all queues, so that a sparse queue's last packet can
/// be dropped while others wait, and a lone last packet cannot.
#[test]
fn the_guard_looks_at_all_queues() {
    for (others, drops) in [(0, 0), (10, 1)] {
        let codel = CoDel::new(CoDelParameters::default());
        let mut queue = FqCoDel::new(FlowQueueParameters::default(), codel, Rng::new(1));
        let mut outcome = Fates::default();
        for millis in 0..3 {
            let now = Time::from_millis(millis * 200);
            queue.enqueue(probe(millis, 0, 100), now, &mut outcome);
            (0..others).for_each(|n| queue.enqueue(probe(100 + n, 1, 1514), now, &mut outcome));
            let later = now + Span::from_millis(100);
            while queue.backlog().packets > others {
                let _: Dequeued<Probe> = queue.dequeue(later, &mut outcome);
            }
        }
        let of_flow_0 = outcome.dropped.iter().filter(|(_, packet, _)| packet.flow == 0).count();
        assert_eq!(of_flow_0, drops, "{others} others");
    }
}

/// RFC 8290 section 5.3: of 100 flows on 1024 queues a given one is alone with 90.78 %, has at most
/// one companion with 99.57 %, at most two with 99.99 %.
#[test]
fn collisions_of_100_flows_on_1024_queues() {
    let alone = libm::pow(1.0 - 1.0 / 1024.0, 99.0);
    assert_eq!((alone * 1e4).round(), 9078.0);
    let mut companions = [0_u32; 100];
    const SALTS: u64 = 20_000;
    for seed in 0..SALTS {
        let salt = Rng::new(seed).next_u64();
        let place = |flow: u64| {
            // A keyed hash of full quality stands in for that of a 5-tuple.
            let hash = Rng::new(salt ^ flow.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64() as u32;
            (u64::from(hash) * 1024) >> 32
        };
        let given = place(0);
        companions[(1..100).filter(|flow| place(*flow) == given).count()] += 1;
    }
    let at_most = |most: usize| f64::from(companions[..=most].iter().sum::<u32>()) / SALTS as f64;
    // Three standard deviations of 20000 draws.
    for (most, expected, tolerance) in
        [(0, 0.9078, 0.0062), (1, 0.9957, 0.0014), (2, 0.9999, 0.0003)]
    {
        let share = at_most(most);
        assert!((share - expected).abs() < tolerance, "{most}: {share}");
    }
}

/// The hash is keyed by the salt and scaled to the number of queues.
#[test]
fn flows_spread_over_all_queues() {
    let codel = CoDel::new(CoDelParameters::default());
    let parameters = FlowQueueParameters { flows: 7, ..FlowQueueParameters::default() };
    let queue: FqCoDel<Probe> = FqCoDel::new(parameters, codel, Rng::new(1));
    let mut hits = [0; 7];
    (0..=255).for_each(|flow| hits[queue.classify(&probe(0, flow, 1)) as usize] += 1);
    assert!(hits.iter().all(|hits| *hits > 20), "{hits:?}");
}

#[test]
fn lists_are_first_in_first_out() {
    let mut links = Links::new(4);
    let (mut list, mut other) = (List::default(), List::default());
    [2, 0, 3].into_iter().for_each(|index| list.push(index, &mut links));
    other.push(1, &mut links);
    assert_eq!((list.len(), list.pop(&mut links), list.pop(&mut links)), (3, Some(2), Some(0)));
    assert!(!links.contains(2) && links.contains(3) && links.contains(1));
    list.push(2, &mut links);
    assert_eq!([list.pop(&mut links), list.pop(&mut links)], [Some(3), Some(2)]);
    assert_eq!((list.pop(&mut links), list.is_empty()), (None, true));
    assert_eq!(other.pop(&mut links), Some(1));
}
