use alloc::vec::Vec;

use super::*;
use crate::{Ecn, Flow, Hosts, IpLens, Packet, Tally};

const LINK: LinkInfo = LinkInfo::new(units::Rate::from_mbit(1000), Bytes(1514));

/// A frame of 1514 bytes that says who sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    source: u64,
    flow: u32,
    dscp: u8,
    ecn: Ecn,
}

impl Packet for Frame {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(1514)
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Flow for Frame {
    fn flow_hash(&self, salt: u64) -> u32 {
        units::mix(u64::from(self.flow) ^ salt) as u32
    }
}

impl Headers for Frame {
    fn dscp(&self) -> Dscp {
        Dscp::from_bits(self.dscp)
    }

    fn set_dscp(&mut self, dscp: Dscp) {
        self.dscp = dscp.bits();
    }

    fn hosts(&self, _store: &()) -> Hosts {
        Hosts { source: self.source, destination: 1 }
    }

    fn ip_lens(&self, _store: &()) -> IpLens {
        IpLens::of_one(Bytes(1500))
    }
}

const FRAME: Frame = Frame { source: 1, flow: 1, dscp: 0, ecn: Ecn::NotEct };

fn cake(text: &str) -> Cake<Frame> {
    let spec: crate::QdiscSpec = text.parse().unwrap();
    match spec {
        crate::QdiscSpec::Cake(spec) => Cake::new(spec, LINK, Rng::new(1)),
        other => panic!("{other}"),
    }
}

/// Keeps each of these frames waiting in the queue for as long as is told, and returns the bytes of
/// each that were sent, and the time of the last departure.
fn saturate(queue: &mut Cake<Frame>, frames: &[Frame], for_span: Span) -> Vec<u64> {
    let (mut now, end) = (Time::ZERO, Time::ZERO + for_span);
    let mut sent = alloc::vec![0; frames.len()];
    for frame in frames {
        (0..5).for_each(|_| queue.enqueue(*frame, now, &mut ()));
    }
    while now < end {
        match queue.dequeue(now, &mut ()) {
            Dequeued::Packet { packet, .. } => {
                let same =
                    |frame: &&Frame| (frame.source, frame.flow) == (packet.source, packet.flow);
                let place = frames.iter().position(|frame| same(&frame)).unwrap();
                sent[place] += packet.len().0;
                queue.enqueue(frames[place], now, &mut ());
            }
            Dequeued::NotBefore(time) => now = time,
            Dequeued::Empty => panic!("frames wait"),
        }
    }
    sent
}

/// `cake_set_rate`: target and interval of the only tin, in microseconds, and its quantum.
#[test]
fn a_slow_link_has_a_longer_target() {
    for (bandwidth, target, interval, quantum) in [
        ("300kbit", 60_559, 155_559, 300),
        ("512kbit", 35_484, 130_484, 300),
        ("1mbit", 18_168, 113_168, 300),
        ("2mbit", 9_084, 104_084, 300),
        ("3633kbit", 5_000, 100_000, 300),
        ("10mbit", 5_000, 100_000, 305),
        ("49mbit", 5_000, 100_000, 1495),
        ("50mbit", 5_000, 100_000, 1514),
    ] {
        let stats = CakeStats::of(&cake(&alloc::format!("cake besteffort bandwidth {bandwidth}")));
        let tin = stats.tins[0];
        let micros = |span: Span| span.as_nanos() / 1000;
        assert_eq!((micros(tin.interval), tin.flow_quantum), (interval, quantum), "{bandwidth}");
        assert!(micros(tin.target).abs_diff(target) <= 1, "{bandwidth}: {}", tin.target);
    }
}

/// `cake_reconfigure`: four round trips, within limits.
#[test]
fn memory_is_limited() {
    for (text, bytes) in [
        ("cake bandwidth 10mbit", 4 << 20),
        ("cake bandwidth 100mbit", 5_000_000),
        ("cake bandwidth 1gbit", 10_240 * 1514),
        ("cake", 10_240 * 1514),
        ("cake bandwidth 10mbit memlimit 64kb", 65_536),
        ("cake memlimit 32mb", 32 << 20),
    ] {
        assert_eq!(CakeStats::of(&cake(text)).memory_limit, Bytes(bytes), "{text}");
    }
}

#[test]
fn the_shaper_charges_what_the_link_carries() {
    for (text, on_link) in [
        ("cake bandwidth 10mbit besteffort", 1514),
        ("cake bandwidth 10mbit besteffort overhead 0", 1500),
        ("cake bandwidth 10mbit besteffort docsis", 1518),
        ("cake bandwidth 10mbit besteffort pppoe-llcsnap", 1749),
    ] {
        let sent = saturate(&mut cake(text), &[FRAME], Span::from_secs(2))[0];
        let charged = sent / 1514 * on_link;
        assert!(charged.abs_diff(2_500_000) <= on_link, "{text}: {charged} of 2500000");
    }
}

/// One flow of a host against four of another.
#[test]
fn isolation_shares_by_flow_or_by_host() {
    let flow = |source, flow| Frame { source, flow, ..FRAME };
    let frames = [flow(1, 10), flow(2, 20), flow(2, 21), flow(2, 22), flow(2, 23)];
    for (isolation, first) in [
        ("flows", 0.2),
        ("srchost", 0.5),
        ("dual-srchost", 0.5),
        ("triple-isolate", 0.2),
        ("dsthost", 0.2),
        ("dual-dsthost", 0.2),
    ] {
        let mut queue =
            cake(&alloc::format!("cake bandwidth 50mbit rtt 1000s besteffort {isolation}"));
        let sent = saturate(&mut queue, &frames, Span::from_secs(10));
        let share = sent[0] as f64 / sent.iter().sum::<u64>() as f64;
        // `dsthost` puts all into one queue, which is served in the order of arrivals.
        assert!((share - first).abs() < 0.01, "{isolation}: {share}");
    }
}

/// Voice goes first up to a quarter of the rate; bulk goes before best effort up to a sixteenth, as
/// in Linux, whose order of tins is not that of tc's statistics.
#[test]
fn a_new_flow_waits_behind_all_only_where_all_share_a_queue() {
    let waits = |text: &str| {
        let mut queue = cake(text);
        (0..100).for_each(|_| queue.enqueue(FRAME, Time::ZERO, &mut ()));
        (
            queue.ahead_of_new_flow().0 / 1514,
            queue.hold_of_new_flow(Time::ZERO).as_nanos() / 1_000_000,
        )
    };
    // At 10 Mbit/s a frame takes 1.2112 ms.
    assert_eq!(waits("cake bandwidth 10mbit besteffort flowblind"), (100, 121));
    assert_eq!(waits("cake bandwidth 10mbit besteffort flows"), (1, 1));
}

/// Of 1000 flows a set of eight queues has 7.8 in the mean, so that a new flow most likely shares a
/// queue; of 950 it has 7.4, so that the new flow most likely has one of its own.
#[test]
fn a_new_flow_beside_a_thousand_waits_behind_about_all() {
    let packets_ahead = |flows: u32| {
        let mut queue = cake("cake bandwidth 10mbit besteffort flows");
        for flow in 0..flows {
            (0..3).for_each(|_| queue.enqueue(Frame { flow, ..FRAME }, Time::ZERO, &mut ()));
        }
        queue.ahead_of_new_flow().0 / 1514
    };
    // A packet of each queue; some flows share one.
    assert!((800..950).contains(&packets_ahead(950)));
    // All packets that the memory holds.
    assert_eq!(packets_ahead(1000), packets_ahead(1500));
    assert!(packets_ahead(1000) > 1700);
}

#[test]
fn a_bandwidth_ends_autorate_even_if_it_is_the_first_one() {
    let mut queue = cake("cake bandwidth 20mbit autorate-ingress besteffort");
    let mut now = Time::ZERO;
    for _ in 0..5000 {
        queue.enqueue(FRAME, now, &mut ());
        let _ = queue.dequeue(now, &mut ());
        now += Span::from_millis(2);
    }
    let Some(before) = queue.rate else { panic!("unlimited") };
    assert!(before < 2_500_000, "{before}");
    queue.change(cake("cake bandwidth 20mbit besteffort"), now, &mut ()).unwrap();
    assert_eq!(queue.rate, Some(2_500_000));
}

#[test]
fn tins_have_priority_up_to_their_thresholds() {
    let class = |flow, dscp| Frame { flow, dscp, ..FRAME };
    let mut queue = cake("cake bandwidth 16mbit rtt 1000s diffserv3");
    let frames = [class(1, 0), class(2, 8), class(3, 46)];
    let sent = saturate(&mut queue, &frames, Span::from_secs(10));
    let total = sent.iter().sum::<u64>() as f64;
    let shares: Vec<f64> = sent.iter().map(|sent| *sent as f64 / total).collect();
    for (share, expected) in shares.iter().zip([11.0 / 16.0, 1.0 / 16.0, 4.0 / 16.0]) {
        assert!((share - expected).abs() < 0.01, "{shares:?}");
    }
    let stats = CakeStats::of(&queue);
    let thresholds: Vec<_> = stats.tins.iter().map(|tin| tin.threshold_rate).collect();
    assert_eq!(thresholds, [125_000, 2_000_000, 500_000]);
}

#[test]
fn code_points_are_washed_once_they_have_chosen_a_tin() {
    let mut queue = cake("cake wash");
    queue.enqueue(Frame { dscp: 46, ..FRAME }, Time::ZERO, &mut ());
    assert_eq!(CakeStats::of(&queue).tins[2].sent_packets, 1, "voice");
    let Dequeued::Packet { packet, .. } = queue.dequeue(Time::ZERO, &mut ()) else {
        panic!("a packet waits")
    };
    assert_eq!(packet.dscp, 0);
}

/// Fewer tins: the packets of those that are no more are discarded.
#[test]
fn tins_come_and_go_while_packets_wait() {
    let (mut queue, mut tally) = (cake("cake bandwidth 1mbit diffserv8"), Tally::default());
    for dscp in [0, 46, 48, 1] {
        queue.enqueue(Frame { dscp, ..FRAME }, Time::ZERO, &mut tally);
    }
    queue.change(cake("cake bandwidth 1mbit diffserv3"), Time::ZERO, &mut tally).unwrap();
    // `diffserv8` has EF in tin 6 and CS6 in tin 7; best effort in tin 2 stays.
    assert_eq!((tally.discarded.packets, queue.backlog().packets), (2, 2));
    queue.change(cake("cake bandwidth 1mbit precedence"), Time::ZERO, &mut tally).unwrap();
    queue.enqueue(Frame { dscp: 56, ..FRAME }, Time::ZERO, &mut tally);
    assert_eq!(CakeStats::of(&queue).tins[7].sent_packets, 1);
}

#[test]
fn the_fattest_flow_loses_when_memory_runs_out() {
    let (mut queue, mut tally) = (cake("cake bandwidth 1mbit memlimit 64kb"), Tally::default());
    queue.enqueue(FRAME, Time::ZERO, &mut tally);
    (0..40).for_each(|_| queue.enqueue(Frame { flow: 2, ..FRAME }, Time::ZERO, &mut tally));
    // 28 packets of 2304 bytes each fit.
    assert_eq!((queue.backlog().packets, tally.overflowed), (28, 13));
    let stats = CakeStats::of(&queue);
    assert_eq!((stats.memory_used, stats.tins[1].unresponsive_flows), (Bytes(29 * 2304), 1));
}

/// The figures of an idle queue of a real CAKE.
#[test]
fn statistics_of_an_idle_queue() {
    let stats = CakeStats::of(&cake("cake bandwidth 10mbit diffserv3"));
    assert_eq!((stats.memory_used, stats.memory_limit), (Bytes(0), Bytes(4 << 20)));
    assert_eq!((stats.rate, stats.capacity_estimate), (Some(1_250_000), 1_250_000));
    let of_tins = |figure: fn(&TinStats) -> u64| stats.tins.iter().map(figure).collect::<Vec<_>>();
    assert_eq!(of_tins(|tin| tin.threshold_rate), [78_125, 1_250_000, 312_500]);
    assert_eq!(of_tins(|tin| tin.target.as_nanos() / 1000), [29_068, 5_000, 7_267]);
    assert_eq!(of_tins(|tin| tin.interval.as_nanos() / 1000), [124_068, 100_000, 102_267]);
    assert_eq!(of_tins(|tin| tin.flow_quantum), [300, 305, 300]);
}

/// What a real tc printed of a real CAKE (iproute2 6.1, Linux 6.1), and we read.
#[test]
fn what_tc_prints_reads_and_prints_the_same() {
    let rest = "split-gso rtt 100ms raw overhead 0";
    for text in [
        "bandwidth 10Mbit besteffort triple-isolate nonat nowash no-ack-filter split-gso rtt \
         100ms raw overhead 0",
        "bandwidth 300Kbit besteffort triple-isolate nonat nowash ack-filter split-gso rtt 100ms \
         raw overhead 0",
        "bandwidth 300Kbit besteffort triple-isolate nonat nowash ack-filter-aggressive \
         split-gso rtt 100ms raw overhead 0",
        "bandwidth 2Mbit besteffort triple-isolate nonat nowash no-ack-filter split-gso rtt \
         100ms noatm overhead 38 mpu 84",
        "bandwidth 2Mbit besteffort triple-isolate nonat nowash no-ack-filter split-gso rtt \
         100ms atm overhead 44",
        "bandwidth 2Mbit besteffort triple-isolate nonat nowash no-ack-filter split-gso rtt \
         100ms ptm overhead 30",
        "bandwidth 9Mbit besteffort triple-isolate nonat nowash ingress no-ack-filter split-gso \
         rtt 100ms raw overhead 0",
        "bandwidth 9071Kbit autorate-ingress besteffort triple-isolate nonat nowash \
         no-ack-filter split-gso rtt 100ms raw overhead 0",
        "bandwidth 10Mbit diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 30ms \
         raw overhead 0",
        "bandwidth 10Mbit diffserv8 dual-srchost nat wash no-ack-filter no-split-gso rtt 10ms \
         raw overhead 0 memlimit 64Kb",
        "bandwidth 10Mbit precedence srchost nonat nowash no-ack-filter split-gso rtt 100ms raw \
         overhead 0 fwmark 0xff",
    ] {
        let shown = alloc::format!("qdisc cake 10: dev r1 root refcnt 2 {text} ");
        let spec: crate::QdiscSpec = shown.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(alloc::format!("{spec}"), alloc::format!("cake {text}"));
    }
    let default = crate::QdiscSpec::from(CakeSpec::default());
    let printed = "unlimited diffserv3 triple-isolate nonat nowash no-ack-filter";
    assert_eq!(alloc::format!("{default}"), alloc::format!("cake {printed} {rest}"));
    let shown = alloc::format!("cake bandwidth {printed} {rest}");
    assert_eq!(shown.parse(), Ok(default), "tc shows what it does not take");
}

/// Words that stand for several settings, and what tc prints of them.
#[test]
fn words_of_link_layers_add_up() {
    let framing = |text: &str| {
        let spec: crate::QdiscSpec = alloc::format!("cake {text}").parse().unwrap();
        let shown = alloc::format!("{spec}");
        let (_, framing) = shown.split_once("rtt 100ms ").unwrap();
        alloc::string::String::from(framing)
    };
    for (text, shown) in [
        ("", "raw overhead 0"),
        ("raw", "raw overhead 0"),
        ("overhead 0", "noatm overhead 0"),
        ("noatm overhead -14", "noatm overhead -14"),
        ("conservative", "atm overhead 48"),
        ("pppoe-ptm ether-vlan ether-vlan", "ptm overhead 38"),
        ("pppoe-llcsnap", "atm overhead 40"),
        ("pppoe-vcmux", "atm overhead 32"),
        ("pppoa-vcmux", "atm overhead 10"),
        ("pppoa-llc", "atm overhead 14"),
        ("bridged-vcmux", "atm overhead 24"),
        ("bridged-llcsnap", "atm overhead 32"),
        ("bridged-ptm", "ptm overhead 22"),
        ("ipoa-vcmux", "atm overhead 8"),
        ("ipoa-llcsnap", "atm overhead 16"),
        ("docsis", "noatm overhead 18 mpu 64"),
        ("ethernet via-ethernet", "noatm overhead 38 mpu 84"),
        ("ethernet ether-vlan", "noatm overhead 42 mpu 84"),
        ("overhead 30 mpu 68 ptm", "ptm overhead 30 mpu 68"),
        ("atm", "raw atm overhead 0"),
        ("overhead 256 ether-vlan", "noatm overhead 256 ether-vlan"),
        ("overhead 254 ipoa-vcmux", "atm overhead 254 ether-vlan ether-vlan"),
    ] {
        assert_eq!(framing(text), shown, "{text}");
    }
    for (preset, rtt) in [("datacentre", "100us"), ("lan", "1ms"), ("interplanetary", "1000s")] {
        let spec: crate::QdiscSpec = alloc::format!("cake {preset}").parse().unwrap();
        assert!(alloc::format!("{spec}").contains(&alloc::format!(" rtt {rtt} ")), "{spec}");
    }
}

/// Values in every form that tc takes, and what tc prints of them (iproute2, `get_rate64`,
/// `get_size`, `get_time`, `get_u32`).
#[test]
fn values_are_those_of_tc() {
    for (text, shown) in [
        ("bandwidth 10000000", "bandwidth 10Mbit "),
        ("bandwidth 10MBit", "bandwidth 10Mbit "),
        ("bandwidth 1e6bit", "bandwidth 1Mbit "),
        ("bandwidth 1mbps", "bandwidth 8Mbit "),
        ("bandwidth 1MBps", "bandwidth 8Mbit "),
        ("bandwidth 125kbps", "bandwidth 1Mbit "),
        ("bandwidth 1kibit", "bandwidth 1024bit "),
        ("bandwidth 1tibps", "bandwidth 8796093022208bit "),
        ("bandwidth 15bit", "bandwidth 8bit "),
        ("rtt 100", "rtt 100us "),
        ("rtt 1.5us", "rtt 1us "),
        ("rtt 1e4USEC", "rtt 10ms "),
        ("rtt 2Sec", "rtt 2s "),
        ("memlimit 32mbit", "memlimit 4Mb"),
        ("memlimit 1e6b", "memlimit 1000000b"),
        ("memlimit 4294967295", "memlimit 4294967295b"),
        ("fwmark 017", "fwmark 0xf"),
        ("fwmark 0XFF", "fwmark 0xff"),
        ("fwmark 10", "fwmark 0xa"),
    ] {
        let spec: crate::QdiscSpec =
            alloc::format!("cake {text}").parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(alloc::format!("{spec} ").contains(shown), "{text}: {spec}");
    }
    let limited: crate::QdiscSpec = "cake memlimit 64kb".parse().unwrap();
    let changed = limited.changed("cake wash memlimit 0").unwrap();
    assert!(alloc::format!("{changed}").ends_with("memlimit 64Kb"), "{changed}");
    assert_eq!("cake memlimit 0".parse(), Ok(crate::QdiscSpec::from(CakeSpec::default())));
}

#[test]
fn values_that_tc_cannot_hold_are_refused() {
    for (text, part) in [
        ("bandwidth 1bit", "`8bit` is the least"),
        ("bandwidth 0", "`8bit` is the least"),
        ("bandwidth 18", "write `18mbit`"),
        ("bandwidth 18000", "has no unit"),
        ("bandwidth 10Mbps", "bytes per second for tc, and in bits per second elsewhere"),
        ("bandwidth 10Mbps", "for bits write `mbit`, for bytes `MBps`"),
        ("bandwidth 1e30", "unit"),
        ("bandwidth -5mbit", "-5mbit"),
        ("bandwidth 5mbix", "`mbix`"),
        ("rtt 0.5us", "`1us` is the least"),
        ("rtt 0", "`1us` is the least"),
        ("rtt 5000s", "4294s"),
        ("rtt 1e300", "4294s"),
        ("memlimit 4gb", "4294967295"),
        ("memlimit 10p", "in bytes"),
        ("fwmark 08", "0xff"),
        ("fwmark 0x", "0xff"),
        ("fwmark 0x100000000", "0xff"),
    ] {
        let error = alloc::format!("cake {text}").parse::<crate::QdiscSpec>().unwrap_err();
        assert!(alloc::format!("{error}").contains(part), "{text}: {error}");
    }
}

/// As tc does, a change keeps what it does not name, and overheads are counted anew.
#[test]
fn a_change_keeps_what_it_does_not_name() {
    let before: crate::QdiscSpec =
        "cake bandwidth 10mbit diffserv4 nat ack-filter pppoe-ptm mpu 68".parse().unwrap();
    let after = before.changed("cake bandwidth 5mbit ether-vlan").unwrap();
    let kept = "bandwidth 5Mbit diffserv4 triple-isolate nat nowash ack-filter split-gso";
    let expected = alloc::format!("cake {kept} rtt 100ms ptm overhead 4 mpu 68");
    assert_eq!(alloc::format!("{after}"), expected);
}

/// Acknowledgements of a download fit through a slow upload, since later ones replace earlier ones.
#[test]
fn acknowledgements_are_filtered() {
    let counts = |filter: &str| {
        let spec: crate::QdiscSpec =
            alloc::format!("cake bandwidth 1mbit {filter}").parse().unwrap();
        let mut queue = spec.build::<Ack>(LINK, Rng::new(1));
        let mut tally = Tally::default();
        for number in 0..100 {
            queue.enqueue(Ack(number), Time::ZERO, &mut tally);
        }
        (queue.backlog().packets, tally.superseded)
    };
    // One redundant acknowledgement may stay behind the one that is first.
    assert_eq!(counts("no-ack-filter"), (100, 0));
    assert_eq!(counts("ack-filter"), (2, 98));
    assert_eq!(counts("ack-filter-aggressive"), (1, 99));
}

/// An acknowledgement of this number.
#[derive(Clone, Copy, Debug)]
struct Ack(u32);

impl Packet for Ack {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(66)
    }

    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    fn set_ce(&mut self) {}
}

impl Flow for Ack {
    fn flow_hash(&self, _salt: u64) -> u32 {
        7
    }
}

impl Headers for Ack {
    fn tcp(&self, _store: &()) -> Option<crate::TcpHeader> {
        Some(crate::TcpHeader { flags: 16, ack: self.0, ..crate::TcpHeader::default() })
    }
}
