//! Times of day, by which two programs on one machine compare their clocks.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: f64 = 86_400.0;

/// Seconds since midnight, UTC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeOfDay(f64);

impl TimeOfDay {
    #[expect(clippy::disallowed_methods, reason = "it is compared with what another program says")]
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self((since.as_secs() % DAY as u64) as f64 + f64::from(since.subsec_nanos()) / 1e9)
    }

    /// The time of day of a date and time in UTC in the form of RFC 3339:
    /// `2026-11-22T12:13:14.123456Z`.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let read = || {
            let (_, time) = text.strip_suffix('Z')?.split_once('T')?;
            let mut parts = time.splitn(3, ':');
            let mut next = || parts.next()?.parse::<f64>().ok();
            Some(Self(next()? * 3600.0 + next()? * 60.0 + next()?))
        };
        read().ok_or_else(|| format!("`{text}` is no time such as 2026-11-22T12:13:14.123456Z"))
    }

    /// The seconds since a moment of the same day or the day before.
    pub(crate) fn since(self, earlier: Self) -> f64 {
        let seconds = self.0 - earlier.0;
        if seconds < -DAY / 2.0 { seconds + DAY } else { seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_compared_over_midnight() {
        let late = TimeOfDay::read("2026-11-22T23:59:59.750Z").unwrap();
        let early = TimeOfDay::read("2026-11-23T00:00:00.25Z").unwrap();
        assert_eq!(early.since(late), 0.5);
        assert_eq!(late.since(late), 0.0);
        for wrong in ["", "today", "2026-11-22T23:59Z", "2026-11-22T23:59:59"] {
            assert!(TimeOfDay::read(wrong).is_err(), "{wrong}");
        }
    }
}
