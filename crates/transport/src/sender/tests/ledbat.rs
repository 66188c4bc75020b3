//! LEDBAT: the delays that the sender passes to it.

use super::*;

/// The congestion window after a first round trip of 100 ms without a queue, and ten in which
/// packets wait for `queueing` ms. The peer's clock is five seconds ahead of ours.
fn after(queueing: u32) -> u32 {
    let congestion = Congestion::Ledbat { target: Span::from_millis(25), gain: 1.0 };
    let mut script = Script::endless(&Config { congestion, ..reno() });
    let mut acknowledged = 0;
    for round in 1..=11 {
        script.at(100 * u64::from(round));
        let sent = (script.sender.sequence.next() - 1) / u64::from(MSS);
        let echo = 100 * (round - 1) + 1;
        let waited = if round == 1 { 0 } else { queueing };
        for upto in acknowledged + 1..=sent {
            script.ack_with(upto, &[], |ack| {
                (ack.echo, ack.stamp) = (Some(echo), Some(5_000 + echo + 50 + waited));
            });
        }
        acknowledged = sent;
    }
    script.sender.cwnd()
}

/// RFC 6817 section 2.4.2: the delay of one direction is the peer's timestamp less its echo of
/// ours, whatever the clocks show. The window grows by a segment each round trip without a queue,
/// stays on the target, and falls by one at twice the target.
#[test]
fn follows_the_one_way_delay() {
    let [without, on_target, beyond] = [0, 25, 50].map(after);
    assert!((20..=21).contains(&without), "{without}");
    assert!((10..=11).contains(&on_target), "{on_target}");
    assert!((2..=3).contains(&beyond), "{beyond}");
}
