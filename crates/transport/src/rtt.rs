//! skeleton

use units::Time;

/// The timestamp clock (RFC 7323 section 5.4): milliseconds as Linux counts them, from 1 on, since
/// an echo of 0 means none.
pub fn timestamp(now: Time) -> u32 {
    (now.as_nanos() / 1_000_000 + 1) as u32
}
