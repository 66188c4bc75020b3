//! Conclusions from the figures of a measurement: grades, lag, effects, responsiveness.
//!
//! Figures of the whole path are those of its worse direction ([`Measurement::worse`]), so that no
//! direction hides behind the better one.

use observation::{Heading, Observations};
use results::{DelaySpread, FindingKind, Grade, LoadedDirection, Measurement, QueueKind, Ungraded};

use crate::grade::{self, Grounds};
use crate::{effects, lag, responsiveness};

/// Fills in the conclusions from the figures and the series of `measurement`.
pub(crate) fn conclude(observations: &Observations, measurement: &mut Measurement) {
    responsiveness::fill(observations, measurement);
    let never_idle = [Heading::Up, Heading::Down].map(|heading| measurement.is_never_idle(heading));
    for (heading, direction) in measurement.loaded_mut() {
        let grade = grade_of(direction, never_idle[usize::from(heading == Heading::Down)]);
        (direction.grade, direction.grade_reason) = (grade.ok(), grade.err());
    }
    let grade = overall(measurement);
    (measurement.grade, measurement.grade_reason) = (grade.ok(), grade.err());
    // A direction whose delay is not known may be the worse one.
    let is_known = measurement.grade_reason != Some(Ungraded::NotMeasured);
    let is_lag = is_known && has_been_idle(measurement);
    measurement.lag_ms = lag::lag(measurement).filter(|_| is_lag);
    measurement.effects = effects::effects(measurement).filter(|_| is_known);
}

/// True if each direction was seen without a queue. Otherwise the least round trip is not that of
/// the path.
fn has_been_idle(measurement: &Measurement) -> bool {
    [Heading::Up, Heading::Down].iter().all(|heading| !measurement.is_never_idle(*heading))
}

/// The grade of one direction, or the reason why it has none. Probes that bypass the queue show
/// nothing of its delay, and where delays are lower bounds (`is_bound`) only the worst grade is
/// certain.
fn grade_of(direction: &LoadedDirection, is_bound: bool) -> Result<Grade, Ungraded> {
    if FindingKind::ProbesFavoured.is_in(&direction.findings) {
        return Err(Ungraded::NotMeasured);
    }
    let grounds = Grounds {
        others_p95_ms: direction.added_p95_ms(),
        is_filled: direction.saturated,
        is_limited_by_machine: FindingKind::MachineLimits.is_in(&direction.findings),
    };
    match grade::grade(&grounds) {
        Err(Ungraded::NotFilled) if !is_known_unfilled(direction) => Err(Ungraded::NotMeasured),
        Ok(grade) if is_bound && grade != Grade::F => Err(Ungraded::NotMeasured),
        judged => judged,
    }
}

/// True if the load is known not to have filled the line: an end was the limit, or no packets wait
/// in a queue and nothing else slows the load down. Where no probe came back, this is not known
/// either.
fn is_known_unfilled(direction: &LoadedDirection) -> bool {
    let is_blind = direction.added_delay_ms == DelaySpread::default();
    let has = |kind: FindingKind| kind.is_in(&direction.findings);
    let by_an_end = has(FindingKind::ServerRate) || has(FindingKind::EndLimits);
    let is_without_queue = direction.queue.is_some_and(|queue| queue.kind == QueueKind::None);
    !is_blind && (by_an_end || is_without_queue && !has(FindingKind::RandomLoss))
}

/// The grade of the path, or the reason why it has none.
fn overall(measurement: &Measurement) -> Result<Grade, Ungraded> {
    grade::worst(measurement.judged().map(|(_, direction)| {
        direction.grade.ok_or(direction.grade_reason.unwrap_or(Ungraded::NotMeasured))
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use results::{Finding, Limit, QueueFinding};

    use super::*;

    /// A filled direction with this 95th percentile of delay, in milliseconds.
    pub(crate) fn direction(p95: f64) -> LoadedDirection {
        LoadedDirection {
            added_delay_ms: DelaySpread { p95: Some(p95), ..DelaySpread::default() },
            saturated: true,
            window_s: [2.0, 6.0],
            ..LoadedDirection::default()
        }
    }

    fn measured(down: Option<LoadedDirection>, up: Option<LoadedDirection>) -> Measurement {
        let mut measurement = Measurement { download: down, upload: up, ..Measurement::default() };
        conclude(&Observations::default(), &mut measurement);
        measurement
    }

    #[test]
    fn probes_that_pass_the_queue_give_no_grade() {
        let mut favoured = direction(1.0);
        assert!(grade_of(&favoured, false).is_ok());
        let kind = FindingKind::ProbesFavoured;
        favoured.findings.push(Finding { kind, amount: None, confidence: 0.99 });
        assert_eq!(grade_of(&favoured, false), Err(Ungraded::NotMeasured));
    }

    #[test]
    fn of_a_delay_that_is_a_bound_only_the_worst_grade_is_known() {
        assert_eq!(grade_of(&direction(326.0), true), Err(Ungraded::NotMeasured));
        assert_eq!(grade_of(&direction(500.0), true), Ok(Grade::F));
    }

    #[test]
    fn the_worse_direction_is_the_grade() {
        let measurement = measured(Some(direction(104.9)), Some(direction(1048.0)));
        let of = |direction: Option<LoadedDirection>| direction.and_then(|one| one.grade);
        assert_eq!(of(measurement.download), Some(Grade::C));
        assert_eq!(of(measurement.upload), Some(Grade::F));
        assert_eq!(measurement.grade, Some(Grade::F));
    }

    #[test]
    fn a_path_that_was_never_idle_has_no_lag() {
        let filled = || Some(direction(104.9));
        let mut measurement =
            Measurement { idle_ms: Some(20.0), upload: filled(), ..Measurement::default() };
        conclude(&Observations::default(), &mut measurement);
        assert_eq!(measurement.lag_ms, Some(124.9));
        measurement.limits.push(Limit::NeverIdle { heading: Heading::Up });
        conclude(&Observations::default(), &mut measurement);
        assert_eq!(measurement.lag_ms, None);
    }

    #[test]
    fn a_direction_that_was_not_filled_has_no_grade() {
        let none = QueueFinding { kind: QueueKind::None, confidence: 0.8 };
        let idle = |p95| LoadedDirection { saturated: false, queue: Some(none), ..direction(p95) };
        let found = |down, up| {
            let measurement = measured(Some(down), up);
            (measurement.grade, measurement.grade_reason)
        };
        let not_filled = (None, Some(Ungraded::NotFilled));
        assert_eq!(found(idle(2.0), None), not_filled);
        assert_eq!(found(idle(300.0), None), not_filled);
        assert_eq!(found(idle(2.0), Some(direction(3.0))), not_filled);
        assert_eq!(found(idle(90.0), Some(direction(300.0))), (Some(Grade::D), None));
        assert_eq!(found(direction(3.0), None), (Some(Grade::APlus), None));
        // A direction whose delay is not known may be the worse one.
        let unknown = || Some(direction(f64::NAN));
        assert_eq!(found(direction(90.0), unknown()), (None, Some(Ungraded::NotMeasured)));
        assert_eq!(found(direction(1048.0), unknown()), (Some(Grade::F), None));
    }

    #[test]
    fn of_whom_nothing_tells_whether_they_were_filled_that_is_not_told() {
        let unfilled = LoadedDirection { saturated: false, ..direction(2.0) };
        assert_eq!(grade_of(&unfilled, false), Err(Ungraded::NotMeasured));
        let queue = Some(QueueFinding { kind: QueueKind::None, confidence: 0.8 });
        let finding = |kind| Finding { kind, amount: None, confidence: 0.99 };
        let with = |kind, queue| {
            let findings = vec![finding(kind)];
            grade_of(&LoadedDirection { queue, findings, ..unfilled.clone() }, false)
        };
        assert_eq!(with(FindingKind::ServerRate, None), Err(Ungraded::NotFilled));
        assert_eq!(with(FindingKind::EndLimits, None), Err(Ungraded::NotFilled));
        assert_eq!(with(FindingKind::RateChanged, queue), Err(Ungraded::NotFilled));
        assert_eq!(with(FindingKind::RandomLoss, queue), Err(Ungraded::NotMeasured));
    }

    #[test]
    fn a_direction_that_is_not_known_may_be_the_worse_one() {
        let lag = |up| {
            let download = Some(direction(15.0));
            let mut measurement =
                Measurement { idle_ms: Some(20.0), download, upload: up, ..Measurement::default() };
            conclude(&Observations::default(), &mut measurement);
            (measurement.lag_ms, measurement.effects.and_then(|effects| effects.game_ms))
        };
        assert_eq!(lag(None), (Some(35.0), Some(35.0)));
        assert_eq!(lag(Some(direction(f64::NAN))), (None, None));
        assert_eq!(lag(Some(direction(1000.0))), (Some(1020.0), Some(1020.0)));
    }

    #[test]
    fn what_was_not_measured_has_no_figure() {
        let measurement = measured(None, Some(direction(f64::NAN)));
        assert_eq!((measurement.grade, measurement.lag_ms), (None, None));
        assert_eq!(measurement.grade_reason, Some(Ungraded::NotMeasured));
        let Measurement { effects, responsiveness_rpm, .. } = measurement;
        assert_eq!((effects, responsiveness_rpm), (None, None));
    }
}
