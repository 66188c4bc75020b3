//! The time in which a flow is active.

use units::{Rng, Time};

/// The time in which a flow is active.
#[derive(Clone, Copy, Debug)]
pub struct ActivePeriod {
    /// The time at which the flow's application begins.
    pub start: Time,
    /// The time at which the flow's application stops; [`Time::MAX`] for never.
    pub stop: Time,
}

impl ActivePeriod {
    /// The active period of a scenario's flow with this random stream.
    pub fn of(spec: &scenario::Flow, rng: &Rng) -> Self {
        let stop = spec.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
        Self { start: Time::ZERO + spec.start.draw(rng), stop }
    }
}
