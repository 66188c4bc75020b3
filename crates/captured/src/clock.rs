//! The clock of a capture, which may go back.
//!
//! Records of several interfaces may be somewhat out of order. A step is more: the machine's clock was set while
//! packets were captured. A difference of times before and after it is no span of time.

use units::{Span, Time};

use crate::anomalies::Anomalies;

/// The least way back that is a step. chronyd as it is mostly set up sets a clock from 100 ms on (`makestep 0.1 3`), and
/// ntpd from 128 ms on; below, they let it run slower.
const STEP: Span = Span::from_millis(100);

/// A clock that never goes back. After a step back, it goes on from the time before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// The latest time as it is in the capture.
    read: Time,
    /// The latest time of this clock.
    now: Time,
    /// The time by which this clock is before that of the capture.
    ahead: Span,
}

impl Clock {
    /// The time of a record with this time.
    pub(crate) fn at(&mut self, time: Time, anomalies: &mut Anomalies) -> Time {
        let back = self.read.since(time);
        if back >= STEP {
            anomalies.clock_steps.note(back);
            self.ahead += back;
        }
        self.read = time;
        let now = time + self.ahead;
        if now < self.now {
            anomalies.out_of_order.note(self.now.since(now));
        }
        self.now = self.now.max(now);
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anomalies::Backward;

    #[test]
    fn time_goes_on_after_a_step_back() {
        let (mut clock, mut anomalies) = (Clock::default(), Anomalies::default());
        let read = [10_000, 10_020, 7_020, 7_021, 7_019, 7_030, 6_905];
        let times = read.map(|millis| clock.at(Time::from_millis(millis), &mut anomalies));
        let expected = [10_000, 10_020, 10_020, 10_021, 10_021, 10_030, 10_030];
        assert_eq!(times, expected.map(Time::from_millis));
        assert_eq!(anomalies.clock_steps, Backward { count: 2, largest: Span::from_secs(3) });
        assert_eq!(anomalies.out_of_order, Backward { count: 1, largest: Span::from_millis(2) });
    }
}
