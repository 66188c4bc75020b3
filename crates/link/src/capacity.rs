//! The speed of a wire.

use units::{Bytes, Rate, Time};

use crate::{Schedule, Trace};

/// The speed of a wire over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Capacity {
    /// No limit: packets take no time, so that none ever waits.
    #[default]
    Unlimited,
    /// A constant rate.
    Constant(Rate),
    /// A rate that changes at given times.
    Scheduled(Schedule),
    /// Opportunities to deliver bytes, recorded on a real network.
    Traced(Trace),
}

impl Capacity {
    /// The rate at the beginning; `None` if there is no limit, or for a trace.
    pub(crate) fn initial_rate(&self) -> Option<Rate> {
        match self {
            Self::Constant(rate) => Some(*rate),
            Self::Scheduled(schedule) => Some(schedule.steps()[0].1),
            Self::Unlimited | Self::Traced(_) => None,
        }
    }

    /// The capacity that is this one up to `now`, and has this rate from then on.
    pub(crate) fn changed(&self, rate: Rate, now: Time) -> Self {
        match self {
            Self::Constant(before) => Self::Scheduled(Schedule::constant(*before).then(rate, now)),
            Self::Scheduled(schedule) => Self::Scheduled(schedule.then(rate, now)),
            Self::Unlimited | Self::Traced(_) => self.clone(),
        }
    }

    /// The bytes that the wire can carry in `from..to`, for its utilisation; `None` if it has no
    /// limit.
    pub fn between(&self, from: Time, to: Time) -> Option<Bytes> {
        match self {
            Self::Unlimited => None,
            Self::Constant(rate) => Some(*rate * to.since(from)),
            Self::Scheduled(schedule) => Some(schedule.capacity(from, to)),
            Self::Traced(trace) => Some(trace.capacity(from, to)),
        }
    }
}
