//! A clock that stands still: more happens at one time than any scenario asks for, so that the run
//! would never end.
//!
//! Whatever a flow, a queue or a link does wrong, it shows here, as all of them are driven by events
//! and packets.

use units::Time;

/// Events and packets at one time, at least, after which the clock is taken to stand still.
const FEWEST: u64 = 1_000_000;
/// As many again for each flow and link direction: all of them may begin at one time.
const FEWEST_EACH: u64 = 100;

/// The clock of a run stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standstill {
    /// Where the clock stands.
    pub(crate) time: Time,
    /// Events and packets so far at this time.
    pub(crate) events: u64,
    /// The flow that sent the latest of these packets, by its index; `None` if no flow did.
    pub(crate) flow: Option<usize>,
}

/// How much has happened since the clock last moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stillness {
    events: u64,
    most: u64,
    flow: Option<usize>,
}

impl Stillness {
    /// Of a world with so many flows and link directions.
    pub(crate) fn of(parts: usize) -> Self {
        let most = FEWEST.max(FEWEST_EACH.saturating_mul(parts as u64));
        Self { events: 0, most, flow: None }
    }

    /// One more event happens.
    #[inline]
    pub(crate) fn advance(&mut self, clock_moves: bool) {
        self.events = if clock_moves { 0 } else { self.events + 1 };
    }

    /// This flow sends one more packet at this time; says whether it may go on.
    #[inline]
    pub(crate) fn goes_on(&mut self, flow: usize) -> bool {
        self.events += 1;
        self.flow = Some(flow);
        self.events < self.most
    }

    /// Whether the clock still moves.
    #[inline]
    pub(crate) fn check(&self, time: Time) -> Result<(), Standstill> {
        let Self { events, most, flow } = *self;
        if events < most { Ok(()) } else { Err(Standstill { time, events, flow }) }
    }
}
