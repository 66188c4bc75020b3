//! Tail loss probes.

use super::*;
use crate::sender::CongestionState;

fn transfer(segments: u64) -> Script {
    let mut script = Script::quiet(&reno());
    script.sender.write(segments * 1000);
    script.output();
    script
}

/// RFC 8985 section 7.2: 2 SRTT, and 200 ms for a lone segment, but no later than the timeout.
#[test]
fn the_probe_comes_after_two_round_trips() {
    let mut script = transfer(4);
    assert_eq!(script.sender.next_timer(), Some(Time::from_millis(208)));
    assert_eq!(script.at(250), "208:r3");
    let script = transfer(1);
    assert_eq!(script.sender.next_timer(), Some(Time::from_millis(300)), "RTO");
}

#[test]
fn new_data_is_the_better_probe() {
    let mut script = Script::endless(&reno());
    assert_eq!(script.at(250), "208:10", "beyond the window");
    assert_eq!(script.sender.in_flight(), 11);
    assert_eq!(script.sender.stats().tail_loss_probes, 1);
    assert_eq!(script.sender.next_timer(), Some(Time::from_millis(508)), "then the timeout");
}

/// The acknowledgement of the probe shows the hole.
#[test]
fn the_probe_starts_recovery() {
    let mut script = transfer(4);
    script.at(100);
    script.ack(2, &[]);
    assert_eq!(script.at(308), "308:r3");
    script.at(408);
    // 2 is lost as well: three quarters later it is certain.
    assert_eq!(script.ack(2, &[(3, 4)]), "r2");
    assert_eq!(script.sender.state(), CongestionState::Recovery);
    assert_eq!(script.sender.stats().timeouts, 0);
}

/// RFC 8985 section 7.4: the probe repaired the only loss: reduce once.
#[test]
fn a_loss_that_the_probe_repairs_counts() {
    let mut script = transfer(4);
    script.at(100);
    script.ack(3, &[]);
    assert_eq!(script.at(400), "400:r3");
    script.at(450);
    script.sender.write(1000);
    assert_eq!(script.output(), "4");
    script.at(500);
    script.ack(4, &[]);
    assert_eq!(script.sender.ssthresh(), u32::MAX, "could be the original's acknowledgement");
    script.at(550);
    script.ack(5, &[]);
    assert_eq!(script.sender.ssthresh(), 5);
    assert_eq!((script.sender.cwnd(), script.sender.state()), (5, CongestionState::Open));
}

#[test]
fn a_probe_without_loss_costs_nothing() {
    for duplicate in [true, false] {
        let mut script = transfer(4);
        assert_eq!(script.at(250), "208:r3");
        script.ack(4, &[]);
        script.at(310);
        script.ack(4, if duplicate { &[(3, 4)] } else { &[] });
        script.sender.write(1000);
        script.output();
        script.at(410);
        script.ack(5, &[]);
        assert_eq!(script.sender.ssthresh(), u32::MAX);
        assert_eq!(script.sender.cwnd(), 10);
    }
}

#[test]
fn one_probe_at_a_time() {
    let mut script = transfer(4);
    assert_eq!(script.at(600), "208:r3 508:r0");
    assert_eq!(script.sender.stats().timeouts, 1);
}
