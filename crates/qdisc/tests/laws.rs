//! The laws of [`qdisc::history`] over every discipline and random histories, and further laws of
//! some disciplines.

use proptest::collection::vec;
use proptest::prelude::*;
use qdisc::disciplines::blue::{Blue, BlueParameters};
use qdisc::disciplines::pie::{Pie, PieParameters};
use qdisc::disciplines::red::{Red, RedParameters};
use qdisc::history::{Fates, Operation, Probe, run, run_changing};
use qdisc::{
    AnyQdisc, Backlog, Cause, Dequeued, DisciplineKind, Ecn, FlowQueue, FlowQueueParameters,
    LinkInfo, Qdisc, QdiscSpec,
};
use units::{Bytes, Rate, Rng, Span, Time};

fn build(text: &str, seed: u64) -> AnyQdisc<Probe> {
    let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));
    text.parse::<QdiscSpec>().unwrap().build(link, Rng::new(seed))
}

/// Queues of which the laws hold, too: CAKE with each of its mechanisms.
const CAKES: &[&str] = &[
    "cake bandwidth 8mbit rtt 2ms diffserv8 ack-filter-aggressive autorate-ingress ingress memlimit 20kb",
    "cake bandwidth 20mbit rtt 1ms precedence ack-filter overhead 44 mpu 96 atm memlimit 9kb",
    "cake rtt 4ms diffserv4 dual-dsthost ack-filter wash fwmark 0xf0 no-split-gso memlimit 50kb",
    "cake bandwidth 100mbit rtt 1ms hosts pppoe-ptm ingress",
    "cake bandwidth 300kbit rtt 10ms diffserv3 srchost ack-filter-aggressive",
    "cake flows rtt 1ms besteffort memlimit 12kb",
];

/// The examples of every discipline, and more of CAKE.
fn queues() -> impl Iterator<Item = &'static str> {
    QdiscSpec::examples().chain(CAKES.iter().copied())
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let lull = (0_u64..200_000).prop_map(|ms| Operation::Pass(Span::from_millis(ms)));
    let pause = (0_u64..3_000).prop_map(|us| Operation::Pass(Span::from_micros(us)));
    let ecn = prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1), Just(Ecn::Ce)];
    // Most are packets, some are pieces of super-packets.
    let packets = prop_oneof![4 => Just(1_u64), 1 => 2_u64..12];
    let arrival = (1_u64..1515, 0_u8..8, ecn, packets).prop_map(|(len, flow, ecn, packets)| {
        Operation::Arrive { len: Bytes(len), flow, ecn, packets }
    });
    let operation =
        prop_oneof![1 => lull, 60 => pause, 100 => arrival, 70 => Just(Operation::Depart)];
    vec(operation, 0..1500)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_discipline_keeps_the_laws(history in operations(), seed in any::<u64>()) {
        for text in queues() {
            if let Err(law) = run(&mut build(text, seed), &history) {
                prop_assert!(false, "{text}: {law}");
            }
        }
    }

    #[test]
    fn the_same_history_has_the_same_outcome(history in operations(), seed in any::<u64>()) {
        for text in queues() {
            let outcomes = [0, 1].map(|_| run(&mut build(text, seed), &history));
            prop_assert_eq!(&outcomes[0], &outcomes[1], "{}", text);
        }
    }

    /// A packet within `bypass` would have come out at once, and the queue is the same
    /// without it.
    #[test]
    fn passing_by_is_arriving_and_departing(history in operations(), seed in any::<u64>()) {
        for text in queues() {
            let outcomes = [true, false].map(|at_once| run_link(&mut build(text, seed), &history, at_once));
            prop_assert_eq!(&outcomes[0], &outcomes[1], "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_a_history(bytes in vec(any::<u8>(), 0..3000)) {
        for text in queues() {
            if let Err(law) = run(&mut build(text, 1), &Operation::history(&bytes)) {
                prop_assert!(false, "{text}: {law}");
            }
        }
    }

    /// Each queue changes into the others of its kind, and back.
    #[test]
    fn queues_that_change_keep_the_laws(history in operations(), seed in any::<u64>()) {
        let parts: Vec<_> = history.chunks(history.len() / 5 + 1).collect();
        let Some((first, rest)) = parts.split_first() else { return Ok(()) };
        for (place, text) in queues().enumerate() {
            let kind = text.parse::<QdiscSpec>().unwrap().kind();
            let is_like = |text: &&str| text.parse::<QdiscSpec>().unwrap().kind() == kind;
            let like: Vec<_> = queues().filter(is_like).collect();
            let others = like.iter().cycle().skip(place);
            let changes = others.zip(rest).map(|(other, part)| (build(other, seed), *part));
            if let Err(law) = run_changing(&mut build(text, seed), first, changes) {
                prop_assert!(false, "{text}: {law}");
            }
        }
    }

    /// A limit in packets counts those that a piece of a super-packet stands for.
    #[test]
    fn a_limit_in_packets_counts_what_pieces_stand_for(history in operations()) {
        for text in QdiscSpec::examples() {
            let Some(limit) = packet_limit(text) else { continue };
            let (mut queue, mut now) = (build(text, 1), Time::ZERO);
            for operation in &history {
                match *operation {
                    Operation::Pass(span) => now += span,
                    Operation::Arrive { len, flow, ecn, packets } => {
                        let packet = Probe { id: 0, flow, len, ecn, packets, wrongly_marked: false };
                        queue.enqueue(packet, now, &mut ());
                    }
                    Operation::Depart => drop(queue.dequeue(now, &mut ())),
                }
                prop_assert!(queue.backlog().packets <= limit, "{text}: {:?}", queue.backlog());
            }
        }
    }

    /// Any controller works behind fair queueing: each queue has a state of its own, parameters and
    /// random numbers are shared.
    #[test]
    fn other_controllers_compose(history in operations(), seed in any::<u64>()) {
        let (mut queues, mut red) = (FlowQueueParameters::default(), RedParameters::default());
        (queues.limit, red.ecn) = (40, true);
        let rng = Rng::new(seed);
        let red = Red::new(red, rng.fork("red"));
        let blue = Blue::new(BlueParameters::default(), rng.fork("blue"));
        let pie = Pie::new(PieParameters::default(), rng.fork("pie"));
        let outcomes = [
            run(&mut FlowQueue::new(queues, red, rng.clone()), &history),
            run(&mut FlowQueue::new(queues, blue, rng.clone()), &history),
            run(&mut FlowQueue::new(queues, pie, rng), &history),
        ];
        prop_assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    }

    /// RFC 8289 section 4.4: one MTU may always wait, so it is never CoDel that empties a queue.
    #[test]
    fn codel_never_drops_the_last_mtu(history in operations(), seed in any::<u64>()) {
        for text in QdiscSpec::examples().filter(|text| text.contains("codel")) {
            let mut queue = build(text, seed);
            let mut now = Time::ZERO;
            let mut left = Left { bytes: 0, least: u64::MAX };
            for operation in &history {
                match *operation {
                    Operation::Pass(span) => now += span,
                    Operation::Arrive { len, flow, ecn, packets } => {
                        left.bytes += len.0;
                        let packet = Probe { id: 0, flow, len, ecn, packets, wrongly_marked: false };
                        queue.enqueue(packet, now, &mut left);
                    }
                    Operation::Depart => {
                        if let Dequeued::Packet { packet, .. } = queue.dequeue(now, &mut left) {
                            left.bytes -= packet.len.0;
                        }
                    }
                }
            }
            let least = if text.contains("paper2012") { 1514 } else { 1515 };
            prop_assert!(left.least >= least, "{text}: {} bytes were left", left.least);
        }
    }

    /// Two backlogged flows of FQ-CoDel never differ by more than two quanta.
    #[test]
    fn backlogged_flows_share_within_two_quanta(
        lens in (64_u64..1515, 64_u64..1515),
        quantum in 1514_u64..4000,
        seed in any::<u64>(),
    ) {
        let text = format!("fq_codel quantum {quantum} limit 100000 target 1000s interval 1000s");
        let mut queue = build(&text, seed);
        let flows = [(0, lens.0), (1, lens.1)];
        prop_assume!(apart(seed));
        for _ in 0..3000 {
            for (flow, len) in flows {
                let ecn = Ecn::NotEct;
                let packet = Probe { id: 0, flow, len: Bytes(len), ecn, wrongly_marked: false, packets: 1 };
                queue.enqueue(packet, Time::ZERO, &mut ());
            }
        }
        let mut sent = [0_u64; 2];
        for _ in 0..3000 {
            let Dequeued::Packet { packet, .. } = queue.dequeue(Time::ZERO, &mut ()) else {
                return Err(TestCaseError::fail("both flows have packets left"));
            };
            sent[usize::from(packet.flow)] += packet.len.0;
            prop_assert!(sent[0].abs_diff(sent[1]) <= 2 * quantum, "{sent:?}");
        }
    }
}

/// The limit in packets that this queue prints; `None` if its limit is in bytes.
fn packet_limit(text: &str) -> Option<u64> {
    let printed = text.parse::<QdiscSpec>().unwrap().to_string();
    let (_, limit) = printed.split_once(" limit ")?;
    limit.split_whitespace().next()?.strip_suffix('p')?.parse().ok()
}

/// A link that is free whenever a departure follows an arrival.
fn run_link(queue: &mut AnyQdisc<Probe>, history: &[Operation], at_once: bool) -> Fates {
    let (mut now, mut outcome) = (Time::ZERO, Fates::default());
    let mut operations = history.iter().zip(0..).peekable();
    while let Some((operation, id)) = operations.next() {
        let departs = operations.peek().is_some_and(|(next, _)| **next == Operation::Depart);
        let dequeued = match *operation {
            Operation::Pass(span) => {
                now += span;
                continue;
            }
            Operation::Arrive { len, flow, ecn, packets } => {
                let packet = Probe { id, flow, len, ecn, packets, wrongly_marked: false };
                let is_empty = queue.backlog() == Backlog::default();
                let may_bypass = queue.bypass().admits(Backlog::default(), Backlog::of(&packet));
                if at_once && departs && is_empty && may_bypass {
                    operations.next();
                    Dequeued::Packet { packet, sojourn: Span::ZERO }
                } else {
                    queue.enqueue(packet, now, &mut outcome);
                    continue;
                }
            }
            Operation::Depart => queue.dequeue(now, &mut outcome),
        };
        if let Dequeued::Packet { packet, .. } = dequeued {
            outcome.sent.push((now, packet));
        }
    }
    outcome
}

/// True if flows 0 and 1 have queues of their own under this seed.
fn apart(seed: u64) -> bool {
    use qdisc::Flow;
    let salt = Rng::new(seed).next_u64();
    let queue = |flow| {
        let (len, ecn) = (Bytes(1), Ecn::NotEct);
        Probe { id: 0, flow, len, ecn, wrongly_marked: false, packets: 1 }.flow_hash(salt) >> 22
    };
    queue(0) != queue(1)
}

/// Records the bytes that are left behind packets that the controller drops.
struct Left {
    bytes: u64,
    least: u64,
}

impl qdisc::Signals<Probe> for Left {
    fn dropped(&mut self, packet: Probe, cause: Cause, _now: Time) {
        self.bytes -= packet.len.0;
        if cause == Cause::Congestion {
            self.least = self.least.min(self.bytes);
        }
    }

    fn marked(&mut self, _packet: &Probe, _cause: Cause, _now: Time) {}

    fn store(&self) -> &() {
        &()
    }
}

/// The histories reach the states that they are meant to reach; otherwise the laws above would
/// check nothing.
#[test]
fn histories_make_every_controller_act() {
    for (kind, text) in examples() {
        let outcome = run(&mut build(text, 1), &overload()).unwrap();
        let early =
            outcome.dropped.iter().filter(|(.., cause)| *cause == Cause::Congestion).count();
        let has_controller = !["pfifo", "bfifo"].contains(&kind);
        assert_eq!(early > 0, has_controller, "{text}");
        let ecn = text.parse::<QdiscSpec>().unwrap().to_string().contains(" ecn") || kind == "cake";
        // Under such overload PIE drops packets that it could mark (RFC 8033 section 5.1).
        assert_eq!(!outcome.marked.is_empty(), ecn && kind != "pie", "{text}");
    }
}

/// The examples of every kind, with its name.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = |kind: &'static DisciplineKind| kind.examples.iter().map(|text| (kind.name, *text));
    QdiscSpec::KINDS.iter().flat_map(named)
}

/// Five packets come for every four that go.
fn overload() -> Vec<Operation> {
    let mut rng = Rng::new(3);
    let mut operation = |_| match rng.below(10) {
        0..5 => Operation::Arrive {
            len: Bytes(64 + rng.below(1450)),
            flow: rng.below(6) as u8,
            ecn: if rng.below(2) == 0 { Ecn::NotEct } else { Ecn::Ect0 },
            packets: 1,
        },
        5..9 => Operation::Depart,
        _ => Operation::Pass(Span::from_micros(rng.below(2000))),
    };
    (0..20_000).map(&mut operation).collect()
}
