//! Detection of a clock that stands still: there are more events at one time than in any scenario,
//! so that the run would never end.
//!
//! Flows, queues and links are all driven by events and packets, so that a defect in any of them
//! shows here. Events are counted from one pause of the run to the next, so that counting costs
//! nothing per event.

use units::Time;

/// The fewest events at one time, or packets that a flow sends in one event, at which the clock is
/// taken to stand still.
const FEWEST: u64 = 1_000_000;
/// The fewest events for each flow and link direction; decides if it is more in all, since all of
/// them may begin at one time.
const FEWEST_EACH: u64 = 100;

/// A clock that stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standstill {
    /// The time at which the clock stands.
    pub(crate) time: Time,
    /// Events so far at this time, or packets of one event.
    pub(crate) events: u64,
    /// The latest flow that was asked for a packet, by its index; `None` if none was.
    pub(crate) flow: Option<usize>,
}

/// The counter of the events since the clock last moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandstillDetector {
    events: u64,
    most: u64,
    flow: Option<usize>,
    /// True if the flow goes on sending in one event.
    endless: bool,
}

impl StandstillDetector {
    /// The detector for a world of `parts` flows and link directions.
    pub(crate) fn new(parts: usize) -> Self {
        let most = FEWEST.max(FEWEST_EACH.saturating_mul(parts as u64));
        Self { events: 0, most, flow: None, endless: false }
    }

    /// Notes that this flow is asked for packets; returns the most that it may send in one event.
    #[inline]
    pub(crate) fn begin(&mut self, flow: usize) -> u64 {
        self.flow = Some(flow);
        self.most
    }

    /// Notes that the flow has sent that many packets in one event, and goes on.
    #[cold]
    pub(crate) fn mark_endless(&mut self) {
        self.endless = true;
    }

    /// Notes a pause of the run at this time, after `events` events since the last pause.
    ///
    /// # Errors
    /// If the clock stands still.
    pub(crate) fn pause(&mut self, time: Time, moved: bool, events: u64) -> Result<(), Standstill> {
        self.events = if moved { 0 } else { self.events + events };
        let Self { events, most, flow, endless } = *self;
        match endless {
            true => Err(Standstill { time, events: most, flow }),
            false if events >= most => Err(Standstill { time, events, flow }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_secs(1);

    #[test]
    fn events_at_one_time_add_up_from_pause_to_pause() {
        let mut detector = StandstillDetector::new(10);
        detector.begin(3);
        assert_eq!(detector.pause(NOW, false, 999_999), Ok(()));
        assert_eq!(detector.pause(NOW, true, 4_096), Ok(()), "the clock moved");
        assert_eq!(detector.pause(NOW, false, 999_999), Ok(()));
        let standstill = Standstill { time: NOW, events: 1_000_000, flow: Some(3) };
        assert_eq!(detector.pause(NOW, false, 1), Err(standstill));
    }

    #[test]
    fn one_event_without_end_is_a_standstill_though_the_clock_moved_before() {
        let mut detector = StandstillDetector::new(20_000);
        assert_eq!(detector.begin(0), 2_000_000, "a hundred for each of the parts");
        detector.mark_endless();
        let standstill = Standstill { time: NOW, events: 2_000_000, flow: Some(0) };
        assert_eq!(detector.pause(NOW, true, 1), Err(standstill));
    }
}
