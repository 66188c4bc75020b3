//! Finds out that the shaper cannot keep up, and decides what to do then.

use units::{Span, Time};

use crate::Unable;

/// The lateness that 1 % of the packets of a second may have. A shaper that is later adds more delay
/// than the queue that it replaces may have had: most queues aim at 5 ms.
const LATE: Span = Span::from_millis(10);
/// The number of bad seconds in a row after which the shaper steps aside. A single one is an accident.
const BAD_SECONDS: u32 = 3;
/// The time for which the shaper steps aside before it tries again.
const ASIDE: Span = Span::from_secs(10);

/// The lateness and the losses of a second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Second {
    /// 99 % of the packets were sent no later than this after they were due; `None` without packets.
    pub(crate) lateness: Option<Span>,
    /// Packets that were lost between the kernel and the queue.
    pub(crate) lost_packets: u64,
}

/// The watch over the shaper's own seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starvation {
    unable: Unable,
    bad_seconds: u32,
    /// The time until which packets pass; `None` while packets are shaped.
    aside_until: Option<Time>,
    /// The number of times that the shaper has stepped aside.
    pub(crate) times: u64,
}

impl Starvation {
    pub(crate) fn new(unable: Unable) -> Self {
        Self { unable, bad_seconds: 0, aside_until: None, times: 0 }
    }

    /// True while packets are to pass.
    pub(crate) fn is_aside(&self) -> bool {
        self.aside_until.is_some()
    }

    /// Judges a second that has just ended. Returns true if [`is_aside`](Self::is_aside) has changed.
    pub(crate) fn judge(&mut self, second: Second, now: Time) -> bool {
        if let Some(until) = self.aside_until {
            if now >= until {
                (self.aside_until, self.bad_seconds) = (None, 0);
            }
            return self.aside_until.is_none();
        }
        let is_bad = second.lost_packets > 0 || second.lateness.is_some_and(|late| late > LATE);
        self.bad_seconds = if is_bad { self.bad_seconds + 1 } else { 0 };
        if self.unable == Unable::Shape || self.bad_seconds < BAD_SECONDS {
            return false;
        }
        self.aside_until = Some(now + ASIDE);
        self.times += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Second = Second { lateness: Some(Span::from_micros(80)), lost_packets: 0 };
    const LATE: Second = Second { lateness: Some(Span::from_millis(11)), lost_packets: 0 };
    const LOSSY: Second = Second { lateness: None, lost_packets: 1 };

    fn changes(unable: Unable, seconds: &[Second]) -> Vec<u64> {
        let mut starvation = Starvation::new(unable);
        let changed = |(at, second): (u64, &Second)| {
            starvation.judge(*second, Time::from_millis(at * 1000)).then_some(at)
        };
        (1..).zip(seconds).filter_map(changed).collect()
    }

    #[test]
    fn three_bad_seconds_in_a_row_are_too_many() {
        assert_eq!(changes(Unable::Pass, &[LATE, LATE, GOOD, LATE, LOSSY]), Vec::<u64>::new());
        assert_eq!(changes(Unable::Pass, &[GOOD, LATE, LOSSY, LATE]), [4]);
    }

    #[test]
    fn after_ten_seconds_it_tries_again() {
        assert_eq!(changes(Unable::Pass, &[LATE; 20]), [3, 13, 16]);
    }

    #[test]
    fn who_wants_to_be_shaped_is_shaped() {
        assert_eq!(changes(Unable::Shape, &[LOSSY; 20]), Vec::<u64>::new());
    }
}
