//! Spurious recoveries.

use super::*;
use crate::sender::CongestionState;

fn in_recovery() -> Script {
    let mut script = Script::endless(&reno());
    script.at(100);
    script.ack(0, &[(1, 2)]);
    script.ack(0, &[(1, 3)]);
    assert_eq!(script.ack(0, &[(1, 4)]), "r0");
    script
}

/// RFC 3522: the echo is older than the retransmission, which left at 100 ms (101 on the clock).
#[test]
fn an_early_echo_restores_the_window() {
    let mut script = in_recovery();
    script.at(120);
    let sent = script.ack_echoing(4, &[], 1);
    assert!(!sent.contains('r'), "{sent}");
    assert_eq!(script.sender.state(), CongestionState::Open);
    assert_eq!(script.sender.ssthresh(), u32::MAX);
    assert!(script.sender.cwnd() >= 10);
    assert_eq!(script.sender.stats().spurious, 1);
}

/// With another retransmission still out, it may yet turn out to have been needed.
#[test]
fn an_early_echo_stops_retransmissions_at_least() {
    let mut script = in_recovery();
    script.ack(0, &[(6, 7), (1, 4)]);
    assert_eq!(script.ack(0, &[(6, 8), (1, 4)]), "");
    assert_eq!(script.ack(0, &[(6, 9), (1, 4)]), "r4");
    script.at(120);
    let sent = script.ack_echoing(4, &[(6, 9)], 1);
    assert!(!sent.contains('r'), "{sent}");
    assert_eq!((script.sender.state(), script.sender.ssthresh()), (CongestionState::Recovery, 5));
    script.ack_echoing(12, &[], 99);
    assert_eq!(
        (script.sender.state(), script.sender.ssthresh()),
        (CongestionState::Open, u32::MAX)
    );
}

#[test]
fn a_late_echo_does_not() {
    let mut script = in_recovery();
    script.at(200);
    script.ack_echoing(4, &[], 101);
    script.ack_echoing(12, &[], 101);
    assert_eq!((script.sender.state(), script.sender.ssthresh()), (CongestionState::Open, 5));
    assert_eq!((script.sender.cwnd(), script.sender.stats().spurious), (6, 0));
}

/// RFC 3708: every retransmission was reported as a duplicate.
#[test]
fn duplicates_restore_the_window() {
    let mut script = in_recovery();
    script.at(120);
    script.ack(4, &[]);
    assert_eq!(script.sender.state(), CongestionState::Recovery);
    script.at(200);
    script.ack(4, &[(0, 1)]);
    assert_eq!(script.sender.ssthresh(), u32::MAX);
    assert!(script.sender.cwnd() >= 10, "{}", script.sender.cwnd());
}

/// RFC 3708: only a report of a segment that was sent again shows a needless retransmission. The
/// network duplicated segment 2, which was sent once.
#[test]
fn a_duplicate_of_what_was_sent_once_restores_nothing() {
    let mut script = in_recovery();
    script.at(120);
    script.ack(0, &[(2, 3), (1, 4)]);
    assert_eq!((script.sender.state(), script.sender.ssthresh()), (CongestionState::Recovery, 5));
}

/// RFC 3522: the threshold returns to its value before the reduction; if that was less than three
/// quarters of the window, to those (Linux `tcp_current_ssthresh`).
#[test]
fn an_early_echo_restores_three_quarters_of_the_window_at_least() {
    for (before, after) in [(3, 9), (11, 11)] {
        let config = Config { initial_window: 12, ..starting_at(before) };
        let mut script = Script::endless(&config);
        script.at(100);
        script.ack(0, &[(1, 2)]);
        script.ack(0, &[(1, 3)]);
        assert_eq!(script.ack(0, &[(1, 4)]), "r0");
        script.at(120);
        script.ack_echoing(4, &[], 1);
        assert_eq!(
            (script.sender.state(), script.sender.ssthresh()),
            (CongestionState::Open, after)
        );
    }
}
