//! The times at which datagrams were received.

use live::Clock;
use units::{Span, Time};

/// The time at which a packet was received that has waited for `age` in the socket; the present
/// time if `age` is `None`, since the kernel did not stamp the packet.
pub(super) fn received_at(clock: Clock, age: Option<Span>) -> Time {
    let now = clock.now().as_nanos();
    Time::from_nanos(now.saturating_sub(age.map_or(0, Span::as_nanos)))
}
