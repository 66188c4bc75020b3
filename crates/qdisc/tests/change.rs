//! The laws of queues whose settings change while packets wait, over every discipline.

use proptest::collection::vec;
use proptest::prelude::*;
use qdisc::history::{Fates, Probe};
use qdisc::{
    AnyQdisc, Backlog, Cause, ChangeError, Dequeued, Ecn, LinkInfo, Qdisc, QdiscSpec, Signals,
};
use units::{Bytes, Rate, Rng, Span, Time};

const LINK: LinkInfo = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));

fn spec(text: &str) -> QdiscSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn build(spec: &QdiscSpec, seed: u64) -> AnyQdisc<Probe> {
    spec.build(LINK, Rng::new(seed))
}

/// Options to change to, of which each discipline knows some: most of them make limits smaller.
const OPTIONS: &[&str] = &[
    "limit 3",
    "limit 20",
    "limit 70",
    "limit 4000b",
    "limit 30000b",
    "target 1ms",
    "target 50ms",
    "interval 1ms",
    "interval 200ms",
    "ecn",
    "noecn",
    "quantum 300",
    "memory_limit 5000b",
    "drop_batch 1",
    "overflow linux",
    "ce_threshold 1ms",
    "alpha 1",
    "beta 30",
    "tupdate 30ms",
    "bytemode",
    "dq_rate_estimator",
    "max 9",
    "target 4",
    "increment 0.1",
    "decrement 0.1",
    "freeze_time 10ms",
    "rehash 1ms",
    "min 2000 limit 30000b",
    "auto limit 9000b",
    "mtu 600",
    "min 3000 max 9000 limit 40000 avpkt 700 burst 5 adaptive",
    "penalty_rate 1",
    "bandwidth 2mbit",
    "unlimited",
    "rtt 1ms",
    "memlimit 9kb",
    "ack-filter",
    "no-ack-filter",
    "ingress",
    "pppoe-ptm",
];

/// The settings after a change to these options; `None` if the queue has no such options.
fn changed(present: &QdiscSpec, options: &str) -> Option<QdiscSpec> {
    present.changed(&format!("{} {options}", present.kind())).ok()
}

/// An event of a queue.
#[derive(Clone, Debug)]
enum Step {
    Pass(u64),
    Arrive {
        len: u64,
        flow: u8,
        ecn: bool,
        packets: u64,
    },
    Depart,
    /// A change to the options with this index.
    Change(usize),
    /// A change to the settings that the queue has.
    Same,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let packets = prop_oneof![4 => Just(1_u64), 1 => 2_u64..9];
    let arrive = (1_u64..1515, 0_u8..6, any::<bool>(), packets)
        .prop_map(|(len, flow, ecn, packets)| Step::Arrive { len, flow, ecn, packets });
    let step = prop_oneof![
        40 => (0_u64..3_000).prop_map(Step::Pass),
        1 => (0_u64..100_000_000).prop_map(Step::Pass),
        100 => arrive,
        60 => Just(Step::Depart),
        4 => (0..OPTIONS.len()).prop_map(Step::Change),
        2 => Just(Step::Same),
    ];
    vec(step, 0..800)
}

/// Runs the steps, then empties the queue, and checks that each packet meets one fate, that flows
/// keep their order, and that the backlog is what is left. `same` says whether changes to the
/// present settings are made.
fn run(text: &str, steps: &[Step], same: bool) -> Result<Fates, TestCaseError> {
    let (mut present, mut outcome) = (spec(text), Fates::default());
    let (mut queue, mut now, mut came) = (build(&present, 7), Time::ZERO, Backlog::default());
    let mut id = 0;
    for step in steps {
        match *step {
            Step::Pass(micros) => now += Span::from_micros(micros),
            Step::Arrive { len, flow, ecn, packets } => {
                let ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
                let probe =
                    Probe { id, flow, len: Bytes(len), ecn, packets, wrongly_marked: false };
                id += 1;
                came += Backlog::of(&probe);
                queue.enqueue(probe, now, &mut outcome);
            }
            Step::Depart => drop(depart(&mut queue, now, &mut outcome)),
            Step::Change(index) => {
                let Some(next) = changed(&present, OPTIONS[index]) else { continue };
                // The random numbers of `like` must not matter.
                let like = build(&next, id);
                let result = queue.change(like, now, &mut outcome);
                prop_assert_eq!(result, Ok(()), "{} to {}", present, next);
                present = next;
            }
            Step::Same if same => {
                let (drops, before) = (outcome.dropped.len(), queue.backlog());
                prop_assert_eq!(queue.change(build(&present, id), now, &mut outcome), Ok(()));
                let after = (outcome.dropped.len(), queue.backlog());
                prop_assert_eq!(after, (drops, before), "{}", present);
            }
            Step::Same => {}
        }
        let gone = outcome.sent.iter().map(|(_, probe)| probe);
        let gone = gone.chain(outcome.dropped.iter().map(|(_, probe, _)| probe));
        let mut all = queue.backlog();
        gone.for_each(|probe| all += Backlog::of(probe));
        prop_assert_eq!(all, came, "{}", present);
    }
    while let Some(next) = depart(&mut queue, now, &mut outcome) {
        now = next.max(now + Span::from_micros(100));
    }
    prop_assert_eq!(queue.backlog(), Backlog::default());
    let mut last = [None; 6];
    for (_, probe) in &outcome.sent {
        let before = last[usize::from(probe.flow)].replace(probe.id);
        prop_assert!(before < Some(probe.id), "{}: {:?} overtook its flow", text, probe);
    }
    prop_assert!(outcome.marked.iter().all(|(_, probe, _)| !probe.wrongly_marked));
    Ok(outcome)
}

/// The time from which another packet may come out; `None` if nothing waits.
fn depart(queue: &mut AnyQdisc<Probe>, now: Time, outcome: &mut Fates) -> Option<Time> {
    match queue.dequeue(now, outcome) {
        Dequeued::Packet { packet, .. } => {
            outcome.sent.push((now, packet));
            Some(now)
        }
        Dequeued::NotBefore(time) => Some(time),
        Dequeued::Empty => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_queue_that_changes_keeps_the_laws(steps in steps()) {
        for text in QdiscSpec::examples() {
            run(text, &steps, true)?;
        }
    }

    /// A change to the settings that a queue has can be left out.
    #[test]
    fn a_change_to_the_same_settings_changes_nothing(steps in steps()) {
        for text in QdiscSpec::examples() {
            prop_assert_eq!(run(text, &steps, true)?, run(text, &steps, false)?, "{}", text);
        }
    }
}

/// The fates of all packets that these steps bring, but for changes, until the queue is empty.
fn play(queue: &mut AnyQdisc<Probe>, steps: &[Step]) -> Fates {
    let (mut outcome, mut now) = (Fates::default(), Time::ZERO);
    for (id, step) in (0..).zip(steps) {
        match *step {
            Step::Pass(micros) => now += Span::from_micros(micros),
            Step::Arrive { len, flow, ecn, packets } => {
                let ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
                let len = Bytes(len);
                let probe = Probe { id, flow, len, ecn, packets, wrongly_marked: false };
                queue.enqueue(probe, now, &mut outcome);
            }
            Step::Depart => drop(depart(queue, now, &mut outcome)),
            Step::Change(_) | Step::Same => {}
        }
    }
    while let Some(next) = depart(queue, now, &mut outcome) {
        now = next.max(now + Span::from_micros(100));
    }
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// A change gives a queue each setting that it names: an empty queue then does what one does
    /// that had the settings from its beginning.
    #[test]
    fn a_changed_queue_is_the_one_that_was_asked_for(steps in steps()) {
        // A change gives `sfb` new keys for its bins, drawn from other random numbers.
        for text in QdiscSpec::examples().filter(|text| !text.starts_with("sfb")) {
            let present = spec(text);
            for next in OPTIONS.iter().filter_map(|options| changed(&present, options)) {
                let (mut queue, mut meant) = (build(&present, 7), build(&next, 7));
                prop_assert_eq!(queue.change(build(&next, 8), Time::ZERO, &mut ()), Ok(()));
                let (found, expected) = (play(&mut queue, &steps), play(&mut meant, &steps));
                prop_assert!(found == expected, "{} to {}", present, next);
            }
        }
    }
}

/// Every discipline has options among those above, or the laws would say nothing of it.
#[test]
fn every_discipline_changes() {
    for text in QdiscSpec::examples() {
        let present = spec(text);
        let others = OPTIONS.iter().filter_map(|options| changed(&present, options));
        assert!(others.filter(|next| *next != present).count() > 1, "{text}");
    }
}

/// Notes the numbers of the packets that are dropped.
#[derive(Default)]
struct Dropped(Vec<u64>);

impl Signals<Probe> for Dropped {
    fn dropped(&mut self, packet: Probe, cause: Cause, _now: Time) {
        assert_eq!(cause, Cause::Discarded);
        self.0.push(packet.id);
    }

    fn marked(&mut self, _packet: &Probe, _cause: Cause, _now: Time) {}

    fn store(&self) -> &() {
        &()
    }
}

/// The packets that a change drops of ten that wait: each has 1000 bytes; the odd ones are of
/// another flow than the even ones.
fn dropped_of_ten(text: &str, change: &str) -> Vec<u64> {
    let present = spec(text);
    let (mut queue, now) = (build(&present, 7), Time::ZERO);
    for id in 0..10 {
        let (len, ecn) = (Bytes(1000), Ecn::NotEct);
        let flow = (id % 2) as u8;
        queue.enqueue(
            Probe { id, flow, len, ecn, packets: 1, wrongly_marked: false },
            now,
            &mut (),
        );
    }
    let mut dropped = Dropped::default();
    let like = build(&present.changed(change).unwrap(), 1);
    queue.change(like, now, &mut dropped).unwrap();
    assert_eq!(queue.backlog().packets, 10 - dropped.0.len() as u64);
    dropped.0
}

/// The `change` functions of net/sched in Linux: sch_fifo.c drops nothing, sch_codel.c and
/// sch_pie.c drop from the head, sch_fq_codel.c drops what would be sent next, sch_red.c and
/// sch_sfb.c begin with an empty queue.
#[test]
fn a_smaller_limit_drops_what_linux_drops() {
    for (text, change, dropped) in [
        ("pfifo limit 20", "pfifo limit 4", &[][..]),
        ("bfifo limit 20000", "bfifo limit 4000", &[]),
        ("pfifo limit 20 headdrop", "pfifo limit 4", &[]),
        ("codel limit 20", "codel limit 6", &[0, 1, 2, 3]),
        ("cobalt limit 20", "cobalt limit 6", &[0, 1, 2, 3]),
        ("blue limit 20", "blue limit 6", &[0, 1, 2, 3]),
        ("pie limit 20", "pie limit 6", &[0, 1, 2, 3]),
        // A quantum of 1514 bytes is two packets of 1000.
        ("fq_codel limit 20", "fq_codel limit 5", &[0, 2, 1, 3, 4]),
        ("fq_codel limit 20", "fq_codel memory_limit 7000b", &[0, 2, 1]),
        ("fq_cobalt limit 20", "fq_cobalt limit 5", &[0, 2, 1, 3, 4]),
        ("red limit 400000", "red limit 500000", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("red limit 400000", "red limit 400000", &[]),
        ("sfb", "sfb limit 900", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("sfb", "sfb limit 1000", &[]),
    ] {
        assert_eq!(dropped_of_ten(text, change), dropped, "{text} to {change}");
    }
}

/// tc leaves options that are not named as they are, but fills in all of those of `red` and `sfb`.
#[test]
fn options_that_are_not_named_stay_where_they_do_in_tc() {
    for (text, change, expected) in [
        ("codel limit 50 ecn", "codel target 9ms", "codel limit 50 ecn target 9ms"),
        ("codel ecn", "codel noecn", "codel"),
        ("fq_codel flows 64 noecn", "fq_codel limit 9", "fq_codel flows 64 noecn limit 9"),
        ("fq_codel flows 64", "fq_codel flows 64 quantum 300", "fq_codel flows 64 quantum 300"),
        ("pie limit 9 ecn", "pie alpha 4", "pie limit 9 ecn alpha 4"),
        ("pfifo_head_drop limit 9", "pfifo limit 8", "pfifo limit 8 headdrop"),
        ("red limit 400000 adaptive", "red limit 500000", "red limit 500000"),
        ("sfb limit 9 noecn", "sfb max 30", "sfb max 30"),
        ("sfb limit 9 noecn", "sfb", "sfb"),
        ("codel", "tc qdisc change dev eth0 root codel limit 5", "codel limit 5"),
    ] {
        assert_eq!(spec(text).changed(change).unwrap(), spec(expected), "{text} to {change}");
    }
}

#[test]
fn what_cannot_change_is_refused_with_a_reason() {
    for (text, change, offset, reason) in [
        ("codel", "fq_codel", 0, "`codel` cannot become `fq_codel` while it runs"),
        ("codel", " cake", 1, "`codel` cannot become `cake`"),
        ("fq_codel", "fq_codel flows 9", 0, "`flows`, the number of queues"),
        ("fq_cobalt", "fq_cobalt flows 9", 0, "`flows`, the number of queues"),
        ("codel", "codel variant linux", 0, "the variant of an algorithm cannot change"),
        ("pie", "pie variant linux", 0, "the variant of an algorithm cannot change"),
        ("pfifo", "pfifo headdrop", 0, "the end from which a queue drops cannot change"),
        ("codel", "codel tarhget 9ms", 6, "has no option `tarhget`"),
        ("codel", "target 9ms", 0, "`target` is an option, and the name of the queue comes first"),
        ("red limit 400000", "limit 9", 0, "write `red limit ...`"),
        ("codel", "target soon", 0, "write `codel target ...`"),
        ("codel target 9ms", " codel", 1, "`codel` alone changes nothing"),
        ("sfb", "tc qdisc change dev eth0 root sfb", 30, "`sfb` alone changes nothing"),
    ] {
        let error = spec(text).changed(change).unwrap_err();
        assert!(error.message.contains(reason), "{text} to {change}: {error}");
        assert_eq!(error.offset, offset, "{text} to {change}");
    }
    let (mut codel, pie) = (build(&spec("codel"), 1), build(&spec("pie"), 1));
    assert_eq!(codel.change(pie, Time::ZERO, &mut ()), Err(ChangeError::Kind));
}

/// A change of the rate alone is the same as a change to settings with that rate.
#[test]
fn a_rate_changes_as_settings_with_it_do() {
    let (before, after) =
        (spec("cake bandwidth 8mbit diffserv4"), spec("cake bandwidth 2mbit diffserv4"));
    let outcome = |change: fn(&mut AnyQdisc<Probe>, AnyQdisc<Probe>, Time) -> bool| {
        let mut queue = build(&before, 1);
        let mut left = Vec::new();
        let offer = |queue: &mut AnyQdisc<Probe>, from: u64| {
            for id in from..from + 40 {
                let packet = Probe {
                    id,
                    flow: (id % 3) as u8,
                    len: Bytes(1000),
                    ecn: Ecn::NotEct,
                    packets: 1,
                    wrongly_marked: false,
                };
                queue.enqueue(packet, Time::from_millis(id), &mut ());
            }
        };
        offer(&mut queue, 0);
        assert!(change(&mut queue, build(&after, 2), Time::from_millis(40)));
        offer(&mut queue, 40);
        let mut now = Time::from_millis(80);
        loop {
            match queue.dequeue(now, &mut ()) {
                Dequeued::Packet { packet, sojourn } => left.push((packet.id, sojourn, now)),
                Dequeued::NotBefore(time) => now = time,
                Dequeued::Empty => return (left, queue.stats(now)),
            }
        }
    };
    let by_rate = outcome(|queue, _, _| queue.change_rate(Rate::from_mbit(2)));
    let by_settings = outcome(|queue, like, now| queue.change(like, now, &mut ()).is_ok());
    assert!(by_rate.0.len() > 40);
    assert_eq!(by_rate, by_settings);
    for text in ["fq_codel", "pfifo", "cake"] {
        assert!(!build(&spec(text), 1).change_rate(Rate::from_mbit(2)), "{text} has no rate");
    }
}
