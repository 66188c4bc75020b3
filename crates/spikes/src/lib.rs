//! Spikes of watched targets: when answers came later than usual or not at all, and whose it was. Pure:
//! the owner of the clock tells the time.
//!
//! ```text
//!   probes ──> Course (one a target) ── struck points ──> Group (one a spike) ──> Facts ──> cause
//!   load of the interface, wake-ups, Wi-Fi ──> Surroundings ───────────────────────┘
//! ```
//!
//! A probe is *struck* if its answer came much later than is usual for its target, or did not come. Two
//! struck probes of a target, close together, begin a spike. All targets that are struck in its first
//! seconds belong to it. It ends once no target of it has been struck for some seconds, and is judged
//! when no answer can come any more.
//!
//! The cause is decided by what else was seen meanwhile, in the order of `cause.rs`: a busy machine makes
//! everything late, what other targets do not show is no matter of the line, and an own load may also make
//! the first hop late.

mod cause;
mod course;
mod facts;
mod group;
mod judge;
mod onsets;
mod surroundings;
mod usual;

pub use judge::{JudgedSpike, SpikeJudge};
pub use surroundings::{Load, Traffic};
pub use usual::USUAL_PROBES;

/// A target that is probed, or a place on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The name, as events have it.
    pub name: String,
    /// The host of a target, by its name or its address. Targets of one host are late together, whatever the line does.
    /// The name of another place.
    pub host: String,
    /// The place.
    pub place: Place,
}

/// The place of what is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// This machine itself, by its loopback interface.
    Machine,
    /// The hop with this number on the way to the targets: the first one is the router.
    Hop(u8),
    /// A target.
    Target,
}
