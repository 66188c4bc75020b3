//! The progress of a test, for display.

use observation::Load;
use units::{Rate, Span};

/// The progress of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The time since the test began.
    pub elapsed: Span,
    /// The total time that is expected now.
    pub expected: Span,
    /// The current load; `None` while the client connects.
    pub load: Option<Load>,
    /// True if the stage takes longer than planned, because the queue still grows.
    pub longer: bool,
    /// The direction from the client to the server.
    pub up: Side,
    /// The direction from the server to the client.
    pub down: Side,
}

/// The state of a direction, over the last part of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// The rate of the flows' data; `None` if none is delivered.
    pub rate: Option<Rate>,
    /// The delay beyond the least so far; `None` if no probe came back.
    pub added: Option<Span>,
}

/// A function that is called regularly with the progress, and returns whether to go on.
pub type Watch<'a> = dyn FnMut(&Progress) -> bool + 'a;
