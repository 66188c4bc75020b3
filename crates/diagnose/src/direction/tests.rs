use observation::SenderSample;

use super::*;
use crate::flow::tests::download;

/// The result for ten seconds that look policed, in whose halves these parts of the segments are
/// retransmitted.
fn policed(halves: [f64; 2]) -> (QueueKind, [f64; 2]) {
    let sample = |tenth: u32| {
        let at = f64::from(tenth) / 10.0;
        let again = at.min(5.0) * halves[0] + (at - 5.0).max(0.0) * halves[1];
        let (sent, retransmitted) = ((1e6 * at) as u64, (1e6 * again) as u64);
        SenderSample { sent, retransmitted, ..SenderSample::default() }
    };
    let samples: Vec<SenderSample> = (0..=100).map(sample).collect();
    let seen = download(10);
    let flow = Flow {
        seen: &seen,
        start: 0.0,
        stop: 10.0,
        received: Vec::new(),
        largest: 1500.0,
        in_pieces: false,
        sender: (0..=100_u32).map(|tenth| f64::from(tenth) / 10.0).zip(&samples).collect(),
    };
    let queue = QueueFinding { kind: QueueKind::Policer, confidence: 0.95 };
    let (queue, window) = once_policed(queue, Window { from: 0.0, to: 10.0 }, &[&flow]);
    (queue.kind, [window.from, window.to])
}

/// A policer first passes what is in its bucket, and drops from then on.
#[test]
fn a_policer_still_drops_in_the_later_half() {
    let (policer, later) = (QueueKind::Policer, [5.0, 10.0]);
    assert_eq!(policed([0.05, 0.05]), (policer, later));
    assert_eq!(policed([0.0, 0.05]), (policer, later));
    assert_eq!(policed([0.05, 0.02]), (policer, later), "0.57 of what is sent again in all of it");
    assert_eq!(policed([0.05, 0.01]), (QueueKind::Unknown, [0.0, 10.0]), "and 0.33");
}
