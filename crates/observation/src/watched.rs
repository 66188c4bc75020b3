//! What is observed of targets that are watched around the clock.

use units::{Bytes, Span, Time};

/// The answer time beyond which an answer is late: tools with a shorter patience would count it as lost.
pub const LATE: Span = Span::from_secs(1);

/// The time for which an answer is waited for. Nothing on the Internet holds a packet longer: RFC 9293
/// section 3.4.1 gives a segment two minutes, and no queue that was measured has held one for one.
pub const PATIENCE: Span = Span::from_secs(60);

/// A probe of a target, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedProbe {
    /// The time of sending: by our monotonic clock while it is judged, since 1970 (UTC) once it is kept.
    pub sent: Time,
    /// True for a probe between the regular ones, as are sent while something happens. Regular probes are an
    /// even sample of time, so that only these count in percentiles and shares.
    pub is_extra: bool,
    /// The outcome.
    pub outcome: ProbeOutcome,
}

/// The outcome of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// An answer, however late.
    Answered {
        /// The time from sending to the answer.
        round_trip: Span,
        /// The time of the server's clock at which the probe arrived, less ours at sending, in
        /// nanoseconds: only its changes mean something. `None` if the target does not tell.
        up: Option<i64>,
        /// The part of the round trip for which the target itself kept the probe, as it tells; `None` if it does not
        /// tell, or if that is too short to count in the round trip.
        kept: Option<Span>,
    },
    /// No answer within [`PATIENCE`].
    Lost,
    /// A refusal: no packet was sent, or somebody answered that the target cannot be reached.
    Failed(ProbeFailure),
}

impl ProbeOutcome {
    /// The round trip; `None` if there was no answer.
    pub const fn round_trip(self) -> Option<Span> {
        match self {
            Self::Answered { round_trip, .. } => Some(round_trip),
            Self::Lost | Self::Failed(_) => None,
        }
    }

    /// True if an answer came that tools with a shorter patience would count as lost.
    pub fn is_late(self) -> bool {
        self.round_trip().is_some_and(|it| it > LATE)
    }
}

/// The reason why a probe failed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeFailure {
    /// This machine has no way to the target: no interface is up, or no route leads there.
    NoRoute,
    /// A router, or the target's machine, says that the target cannot be reached.
    Unreachable,
    /// The name has no address for the moment.
    Name,
    /// The answer was not what the protocol wants: an error of a web server, a certificate that is not
    /// valid.
    Answer,
}

impl ProbeFailure {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::NoRoute, Self::Unreachable, Self::Name, Self::Answer];
}

/// The state of our own end in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchedSecond {
    /// The end of the second, by the clock of the probes.
    pub at: Time,
    /// Bytes that left the interface to the targets, without those to hosts on its own link as far as they are known;
    /// `None` if no counter tells.
    pub up: Option<Bytes>,
    /// Such bytes that came in there; `None` if no counter tells.
    pub down: Option<Bytes>,
    /// The longest time by which we were woken too late.
    pub lateness: Span,
    /// The busy part of the busiest processor in percent; `None` if it is not known.
    pub busy: Option<u8>,
    /// Signal strength of the Wi-Fi in dBm; `None` without Wi-Fi.
    pub signal: Option<i8>,
    /// Frames of the Wi-Fi that were sent again; `None` without Wi-Fi.
    pub retries: Option<u32>,
}
