//! Texts that users write and paste: their meaning, and the messages of those that are refused.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use units::{Prob, Rate, Rng, Span};

use super::codel::CoDelVariant;
use super::pie::{PieDelay, PieVariant};
use super::red::{RedThresholds, RedVariant, RedWeight};
use super::*;
use crate::history::{Fates, Probe};

mod any_text;
mod refusals;

const LINK: LinkInfo = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));

fn spec(text: &str) -> QdiscSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Names alone take tc's defaults; our own defaults are spelled out.
#[test]
fn prints_all_defaults() {
    for (text, printed) in [
        ("pfifo", "pfifo limit 1000p"),
        ("bfifo", "bfifo limit 1514000b"),
        ("bfifo limit 256kB", "bfifo limit 250Kb"),
        ("pfifo headdrop limit 100", "pfifo limit 100p headdrop"),
        ("pfifo_head_drop limit 7p", "pfifo limit 7p headdrop"),
        ("codel", "codel limit 1000p target 5ms interval 100ms noecn variant rfc8289"),
        (
            "codel variant paper2012 ecn ce_threshold 1ms",
            "codel limit 1000p target 5ms interval 100ms ce_threshold 1ms ecn variant paper2012",
        ),
        (
            "fq_codel",
            "fq_codel limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms ecn \
             variant rfc8289 memory_limit 32Mb drop_batch 64 overflow rfc8290",
        ),
        (
            "pie",
            "pie limit 1000p target 15ms tupdate 15ms alpha 2 beta 20 noecn nobytemode \
             no_dq_rate_estimator variant rfc8033",
        ),
        ("blue", "blue limit 1000p increment 0.02 decrement 0.002 freeze_time 100ms noecn"),
        ("cobalt target 10ms ecn limit 300", "cobalt limit 300p target 10ms interval 100ms ecn"),
        ("cobalt mtu 1.5Kb", "cobalt limit 1000p target 5ms interval 100ms mtu 1536 noecn"),
        (
            "codel mtu 500 variant paper2012",
            "codel limit 1000p target 5ms interval 100ms mtu 500 noecn variant paper2012",
        ),
        (
            "fq_codel mtu 576b",
            "fq_codel limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms mtu 576 ecn \
             variant rfc8289 memory_limit 32Mb drop_batch 64 overflow rfc8290",
        ),
        (
            "fq_cobalt mtu 576",
            "fq_cobalt limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms mtu 576 ecn \
             memory_limit 32Mb drop_batch 64 overflow rfc8290",
        ),
        (
            "fq_cobalt",
            "fq_cobalt limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms ecn \
             memory_limit 32Mb drop_batch 64 overflow rfc8290",
        ),
        (
            "sfb",
            "sfb rehash 600s db 60s limit 1000p max 25p target 20p increment 0.0005 \
             decrement 0.00005 penalty_rate 10pps penalty_burst 20p ecn",
        ),
        // q_sfb.c: each of the two follows from the other.
        (
            "sfb target 40 noecn penalty_rate 0",
            "sfb rehash 600s db 60s limit 1000p max 50p target 40p increment 0.0005 \
             decrement 0.00005 penalty_rate 0pps penalty_burst 20p noecn",
        ),
        (
            "sfb max 10 rehash 0s increment 1e-3",
            "sfb rehash 0ms db 60s limit 1000p max 10p target 8p increment 0.001 \
             decrement 0.00005 penalty_rate 10pps penalty_burst 20p ecn",
        ),
        // Before the link is known there is nothing to derive.
        (
            "red auto",
            "red auto limit 1500000b delay 0ms avpkt 500b probability 0.1 noecn variant gentle",
        ),
        // The settings of ns-2 for 10 Mbit/s: see `red/tests.rs`.
        (
            "red auto bandwidth 10mbit",
            "red auto limit 1500000b bandwidth 10mbit delay 0ms avpkt 500b min 3125b max 9375b \
             weight 0.0003999200106656001 bottom 0.008 probability 0.1 noecn variant gentle",
        ),
        (
            "red auto bandwidth 1500kbit avpkt 1500 adaptive",
            "red auto limit 1500000b bandwidth 1.5mbit delay 0ms avpkt 1500b min 7500b \
             max 22500b weight 0.00796808516293937 bottom 0.01 probability 0.1 adaptive noecn \
             variant gentle",
        ),
        // The limit leaves room for `max`; settings that are given are kept.
        (
            "red auto bandwidth 1gbit delay 50ms max 1000000",
            "red auto limit 8000000b bandwidth 1gbit delay 50ms avpkt 500b min 312500b \
             max 1000000b weight 0.000002666449795415059 bottom 0.00008 probability 0.1 noecn variant gentle",
        ),
        (
            "red limit 400000 avpkt 1000",
            "red limit 400000b min 33333b max 100000b avpkt 1000b burst 55 probability 0.02 \
             noecn variant 1993",
        ),
        // The limit is eight times max, the burst tc's (2 min + max) / (3 avpkt).
        (
            "red min 25kB max 75kB probability 0.1 avpkt 1514 bandwidth 10mbit adaptive",
            "red limit 600000b min 25000b max 75000b avpkt 1514b burst 27 bandwidth 10mbit \
             probability 0.1 adaptive noecn variant 1993",
        ),
        (
            "red min 20000 variant linux",
            "red limit 480000b min 20000b max 60000b avpkt 1000b burst 33 probability 0.02 noecn \
             variant linux",
        ),
    ] {
        assert_eq!(spec(text).to_string(), printed, "{text}");
        assert_eq!(spec(printed), spec(text), "{text}");
    }
}

/// What is told of a kind is true, and its texts mean what they print.
#[test]
fn kinds_bring_their_texts() {
    struct Defaults;
    impl Visitor for Defaults {
        fn visit<D: Discipline>(&mut self) {
            assert_eq!(spec(D::SHORTEST).to_string(), D::default().to_string());
            assert!(!D::EXAMPLES.is_empty(), "{}", D::KIND);
            for text in D::EXAMPLES {
                assert_eq!(spec(text).kind(), D::KIND, "{text}");
                assert_eq!(spec(&spec(text).to_string()), spec(text), "{text}");
            }
        }
    }
    QdiscSpec::visit_kinds(&mut Defaults);
    let names: Vec<_> = QdiscSpec::KINDS.iter().map(|kind| kind.name).collect();
    assert!(names.iter().all(|name| names.iter().filter(|n| n == &name).count() == 1), "{names:?}");
}

/// Lines as routers print and people type them.
#[test]
fn understands_what_is_pasted() {
    for (text, short) in [
        (
            "qdisc fq_codel 8001: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 \
             target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64 ",
            "fq_codel",
        ),
        (
            "qdisc fq_codel 0: dev wan parent :1 limit 1001p flows 1024 quantum 300 target 5.0ms \
             interval 100.0ms ",
            "fq_codel limit 1001 quantum 300",
        ),
        ("qdisc pfifo 8002: root refcnt 2 limit 1000p", "pfifo"),
        ("qdisc bfifo 1: dev eth0 root refcnt 2 limit 15000b", "bfifo limit 15000"),
        (
            "qdisc codel 8003: dev eth0 root limit 1000p target 4.99ms interval 99.9ms ecn",
            "codel target 4990us interval 99900us ecn",
        ),
        (
            "qdisc pie 8004: dev eth0 root refcnt 2 limit 1000p target 15ms tupdate 16ms alpha 2 \
             beta 20",
            "pie tupdate 16ms",
        ),
        (
            "qdisc red 8005: dev eth0 root refcnt 2 limit 600000b min 25000b max 75000b ecn \
             harddrop adaptive ewma 5 probability 0.1 Scell_log 15",
            "red limit 600000 min 25000 max 75000 ecn harddrop adaptive ewma 5 probability 0.1",
        ),
        (
            "qdisc sfb 8006: dev eth0 root refcnt 2 rehash 600s db 60s limit 1000p max 25p \
             target 20p increment 0.000503548 decrement 4.57771e-05 penalty_rate 10pps \
             penalty_burst 20p",
            "sfb increment 0.000503548 decrement 0.0000457771",
        ),
        ("tc qdisc replace dev eth0 root handle 1: codel ecn", "codel ecn"),
        ("qdisc add dev eth0 root fq_codel", "fq_codel"),
        ("\t pie\n  limit 10p ", "pie limit 10"),
    ] {
        assert_eq!(spec(text), spec(short), "{text}");
    }
}

#[test]
fn options_reach_the_value() {
    let QdiscSpec::Red(red) = spec(
        "red min 25000 max 75000 limit 600000 avpkt 1514 burst 28 bandwidth 10mbit \
         probability 0.1 adaptive ecn",
    ) else {
        panic!("it is red")
    };
    assert_eq!(red.probability, Prob::clamped(0.1));
    assert!(red.adaptive && red.ecn && !red.hard_drop && red.variant == RedVariant::Floyd1993);
    let RedThresholds::Fixed { min, max, average_packet, weight, bandwidth } = red.thresholds
    else {
        panic!("they are given")
    };
    assert_eq!([min, max, average_packet], [25_000, 75_000, 1514].map(Bytes));
    assert_eq!((weight, bandwidth), (RedWeight::Burst(28), Some(Rate::from_mbit(10))));

    let QdiscSpec::Pie(pie) = spec("pie bytemode dq_rate_estimator alpha 0 beta 32 variant linux")
    else {
        panic!("it is pie")
    };
    assert_eq!((pie.alpha, pie.beta, pie.byte_mode), (0, 32, true));
    assert_eq!((pie.delay, pie.variant), (PieDelay::DequeueRate, PieVariant::Linux));

    let QdiscSpec::FqCoDel(fq) =
        spec("fq_codel noecn memory_limit 4Mb quantum 300 flows 65536 target 20ms variant linux")
    else {
        panic!("it is fq_codel")
    };
    assert_eq!((fq.queues.memory_limit, fq.queues.flows), (Bytes(4 << 20), 65_536));
    assert_eq!((fq.codel.ecn, fq.codel.target), (false, Span::from_millis(20)));
    assert_eq!(fq.codel.variant, CoDelVariant::Linux);
}

#[test]
fn builds_what_it_says() {
    for kind in QdiscSpec::KINDS {
        // Two packets, or two bytes.
        let spec = QdiscSpec::with_room(kind.shortest, 2, Bytes(1)).unwrap();
        assert_eq!(spec.kind(), kind.name);
        let mut queue = spec.build(LINK, Rng::new(1));
        for id in 0..3 {
            let (len, ecn) = (Bytes(100), crate::Ecn::NotEct);
            let packet = Probe { id, flow: 0, len, ecn, wrongly_marked: false, packets: 1 };
            queue.enqueue(packet, units::Time::ZERO, &mut ());
        }
        assert!(queue.backlog().packets <= 2, "{spec}");
        assert!(alloc::format!("{:?}", queue.stats(units::Time::ZERO)).len() > 3);
    }
}

/// The number of 500-byte packets lost in 10 s at 512 kbit/s, about 8 ms each, while `standing`
/// packets wait before a link of this MTU.
fn losses(text: &str, standing: u64, mtu: Bytes) -> usize {
    let mut outcome = Fates::default();
    let rate = Rate::from_bits_per_sec(512_000).unwrap();
    let link = LinkInfo::new(rate, mtu);
    let mut queue = spec(text).build(link, Rng::new(1));
    for step in 0..1250 {
        let now = units::Time::from_millis(8 * step);
        // A controller that drops arrivals may let none in.
        for _ in queue.backlog().packets..standing {
            let (id, ecn) = (0, crate::Ecn::NotEct);
            let packet =
                Probe { id, flow: 0, len: Bytes(500), ecn, wrongly_marked: false, packets: 1 };
            queue.enqueue(packet, now, &mut outcome);
        }
        let _ = queue.dequeue(now, &mut outcome);
    }
    outcome.dropped.len()
}

/// RFC 8289 section 4.4: no drop while the link has a full packet or less to send. COBALT spares
/// packets that waited for at most four of them.
#[test]
fn the_mtu_is_the_links_if_nothing_is_said() {
    for (queue, standing) in [("codel", 4), ("fq_codel", 4), ("cobalt", 8), ("fq_cobalt", 8)] {
        let losses = |mtu: &str| losses(&alloc::format!("{queue} {mtu}"), standing, Bytes(1500));
        assert_eq!(losses(""), 0, "{queue}");
        assert_eq!(losses("mtu 1500"), 0, "{queue}");
        assert!(losses("mtu 500") > 50, "{queue}: {}", losses("mtu 500"));
    }
}

/// RFC 8033 section 4.1: no drop while no more than two packets of the mean size wait. That size is
/// the link's MTU, so five packets of 500 bytes are few on one link and many on the other.
#[test]
fn the_mean_packet_of_pie_is_the_links_mtu() {
    for variant in ["rfc8033", "linux"] {
        let losses = |mtu: u64| losses(&alloc::format!("pie variant {variant}"), 5, Bytes(mtu));
        assert_eq!(losses(1500), 0, "{variant}");
        assert!(losses(500) > 20, "{variant}: {}", losses(500));
    }
}

/// The fates of four flows' packets of many lengths, half of them ECN-capable, at 1 Mbit/s: two
/// seconds with more than fits, then one of silence, seven times.
fn fates(text: &str) -> Fates {
    let (rate, mtu) = (Rate::from_mbit(1), Bytes(1500));
    let mut queue = spec(text).build(LinkInfo::new(rate, mtu), Rng::new(1));
    let (mut rng, mut outcome, mut free) = (Rng::new(2), Fates::default(), units::Time::ZERO);
    for millis in 0..21_000 {
        let now = units::Time::from_millis(millis);
        // 782 bytes on average in 4.5 ms: 1.39 times what the link takes.
        if millis % 3_000 < 2_000 && rng.below(9) < 2 {
            let ecn = if rng.below(2) == 0 { crate::Ecn::Ect0 } else { crate::Ecn::NotEct };
            let (flow, len) = (rng.below(4) as u8, Bytes(64 + rng.below(1437)));
            let packet = Probe { id: millis, flow, len, ecn, wrongly_marked: false, packets: 1 };
            queue.enqueue(packet, now, &mut outcome);
        }
        if now >= free
            && let crate::Dequeued::Packet { packet, .. } = queue.dequeue(now, &mut outcome)
        {
            free = now + packet.len / rate;
            outcome.sent.push((now, packet));
        }
    }
    outcome
}

/// Checks that every option that is read and printed also has an effect on the queue. Each case is
/// a queue, and options that each change what becomes of its packets.
pub(super) fn every_option_has_an_effect<S: Syntax>(cases: &[(&str, &[&str])]) {
    let mut changed = Vec::new();
    for (queue, options) in cases {
        let without = fates(queue);
        for option in *options {
            let with = alloc::format!("{queue} {option}");
            assert!(fates(&with) != without, "{with}: the option changes nothing");
            changed.extend(option.split(' ').next());
        }
    }
    // `auto; and with auto also delay, weight`
    let options = S::OPTIONS.split([',', ';']).filter_map(|piece| piece.split(' ').next_back());
    for option in options.filter(|option| !changed.contains(option)) {
        let with = alloc::format!("{} {option}", S::SHORTEST).parse();
        assert!(with == Ok(spec(S::SHORTEST)), "no case shows what `{option}` does");
    }
}
