//! How a test goes on, for whoever watches it.

use results::observation::Load;
use units::{Rate, Span};

/// How things are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Since the test began.
    pub elapsed: Span,
    /// How long it will have taken, as it looks now.
    pub expected: Span,
    /// What is loaded now; nothing while we connect.
    pub load: Option<Load>,
    /// Does that take longer than planned, because the queue still grows?
    pub longer: bool,
    /// From us to the server.
    pub up: Side,
    /// From the server to us.
    pub down: Side,
}

/// One direction, over the last part of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// How fast data of our flows crosses; nothing if none does.
    pub rate: Option<Rate>,
    /// What is added to the least delay that was seen so far; nothing if no probe came back.
    pub added: Option<Span>,
}

/// Told from time to time how things are; answers whether to go on.
pub type Watch<'a> = dyn FnMut(&Progress) -> bool + 'a;
