//! Scripts: segments in, acknowledgements out.

use proptest::prelude::*;
use units::Bytes;

use super::*;
use crate::config::{AckPolicy, ReceiveWindow};

const MSS: u32 = 1448;
const ROOM: u32 = 28;
const WINDOW: u64 = 65_536;

/// A receiver after the handshake, with a round trip of 20 ms.
fn receiver(config: &Config) -> Receiver {
    receiver_at(config, Span::from_millis(20))
}

fn receiver_at(config: &Config, round_trip: Span) -> Receiver {
    let mut receiver = Receiver::new(config, config.mss);
    receiver.syn_window();
    let agreed = Negotiated {
        mss: config.mss,
        sack: config.sack,
        timestamps: config.timestamps,
        ecn: config.ecn,
        window: WINDOW,
    };
    let shift = crate::receive_window::proposed_shift(config).unwrap_or(0);
    receiver.established(&agreed, shift, Some(round_trip), Time::ZERO);
    let mut third = Segment::EMPTY;
    receiver.acknowledge(&mut third, ROOM, Time::ZERO);
    receiver
}

fn fixed(acks: AckPolicy) -> Config {
    Config { acks, receive_window: ReceiveWindow::Fixed(Bytes(WINDOW)), ..Config::default() }
}

const DELAYED: AckPolicy = AckPolicy::Delayed { quick_start: false };
const QUICK: AckPolicy = AckPolicy::Delayed { quick_start: true };

fn data(number: u64) -> Segment {
    Segment {
        seq: 1 + number * u64::from(MSS),
        len: MSS,
        flags: Flags::ACK,
        timestamps: Some(Timestamps { value: 1000 + number as u32, echo: 1 }),
        ..Segment::EMPTY
    }
}

fn number(ack: u64) -> u64 {
    (ack - 1) / u64::from(MSS)
}

fn micros(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

/// The acknowledgement that is due at `now`, if any.
fn due(receiver: &mut Receiver, now: Time) -> Option<Segment> {
    receiver.ack_due().then(|| {
        let mut segment = Segment::EMPTY;
        receiver.acknowledge(&mut segment, ROOM, now);
        assert!(!receiver.ack_due());
        segment
    })
}

/// Takes a segment; the acknowledgement number that follows at once, in segments.
fn take(receiver: &mut Receiver, segment: &Segment, now: Time) -> Option<u64> {
    receiver.on_segment(segment, false, now);
    due(receiver, now).map(|ack| number(ack.ack))
}

fn blocks(ack: &Segment) -> Vec<(u64, u64)> {
    ack.sack.near(ack.ack).map(|(start, end)| (number(start), number(end))).collect()
}

/// RFC 5681 section 4.2 and RFC 1122 section 4.2.3.2.
#[test]
fn every_second_segment_or_forty_milliseconds() {
    let mut receiver = receiver(&fixed(DELAYED));
    assert_eq!(take(&mut receiver, &data(0), micros(1_000)), None);
    assert_eq!(receiver.next_timer(), Some(micros(41_000)));
    assert_eq!(take(&mut receiver, &data(1), micros(2_000)), Some(2));
    assert_eq!(receiver.next_timer(), None);
    assert_eq!(take(&mut receiver, &data(2), micros(3_000)), None);
    receiver.on_timer(micros(42_999));
    assert_eq!(due(&mut receiver, micros(42_999)), None);
    receiver.on_timer(micros(43_000));
    assert_eq!(due(&mut receiver, micros(43_000)).map(|ack| number(ack.ack)), Some(3));
    assert_eq!(receiver.next_timer(), None);
}

#[test]
fn sixteen_quick_acknowledgements_first() {
    let mut receiver = receiver(&fixed(QUICK));
    let at_once = (0..24)
        .filter(|&n| take(&mut receiver, &data(n), micros(1_000 * n)).is_some())
        .collect::<Vec<_>>();
    let expected = (0..16).chain([17, 19, 21, 23]).collect::<Vec<_>>();
    assert_eq!(at_once, expected);
}

/// Linux `tcp_incr_quickack`: no more than half a window of them.
#[test]
fn few_quick_acknowledgements_for_a_small_window() {
    let window = ReceiveWindow::Fixed(Bytes(8 * u64::from(MSS)));
    let mut receiver = receiver(&Config { receive_window: window, ..fixed(QUICK) });
    let at_once = (0..8)
        .filter(|&n| take(&mut receiver, &data(n), micros(1_000 * n)).is_some())
        .collect::<Vec<_>>();
    assert_eq!(at_once, [0, 1, 2, 3, 5, 7]);
}

/// The sender restarts after an idle time longer than its timeout (20 + 200 ms here).
#[test]
fn quick_again_after_long_idleness() {
    let mut receiver = receiver(&fixed(QUICK));
    for n in 0..18 {
        take(&mut receiver, &data(n), micros(1_000 * n));
    }
    assert_eq!(take(&mut receiver, &data(18), micros(18_000 + 219_000)), None);
    receiver.on_timer(micros(18_000 + 259_000));
    assert_eq!(due(&mut receiver, micros(18_000 + 259_000)).map(|ack| number(ack.ack)), Some(19));
    assert_eq!(take(&mut receiver, &data(19), micros(900_000)), Some(20));
}

/// Linux `tcp_delack_timer_handler` and `tcp_send_delayed_ack`: a missed delay doubles the next,
/// up to the round trip.
#[test]
fn a_missed_delay_doubles_the_next() {
    for (round_trip, second) in [(20, 40), (70, 70), (300, 80)] {
        let mut receiver = receiver_at(&fixed(DELAYED), Span::from_millis(round_trip));
        assert_eq!(take(&mut receiver, &data(0), Time::ZERO), None);
        receiver.on_timer(Time::from_millis(40));
        assert!(due(&mut receiver, Time::from_millis(40)).is_some());
        // The gap of 100 ms is longer than the delay, which therefore stays.
        assert_eq!(take(&mut receiver, &data(1), Time::from_millis(100)), None);
        assert_eq!(receiver.next_timer(), Some(Time::from_millis(100 + second)), "{round_trip}");
    }
}

/// Linux `tcp_cleanup_rbuf`: the end of a message is acknowledged as soon as it is read.
#[test]
fn a_small_last_segment_at_once() {
    let mut receiver = receiver(&fixed(DELAYED));
    take(&mut receiver, &data(0), micros(0));
    take(&mut receiver, &data(1), micros(0));
    let last = Segment { len: 100, flags: Flags::ACK | Flags::PSH, ..data(2) };
    assert_eq!(take(&mut receiver, &last, micros(1_000)), Some(2));
}

/// Linux `tcp_cleanup_rbuf`: the end of a message waits if an answer may carry the acknowledgement.
#[test]
fn an_interactive_receiver_waits_for_its_answer() {
    let mut receiver = receiver(&fixed(DELAYED));
    let request = Segment { len: 100, flags: Flags::ACK | Flags::PSH, ..data(0) };
    assert!(take(&mut receiver, &request, micros(0)).is_some());
    let mut answer = Segment { len: 10, ..Segment::EMPTY };
    receiver.acknowledge(&mut answer, ROOM, micros(1_000));
    let request = Segment { seq: 101, ..request };
    assert_eq!(take(&mut receiver, &request, micros(10_000)), None);
    let mut answer = Segment { len: 10, ..Segment::EMPTY };
    receiver.acknowledge(&mut answer, ROOM, micros(11_000));
    assert_eq!((answer.ack, receiver.next_timer()), (201, None));
}

#[test]
fn every_segment() {
    let mut receiver = receiver(&fixed(AckPolicy::EverySegment));
    for n in 0..20 {
        assert_eq!(take(&mut receiver, &data(n), micros(n)), Some(n + 1));
    }
}

/// The receiver of figure 4 of the CoDel paper.
#[test]
fn once_a_window() {
    let window = ReceiveWindow::Fixed(Bytes(25 * u64::from(MSS)));
    let acks = AckPolicy::OncePerWindow;
    let mut receiver = receiver(&Config { receive_window: window, ..fixed(acks) });
    let at_once = (0..60)
        .filter(|&n| take(&mut receiver, &data(n), micros(1_000 * n)).is_some())
        .collect::<Vec<_>>();
    assert_eq!(at_once, [24, 49]);
    assert_eq!(receiver.next_timer(), Some(micros(50_000 + 200_000)));
}

/// RFC 2018 section 4; RFC 5681 section 4.2: out of order at once, and a filled gap too.
#[test]
fn gaps_are_told_at_once_most_recent_first() {
    let mut receiver = receiver(&fixed(DELAYED));
    let mut reported = Vec::new();
    for n in [2, 4, 3, 6, 8] {
        receiver.on_segment(&data(n), false, micros(5_000 * n));
        if let Some(ack) = due(&mut receiver, micros(5_000 * n)) {
            assert_eq!(ack.ack, 1);
            reported.push(blocks(&ack));
        }
    }
    let expected: [&[(u64, u64)]; 4] =
        [&[(2, 3)], &[(4, 5), (2, 3)], &[(2, 5)], &[(8, 9), (6, 7), (2, 5)]];
    assert_eq!(reported, expected);
    // The first gap closes, others remain.
    receiver.on_segment(&data(0), false, micros(61_000));
    assert_eq!(blocks(&due(&mut receiver, micros(61_000)).unwrap()), [(8, 9), (6, 7), (2, 5)]);
    receiver.on_segment(&data(1), false, micros(62_000));
    let ack = due(&mut receiver, micros(62_000)).unwrap();
    assert_eq!((number(ack.ack), blocks(&ack)), (5, vec![(8, 9), (6, 7)]));
}

/// Linux: three duplicates at once, then one for a twentieth of the round trip, 1 ms at most.
#[test]
fn later_duplicates_are_compressed() {
    let mut receiver = receiver(&fixed(DELAYED));
    let at_once = (1..10)
        .filter(|&n| take(&mut receiver, &data(n), micros(100 * n)).is_some())
        .collect::<Vec<_>>();
    assert_eq!(at_once, [1, 2, 3]);
    assert_eq!(receiver.next_timer(), Some(micros(400 + 1_000)));
    receiver.on_timer(micros(1_400));
    let ack = due(&mut receiver, micros(1_400)).unwrap();
    assert_eq!((ack.ack, blocks(&ack)), (1, vec![(1, 10)]));
    assert_eq!(receiver.next_timer(), None);
    assert_eq!(take(&mut receiver, &data(0), micros(1_500)), Some(10));
}

/// Linux `tcp_comp_sack_nr`: one acknowledgement stands for 44 others at most.
#[test]
fn compression_is_bounded() {
    let window = ReceiveWindow::Fixed(Bytes(1 << 20));
    let mut receiver = receiver(&Config { receive_window: window, ..fixed(DELAYED) });
    let at_once = (1..100)
        .filter(|&n| take(&mut receiver, &data(n), micros(n)).is_some())
        .collect::<Vec<_>>();
    assert_eq!(at_once, [1, 2, 3, 48, 93]);
}

/// A block that was reported before grows, and others come: four change, but an acknowledgement has
/// room for three.
#[test]
fn compression_tells_a_block_that_grew() {
    let mut receiver = receiver(&fixed(DELAYED));
    for n in [1, 3, 5] {
        assert!(take(&mut receiver, &data(n), micros(n)).is_some());
    }
    let mut reported = Vec::new();
    for n in [6, 8, 10, 12] {
        receiver.on_segment(&data(n), false, micros(n));
        reported.extend(due(&mut receiver, micros(n)).iter().flat_map(blocks));
    }
    assert!(reported.contains(&(5, 7)), "{reported:?}");
}

/// No block is forgotten before it was reported.
#[test]
fn compression_tells_every_block() {
    let mut receiver = receiver(&fixed(DELAYED));
    let mut reported = Vec::new();
    for n in 0..22 {
        receiver.on_segment(&data(1 + 2 * n), false, micros(10 * n));
        if let Some(ack) = due(&mut receiver, micros(10 * n)) {
            reported.extend(blocks(&ack));
        }
    }
    receiver.on_timer(micros(2_000));
    reported.extend(due(&mut receiver, micros(2_000)).iter().flat_map(blocks));
    for n in 0..22 {
        assert!(reported.contains(&(1 + 2 * n, 2 + 2 * n)), "{n}");
    }
}

/// RFC 2883 sections 4.1 and 4.2.
#[test]
fn duplicates_are_told() {
    let mut receiver = receiver(&fixed(DELAYED));
    take(&mut receiver, &data(0), micros(0));
    take(&mut receiver, &data(1), micros(0));
    receiver.on_segment(&data(0), false, micros(1_000));
    let ack = due(&mut receiver, micros(1_000)).unwrap();
    assert_eq!((number(ack.ack), blocks(&ack)), (2, vec![(0, 1)]));
    receiver.on_segment(&data(4), false, micros(2_000));
    assert!(due(&mut receiver, micros(2_000)).is_some());
    receiver.on_segment(&data(4), false, micros(3_000));
    let ack = due(&mut receiver, micros(3_000)).unwrap();
    assert_eq!(blocks(&ack), [(4, 5), (4, 5)]);
    assert_eq!(receiver.stats().duplicates, 1);
}

/// An acknowledgement sent with data suffices, unless there was no room to report the data beyond a
/// gap.
#[test]
fn an_acknowledgement_without_room_for_blocks_is_owed_if_there_are_some() {
    let mut receiver = receiver(&fixed(AckPolicy::EverySegment));
    for (n, is_owed) in [(0, false), (2, true)] {
        receiver.on_segment(&data(n), false, micros(n));
        let mut answer = data(0);
        receiver.acknowledge(&mut answer, 0, micros(n));
        assert_eq!((number(answer.ack), receiver.ack_due()), (1, is_owed), "segment {n}");
    }
}

/// RFC 2883 section 4 reports data received before; data beyond a closed window was not received.
#[test]
fn what_the_window_refuses_is_no_duplicate() {
    let window = ReceiveWindow::Fixed(Bytes(0));
    let mut receiver = receiver(&Config { receive_window: window, ..fixed(DELAYED) });
    receiver.on_segment(&data(0), false, micros(0));
    let ack = due(&mut receiver, micros(0)).unwrap();
    assert_eq!((ack.ack, ack.sack.is_empty()), (1, true));
    assert_eq!((receiver.received(), receiver.stats().duplicates), (0, 0));
}

#[test]
fn without_sack_nothing_is_told() {
    let mut receiver = receiver(&Config { sack: false, ..fixed(DELAYED) });
    for n in [0, 2, 4, 5, 6, 7, 8, 9, 4] {
        receiver.on_segment(&data(n), false, micros(n));
        let ack = due(&mut receiver, micros(n));
        assert_eq!(ack.is_some(), n > 0);
        assert!(ack.is_none_or(|ack| ack.sack.is_empty()));
    }
}

/// RFC 3168 section 6.1.3.
#[test]
fn marks_are_echoed_until_the_sender_reduces() {
    let mut receiver = receiver(&Config { ecn: true, ..fixed(DELAYED) });
    let mut echo = |segment: &Segment, ce| {
        receiver.on_segment(segment, ce, micros(0));
        let mut ack = Segment::EMPTY;
        receiver.acknowledge(&mut ack, ROOM, micros(0));
        ack.flags.has(Flags::ECE)
    };
    let capable = |n| Segment { ect: true, ..data(n) };
    let reduced = |n| Segment { flags: Flags::ACK | Flags::CWR, ..capable(n) };
    assert!(!echo(&capable(0), false));
    assert!(echo(&capable(1), true));
    assert!(echo(&capable(2), false));
    assert!(!echo(&reduced(3), false));
    assert!(!echo(&capable(4), false));
    assert!(echo(&reduced(5), true), "a marked segment that reports a reduction is a new mark");
    assert_eq!(receiver.stats().marked, 2);
}

/// Linux: the first mark at once, with one more; a report of a reduction at once.
#[test]
fn marks_hasten_acknowledgements() {
    let mut receiver = receiver(&Config { ecn: true, ..fixed(QUICK) });
    let capable = |n| Segment { ect: true, ..data(n) };
    for n in 0..18 {
        take(&mut receiver, &capable(n), micros(n));
    }
    let mut at_once = |n, flags, ce| {
        receiver.on_segment(&Segment { flags, ..capable(n) }, ce, micros(n));
        due(&mut receiver, micros(n)).is_some()
    };
    assert!(at_once(18, Flags::ACK, true));
    assert!(at_once(19, Flags::ACK, false));
    assert!(!at_once(20, Flags::ACK, false));
    assert!(at_once(21, Flags::ACK, false));
    assert!(at_once(22, Flags::ACK | Flags::CWR, false));
}

/// RFC 7323 section 4.3, cases A and B.
#[test]
fn echoes_the_timestamp_that_covers_the_last_acknowledgement() {
    let mut receiver = receiver(&fixed(DELAYED));
    let mut echo = |n| {
        receiver.on_segment(&data(n), false, micros(n));
        let ack = due(&mut receiver, micros(n));
        ack.and_then(|ack| ack.timestamps).map(|timestamps| timestamps.echo)
    };
    assert_eq!(echo(0), None);
    assert_eq!(echo(1), Some(1000), "a delayed acknowledgement echoes the first segment");
    assert_eq!(echo(3), Some(1000), "out of order: still the last in order");
    assert_eq!(echo(2), Some(1002), "the segment that fills the gap");
}

#[test]
fn fin_is_acknowledged_and_takes_one_number() {
    let mut receiver = receiver(&fixed(DELAYED));
    let fin = Segment { len: 0, flags: Flags::ACK | Flags::FIN, ..data(1) };
    receiver.on_segment(&fin, false, micros(0));
    assert!(!receiver.peer_closed());
    receiver.on_segment(&data(0), false, micros(1));
    let ack = due(&mut receiver, micros(1)).unwrap();
    assert_eq!((ack.ack, receiver.received()), (u64::from(MSS) + 2, u64::from(MSS)));
    assert!(receiver.peer_closed());
    receiver.on_segment(&fin, false, micros(2));
    assert!(due(&mut receiver, micros(2)).is_some(), "a FIN that comes again");
}

#[test]
fn what_exceeds_the_window_is_cut_off() {
    let window = ReceiveWindow::Fixed(Bytes(300));
    let mut receiver =
        receiver(&Config { receive_window: window, ..fixed(AckPolicy::EverySegment) });
    receiver.on_segment(&data(0), false, micros(0));
    assert_eq!(receiver.received(), 300);
    let fin = Segment { seq: 301, len: 300, flags: Flags::ACK | Flags::FIN, ..Segment::EMPTY };
    due(&mut receiver, micros(0)).unwrap();
    receiver.on_segment(&fin, false, micros(1));
    assert!(receiver.peer_closed());
    receiver.on_segment(&data(1_000_000), false, micros(2));
    assert_eq!((receiver.received(), receiver.out_of_order()), (600, 0));
}

#[test]
fn a_probe_of_the_window_is_answered() {
    let mut receiver = receiver(&fixed(DELAYED));
    take(&mut receiver, &data(0), micros(0));
    take(&mut receiver, &data(1), micros(0));
    let probe = Segment { seq: u64::from(MSS), flags: Flags::ACK, ..Segment::EMPTY };
    assert_eq!(take(&mut receiver, &probe, micros(1_000)), Some(2));
    assert_eq!(take(&mut receiver, &probe, micros(2_000)), None);
    assert_eq!(take(&mut receiver, &probe, micros(600_000)), Some(2));
}

proptest! {
    /// If no acknowledgement is lost, each segment that was received is reported in one, whatever
    /// the order.
    #[test]
    fn everything_is_told(
        order in Just((1..40_u64).collect::<Vec<_>>()).prop_shuffle(),
        pauses in prop::collection::vec(0_u64..300, 39),
        missing in prop::collection::vec(any::<bool>(), 39),
    ) {
        let mut receiver = receiver(&fixed(DELAYED));
        let (mut now, mut reported) = (Time::ZERO, [false; 41]);
        let mut acknowledge = |receiver: &mut Receiver, now| {
            for (start, end) in due(receiver, now).iter().flat_map(blocks) {
                reported[start as usize..end as usize].fill(true);
            }
        };
        let received = order.iter().zip(&pauses).zip(&missing).filter(|(_, missing)| !**missing);
        for ((&n, &pause), _) in received.clone() {
            now += Span::from_micros(pause);
            receiver.on_timer(now);
            acknowledge(&mut receiver, now);
            receiver.on_segment(&data(n), false, now);
            acknowledge(&mut receiver, now);
        }
        receiver.on_timer(now + Span::from_millis(2));
        acknowledge(&mut receiver, now + Span::from_millis(2));
        for ((&n, _), _) in received {
            prop_assert!(reported[n as usize], "{}", n);
        }
    }

    /// Whatever is received, in any order: nothing is lost, nothing is acknowledged that was not
    /// received, the window's edge never moves back, and blocks lie within the data sent.
    #[test]
    fn arbitrary_order(
        order in prop::collection::vec((0_u64..40, 0_u64..3_000), 1..200),
        auto in any::<bool>(),
    ) {
        let mut config = fixed(QUICK);
        if auto {
            config.receive_window = Config::default().receive_window;
        }
        let mut receiver = receiver(&config);
        let (mut now, mut received, mut edge) = (Time::ZERO, [false; 41], 0);
        for (n, pause) in order {
            now += Span::from_micros(pause);
            if receiver.next_timer().is_some_and(|timer| timer <= now) {
                receiver.on_timer(now);
            }
            receiver.on_segment(&data(n), false, now);
            received[n as usize] = true;
            let in_order = received.iter().take_while(|&&there| there).count() as u64;
            prop_assert_eq!(number(receiver.next()), in_order);
            let beyond = received.iter().skip(in_order as usize).filter(|&&there| there).count();
            prop_assert_eq!(receiver.out_of_order(), beyond as u64 * u64::from(MSS));
            if let Some(ack) = due(&mut receiver, now) {
                prop_assert_eq!(ack.ack, receiver.next());
                prop_assert!(receiver.next() + receiver.window() >= edge);
                edge = receiver.next() + receiver.window();
                for (start, end) in blocks(&ack) {
                    prop_assert!((start..end).all(|n| received[n as usize]) && start < end);
                }
            }
        }
    }
}
