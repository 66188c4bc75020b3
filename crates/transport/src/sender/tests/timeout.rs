//! The retransmission timer.

use super::*;
use crate::sender::CongestionState;

/// RFC 6298 sections 5.5 and 5.6; a tail loss probe comes first.
#[test]
fn backs_off_while_nothing_comes() {
    let mut script = Script::quiet(&reno());
    script.sender.write(1000);
    script.output();
    assert_eq!(script.at(5000), "300:r0 600:r0 1200:r0 2400:r0 4800:r0");
    assert_eq!(script.sender.rto(), Span::from_millis(4800));
}

/// RFC 6298 section 3: only timestamps tell which transmission was acknowledged.
#[test]
fn karn() {
    for timestamps in [false, true] {
        let config = Config { timestamps, ..reno() };
        let mut script = Script::quiet(&config);
        script.sender.write(2000);
        script.output();
        assert_eq!(script.at(600), "208:r1 508:r0");
        script.ack_echoing(2, &[], 509);
        let rto = if timestamps { 292 } else { 600 };
        assert!(
            script.sender.rto().as_millis_f64().round() as u64 >= rto,
            "{timestamps} {}",
            script.sender.rto()
        );
        assert_eq!(script.sender.take_rtt_sample(), None, "too coarse for statistics");
    }
}

#[test]
fn slow_start_from_one_segment() {
    let mut script = Script::endless(&Config { timestamps: false, ..reno() });
    assert_eq!(script.at(600), "208:10 508:r0");
    assert_eq!((script.windows(), script.sender.state()), ((1, 5, 1), CongestionState::Loss));
    // F-RTO (RFC 5682): nothing of the original flight was delivered; two new segments first.
    assert_eq!(script.ack(1, &[]), "11 12");
    script.at(700);
    assert_eq!(script.ack(1, &[(11, 12)]), "r1", "a real loss: the usual slow start");
    script.at(720);
    assert_eq!(script.ack(2, &[(11, 12)]), "r2 r3");
    // Once the loss is known to be real, a late original proves nothing any more.
    script.ack(2, &[(5, 6), (11, 12)]);
    assert_eq!(script.sender.state(), CongestionState::Loss);
    assert_eq!(script.sender.ssthresh(), 5);
}

/// RFC 5682 section 3.1: segments sent once are delivered, so nothing was lost.
#[test]
fn a_spurious_timeout_is_taken_back() {
    let mut script = Script::endless(&Config { timestamps: false, ..reno() });
    assert_eq!(script.at(520), "208:10 508:r0");
    assert_eq!(script.ack(1, &[]), "11 12");
    let sent = script.ack(3, &[]);
    assert!(!sent.contains('r'), "{sent}");
    assert_eq!(script.sender.state(), CongestionState::Open);
    assert_eq!((script.sender.ssthresh(), script.sender.stats().spurious), (u32::MAX, 1));
    assert!(script.sender.cwnd() >= 10);
}

/// The first acknowledgement echoes the first transmission.
#[test]
fn timestamps_show_it_at_once() {
    let mut script = Script::endless(&reno());
    assert_eq!(script.at(520), "208:10 508:r0");
    let sent = script.ack_echoing(1, &[], 1);
    assert!(!sent.contains('r'), "{sent}");
    assert_eq!(
        (script.sender.state(), script.sender.ssthresh()),
        (CongestionState::Open, u32::MAX)
    );
}

#[test]
fn the_threshold_falls_once_however_often_the_timer_fires() {
    let mut script = Script::endless(&reno());
    script.at(3000);
    assert!(script.sender.stats().timeouts >= 3);
    assert_eq!(script.windows(), (1, 5, 1));
}

/// RFC 5681 section 3.1: a timeout before the end of recovery does not reduce the threshold again
/// (Linux `tcp_enter_loss`).
#[test]
fn a_timeout_within_recovery_does_not_lower_the_threshold_again() {
    for detection in [LossDetection::RackTlp, LossDetection::Scoreboard] {
        let mut script = Script::endless(&with(detection));
        script.at(100);
        script.ack(0, &[(1, 2)]);
        script.ack(0, &[(1, 3)]);
        assert_eq!(script.ack(0, &[(1, 4)]), "r0");
        assert_eq!(
            (script.sender.state(), script.sender.ssthresh()),
            (CongestionState::Recovery, 5)
        );
        script.at(2000);
        assert!(script.sender.stats().timeouts > 0);
        assert_eq!((script.sender.state(), script.sender.ssthresh()), (CongestionState::Loss, 5));
    }
}

/// Linux `tcp_xmit_retransmit_queue`: the timeout restarts when the oldest segment is sent again.
/// Linux `tcp_clean_rtx_queue`: it also restarts on selective acknowledgements of segments that
/// were sent before that.
#[test]
fn sending_the_oldest_again_restarts_the_timer() {
    let mut script = Script::endless(&reno());
    script.at(120);
    assert_eq!(script.ack(0, &[(1, 4)]), "r0 10");
    let timeout = Time::from_millis(120) + script.sender.rto();
    assert_eq!(script.sender.next_timer(), Some(timeout));
    script.at(130);
    script.ack(0, &[(1, 5)]);
    let timeout = Time::from_millis(130) + script.sender.rto();
    assert_eq!(script.sender.next_timer(), Some(timeout));
}

/// Linux `tcp_fastretrans_alert` (FLAG_LOST_RETRANS): after a timeout, the loss of a retransmission
/// is a new congestion, which reduces the window once more.
#[test]
fn a_retransmission_lost_after_a_timeout_begins_a_recovery() {
    let mut script = Script::endless(&Config { timestamps: false, ..reno() });
    assert_eq!(script.at(600), "208:10 508:r0");
    script.ack(1, &[]);
    script.at(700);
    assert_eq!(script.ack(1, &[(11, 12)]), "r1");
    script.at(720);
    assert_eq!(script.ack(2, &[(11, 12)]), "r2 r3");
    assert_eq!(
        (script.sender.state(), script.sender.stats().recoveries),
        (CongestionState::Loss, 0)
    );
    script.at(820);
    let sent = script.ack(2, &[(3, 4), (11, 12)]);
    assert!(sent.starts_with("r2"), "{sent}");
    assert_eq!(
        (script.sender.state(), script.sender.stats().recoveries),
        (CongestionState::Recovery, 1)
    );
}
