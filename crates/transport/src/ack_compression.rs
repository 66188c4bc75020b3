//! Fewer duplicate acknowledgements during a burst of out-of-order data.
//!
//! The first three are sent at once, so that loss detection is not delayed. Later ones wait for up
//! to a twentieth of the round trip, and one acknowledgement stands for all that came meanwhile.
//!
//! Specification: none; Linux does so since 4.18 (`tcp_comp_sack_nr`, `tcp_comp_sack_delay_ns`).
//!
//! Deviations: Linux may be up to 0.1 ms later. When data goes to none of the two blocks reported
//! last, Linux sends the held acknowledgement and holds one for that data; here one acknowledgement
//! is sent at once and reports everything. The number of acknowledgements is the same, and no
//! changed block is displaced before it was reported.

use units::{Span, Time};

/// The number of duplicate acknowledgements that are sent at once (RFC 5681 section 3.2: fast
/// retransmit).
const AT_ONCE: u32 = 3;
/// The most acknowledgements that one may stand for (Linux `tcp_comp_sack_nr`).
const MOST_HELD: u32 = 44;
/// The longest wait (Linux `tcp_comp_sack_delay_ns`).
const LONGEST: Span = Span::from_millis(1);
/// The divisor of the round trip that gives the wait: 5 %.
const ROUND_TRIP_SHARE: u64 = 20;

/// The duplicate acknowledgements that are held back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckCompression {
    /// The acknowledgement number that is repeated, and the number of repetitions sent.
    repeated: u64,
    repetitions: u32,
    held: u32,
    /// The time at which a held acknowledgement must be sent; [`Time::MAX`] if none is held.
    deadline: Time,
}

impl AckCompression {
    /// The state without an acknowledgement held back.
    pub(crate) const NONE: Self =
        Self { repeated: 0, repetitions: 0, held: 0, deadline: Time::MAX };

    /// True if the acknowledgement of `next`, which out-of-order data has just made due, is to be
    /// held back. `displaces` says that the data went to none of the two blocks reported last.
    pub(crate) fn holds(
        &mut self,
        next: u64,
        displaces: bool,
        round_trip: Span,
        now: Time,
    ) -> bool {
        if self.held >= MOST_HELD || displaces {
            return false;
        }
        if self.repeated != next {
            (self.repeated, self.repetitions) = (next, 0);
        }
        if self.repetitions < AT_ONCE {
            self.repetitions += 1;
            return false;
        }
        self.held += 1;
        let wait = (round_trip / ROUND_TRIP_SHARE).min(LONGEST);
        self.deadline = self.deadline.min(now + wait);
        true
    }

    /// The time at which a held acknowledgement must be sent; [`Time::MAX`] if none is held.
    pub(crate) const fn deadline(&self) -> Time {
        self.deadline
    }

    /// Notes that an acknowledgement is sent.
    pub(crate) fn on_sent(&mut self) {
        (self.held, self.deadline) = (0, Time::MAX);
    }
}
