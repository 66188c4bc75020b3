//! What follows from the figures of a measurement: grades, our one number, effects, responsiveness.
//!
//! Figures of the whole path are those of its worse direction ([`Measurement::worse`]), so that none
//! hides behind the better one.

use results::observation::{Heading, Observations};
use results::{Grade, LoadedDirection, Measurement};

use crate::{effects, lag, responsiveness};

/// Fills in what the figures and the series of `measurement` tell.
pub(crate) fn conclude(observations: &Observations, measurement: &mut Measurement) {
    responsiveness::fill(observations, measurement);
    for (_, direction) in loaded_mut(measurement) {
        direction.grade = grade(direction);
    }
    measurement.grade = overall(measurement);
    measurement.lag_ms = lag::lag(measurement);
    measurement.effects = effects::effects(measurement);
}

/// Of one direction. Only a path that was filled has earned a good grade; a bad one it has in any
/// case, because more load would not have made it better.
fn grade(direction: &LoadedDirection) -> Option<Grade> {
    let grade = Grade::of(direction.added_p95_ms()?);
    (direction.saturated || grade > Grade::A).then_some(grade)
}

/// The worst of all; but a good one only if no direction lacks its own.
fn overall(measurement: &Measurement) -> Option<Grade> {
    let grades: Vec<_> = measurement.judged().map(|(_, direction)| direction.grade).collect();
    let worst = grades.iter().flatten().max().copied()?;
    (worst > Grade::A || grades.iter().all(Option::is_some)).then_some(worst)
}

/// Every load there was.
pub(crate) fn loaded_mut(
    measurement: &mut Measurement,
) -> impl Iterator<Item = (Heading, &mut LoadedDirection)> {
    let Measurement { download, upload, both, .. } = measurement;
    let (both_down, both_up) = match both {
        Some(both) => (Some(&mut both.download), Some(&mut both.upload)),
        None => (None, None),
    };
    let down = [download.as_mut(), both_down].map(|one| (Heading::Down, one));
    let up = [upload.as_mut(), both_up].map(|one| (Heading::Up, one));
    down.into_iter().chain(up).filter_map(|(heading, one)| Some((heading, one?)))
}

#[cfg(test)]
pub(crate) mod tests {
    use results::DelaySpread;

    use super::*;

    /// Filled, and so long.
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
    fn the_worse_direction_is_the_grade() {
        let measurement = measured(Some(direction(104.9)), Some(direction(1048.0)));
        let of = |direction: Option<LoadedDirection>| direction.and_then(|one| one.grade);
        assert_eq!(of(measurement.download), Some(Grade::C));
        assert_eq!(of(measurement.upload), Some(Grade::F));
        assert_eq!(measurement.grade, Some(Grade::F));
    }

    #[test]
    fn only_a_filled_path_is_good() {
        let idle = |p95| LoadedDirection { saturated: false, ..direction(p95) };
        assert_eq!(measured(Some(idle(2.0)), None).grade, None);
        assert_eq!(measured(Some(idle(2.0)), Some(direction(3.0))).grade, None);
        assert_eq!(measured(Some(idle(2.0)), Some(direction(300.0))).grade, Some(Grade::D));
        assert_eq!(measured(Some(idle(90.0)), Some(direction(3.0))).grade, Some(Grade::C));
        assert_eq!(measured(Some(direction(3.0)), None).grade, Some(Grade::APlus));
    }

    #[test]
    fn what_was_not_measured_has_no_figure() {
        let measurement = measured(None, Some(direction(f64::NAN)));
        assert_eq!((measurement.grade, measurement.lag_ms), (None, None));
        let Measurement { effects, responsiveness_rpm, .. } = measurement;
        assert_eq!((effects, responsiveness_rpm), (None, None));
    }
}
