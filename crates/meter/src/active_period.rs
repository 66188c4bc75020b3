//! The time in which a flow is active, and its goodput over that time.

use units::Time;

/// The time in which a flow is active.
#[derive(Clone, Copy, Debug)]
pub struct ActivePeriod {
    /// The time at which its application begins.
    pub start: Time,
    /// The time at which its application stops; [`Time::MAX`] for never.
    pub stop: Time,
}

impl ActivePeriod {
    /// The active period of a scenario's flow.
    pub fn of(spec: &scenario::Flow) -> Self {
        let stop = spec.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
        Self { start: Time::ZERO + spec.start, stop }
    }

    /// The rate of `bytes` in Mbit/s, over the part of `from..to` in which the flow was active. If
    /// the flow has `ended`, that is until its `last` byte arrived; otherwise until its application
    /// stopped, or until the last byte if that is later. `None` if the flow was not active at all.
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
            let life = ActivePeriod { start: second(2), stop };
            life.mbit(1_000_000, second(last), ended, (second(1), second(10)))
        };
        // Until the end; until the stop; until the last byte after the stop; until the last byte of
        // an ended flow.
        assert_eq!(mbit(Time::MAX, 9, false), Some(1.0));
        assert_eq!(mbit(second(4), 3, false), Some(4.0));
        assert_eq!(mbit(second(4), 6, false), Some(2.0));
        assert_eq!(mbit(Time::MAX, 3, true), Some(8.0));
        // The time before `from` does not count.
        let early = ActivePeriod { start: Time::ZERO, stop: Time::MAX };
        assert_eq!(early.mbit(1_000_000, second(2), false, (second(2), second(10))), Some(1.0));
        assert_eq!(mbit(Time::MAX, 2, true), None);
    }
}
