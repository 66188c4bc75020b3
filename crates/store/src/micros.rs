//! Times and spans in the microseconds that the file has.

use units::{Span, Time};

use crate::error::Damage;

/// The last microsecond that a [`Time`] reaches.
const LAST: u64 = u64::MAX / 1000;

/// The microseconds since 1970 (UTC), cut off; never negative.
pub(crate) const fn micros(time: Time) -> i64 {
    (time.as_nanos() / 1000) as i64
}

/// The seconds since 1970 (UTC), cut off.
pub(crate) const fn seconds(time: Time) -> i64 {
    micros(time) / 1_000_000
}

/// The first second at or after the time.
pub(crate) const fn seconds_up(time: Time) -> i64 {
    time.as_nanos().div_ceil(1_000_000_000) as i64
}

/// The first microsecond at or after the time.
pub(crate) const fn micros_up(time: Time) -> i64 {
    time.as_nanos().div_ceil(1000) as i64
}

/// The time that lies so many microseconds after 1970.
pub(crate) fn time(micros: i64) -> Result<Time, Damage> {
    span(micros).map(|it| Time::from_nanos(it.as_nanos()))
}

/// So many microseconds.
pub(crate) fn span(micros: i64) -> Result<Span, Damage> {
    let micros = u64::try_from(micros).ok().filter(|it| *it <= LAST);
    micros.map(Span::from_micros).ok_or(Damage::Range)
}
