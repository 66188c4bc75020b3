//! What a controller is told.

use units::{Bytes, Span};

use crate::{Both, Heading};

/// The traffic and the delays that were seen since the last tick.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observation<'a> {
    /// The traffic of each direction at its shaper.
    pub traffic: Both<Passage>,
    /// The answers to probes, in the order in which they came.
    pub samples: &'a [Sample],
}

/// The traffic of one direction at its shaper since the last tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// The bytes that came to the shaper. In the download these have passed the line.
    pub arrived: Bytes,
    /// The bytes that left the shaper. In the upload these go to the line.
    pub departed: Bytes,
    /// The bytes that wait in the shaper now.
    pub backlog: Bytes,
    /// The number of packets that the shaper dropped.
    pub drops: u64,
    /// The number of packets that the shaper marked.
    pub marks: u64,
}

/// The name of a reflector, or of a far end of passing traffic. A driver that replaces a reflector
/// gives the new one a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReflectorId(pub u32);

/// The fate of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The reflector that was asked.
    pub reflector: ReflectorId,
    /// Its delay.
    pub delay: Delay,
}

/// The delay of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// The delay of each direction. Clocks may differ: only changes of a delay count, so that a
    /// driver may add a constant to make it positive.
    OneWay(Both<Span>),
    /// The round trip to a reflector and back.
    RoundTrip(Span),
    /// The round trip of traffic that passes, beyond the shapers.
    Passing(Span),
    /// No answer within the time that the driver waits for one.
    Missing,
}

impl Sample {
    /// The delay of one direction in milliseconds, for which half of a round trip stands in; `None`
    /// without an answer.
    pub(crate) fn one_way_ms(&self, heading: Heading) -> Option<f64> {
        match self.delay {
            Delay::OneWay(delays) => Some(delays[heading].as_millis_f64()),
            Delay::RoundTrip(span) | Delay::Passing(span) => Some(span.as_millis_f64() / 2.0),
            Delay::Missing => None,
        }
    }

    /// The round trip in milliseconds; `None` without an answer.
    pub(crate) fn round_trip_ms(&self) -> Option<f64> {
        match self.delay {
            Delay::OneWay(Both { up, down }) => Some((up + down).as_millis_f64()),
            Delay::RoundTrip(span) | Delay::Passing(span) => Some(span.as_millis_f64()),
            Delay::Missing => None,
        }
    }
}
