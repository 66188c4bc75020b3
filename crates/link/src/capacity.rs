//! How fast a wire is.

use units::{Bytes, Rate, Time};

use crate::{Schedule, Trace};

/// How fast a wire is, over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Capacity {
    /// Infinitely fast: packets take no time, so none ever waits.
    #[default]
    Unlimited,
    /// Always this rate.
    Constant(Rate),
    /// A rate that changes at given times.
    Scheduled(Schedule),
    /// Opportunities recorded on a real network.
    Traced(Trace),
}

impl Capacity {
    /// The rate of the beginning, if there is one that lasts.
    pub(crate) fn initial_rate(&self) -> Option<Rate> {
        match self {
            Self::Constant(rate) => Some(*rate),
            Self::Scheduled(schedule) => Some(schedule.steps()[0].1),
            Self::Unlimited | Self::Traced(_) => None,
        }
    }

    /// What the wire can carry in `from..to`, for its utilisation; nothing if it has no limit.
    pub fn between(&self, from: Time, to: Time) -> Option<Bytes> {
        match self {
            Self::Unlimited => None,
            Self::Constant(rate) => Some(*rate * to.since(from)),
            Self::Scheduled(schedule) => Some(schedule.capacity(from, to)),
            Self::Traced(trace) => Some(trace.capacity(from, to)),
        }
    }
}
