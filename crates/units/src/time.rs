//! A point in time and a length of time, both in whole nanoseconds.

use core::fmt;
use core::iter::Sum;
use core::num::TryFromIntError;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use core::str::FromStr;
use core::time::Duration;

use crate::quantity::{Quantity, Suffix, UnitError};

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// A point in time: nanoseconds since an epoch that the owner of the clock chooses.
///
/// Two points cannot be subtracted with `-`; use [`Time::since`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Time(u64);

impl Time {
    /// The epoch.
    pub const ZERO: Self = Self(0);
    /// The largest value: later than every event.
    pub const MAX: Self = Self(u64::MAX);

    /// The point that lies `nanos` nanoseconds after the epoch.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The point that lies `millis` milliseconds after the epoch.
    pub const fn from_millis(millis: u64) -> Self {
        Self::ZERO.after(Span::from_millis(millis))
    }

    /// The point that lies `secs` seconds after the epoch.
    pub const fn from_secs(secs: u64) -> Self {
        Self::ZERO.after(Span::from_secs(secs))
    }

    /// The number of nanoseconds since the epoch.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The number of seconds since the epoch, for people and plots.
    pub fn as_secs_f64(self) -> f64 {
        Span(self.0).as_secs_f64()
    }

    /// Returns the time that has passed since `earlier`; zero if `earlier` is later than this time.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The earlier of two times; `None` and [`Time::MAX`] mean never.
    #[inline]
    pub fn earliest(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let due = one.unwrap_or(Self::MAX).min(other.unwrap_or(Self::MAX));
        (due < Self::MAX).then_some(due)
    }

    const fn after(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        self.after(span)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

/// A length of time in nanoseconds, up to 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Span(u64);

impl Span {
    /// A length of zero.
    pub const ZERO: Self = Self(0);
    /// The largest value: longer than every delay.
    pub const MAX: Self = Self(u64::MAX);

    /// `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(NANOS_PER_SEC))
    }

    /// `secs` seconds, to the nearest nanosecond; negative values and NaN give zero.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * NANOS_PER_SEC as f64 + 0.5) as u64)
    }

    /// The number of nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The number of seconds, for people and formulas.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC as f64
    }

    /// The number of milliseconds, for people and formulas.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// True if the length is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The difference, or zero if `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        Self::from_nanos(span.0)
    }
}

impl TryFrom<Duration> for Span {
    type Error = TryFromIntError;

    /// Fails if the duration is longer than [`Span::MAX`], 584 years.
    fn try_from(duration: Duration) -> Result<Self, TryFromIntError> {
        u64::try_from(duration.as_nanos()).map(Self)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

const QUANTITY: Quantity = Quantity {
    noun: "a time",
    examples: "`5ms`, `100us`, `1.5s` or `2min`",
    suffixes: &[
        Suffix::exact(&["ns", "nsec", "nsecs"], 1),
        Suffix::exact(&["us", "\u{b5}s", "\u{3bc}s", "usec", "usecs"], 1_000),
        Suffix::exact(&["ms", "msec", "msecs"], 1_000_000),
        Suffix::exact(&["s", "sec", "secs"], NANOS_PER_SEC),
        Suffix::exact(&["min", "mins"], 60 * NANOS_PER_SEC),
        Suffix::exact(&["h", "hour", "hours"], 3_600 * NANOS_PER_SEC),
    ],
    ambiguous: &["m"],
    readings: "metres, minutes or milliseconds; write `min` or `ms`",
};

impl FromStr for Span {
    type Err = UnitError;

    /// Reads `5ms`, `100us`, `1.5s`, `2min`. A bare number is refused.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        QUANTITY.parse(text).map(Self)
    }
}

impl fmt::Display for Span {
    /// Writes the value exactly, in the largest of the units `s`, `ms`, `us` and `ns` that is not
    /// longer than the value; zero is `0ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0 => (1_000_000, "ms"),
            1..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "us"),
            1_000_000..NANOS_PER_SEC => (1_000_000, "ms"),
            _ => (NANOS_PER_SEC, "s"),
        };
        crate::quantity::write_decimal(f, self.0, unit, name)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn reads_times_as_people_write_them() {
        for (text, nanos) in [
            ("5ms", 5_000_000),
            ("100us", 100_000),
            ("1.5s", 1_500_000_000),
            ("2min", 120_000_000_000),
            (" 20 ms ", 20_000_000),
            ("0s", 0),
            ("0.5us", 500),
            ("15.0ms", 15_000_000),
        ] {
            assert_eq!(text.parse::<Span>().unwrap().as_nanos(), nanos, "{text}");
        }
    }

    #[test]
    fn durations_of_the_standard_library() {
        for nanos in [0, 1, 999_999_999, 1_000_000_000, u64::MAX] {
            let (span, duration) = (Span::from_nanos(nanos), Duration::from_nanos(nanos));
            assert_eq!((Duration::from(span), Span::try_from(duration)), (duration, Ok(span)));
        }
        assert!(Span::try_from(Duration::from_nanos(u64::MAX) + Duration::from_nanos(1)).is_err());
    }

    #[test]
    fn refuses_what_is_not_a_time() {
        for text in
            ["", "5", "ms", "-5ms", "5 parsecs", "nan", "inf", "1e3ms", "5m", "1.2.3s", "0x5s"]
        {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        assert!("999999999999h".parse::<Span>().unwrap_err().to_string().contains("too large"));
        assert!("5".parse::<Span>().unwrap_err().to_string().contains("unit"));
    }

    #[test]
    fn prints_what_it_reads() {
        for text in ["5ms", "100us", "1.5s", "0ms", "999ns", "60s", "1.000001s"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn never_is_later_than_anything() {
        let (soon, late) = (Some(Time::from_secs(1)), Some(Time::from_secs(2)));
        assert_eq!(Time::earliest(late, soon), soon);
        assert_eq!(Time::earliest(None, late), late);
        assert_eq!(Time::earliest(None, None), None);
    }

    #[test]
    fn time_saturates() {
        assert_eq!(Time::ZERO.since(Time::MAX), Span::ZERO);
        assert_eq!(Time::MAX + Span::from_secs(1), Time::MAX);
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::NAN), Span::ZERO);
    }
}
