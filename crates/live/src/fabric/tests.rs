use link::Wire;
use units::{Bytes, DirectionId, PerWay, Rate, Rng, Span, Time};

use super::*;
use crate::{Offload, PartialChecksum, Segmentation};

pub(super) mod rig;

use rig::*;
use turn::Loop;

const MBIT: u64 = 1_000_000;

fn datagrams(count: u16, len: u16) -> Vec<Vec<u8>> {
    (0..count).map(|number| datagram(number, len, 0)).collect()
}

/// However late the loop is, in the link's own time each packet departs, to the nanosecond, once it
/// has been offered and the packet before is sent. It is due one delay after its last bit.
fn assert_keeps_the_rate(log: &Log, direction: DirectionId, bits: u64, delay: Span) {
    let (offered, departed) = (log.of(Fate::Offered, direction), log.of(Fate::Departed, direction));
    let delivered = log.of(Fate::Delivered, direction);
    assert_eq!(departed.len(), offered.len());
    assert_eq!(delivered.len(), offered.len());
    let mut free = Time::ZERO;
    for ((offered, departed), delivered) in offered.iter().zip(&departed).zip(&delivered) {
        assert_eq!(departed.at, offered.at.max(free));
        free = departed.at + Span::from_nanos(u64::from(offered.len) * 8_000_000_000 / bits);
        assert_eq!(delivered.at, free + delay);
    }
}

#[test]
fn the_wire_keeps_its_rate_and_the_order() {
    let (rate, delay) = (10 * MBIT, Span::from_millis(3));
    let setup = direction("pfifo limit 1000", rig::wire(rate, delay));
    let packets = datagrams(60, 986);
    let (log, health) = run_one_way(setup, packets.clone());
    assert!(
        log.of(Fate::Offered, FORWARD).iter().all(|note| note.len == 1000 && note.packets == 1)
    );
    assert_keeps_the_rate(&log, FORWARD, rate, delay);
    assert_eq!(log.stacks[1].received, packets);
    assert_eq!(log.stacks[0].received, Vec::<Vec<u8>>::new());
    assert_eq!((health.lateness.count(), health.malformed, health.no_memory), (60, 0, 0));
    assert!(health.elapsed >= Span::from_micros(60 * 800) + delay);
    assert!(health.cpu <= health.elapsed);
}

#[test]
fn a_wire_that_stood_idle_while_packets_waited_to_be_read_has_lost_credit() {
    let rate = 100 * MBIT;
    let setup = direction("pfifo limit 1000", rig::wire(rate, Span::ZERO));
    let (log, health) = run_one_way(setup, datagrams(16, 986));
    // All packets were there when the first was read, so all later idle time of the wire was lost.
    let departed = log.of(Fate::Departed, FORWARD);
    let busy = Span::from_micros(80) * 15;
    let idle = departed[15].at.since(departed[0].at) - busy;
    assert!(health.lost_credit >= idle, "{} of {idle}", health.lost_credit);
    assert!(health.lost_credit <= health.elapsed);
}

#[test]
fn a_full_queue_drops() {
    let setup = direction("pfifo limit 3", rig::wire(10_000, Span::ZERO));
    let (log, _) = run_one_way(setup, datagrams(20, 86));
    // A packet of 100 bytes takes 80 ms. A packet that leaves at the instant of an offer still
    // waits then.
    let (mut free, mut waiting) = (Time::ZERO, 0_u16);
    let (mut expected_dropped, mut expected_delivered) = (vec![], vec![]);
    for offered in log.of(Fate::Offered, FORWARD) {
        while waiting > 0 && free < offered.at {
            (waiting, free) = (waiting - 1, free + Span::from_millis(80));
        }
        if waiting == 0 && free <= offered.at {
            free = offered.at + Span::from_millis(80);
        } else if waiting == 3 {
            expected_dropped.push(offered.number);
            continue;
        } else {
            waiting += 1;
        }
        expected_delivered.push(offered.number);
    }
    assert_eq!(log.numbers(Fate::Dropped, FORWARD), expected_dropped);
    assert_eq!(log.numbers(Fate::Delivered, FORWARD), expected_delivered);
    assert_eq!(log.stacks[1].received.len(), expected_delivered.len());
    assert_eq!(log.of(Fate::Offered, FORWARD).len(), 20);
}

/// At equal times the order is that of `link`'s rules, whether the loop is late or not.
#[test]
fn an_offer_joins_before_what_departs_at_that_instant() {
    let (mut fabric, _stacks) = one_way(direction("pfifo limit 1", rig::wire(MBIT, Span::ZERO)));
    let mut log = Log::new(vec![], 9);
    let mut turns = Loop::new(&mut fabric, Clock::start(), &mut log).unwrap();
    // Each packet takes 8 ms.
    for (number, millis) in [(0, 1), (1, 2), (2, 9), (3, 10)] {
        turns.take_packet(FORWARD, &datagram(number, 986, 0), Time::from_millis(millis)).unwrap();
    }
    turns.catch_up(..=Time::from_millis(30)).unwrap();
    assert_eq!(log.numbers(Fate::Dropped, FORWARD), [2]);
    assert_eq!(log.numbers(Fate::Departed, FORWARD), [0, 1, 3]);
}

/// A late loop does everything in the order in which it was due.
#[test]
fn ticks_come_in_order_with_what_happens_in_links() {
    let wire = rig::wire(MBIT, Span::from_millis(1));
    let (mut fabric, _stacks) = one_way(direction("pfifo limit 9", wire));
    let mut log = Log::new(vec![], 9);
    (log.tick_each, log.next_tick) = (Span::from_millis(6), Time::from_millis(6));
    let mut turns = Loop::new(&mut fabric, Clock::start(), &mut log).unwrap();
    for number in 0..3 {
        turns.take_packet(FORWARD, &datagram(number, 986, 0), Time::ZERO).unwrap();
    }
    turns.catch_up(..Time::from_millis(25)).unwrap();
    let happened = log.notes.iter().filter(|note| note.at > Time::ZERO);
    let millis = |note: &Note| note.at.as_nanos() / 1_000_000;
    let happened: Vec<_> = happened.map(|note| (millis(note), note.fate)).collect();
    let expected = [
        (6, Fate::Tick),
        (8, Fate::Departed),
        (9, Fate::Delivered),
        (12, Fate::Tick),
        (16, Fate::Departed),
        (17, Fate::Delivered),
        (18, Fate::Tick),
        (24, Fate::Tick),
    ];
    assert_eq!(happened, expected);
}

#[test]
fn marks_are_delivered() {
    let setup = direction("codel ce_threshold 1us ecn", rig::wire(MBIT, Span::ZERO));
    let packets = (0..12).map(|number| datagram(number, 986, (number % 3) as u8)).collect();
    let (log, _) = run_one_way(setup, packets);
    let marked = log.numbers(Fate::Marked, FORWARD);
    let offered = log.of(Fate::Offered, FORWARD);
    let waited = |departed: &&Note| {
        let offered = offered.iter().find(|offered| offered.number == departed.number).unwrap();
        departed.at.since(offered.at) > Span::from_micros(1)
    };
    let departed = log.of(Fate::Departed, FORWARD);
    let expected = departed.iter().filter(waited).map(|departed| departed.number);
    assert_eq!(marked, Vec::from_iter(expected.filter(|number| number % 3 != 0)));
    for ip in &log.stacks[1].received {
        let is_marked = marked.contains(&number(ip));
        assert_eq!(ip[1] == 3, is_marked, "{}", number(ip));
        let sum: u32 =
            ip[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "its header's checksum");
    }
}

#[test]
fn what_the_wire_loses_is_forgotten() {
    let loss = link::Loss::Random(units::Prob::clamped(0.5));
    let setup = direction("pfifo limit 1000", Wire { loss, ..rig::wire(10 * MBIT, Span::ZERO) });
    let (log, _) = run_one_way(setup, datagrams(60, 86));
    let (lost, delivered) =
        (log.numbers(Fate::Lost, FORWARD), log.numbers(Fate::Delivered, FORWARD));
    assert_eq!(lost.len() + delivered.len(), 60);
    assert!(!lost.is_empty());
    assert_eq!(log.stacks[1].received.len(), delivered.len());
}

#[test]
fn what_the_far_stack_refuses_counts_as_lost_at_the_device() {
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    let setup = || direction("pfifo limit 1000", Wire::default());
    fabric.add_link(PerWay { forward: near, reverse: far }, PerWay::new(|_| setup())).unwrap();
    // The far end is not read until the loop has ended.
    let mut log = Log::new(vec![Stack::new(near_stack)], 1000);
    log.stacks[0].send(datagrams(1000, 986));
    log.ends = [Fate::Departed; 3];
    let health = run(&mut fabric, &mut log);
    let mut far = Stack::new(far_stack);
    far.turn();
    let delivered = log.of(Fate::Delivered, FORWARD).len() as u64;
    assert!(health.device_drops > 0);
    assert_eq!(delivered + health.device_drops, 1000);
    assert_eq!(far.received.len() as u64, delivered);
}

#[test]
fn two_links_in_a_row() {
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    // The packets that leave the first link there enter the second one here.
    let (middle, other_middle) = port();
    let setup = |bits| direction("pfifo limit 1000", rig::wire(bits, Span::from_millis(1)));
    let (fast, slow) = (20 * MBIT, 10 * MBIT);
    let ports = PerWay { forward: near, reverse: middle };
    fabric.add_link(ports, PerWay::new(|_| setup(fast))).unwrap();
    let ports = PerWay { forward: other_middle, reverse: far };
    fabric.add_link(ports, PerWay::new(|_| setup(slow))).unwrap();
    assert!(fabric.has_limit_everywhere());
    let stacks = [near_stack, far_stack].map(Stack::new).into();
    let mut log = Log::new(stacks, 2 * (30 + 10));
    let (there, back) = (datagrams(30, 986), datagrams(10, 486));
    log.stacks[0].send(there.clone());
    log.stacks[1].send(back.clone());
    let health = run(&mut fabric, &mut log);
    assert!(health.reading.count() > 0, "the ports in the middle were empty at first");
    assert_eq!(log.stacks[1].received, there);
    assert_eq!(log.stacks[0].received, back);
    for (direction, bits) in DirectionId::all(2).zip([fast, fast, slow, slow]) {
        assert_keeps_the_rate(&log, direction, bits, Span::from_millis(1));
    }
}

#[test]
fn a_flood_does_not_starve_the_other_direction() {
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    let setup = || direction("pfifo limit 1000", Wire::default());
    fabric.add_link(PerWay { forward: near, reverse: far }, PerWay::new(|_| setup())).unwrap();
    assert!(!fabric.has_limit_everywhere());
    let mut log = Log::new([near_stack, far_stack].map(Stack::new).into(), 60 + 60);
    log.stacks.iter_mut().for_each(|stack| stack.send(datagrams(60, 100)));
    run(&mut fabric, &mut log);
    // Both had all packets ready, so they took turns.
    let read: Vec<_> = log.notes.iter().filter(|note| note.fate == Fate::Entered).collect();
    let turns: Vec<_> = read.chunk_by(|a, b| a.direction == b.direction).map(<[_]>::len).collect();
    assert!(turns.len() >= 6 && turns[..6].iter().all(|len| *len <= 16), "{turns:?}");
}

#[test]
fn what_the_watch_discards_leaves_no_trace() {
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    let setup = || direction("pfifo limit 1000", Wire::default());
    fabric.add_link(PerWay { forward: near, reverse: far }, PerWay::new(|_| setup())).unwrap();
    let mut log = Log::new([near_stack, far_stack].map(Stack::new).into(), 0);
    log.discard = true;
    log.stacks[0].send(datagrams(9, 100));
    run(&mut fabric, &mut log);
    assert_eq!(log.stacks[1].received.len(), 0);
}

#[test]
fn packets_for_which_there_is_no_memory_are_counted() {
    let mut fabric = Fabric::new(Bytes(8 << 10)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    let wire = Wire { delay: Span::from_millis(300), ..Wire::default() };
    let setup = || direction("pfifo limit 1000", wire.clone());
    fabric.add_link(PerWay { forward: near, reverse: far }, PerWay::new(|_| setup())).unwrap();
    let mut log = Log::new([near_stack, far_stack].map(Stack::new).into(), 4);
    log.stacks[0].send(datagrams(12, 86));
    let health = run(&mut fabric, &mut log);
    assert_eq!(log.numbers(Fate::Delivered, FORWARD), [0, 1, 2, 3]);
    assert_eq!(health.no_memory, 8);
}

/// A TCP super-packet of this much payload, to be cut into segments of 1000 bytes.
fn super_packet(payload: usize) -> (Vec<u8>, Offload) {
    let mut ip = datagram(7, 40, 0);
    ip[9] = 6;
    ip[20..40].fill(0);
    ip[32] = 5 << 4;
    ip.resize(40 + payload, 1);
    ip[2..4].copy_from_slice(&(40 + payload as u16).to_be_bytes());
    let checksum = Some(PartialChecksum { start: 20, offset: 16 });
    let segmentation = Some(Segmentation { tcp: true, size: 1000, cwr_first: false });
    (ip, Offload { checksum, segmentation })
}

#[test]
fn super_packets_go_through_in_pieces() {
    let setup = direction("pfifo limit 1000", rig::wire(100 * MBIT, Span::ZERO));
    let (near, near_stack) = port();
    let (far, far_stack) = port();
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let setup = DirectionSetup { most_packets: 4, ..setup };
    let back = direction("pfifo limit 9", Wire::default());
    let ports = PerWay { forward: near, reverse: far };
    fabric.add_link(ports, PerWay { forward: setup, reverse: back }).unwrap();
    let mut log = Log::new([near_stack, far_stack].map(Stack::new).into(), 3);
    log.stacks[0].to_send.push_back(super_packet(9_500));
    run(&mut fabric, &mut log);
    let pieces: Vec<_> =
        log.of(Fate::Delivered, FORWARD).iter().map(|note| (note.packets, note.len)).collect();
    assert_eq!(pieces, [(4, 4 * 1054), (4, 4 * 1054), (2, 1054 + 554)]);
    let lens: Vec<_> = log.stacks[1].received.iter().map(Vec::len).collect();
    assert_eq!(lens, [4_040, 4_040, 1_540]);
}

#[test]
fn nothing_that_comes_out_of_a_port_is_believed() {
    let mut rng = Rng::new(9);
    let (near, near_stack) = port();
    let (far, far_stack) = port();
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let setup = || direction("fq_codel", Wire::default());
    fabric.add_link(PerWay { forward: near, reverse: far }, PerWay::new(|_| setup())).unwrap();
    for len in 1..60 {
        let noise: Vec<_> = (0..len).map(|_| rng.next_u64() as u8).collect();
        rustix::io::write(&near_stack, &noise).unwrap();
    }
    let mut log = Log::new([near_stack, far_stack].map(Stack::new).into(), 0);
    for round in 0..4_000 {
        let (mut ip, mut offload) = match round % 2 {
            0 => (datagram(round, 60, 0), Offload::default()),
            _ => super_packet(1 + rng.below(3_000) as usize),
        };
        ip.truncate(1 + rng.below(ip.len() as u64) as usize);
        for _ in 0..rng.below(6) {
            let at = rng.below(ip.len().min(48) as u64) as usize;
            ip[at] = rng.next_u64() as u8;
        }
        if let Some(segmentation) = &mut offload.segmentation {
            segmentation.size = [0, 1, 1000, u16::MAX][rng.below(4) as usize];
            segmentation.tcp = rng.below(2) == 0;
        }
        if let Some(checksum) = &mut offload.checksum {
            checksum.start = [20, 0, 40, u16::MAX][rng.below(4) as usize];
        }
        log.stacks[0].to_send.push_back((ip, offload));
    }
    let health = fabric.run(Clock::start(), &mut log).unwrap();
    assert_eq!(fabric.arena.held(), Bytes::ZERO);
    assert!(health.malformed > 1_000, "{}", health.malformed);
    assert!(!log.of(Fate::Delivered, FORWARD).is_empty(), "some are sound");
}

/// Multicast packets are ignored; malformed packets are counted.
#[test]
fn what_cannot_be_carried_is_counted() {
    let (mut fabric, stacks) = one_way(direction("pfifo limit 9", Wire::default()));
    let mut log = Log::new(stacks, 1);
    let broken = Offload { segmentation: super_packet(3000).1.segmentation, checksum: None };
    let mut multicast = datagram(0, 60, 0);
    multicast[16] = 224;
    let to_send = &mut log.stacks[0].to_send;
    (0..70).for_each(|_| to_send.push_back((multicast.clone(), Offload::default())));
    to_send.push_back((super_packet(3000).0, broken));
    to_send.push_back((vec![0x45], Offload::default()));
    to_send.push_back((datagram(5, 60, 0), Offload::default()));
    let health = run(&mut fabric, &mut log);
    assert_eq!(log.numbers(Fate::Delivered, FORWARD), [5]);
    assert_eq!(health.malformed, 2);
}

/// The kernel looks at the ports after the call, or after the sleep, and not when it returns.
#[test]
fn a_port_was_empty_no_later_than_the_kernel_looked() {
    let (mut fabric, _stacks) = one_way(direction("pfifo limit 9", Wire::default()));
    let mut log = Log::new(vec![], 9);
    let at = Time::from_millis;
    for (begin, slept_until, looked) in [(5, None, 5), (7, Some(at(9)), 9)] {
        let mut turns = Loop::new(&mut fabric, Clock::start(), &mut log).unwrap();
        turns.note_empty_ports(&[], at(begin), slept_until);
        assert_eq!(fabric.directions[0].read(at(20)), Some(at(20).since(at(looked))));
    }
}

#[test]
fn a_port_that_is_gone_ends_the_loop() {
    let mut fabric = Fabric::new(Bytes(1 << 24)).unwrap();
    let ((near, near_stack), (far, far_stack)) = (port(), port());
    let setup = || direction("pfifo limit 1000", Wire::default());
    fabric.add_link(PerWay { forward: near, reverse: far }, PerWay::new(|_| setup())).unwrap();
    let mut log = Log::new(vec![Stack::new(near_stack)], 1);
    drop(far_stack);
    assert!(fabric.run(Clock::start(), &mut log).is_err());
}

/// Both changes are in force at their times, however late the loop is: packets of 1000 bytes with
/// framing take 8 ms, and 4 ms from the second change on.
#[test]
fn queue_and_rate_change_while_packets_move() {
    let mut setup = direction("codel limit 9", rig::wire(MBIT, Span::ZERO));
    let like = direction("codel limit 2", Wire::default()).queue;
    setup.changes = vec![
        Change {
            at: Time::from_millis(10),
            queue: Some(like),
            rate: None,
            shaping: None,
            most_packets: 1,
        },
        Change {
            shaping: None,
            at: Time::from_millis(13),
            queue: None,
            rate: Rate::from_bits_per_sec(2 * MBIT),
            most_packets: 1,
        },
    ];
    let (mut fabric, _stacks) = one_way(setup);
    let mut log = Log::new(vec![], 99);
    let mut turns = Loop::new(&mut fabric, Clock::start(), &mut log).unwrap();
    for number in 0..7 {
        turns.take_packet(FORWARD, &datagram(number, 986, 0), Time::ZERO).unwrap();
    }
    turns.catch_up(..=Time::from_millis(60)).unwrap();
    // Packet 1 is on the wire at 10 ms; of the five that wait the oldest three are dropped.
    assert_eq!(log.numbers(Fate::Dropped, FORWARD), [2, 3, 4]);
    let departed = log.of(Fate::Departed, FORWARD);
    let departed: Vec<_> =
        departed.iter().map(|note| (note.number, note.at.as_nanos() / 1_000_000)).collect();
    assert_eq!(departed, [(0, 0), (1, 8), (5, 16), (6, 20)]);
}
