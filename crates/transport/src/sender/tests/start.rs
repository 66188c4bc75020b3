//! Slow start, congestion avoidance, the ends of writes, idleness, pacing.

use super::*;

#[test]
fn the_initial_window_is_ten_segments() {
    let mut script = Script::quiet(&reno());
    script.sender.write(u64::MAX);
    assert_eq!(script.output(), "0 1 2 3 4 5 6 7 8 9");
    assert_eq!(script.windows(), (10, u32::MAX, 10));
}

/// RFC 2001 section 1: 65535 bytes, counted in whole segments.
#[test]
fn the_first_slow_start_may_have_an_end() {
    let config = Config { initial_ssthresh: Some(Bytes(65_535)), ..reno() };
    assert_eq!(Script::quiet(&config).windows(), (10, 65, 0));
}

/// RFC 5681 section 3.1, with RFC 3465's byte counting as Linux has it.
#[test]
fn slow_start_sends_two_for_one() {
    let mut script = Script::endless(&reno());
    script.at(100);
    assert_eq!(script.ack(1, &[]), "10 11");
    assert_eq!(script.ack(3, &[]), "12 13 14 15");
    assert_eq!(script.ack(10, &[]).split(' ').count(), 14);
    assert_eq!(script.windows(), (20, u32::MAX, 20));
}

#[test]
fn congestion_avoidance_adds_one_a_round_trip() {
    let mut script = Script::endless(&starting_at(10));
    script.at(100);
    for segment in 1..10 {
        assert_eq!(script.ack(segment, &[]), format!("{}", segment + 9));
    }
    assert_eq!(script.ack(10, &[]), "19 20");
    assert_eq!(script.windows(), (11, 10, 11));
}

#[test]
fn the_end_of_a_write_is_pushed_and_the_fin_rides_along() {
    let mut script = Script::quiet(&reno());
    script.sender.write(2500);
    let first = script.sender.poll(script.now).unwrap();
    assert_eq!((first.flags, first.len), (Flags::NONE, 1000));
    script.sender.poll(script.now);
    let last = script.sender.poll(script.now).unwrap();
    assert_eq!((last.flags, last.len), (Flags::PSH, 500));
    script.sender.write(10);
    script.sender.finish();
    let fin = script.sender.poll(script.now).unwrap();
    assert_eq!((fin.flags, fin.len, fin.seq), (Flags::PSH | Flags::FIN, 10, 2501));
    assert!(!script.sender.is_done());
    script.at(100);
    script.ack_with(0, &[], |ack| ack.ack = 2512);
    assert!(script.sender.is_done());
    assert_eq!(script.sender.next_timer(), None);
    assert_eq!(script.sender.unacked(), 0);
}

#[test]
fn an_acknowledgement_of_the_future_is_ignored() {
    let mut script = Script::endless(&reno());
    script.at(100);
    assert_eq!(script.ack(11, &[]), "");
    assert_eq!(script.windows(), (10, u32::MAX, 10));
}

/// RFC 2861: the application, not the window, held the sender back.
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut script = Script::quiet(&reno());
    for round in 0..20 {
        script.sender.write(4000);
        script.output();
        script.at(100 * (round + 1));
        script.ack(4 * (round + 1), &[]);
    }
    assert_eq!(script.sender.cwnd(), 10);
    script.sender.write(6000);
    script.output();
    script.at(2100);
    script.ack(86, &[]);
    assert_eq!(script.sender.cwnd(), 16, "more than half was used, in slow start");
}

/// RFC 5681 section 4.1 as Linux has it: a timeout of 300 ms, so that 700 ms halve twice.
#[test]
fn idleness_halves_the_window() {
    let mut script = Script::quiet(&reno());
    script.sender.window.set_cwnd(64);
    script.sender.write(1000);
    script.output();
    script.at(100);
    script.ack(1, &[]);
    script.at(700);
    script.sender.write(u64::MAX);
    assert_eq!(script.output().split(' ').count(), 16);
    assert_eq!(script.sender.ssthresh(), u32::MAX);
}

#[test]
fn pacing_spreads_segments() {
    let config = Config { pacing: true, ..reno() };
    let mut script = Script::endless(&config);
    script.at(100);
    // 11 segments of 1000 bytes in 100 ms, twice: one in 4.545 ms.
    assert_eq!(script.ack(1, &[]), "10");
    let next = script.sender.next_timer().unwrap().since(script.now);
    assert!(next > Span::from_micros(2200) && next < Span::from_micros(2300), "{next}");
    script.sender.on_timer(script.now);
    assert_eq!(script.output(), "", "not before its time");
    assert_eq!(script.at(103), "102.272727:11");
}

/// A FIN follows the data sent, and nothing else.
#[test]
fn what_is_abandoned_is_not_sent() {
    let mut script = Script::endless(&reno());
    script.sender.abandon();
    script.at(100);
    assert_eq!(script.ack(9, &[]), "10*F");
    script.ack(10, &[]);
    assert!(!script.sender.is_done());
    script.ack_with(10, &[], |ack| ack.ack += 1);
    assert!(script.sender.is_done());
}

/// RFC 8985 section 6.2 step 1: the smallest of the round trips, the handshake's included.
#[test]
fn the_smallest_round_trip_is_remembered() {
    let mut script = Script::endless(&reno());
    for (millis, upto, least) in [(130, 1, 100), (230, 11, 100), (300, 13, 70)] {
        script.at(millis);
        script.ack(upto, &[]);
        assert_eq!(script.sender.min_rtt(), Some(Span::from_millis(least)), "at {millis} ms");
    }
}
