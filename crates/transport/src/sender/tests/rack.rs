//! RACK.

use super::*;
use crate::sender::CongestionState;

fn script() -> Script {
    let mut script = Script::endless(&reno());
    script.at(100);
    script
}

#[test]
fn three_segments_above_a_hole_prove_it() {
    let mut script = script();
    assert_eq!(script.ack(0, &[(1, 2)]), "10");
    assert_eq!(script.sender.state(), CongestionState::Disorder);
    assert_eq!(script.ack(0, &[(1, 3)]), "11");
    assert_eq!(script.ack(0, &[(1, 4)]), "r0");
    assert_eq!(script.windows(), (9, 5, 9));
    assert_eq!(script.sender.state(), CongestionState::Recovery);
}

#[test]
fn several_holes_at_once() {
    let mut script = script();
    assert_eq!(script.ack(0, &[(5, 6)]), "10");
    assert_eq!(script.ack(0, &[(5, 7)]), "11");
    assert_eq!(script.ack(0, &[(5, 8)]), "r0", "0 to 4 are lost; one for one");
    assert_eq!((script.windows(), script.sender.losses.board().lost()), ((5, 5, 5), 5));
    assert_eq!(script.ack(0, &[(5, 9)]), "r1");
    script.at(200);
    assert_eq!(script.ack(1, &[(5, 9)]), "r2");
}

/// RFC 8985 section 6.2 step 5 and section 6.3: a quarter of the round trip, then the timer.
#[test]
fn the_reordering_timer_finds_what_three_segments_cannot() {
    let mut script = Script::quiet(&reno());
    script.sender.write(3000);
    script.output();
    script.at(100);
    assert_eq!(script.ack(0, &[(1, 2)]), "");
    // Sent at 0, a round trip of 100, a window of 25, and Linux's two ticks.
    assert_eq!(script.sender.next_timer(), Some(Time::from_millis(133)));
    assert_eq!(script.at(140), "133:r0");
    assert_eq!(script.sender.state(), CongestionState::Recovery);
    assert_eq!(script.sender.stats().recoveries, 1);
}

#[test]
fn reordering_within_the_window_costs_nothing() {
    let mut script = script();
    assert_eq!(script.ack(0, &[(1, 2)]), "10");
    script.at(110);
    assert_eq!(script.ack(2, &[]), "11 12", "slow start goes on");
    assert_eq!(script.sender.state(), CongestionState::Open);
    script.at(120);
    // From now on three segments prove nothing; the window does.
    for (end, sent) in [(4, "13"), (5, "14"), (6, "15"), (7, "16")] {
        assert_eq!(script.ack(2, &[(3, end)]), sent);
    }
    assert_eq!(script.sender.state(), CongestionState::Disorder);
}

#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    let mut script = script();
    script.ack(0, &[(1, 2)]);
    script.ack(0, &[(1, 3)]);
    assert_eq!(script.ack(0, &[(1, 4)]), "r0");
    script.at(101);
    let sent: Vec<_> = (5..=10).map(|end| script.ack(0, &[(1, end)])).collect();
    assert_eq!(sent, ["", "12", "", "13", "", ""]);
    script.at(200);
    // Sent together with r0 or before it.
    script.ack(0, &[(1, 12)]);
    assert_eq!(script.sender.stats().lost, 1);
    script.at(201);
    let sent = script.ack(0, &[(1, 13)]);
    assert!(sent.starts_with("r0"), "12 was sent after r0: {sent}");
    assert_eq!(script.sender.stats().lost, 2);
    assert_eq!(script.sender.stats().recoveries, 1);
}

/// A window in which the receiver reports duplicates means reordering beyond it.
#[test]
fn duplicates_widen_the_window() {
    let mut script = script();
    script.ack(0, &[(1, 2)]);
    script.ack(2, &[]);
    // A retransmission that was not needed.
    script.ack(2, &[(3, 6)]);
    assert_eq!(script.at(150).split(':').nth(1), Some("r2"));
    script.ack(6, &[]);
    script.at(250);
    script.ack(6, &[(2, 3)]);
    script.at(260);
    script.ack(6, &[(7, 8)]);
    let wait = script.sender.next_timer().unwrap().since(script.now);
    assert!(wait > Span::from_millis(30), "two quarters of 100 ms: {wait}");
}

/// RFC 8985 section 6.2 step 2: a cumulative acknowledgement delivers too. What was sent before the
/// retransmission that it acknowledges, and is still missing, is lost.
#[test]
fn a_delivered_retransmission_proves_what_was_sent_before_it() {
    let mut script = Script::endless(&reno());
    script.at(120);
    assert_eq!(script.ack(0, &[(1, 4)]), "r0 10");
    script.at(220);
    let sent = script.ack(4, &[]);
    assert!(sent.starts_with("r4"), "{sent}");
    assert_eq!(script.sender.losses.board().lost(), 6, "4 to 9");
}
