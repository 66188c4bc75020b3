//! The peer's receive window.

use super::*;

/// RFC 9293 section 3.8.6.2.1: whole segments only.
#[test]
fn the_window_is_filled_with_whole_segments() {
    let mut script = Script::offered(&reno(), 3_999);
    script.sender.write(u64::MAX);
    assert_eq!(script.output(), "0 1 2");
    script.at(100);
    script.window = 2_999;
    assert_eq!(script.ack(3, &[]), "3 4");
}

/// RFC 9293 section 3.8.6.1: the probe's answer opens the window.
#[test]
fn a_closed_window_is_probed() {
    let mut script = Script::endless(&reno());
    script.at(100);
    script.window = 0;
    assert_eq!(script.ack(10, &[]), "");
    let probe = script.sender.next_timer().unwrap();
    assert_eq!(probe, Time::from_millis(100) + script.sender.rto());
    let mut times = Vec::new();
    for _ in 0..4 {
        let deadline = script.sender.next_timer().unwrap();
        times.push(deadline.since(script.now).as_millis_f64().round() as u64);
        script.now = deadline;
        script.sender.on_timer(deadline);
        let probe = script.sender.poll(deadline).unwrap();
        assert_eq!((probe.seq, probe.len, probe.flags), (10_000, 0, Flags::NONE));
        assert_eq!(script.sender.poll(deadline), None);
        script.ack(10, &[]);
    }
    assert_eq!(times[1..], [times[0] * 2, times[0] * 4, times[0] * 8]);
    script.window = 2_000;
    assert_eq!(script.ack(10, &[]), "10 11");
    assert_eq!(script.sender.stats().window_probes, 4);
}

/// RFC 9293 section 3.8.6.2.1: a window that is too small for a segment is used in the end.
#[test]
fn a_small_window_is_used_after_a_while() {
    let mut script = Script::endless(&reno());
    script.at(100);
    script.window = 400;
    assert_eq!(script.ack(10, &[]), "");
    let sent = script.at(450);
    assert!(sent.ends_with(":10*"), "{sent}");
    assert_eq!(script.sender.unacked(), 400);
}

#[test]
fn an_old_acknowledgement_does_not_set_the_window() {
    let mut script = Script::endless(&reno());
    script.at(100);
    script.window = 20_000;
    script.ack(5, &[]);
    script.window = 1;
    script.ack(3, &[]);
    script.ack(5, &[]);
    let accepts = |end| script.sender.sequence.accepts(end);
    assert!(accepts(1 + 25_000) && !accepts(2 + 25_000), "nor does it shrink");
}

/// RFC 9293 section 3.8.6.2.1, case 3: less than a segment is sent if it is half of the largest
/// window that the peer ever announced.
#[test]
fn a_window_smaller_than_a_segment_is_used_at_once() {
    let mut script = Script::offered(&reno(), 300);
    script.sender.write(u64::MAX);
    assert_eq!(script.output(), "0*");
    script.at(100);
    assert_eq!(script.ack_with(0, &[], |ack| ack.ack = 1 + 300), "0*");
    assert_eq!(script.sender.unacked(), 300);
}
