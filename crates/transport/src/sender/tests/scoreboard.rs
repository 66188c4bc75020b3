//! RFC 6675 and PRR.

use super::*;
use crate::sender::CongestionState;

fn script() -> Script {
    let mut script = Script::endless(&with(LossDetection::Scoreboard));
    script.at(100);
    script
}

/// Window 10 falls to 5: one segment for every two delivered.
#[test]
fn proportional_rate_reduction_halves_over_a_round_trip() {
    let mut script = script();
    assert_eq!(script.ack(0, &[(1, 2)]), "10");
    assert_eq!(script.ack(0, &[(1, 3)]), "11");
    assert_eq!(script.ack(0, &[(1, 4)]), "r0");
    assert_eq!(script.sender.state(), CongestionState::Recovery);
    let sent: Vec<_> = (5..=10).map(|end| script.ack(0, &[(1, end)])).collect();
    assert_eq!(sent, ["", "12", "", "13", "", ""]);
    assert_eq!(script.windows(), (5, 5, 5), "r0, 10, 11, 12, 13");
    script.at(200);
    // PRR has been reached: from now on as much as is delivered.
    assert_eq!(script.ack(0, &[(1, 11)]), "14");
    assert_eq!(script.ack(0, &[(1, 12)]), "15");
    assert_eq!(script.ack(12, &[]), "16");
    assert_eq!((script.windows(), script.sender.state()), ((5, 5, 5), CongestionState::Open));
}

#[test]
fn several_holes_are_repaired_in_one_round_trip() {
    let mut script = script();
    // 0, 3 and 6 are lost.
    assert_eq!(script.ack(0, &[(1, 2)]), "10");
    assert_eq!(script.ack(0, &[(1, 3)]), "11");
    assert_eq!(script.ack(0, &[(4, 5), (1, 3)]), "r0");
    assert_eq!(script.ack(0, &[(4, 6), (1, 3)]), "");
    assert_eq!(script.ack(0, &[(7, 8), (4, 6), (1, 3)]), "r3", "3 segments above 3");
    assert_eq!(script.ack(0, &[(7, 9), (4, 6), (1, 3)]), "");
    assert_eq!(script.ack(0, &[(7, 10), (4, 6), (1, 3)]), "r6");
    assert_eq!((script.sender.stats().lost, script.sender.in_flight()), (3, 5));
    script.at(200);
    script.ack(0, &[(7, 12), (4, 6), (1, 3)]);
    script.ack(3, &[(7, 12), (4, 6)]);
    script.ack(6, &[(7, 12)]);
    script.ack(12, &[]);
    assert_eq!((script.sender.cwnd(), script.sender.state()), (5, CongestionState::Open));
    assert_eq!(script.sender.stats().retransmitted, 3);
}

/// RFC 6675 section 4: three discontiguous runs are enough however short.
#[test]
fn runs_of_short_segments_count() {
    let mut script = Script::quiet(&with(LossDetection::Scoreboard));
    for _ in 0..10 {
        script.sender.write(100);
        script.output();
    }
    script.at(100);
    let sack = |script: &mut Script, blocks: &[(u64, u64)]| {
        let blocks: Vec<_> = blocks.iter().map(|&(s, e)| (1 + s * 100, 1 + e * 100)).collect();
        script.ack_with(0, &[], |ack| blocks.iter().for_each(|b| ack.sack.push(b.0, b.1)))
    };
    assert_eq!(sack(&mut script, &[(2, 3)]), "");
    assert_eq!(sack(&mut script, &[(4, 5), (2, 3)]), "");
    let sent = sack(&mut script, &[(6, 7), (4, 5), (2, 3)]);
    assert_eq!(sent, "r0*", "two are lost, one may be sent");
    assert_eq!(script.sender.losses.board().lost(), 2, "0 and 1, but not 3, which two runs follow");
}

/// RFC 6675 section 5: the third duplicate acknowledgement is enough.
#[test]
fn three_duplicates_of_short_segments_are_enough() {
    let mut script = Script::quiet(&with(LossDetection::Scoreboard));
    for _ in 0..10 {
        script.sender.write(100);
        script.output();
    }
    script.at(100);
    for (end, sent) in [(201, ""), (301, ""), (401, "r0*")] {
        assert_eq!(script.ack_with(0, &[], |ack| ack.sack.push(101, end)), sent);
    }
}

/// NextSeg rules 3 and 4: nothing new to send.
#[test]
fn the_last_segments_are_sent_again_when_there_is_nothing_better() {
    let mut script = Script::quiet(&with(LossDetection::Scoreboard));
    script.sender.write(10_000);
    script.output();
    script.at(100);
    // 0, 5, 8 and 9 are lost.
    script.ack(0, &[(1, 2)]);
    script.ack(0, &[(1, 3)]);
    assert_eq!(script.ack(0, &[(1, 4)]), "r0");
    assert_eq!(script.ack(0, &[(1, 5)]), "");
    assert_eq!(script.ack(0, &[(6, 7), (1, 5)]), "", "PRR");
    assert_eq!(script.ack(0, &[(6, 8), (1, 5)]), "r5", "rule 3");
    script.at(200);
    assert_eq!(script.ack(5, &[(6, 8)]), "r9", "rule 4");
    assert_eq!(script.ack(8, &[]), "", "once only");
}
