//! NewReno without SACK.

use super::*;
use crate::sender::CongestionState;

fn script() -> Script {
    let config = Config { sack: false, timestamps: false, ..with(LossDetection::DuplicateAcks) };
    let mut script = Script::endless(&config);
    script.at(100);
    script
}

/// RFC 3042, RFC 5681 section 3.2.
#[test]
fn fast_retransmit_and_recovery() {
    let mut script = script();
    assert_eq!(script.ack(0, &[]), "10");
    assert_eq!(script.ack(0, &[]), "11");
    assert_eq!(script.sender.state(), CongestionState::Disorder);
    assert_eq!(script.ack(0, &[]), "r0");
    assert_eq!(script.sender.state(), CongestionState::Recovery);
    assert_eq!(script.windows(), (8, 5, 12));
    // Four more inflate the window to the outstanding segments; each further one releases one.
    assert_eq!([(); 4].map(|()| script.ack(0, &[])), ["", "", "", ""]);
    assert_eq!([(); 4].map(|()| script.ack(0, &[])), ["12", "13", "14", "15"]);
    script.at(200);
    // All data outstanding at the loss is acknowledged: recovery ends, the window is ssthresh.
    assert_eq!(script.ack(12, &[]), "16");
    assert_eq!(script.windows(), (5, 5, 5));
    assert_eq!(script.sender.state(), CongestionState::Open);
}

/// RFC 6582 section 3.2.
#[test]
fn partial_acknowledgements_repair_one_hole_a_round_trip() {
    let mut script = script();
    let dupacks: Vec<_> = (0..7).map(|_| script.ack(0, &[])).collect();
    assert_eq!(dupacks, ["10", "11", "r0", "", "", "", ""]);
    assert_eq!(script.windows(), (12, 5, 12));
    script.at(200);
    // Segment 4 is lost too: deflate by 4, one back; the timer starts anew.
    assert_eq!(script.ack(4, &[]), "r4 12");
    assert_eq!(script.windows(), (9, 5, 9));
    assert_eq!(script.sender.next_timer(), Some(Time::from_millis(500)));
    script.at(300);
    assert_eq!(script.ack(8, &[]), "r8 13");
    assert_eq!(script.sender.next_timer(), Some(Time::from_millis(600)), "steady");
    script.at(400);
    assert_eq!(script.ack(12, &[]), "14");
    assert_eq!(script.sender.cwnd(), 3, "min(ssthresh, flight + 1): no burst");
    assert_eq!(script.sender.state(), CongestionState::Open);
}

/// RFC 6582 section 3.2 step 1.
#[test]
fn duplicates_of_what_a_recovery_repaired_do_not_start_another() {
    let mut script = script();
    (0..3).for_each(|_| drop(script.ack(0, &[])));
    script.at(200);
    script.ack(12, &[]);
    (0..5).for_each(|_| drop(script.ack(12, &[])));
    assert_eq!(script.sender.state(), CongestionState::Disorder);
    assert_eq!(script.sender.stats().recoveries, 1);
}

#[test]
fn data_or_a_new_window_make_no_duplicate() {
    let mut script = script();
    for _ in 0..4 {
        script.ack_with(0, &[], |ack| ack.carries_data = true);
        script.window += 1000;
        script.ack(0, &[]);
    }
    assert_eq!(
        (script.sender.state(), script.sender.stats().recoveries),
        (CongestionState::Open, 0)
    );
}

#[test]
fn a_timeout_goes_back_to_the_first() {
    let mut script = script();
    assert_eq!(script.at(300), "300:r0");
    assert_eq!(script.windows(), (1, 5, 1));
    script.at(400);
    assert_eq!(script.ack(1, &[]), "r1 r2");
    assert_eq!(script.ack(3, &[]), "r3 r4 r5 r6");
    assert_eq!(script.sender.state(), CongestionState::Loss, "until all that was outstanding is");
    assert_eq!(script.ack(10, &[]).split(' ').count(), 6, "to the threshold, and one more");
    assert_eq!(script.sender.state(), CongestionState::Open);
}

/// The window that fast recovery inflated is not halved.
#[test]
fn a_timeout_in_recovery_halves_the_true_window() {
    let mut script = script();
    (0..9).for_each(|_| drop(script.ack(0, &[])));
    assert_eq!(script.windows().1, 5);
    assert_eq!(script.at(301), "300:r0");
    assert_eq!(script.windows(), (1, 2, 1));
}
