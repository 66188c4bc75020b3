//! Records the packets of one queue during some short stretches of a run.

use results::{QueueWindow, Stay};
use scenario::{RatePlan, Scenario};
use units::{Bytes, DirectionId, Rate, Span, Time};

use crate::Tag;

/// The number of stretches.
const WINDOWS: u64 = 8;
/// The length of a stretch, in full packets at the rate of the link.
const PACKETS: u64 = 1200;
/// The length of a stretch at most.
const LONGEST: Span = Span::from_secs(5);
/// Largest number of packets that are recorded of a stretch.
const MOST_STAYS: usize = 4000;
/// A full packet.
const PACKET: Bytes = Bytes(1500);

/// The queue whose packets are wanted one by one.
#[derive(Debug)]
pub struct StayOptions<'a> {
    /// The direction that has the queue.
    pub direction: DirectionId,
    /// The place for the stretches with their packets; they are none if the direction has no limit.
    pub windows: &'a mut Vec<QueueWindow>,
}

/// The recorder of the packets of one queue: in stretches of equal length, spread evenly over the run
/// without its warm-up and its end.
#[derive(Debug)]
pub struct StayRecorder {
    direction: DirectionId,
    windows: Vec<QueueWindow>,
}

impl StayRecorder {
    /// The recorder for a direction of a link; `None` if its rate has no limit, so that no packet waits.
    pub fn of(scenario: &Scenario, direction: DirectionId) -> Option<Self> {
        let rate = lowest(scenario.direction(direction).rate.as_ref()?)?;
        let whole = scenario.duration.saturating_sub(scenario.warmup);
        let packet = (PACKET / rate).as_nanos();
        // Packets that are in the queue when the run ends have not left it.
        let length =
            packet.saturating_mul(PACKETS).min(LONGEST.as_nanos()).min(whole.as_nanos() / 2);
        let begin = Time::ZERO + scenario.warmup;
        let window = |index: u64| {
            let part = u128::from(whole.as_nanos() - length) * u128::from(index);
            let from = begin + Span::from_nanos((part / u128::from(WINDOWS)) as u64);
            QueueWindow { from, to: from + Span::from_nanos(length), stays: Vec::new() }
        };
        Some(Self { direction, windows: (0..WINDOWS).map(window).collect() })
    }

    /// The direction whose queue is recorded.
    pub(crate) const fn direction(&self) -> DirectionId {
        self.direction
    }

    /// Records a packet that leaves the queue.
    pub(crate) fn left(&mut self, tag: &Tag, offered: Time, left: Time, is_dropped: bool) {
        let stay = Stay { flow: tag.flow, bytes: tag.bytes, offered, left, is_dropped };
        for window in &mut self.windows {
            if offered >= window.to || left < window.from {
                continue;
            }
            if window.stays.len() < MOST_STAYS {
                window.stays.push(stay);
            } else {
                // What is not recorded is not of the stretch.
                window.to = window.to.min(offered);
            }
        }
    }

    /// The stretches with their packets.
    pub fn finish(self) -> Vec<QueueWindow> {
        self.windows
    }
}

/// The lowest rate of a schedule, the average of a trace.
fn lowest(rate: &RatePlan) -> Option<Rate> {
    match rate {
        RatePlan::Constant(rate) => Some(*rate),
        RatePlan::Schedule(schedule) => {
            let rates = schedule.steps().iter().map(|(_, rate)| *rate);
            rates.min()
        }
        RatePlan::Trace { trace, .. } => Some(trace.average_rate()),
    }
}

#[cfg(test)]
mod tests {
    use units::Way;

    use super::*;

    const SCENARIO: &str = r#"
        duration = "60s"
        warmup = "4s"
        [[link]]
        name = "up"
        from = "a"
        to = "b"
        rate = "2mbit"
        [[flow]]
        name = "load"
        from = "a"
        to = "b"
        traffic = "bulk"
    "#;

    fn recorder() -> StayRecorder {
        let no_trace = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let scenario = Scenario::parse(SCENARIO, "up.toml", &[], &no_trace).unwrap();
        assert!(StayRecorder::of(&scenario, DirectionId::new(0, Way::Forward)).is_some());
        StayRecorder::of(&scenario, DirectionId::new(0, Way::Reverse)).unwrap()
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    #[test]
    fn stretches_are_spread_over_the_run() {
        let windows = recorder().finish();
        assert_eq!(windows.len(), 8);
        // 1200 packets of 6 ms are more than 5 s.
        assert_eq!((windows[0].from, windows[0].to), (at(4000), at(9000)));
        assert_eq!((windows[7].from, windows[7].to), (at(48_625), at(53_625)));
    }

    #[test]
    fn a_packet_is_of_each_stretch_that_it_touches() {
        let mut recorder = recorder();
        let tag = Tag { flow: 3, packets: 1, bytes: PACKET, is_marked: false };
        for (offered, left) in [(3000, 3999), (3000, 4000), (8999, 9500), (9000, 9500)] {
            recorder.left(&tag, at(offered), at(left), false);
        }
        let stays = &recorder.finish()[0].stays;
        let offered: Vec<Time> = stays.iter().map(|stay| stay.offered).collect();
        assert_eq!(offered, [at(3000), at(8999)]);
        assert_eq!((stays[0].flow, stays[0].is_dropped), (3, false));
    }

    #[test]
    fn a_stretch_of_too_many_packets_ends_early() {
        let mut recorder = recorder();
        let tag = Tag { flow: 0, packets: 1, bytes: Bytes(40), is_marked: false };
        for millis in 4000..9000 {
            recorder.left(&tag, at(millis), at(millis), true);
        }
        let windows = recorder.finish();
        assert_eq!((windows[0].stays.len(), windows[0].to), (MOST_STAYS, at(8000)));
    }
}
