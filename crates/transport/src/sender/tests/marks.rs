//! ECN.

use super::*;
use crate::sender::CongestionState;

fn script() -> Script {
    let mut script = Script::endless(&Config { ecn: true, ..reno() });
    script.at(100);
    script
}

/// RFC 3168 section 6.1.2: once a window, and CWR on the next new segment.
#[test]
fn one_reduction_a_window() {
    let mut script = script();
    assert_eq!(script.ack_marked(1, &[]), "10C");
    assert_eq!((script.sender.state(), script.sender.ssthresh()), (CongestionState::Cwr, 5));
    for segment in 2..=10 {
        script.ack_marked(segment, &[]);
    }
    assert_eq!(script.sender.stats().ecn_reductions, 1);
    assert_eq!(script.windows(), (5, 5, 5));
    script.at(200);
    script.ack(11, &[]);
    assert_eq!((script.sender.state(), script.sender.cwnd()), (CongestionState::Open, 5));
    let sent = script.ack_marked(12, &[]);
    assert_eq!(script.sender.stats().ecn_reductions, 2);
    assert!(sent.is_empty() || sent.contains('C'));
}

#[test]
fn a_loss_in_the_same_window_does_not_reduce_again() {
    let mut script = script();
    script.ack_marked(1, &[]);
    for end in 3..=6 {
        script.ack(1, &[(2, end)]);
    }
    assert_eq!(script.sender.state(), CongestionState::Recovery);
    assert_eq!(script.sender.ssthresh(), 5);
    assert_eq!(script.sender.stats().retransmitted, 1);
}

/// RFC 3168 section 6.1.5.
#[test]
fn retransmissions_are_not_capable() {
    let mut script = Script::quiet(&Config { ecn: true, ..reno() });
    script.sender.write(1000);
    assert!(script.sender.poll(script.now).unwrap().ect);
    assert_eq!(script.sender.poll(script.now), None);
    script.now = Time::from_millis(300);
    script.sender.on_timer(script.now);
    let again = script.sender.poll(script.now).unwrap();
    assert!(again.retransmission && !again.ect);
}

#[test]
fn without_negotiation_an_echo_means_nothing() {
    let mut script = Script::endless(&reno());
    script.at(100);
    assert_eq!(script.ack_marked(1, &[]), "10 11");
}

#[test]
fn without_sack_the_window_halves_at_once() {
    let config = Config { ecn: true, sack: false, ..with(LossDetection::DuplicateAcks) };
    let mut script = Script::endless(&config);
    script.at(100);
    assert_eq!(script.ack_marked(1, &[]), "");
    assert_eq!(script.windows(), (5, 5, 9));
    (2..=5).for_each(|segment| drop(script.ack_marked(segment, &[])));
    assert_eq!(script.ack_marked(6, &[]), "10C");
    assert_eq!(script.sender.stats().ecn_reductions, 1);
}
