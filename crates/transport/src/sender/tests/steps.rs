//! The cost of an acknowledgement does not grow with the window.

use units::{Prob, Rng};

use super::*;

/// Sends a window of `segments`, of which those that `lost` picks are not delivered, and takes the
/// receiver's acknowledgements with three blocks each, through recovery. Returns the mean and the
/// largest number of steps of an acknowledgement.
fn cost(segments: u32, detection: LossDetection, lost: impl Fn(u64) -> bool) -> (f64, u64) {
    let config = Config { initial_window: segments, ..with(detection) };
    let mut script = Script::quiet(&config);
    script.sender.write(u64::from(segments) * u64::from(MSS));
    script.output_unchecked();
    script.now = Time::from_millis(100);
    let (mut blocks, mut most, mut acks): (Vec<(u64, u64)>, u64, u64) = (Vec::new(), 0, 0);
    let before = script.sender.losses.board().steps();
    for segment in (1..u64::from(segments)).filter(|&segment| !lost(segment)) {
        match blocks.first_mut() {
            Some(block) if block.1 == segment => block.1 += 1,
            _ => blocks.insert(0, (segment, segment + 1)),
        }
        blocks.truncate(3);
        let start = script.sender.losses.board().steps();
        let sack = blocks.iter().fold(SackBlocks::EMPTY, |mut sack, &(start, end)| {
            sack.push(1 + start * u64::from(MSS), 1 + end * u64::from(MSS));
            sack
        });
        let ack = Acknowledgement {
            ack: 1,
            window: script.window,
            sack,
            echo: None,
            stamp: None,
            ece: false,
            carries_data: false,
        };
        script.sender.on_ack(&ack, script.now);
        script.output_unchecked();
        most = most.max(script.sender.losses.board().steps() - start);
        acks += 1;
    }
    script.sender.check();
    assert!(script.sender.stats().retransmitted > 0);
    ((script.sender.losses.board().steps() - before) as f64 / acks as f64, most)
}

impl Script {
    fn output_unchecked(&mut self) {
        while self.sender.poll(self.now).is_some() {}
    }
}

#[test]
fn each_acknowledgement_takes_a_few_steps_whatever_the_window() {
    let mut rng = Rng::new(3);
    let random: Vec<bool> = (0..20_000).map(|_| rng.chance(Prob::clamped(0.3))).collect();
    for detection in [LossDetection::RackTlp, LossDetection::Scoreboard] {
        for every_second in [true, false] {
            let lost = |segment: u64| {
                segment == 0
                    || if every_second {
                        segment.is_multiple_of(2)
                    } else {
                        random[segment as usize]
                    }
            };
            let (small, _) = cost(50, detection, lost);
            let (large, most) = cost(20_000, detection, lost);
            assert!(large < small * 1.2 + 1.0 && large < 20.0, "{detection:?} {small} {large}");
            assert!(most < 100, "{detection:?} {most}");
        }
    }
}
