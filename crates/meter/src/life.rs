//! When a flow is active, and what that makes of its bytes.

use units::Time;

/// When a flow is active.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    /// When its application begins.
    pub start: Time,
    /// When its application stops; [`Time::MAX`] for never.
    pub stop: Time,
}

impl Life {
    /// Of a flow of a scenario.
    pub fn of(spec: &scenario::Flow) -> Self {
        let stop = spec.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
        Self { start: Time::ZERO + spec.start, stop }
    }

    /// Mbit/s for so many bytes, over the part of `from..to` in which the flow was active: until its
    /// last byte arrived, if it has `ended`, or else its application stopped. Nothing if it was not
    /// active at all.
    pub fn mbit(
        self,
        bytes: u64,
        last: Time,
        ended: bool,
        (from, to): (Time, Time),
    ) -> Option<f64> {
        let end = if ended { last } else { self.stop.max(last).min(to) };
        let active = end.since(self.start.max(from));
        (!active.is_zero()).then(|| bytes as f64 * 8.0 / active.as_secs_f64() / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_is_over_the_time_in_which_a_flow_is_active() {
        let second = Time::from_secs;
        let mbit = |stop, last, ended| {
            let life = Life { start: second(2), stop };
            life.mbit(1_000_000, second(last), ended, (second(1), second(10)))
        };
        // To the end; to the stop; to the last byte after it; to that of a flow that has ended.
        assert_eq!(mbit(Time::MAX, 9, false), Some(1.0));
        assert_eq!(mbit(second(4), 3, false), Some(4.0));
        assert_eq!(mbit(second(4), 6, false), Some(2.0));
        assert_eq!(mbit(Time::MAX, 3, true), Some(8.0));
        // The part that is left out counts for nothing.
        let early = Life { start: Time::ZERO, stop: Time::MAX };
        assert_eq!(early.mbit(1_000_000, second(2), false, (second(2), second(10))), Some(1.0));
        assert_eq!(mbit(Time::MAX, 2, true), None);
    }
}
