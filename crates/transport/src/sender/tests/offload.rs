//! Super-packets: segments that leave together, and segments that wait for more.

use units::{Span, Time};

use super::{Script, reno};
use crate::config::Config;
use crate::segment::Flags;

fn config() -> Config {
    Config { offload: true, ..reno() }
}

/// A sender that begins in congestion avoidance, with this window in segments.
fn avoiding(window: u32) -> Config {
    Config { offload: true, initial_window: window, ..super::starting_at(window) }
}

/// The numbers of the segments that leave now, those with PSH followed by a `P`.
fn pushes(script: &mut Script) -> String {
    let mut text = String::new();
    while let Some(segment) = script.sender.poll(script.now) {
        let mark = if segment.flags.has(Flags::PSH) { "P" } else { "" };
        text += &format!(" {}{mark}", (segment.seq - 1) / 1000);
    }
    text
}

/// 10 segments and 100 ms are a rate at which two leave together.
#[test]
fn the_last_of_a_super_packet_is_pushed() {
    let mut script = Script::quiet(&config());
    script.sender.write(u64::MAX);
    assert_eq!(pushes(&mut script), " 0 1P 2 3P 4 5P 6 7P 8 9P");
}

#[test]
fn the_odd_one_goes_alone_and_the_end_of_a_write_is_pushed() {
    let mut script = Script::quiet(&config());
    script.sender.write(4500);
    assert_eq!(pushes(&mut script), " 0 1P 2 3P 4P");
    let mut alone = Script::quiet(&Config { offload: false, ..config() });
    alone.sender.write(u64::MAX);
    assert_eq!(pushes(&mut alone), " 0 1 2 3 4 5 6 7 8 9");
}

/// Half a window at most, so that enough segments are delivered after a lost super-packet to show
/// the loss.
#[test]
fn no_more_than_half_a_window_together() {
    let mut script = Script::quiet(&Config { initial_window: 3, ..config() });
    script.sender.write(u64::MAX);
    assert_eq!(pushes(&mut script), " 0 1 2");
}

#[test]
fn one_segment_waits_for_a_second_if_an_acknowledgement_is_near() {
    let mut script = Script::endless(&avoiding(10));
    script.at(100);
    assert_eq!(script.ack(1, &[]), "10", "nothing was sent just before");
    assert_eq!(script.ack(2, &[]), "", "the next acknowledgement is due now");
    assert_eq!(script.ack(3, &[]), "11 12");
}

/// Linux `tcp_tso_should_defer`: an acknowledgement is near if it is due within a millisecond.
#[test]
fn one_segment_leaves_if_no_acknowledgement_is_near() {
    let mut script = Script::endless(&avoiding(10));
    script.at(98);
    script.now += Span::from_micros(500);
    assert_eq!(script.ack(1, &[]), "10");
    // Two samples of 98.5 ms bring the smoothed time to 99.65 ms: the next one is due in 1.15 ms.
    assert_eq!(script.ack(2, &[]), "11");
}

/// Linux `tcp_tso_win_divisor`: a third of the window does not wait, a quarter does.
#[test]
fn a_third_of_the_window_leaves_at_once() {
    for (window, sent) in [(3, "4"), (4, "")] {
        let mut script = Script::endless(&avoiding(window));
        script.at(100);
        let next = window.to_string();
        assert_eq!(script.ack(1, &[]), next, "nothing was sent just before");
        assert_eq!(script.ack(2, &[]), sent, "window {window}");
    }
}

/// The timer of a sender that waits is the one that it had: the retransmission timeout.
#[test]
fn waits_no_longer_than_a_millisecond() {
    let mut script = Script::endless(&avoiding(10));
    script.at(100);
    script.ack(1, &[]);
    script.ack(2, &[]);
    script.now += Span::from_micros(1001);
    assert_eq!(script.ack(3, &[]), "11 12");
    assert_eq!(script.ack(4, &[]), "", "13 waits");
    script.now += Span::from_micros(1001);
    assert_eq!(script.output(), "13", "long after what was sent last");
    assert!(script.sender.next_timer().is_some_and(|timer| timer > Time::from_millis(300)));
}

#[test]
fn pacing_lets_a_super_packet_go_as_a_whole() {
    let mut script = Script::endless(&Config { pacing: true, ..config() });
    script.at(100);
    // 11 segments of 1000 bytes in 100 ms, twice: two in 9.09 ms, less half of one for the wait.
    assert_eq!(script.ack(1, &[]), "10 11");
    assert_eq!(script.ack(2, &[]), "");
    let next = script.sender.next_timer().unwrap().since(script.now);
    assert!(next > Span::from_micros(6800) && next < Span::from_micros(6900), "{next}");
    assert_eq!(script.at(107), "106.818181:12 13");
}

/// Linux `tcp_tso_should_defer`: segments wait until they are a whole super-packet, here of three:
/// 1.2 x 300 segments of 1000 bytes in 100 ms are 3515 bytes in a 1024th of a second.
#[test]
fn waits_for_a_whole_super_packet() {
    let mut script = Script::endless(&avoiding(300));
    script.at(100);
    assert_eq!(script.ack(1, &[]), "300", "nothing was sent just before");
    assert_eq!(script.ack(3, &[]), "", "two wait");
    assert_eq!(script.ack(4, &[]), "301 302 303");
}

/// One acknowledgement each 0.5 ms from a peer that offers `offered` segments, for 20 round trips
/// in which every second segment waits for another one. Returns the congestion window, which was 20.
fn window_after_deferrals(offered: u64) -> u32 {
    let mut script = Script::offered(&avoiding(20), offered * 1000);
    script.sender.write(u64::MAX);
    script.output();
    let (mut acked, mut deferred) = (0, 0);
    for round in 1..=20 {
        script.at(round * 100);
        for _ in 0..offered.min(20) {
            acked += 1;
            deferred += u32::from(script.ack(acked, &[]).is_empty());
            script.now += Span::from_micros(500);
        }
    }
    assert!(deferred > 50, "{deferred} deferrals");
    script.sender.cwnd()
}

/// Linux `tcp_tso_should_defer`: a segment that waits behind the peer's window says nothing about
/// the congestion window, which grows only if it was the smaller one.
#[test]
fn the_window_does_not_grow_while_the_peers_window_makes_segments_wait() {
    assert_eq!(window_after_deferrals(10), 20);
    assert!(window_after_deferrals(1000) > 25);
}
