//! The meaning of pcapng time stamps.

use units::{Span, Time};

/// The clock of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    tick: Tick,
    /// The seconds that are added to each time.
    offset: i64,
}

/// The length of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tick {
    /// A tick of this many nanoseconds.
    Nanos(u64),
    /// A tick of a nanosecond divided by this number.
    Fraction(u64),
    /// A tick of a second, halved this many times.
    Halvings(u8),
}

impl Clock {
    /// The clock with these options (pcapng section 4.2): `if_tsresol` is a negative power of ten,
    /// or of two if the highest bit is set; `if_tsoffset` are seconds that are added.
    pub(super) fn new(resolution: u8, offset: i64) -> Self {
        let power = |exponent: u8| 10_u64.checked_pow(exponent.into()).unwrap_or(u64::MAX);
        let tick = match resolution {
            0..=9 => Tick::Nanos(power(9 - resolution)),
            10..=127 => Tick::Fraction(power(resolution - 9)),
            128.. => Tick::Halvings(resolution & 0x7f),
        };
        Self { tick, offset }
    }

    /// The time at which the clock shows `ticks`, rounded down to a nanosecond; not before 1970 and
    /// not after 2554.
    #[inline]
    pub(super) fn time(self, ticks: u64) -> Time {
        let nanos = match self.tick {
            Tick::Nanos(nanos) => ticks.saturating_mul(nanos),
            Tick::Fraction(part) => ticks / part,
            Tick::Halvings(times) => {
                u64::try_from((u128::from(ticks) * 1_000_000_000) >> times).unwrap_or(u64::MAX)
            }
        };
        let offset = Span::from_secs(self.offset.unsigned_abs());
        let time = Time::from_nanos(nanos);
        if self.offset < 0 { time - offset } else { time + offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_any_length() {
        for (resolution, ticks, nanos) in [
            (0, 7, 7_000_000_000),
            (3, 1_500, 1_500_000_000),
            (6, 1_234_567, 1_234_567_000),
            (9, 1_234_567, 1_234_567),
            (12, 1_234_567, 1_234),
            (28, u64::MAX, 1),
            (127, u64::MAX, 1),
            (0x80, 3, 3_000_000_000),
            (0x80 | 10, 1_536, 1_500_000_000),
            (0x80 | 32, 3 << 31, 1_500_000_000),
            (0x80 | 63, u64::MAX, 1_999_999_999),
            (0xff, u64::MAX, 0),
        ] {
            let clock = Clock::new(resolution, 0);
            assert_eq!(clock.time(ticks), Time::from_nanos(nanos), "{resolution:#x}");
        }
    }

    #[test]
    fn an_offset_is_in_seconds() {
        assert_eq!(Clock::new(6, 1_000).time(5), Time::from_nanos(1_000_000_005_000));
        assert_eq!(Clock::new(6, -1).time(2_500_000), Time::from_nanos(1_500_000_000));
    }

    #[test]
    fn times_beyond_all_clocks_stay_at_the_ends() {
        for resolution in [0, 9, 0x80] {
            assert_eq!(Clock::new(resolution, i64::MAX).time(u64::MAX), Time::MAX);
            assert_eq!(Clock::new(resolution, i64::MIN).time(u64::MAX), Time::ZERO);
        }
    }
}
