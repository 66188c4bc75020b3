//! Whether a change was good for the line.

use observation::Heading;
use results::{LoadedDirection, Measurement, PlannedDirection, PlannedRates, UndoReason};

/// The added delay of others, in milliseconds, at which a direction counts as cured.
pub const SHORT_MS: f64 = 30.0;

/// The part of the delay before that a direction may have left if it is not cured.
pub const LEFT: f64 = 1.0 / 3.0;

/// The part of the expected rate that a direction must have.
pub const RATE: f64 = 0.85;

/// The same part for a slow download: CAKE counts what it drops of a download, which the line has
/// carried, and of a slow one several connections lose up to a fifth (docs/fix.md, "How good the plans
/// are").
pub const RATE_OF_SLOW_DOWNLOAD: f64 = 0.75;

/// The rate below which a download is slow, in Mbit/s.
const SLOW_MBIT: f64 = 10.0;

/// The reasons to take a change back, of a line that was measured before and after; empty if it is
/// to be kept.
///
/// A direction that was shaped must be cured, or have a third of its delay left, and have 85 % of the
/// rate that was expected, or 75 % of that of a slow download. One that was left must not have become worse than that. A direction is
/// cured if others wait no longer than `short_ms`, usually [`SHORT_MS`].
pub fn reasons(
    planned: &PlannedRates,
    before: &Measurement,
    after: &Measurement,
    short_ms: f64,
) -> Vec<UndoReason> {
    if after.is_partial() {
        return vec![UndoReason::NotMeasured { heading: None }];
    }
    let directions = [(Heading::Up, planned.upload), (Heading::Down, planned.download)];
    directions
        .into_iter()
        .flat_map(|(heading, planned)| {
            let [before, after] =
                [before, after].map(|measurement| direction(measurement, heading));
            match planned {
                PlannedDirection::Shaped(rate) => {
                    let rule = Rule { heading, expected_mbit: rate.expected.rate_mbit, short_ms };
                    rule.shaped(before, after)
                }
                PlannedDirection::Left(_) => left(heading, before, after, short_ms),
            }
        })
        .collect()
}

fn direction(measurement: &Measurement, heading: Heading) -> Option<&LoadedDirection> {
    measurement.judged().find(|(one, _)| *one == heading).map(|(_, direction)| direction)
}

/// What a direction must have after the change.
struct Rule {
    heading: Heading,
    expected_mbit: f64,
    short_ms: f64,
}

impl Rule {
    /// The reasons to take the shaper of the direction back.
    fn shaped(
        &self,
        before: Option<&LoadedDirection>,
        after: Option<&LoadedDirection>,
    ) -> Vec<UndoReason> {
        let Self { heading, expected_mbit, short_ms } = *self;
        let measured =
            after.and_then(|after| Some((after.added_p95_at_most_ms()?, after.rate_mbit?)));
        let Some((after_ms, after_mbit)) = measured else {
            return vec![UndoReason::NotMeasured { heading: Some(heading) }];
        };
        let before_ms = before.and_then(LoadedDirection::added_p95_ms).unwrap_or_default();
        // Where nothing was long, there was nothing to gain for the rate.
        let expected_mbit = match before_ms > short_ms {
            true => expected_mbit,
            false => {
                before.and_then(|it| it.rate_mbit).map_or(expected_mbit, |it| it.max(expected_mbit))
            }
        };
        let is_long = after_ms > short_ms && after_ms > before_ms * LEFT;
        let part = match heading {
            Heading::Down if expected_mbit < SLOW_MBIT => RATE_OF_SLOW_DOWNLOAD,
            _ => RATE,
        };
        let is_slow = after_mbit < expected_mbit * part;
        let long = is_long.then_some(UndoReason::StillLong { heading, before_ms, after_ms });
        let slow = is_slow.then_some(UndoReason::RateLost { heading, expected_mbit, after_mbit });
        long.into_iter().chain(slow).collect()
    }
}

fn left(
    heading: Heading,
    before: Option<&LoadedDirection>,
    after: Option<&LoadedDirection>,
    short_ms: f64,
) -> Vec<UndoReason> {
    let [before, after] = [before, after].map(|it| it.and_then(LoadedDirection::added_p95_ms));
    let (Some(before_ms), Some(after_ms)) = (before, after) else { return Vec::new() };
    let is_worse = after_ms > short_ms && after_ms > before_ms / LEFT;
    is_worse.then_some(UndoReason::StillLong { heading, before_ms, after_ms }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use results::{DelaySpread, Expected, PlannedRate, Untreated};

    use super::*;

    fn line(p95: f64, mbit: f64) -> Measurement {
        let added_delay_ms = DelaySpread { p95: Some(p95), ..DelaySpread::default() };
        let rate_mbit = Some(mbit);
        let upload = Some(LoadedDirection { added_delay_ms, rate_mbit, ..Default::default() });
        Measurement { upload, ..Measurement::default() }
    }

    fn shaped() -> PlannedRates {
        let expected = Expected { rate_mbit: 9.5, added_p95_ms: 6.0 };
        let rate = PlannedRate { expected, ..PlannedRate::default() };
        PlannedRates { upload: PlannedDirection::Shaped(rate), ..PlannedRates::default() }
    }

    #[test]
    fn a_cured_line_is_kept() {
        for (before, after) in [(900.0, 5.0), (40.0, 29.0), (900.0, 290.0)] {
            assert_eq!(reasons(&shaped(), &line(before, 10.0), &line(after, 8.1), SHORT_MS), []);
        }
    }

    #[test]
    fn what_did_not_help_is_taken_back() {
        let (heading, before) = (Heading::Up, line(300.0, 10.0));
        let long = UndoReason::StillLong { heading, before_ms: 300.0, after_ms: 101.0 };
        assert_eq!(reasons(&shaped(), &before, &line(101.0, 9.0), SHORT_MS), [long]);
        let slow = UndoReason::RateLost { heading, expected_mbit: 9.5, after_mbit: 8.0 };
        assert_eq!(reasons(&shaped(), &before, &line(5.0, 8.0), SHORT_MS), [slow]);
        let nothing = UndoReason::NotMeasured { heading: Some(heading) };
        assert_eq!(reasons(&shaped(), &before, &Measurement::default(), SHORT_MS), [nothing]);
        let partial = Measurement { partial: Some("stopped".into()), ..line(5.0, 9.0) };
        let nothing = UndoReason::NotMeasured { heading: None };
        assert_eq!(reasons(&shaped(), &before, &partial, SHORT_MS), [nothing]);
    }

    /// A user who wants no less than 100 ms gets what that brings.
    #[test]
    fn a_longer_delay_may_be_wanted() {
        let (before, after) = (line(120.0, 10.0), line(90.0, 9.0));
        assert_eq!(reasons(&shaped(), &before, &after, 100.0), []);
        assert_eq!(reasons(&shaped(), &before, &after, SHORT_MS).len(), 1);
    }

    /// A user who names 10 Mbit/s for a line of 100 Mbit/s without a long queue loses by it.
    #[test]
    fn a_line_that_was_fine_keeps_its_rate() {
        let reasons = reasons(&shaped(), &line(3.0, 100.0), &line(5.0, 9.4), SHORT_MS);
        let (heading, expected_mbit, after_mbit) = (Heading::Up, 100.0, 9.4);
        assert_eq!(reasons, [UndoReason::RateLost { heading, expected_mbit, after_mbit }]);
    }

    #[test]
    fn what_was_left_must_not_become_long() {
        let upload = PlannedDirection::Left(Untreated::ShortAlready { added_p95_ms: 8.0 });
        let planned = PlannedRates { upload, ..PlannedRates::default() };
        let of = |after| reasons(&planned, &line(8.0, 10.0), &line(after, 3.0), SHORT_MS);
        assert_eq!(of(29.0), []);
        let (heading, before_ms, after_ms) = (Heading::Up, 8.0, 31.0);
        assert_eq!(of(31.0), [UndoReason::StillLong { heading, before_ms, after_ms }]);
    }
}
