//! What the watch tells.

use std::net::IpAddr;

use observation::{ProbeFailure, WatchedProbe, WatchedSecond};
use results::{Spike, WatchChange, WatchGap};
use units::{Span, Time};

/// What is probed: a target, a hop on the way, or this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The name: of a target that of its user, or else how it was written; `hop 1`; `this machine`.
    pub name: String,
    /// The target as its user wrote it, without a name.
    pub written: String,
    /// The place.
    pub place: spikes::Place,
    /// The time between two probes.
    pub every: Span,
    /// The time that the user wanted, if it was shorter than what is polite; `None` otherwise.
    pub wanted: Option<Span>,
    /// True if it is the user's own, so that only its kind bounds how often it is probed.
    pub is_own: bool,
}

/// News of a watch. Times are of the watch's clock.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A probe of which nothing more will come, to the target of this index.
    Probe(usize, WatchedProbe),
    /// A second has passed.
    Second(WatchedSecond),
    /// A spike is over.
    Spike {
        /// The time at which its first probe was sent.
        start: Time,
        /// The time at which its last one was.
        end: Time,
        /// What it was.
        spike: Spike,
    },
    /// Nothing could be observed for a time.
    Gap {
        /// The end of that time.
        end: Time,
        /// How long it took: longer than the clock of the watch shows, if the machine slept.
        duration: Span,
        /// The reason.
        reason: WatchGap,
    },
    /// Something at our end has changed.
    Change {
        /// When it was seen.
        at: Time,
        /// What it was.
        change: WatchChange,
    },
    /// A target fails in a way that was not told of it before.
    Failing {
        /// Its index.
        target: usize,
        /// The reason.
        reason: ProbeFailure,
        /// What was wrong; `None` if nothing more is known.
        detail: Option<String>,
    },
    /// The address of what is probed is known, or is another one.
    Address(usize, IpAddr),
    /// A spike has begun, lasts, or is none any more.
    Ongoing(Option<Ongoing>),
}

/// A spike that is under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Ongoing {
    /// The time at which its first probe was sent.
    pub since: Time,
    /// True if it has lasted long enough for its cause to be told, strikes the latest probes, and is no chance.
    pub is_lasting: bool,
    /// What it is so far, and the suspected cause; `None` while it may be chance.
    pub suspected: Option<Spike>,
}
