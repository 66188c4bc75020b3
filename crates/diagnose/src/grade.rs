//! The grade: one definition for all commands.
//!
//! A grade is of the delay that *others* find while a load fills a direction: packets that are not
//! of the load itself. It is the 95th percentile of that delay over time, not over packets, by the
//! bounds of [`Grade`]. A direction that was not filled has no grade, whatever its delay, and a
//! reason in its place. docs/grade.md explains it with an example.
//!
//! The others of a measurement are the probes. In a simulation and in the lab they are packets of a
//! flow that did not exist before: the queue itself says how long such a packet would wait.

use results::{Grade, Ungraded};

/// The share of packets from which loss is named that the queue did not cause. TCP (Mathis et al.,
/// "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997, equation 3) carries
/// about 1.22 MSS / (RTT sqrt(p)): at one packet in a thousand and 30 ms, 15 Mbit/s.
pub const LOSS_WORTH_NAMING: f64 = 0.001;

/// The facts from which the grade of a direction follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grounds {
    /// The delay of others: its 95th percentile over the time in which the direction was filled, in
    /// milliseconds. `None` if none was measured.
    pub others_p95_ms: Option<f64>,
    /// True if the load filled the direction.
    pub is_filled: bool,
    /// True if a machine at one of the ends was the limit.
    pub is_limited_by_machine: bool,
}

/// The grade of one direction.
///
/// # Errors
/// The reason why the direction has none.
pub fn grade(grounds: &Grounds) -> Result<Grade, Ungraded> {
    if grounds.is_limited_by_machine {
        return Err(Ungraded::Machine);
    }
    let measured = grounds.others_p95_ms.filter(|p95| p95.is_finite());
    match (measured, grounds.is_filled) {
        (Some(p95), true) => Ok(Grade::of(p95)),
        (Some(_), false) => Err(Ungraded::NotFilled),
        (None, _) => Err(Ungraded::NotMeasured),
    }
}

/// The grade of several directions together: the worst, since no direction may hide behind a better
/// one. A good grade (A or A+) needs all of them: one that was not filled might be bad. Any grade
/// but F needs those whose delay could not be measured.
///
/// # Errors
/// The reason why the first direction without a grade has none; [`Ungraded::NotMeasured`] if there
/// is no direction.
pub fn worst(
    directions: impl IntoIterator<Item = Result<Grade, Ungraded>>,
) -> Result<Grade, Ungraded> {
    let (mut worst, mut missing) = (None, None);
    for direction in directions {
        match direction {
            Ok(grade) => worst = worst.max(Some(grade)),
            Err(reason) => missing = missing.or(Some(reason)),
        }
    }
    match (worst, missing) {
        (Some(grade), Some(reason)) if grade <= Grade::A => Err(reason),
        (Some(grade), Some(Ungraded::NotMeasured)) if grade < Grade::F => {
            Err(Ungraded::NotMeasured)
        }
        (Some(grade), _) => Ok(grade),
        (None, reason) => Err(reason.unwrap_or(Ungraded::NotMeasured)),
    }
}

/// The share of packets lost for another reason than the queue, `None` if it is too small to be
/// named: see [`LOSS_WORTH_NAMING`].
pub fn other_loss(share: f64) -> Option<f64> {
    (share >= LOSS_WORTH_NAMING).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grounds(p95: f64) -> Grounds {
        Grounds { others_p95_ms: Some(p95), is_filled: true, ..Grounds::default() }
    }

    #[test]
    fn a_filled_direction_is_graded_by_what_others_find() {
        assert_eq!(grade(&grounds(4.9)), Ok(Grade::APlus));
        assert_eq!(grade(&grounds(9_954.0)), Ok(Grade::F));
    }

    #[test]
    fn without_a_grade_there_is_a_reason() {
        let idle = Grounds { is_filled: false, ..grounds(1.0) };
        assert_eq!(grade(&idle), Err(Ungraded::NotFilled));
        let bad = Grounds { is_filled: false, ..grounds(900.0) };
        assert_eq!(grade(&bad), Err(Ungraded::NotFilled));
        assert_eq!(grade(&grounds(f64::NAN)), Err(Ungraded::NotMeasured));
        let machine = Grounds { is_limited_by_machine: true, ..grounds(1.0) };
        assert_eq!(grade(&machine), Err(Ungraded::Machine));
    }

    #[test]
    fn a_good_grade_needs_every_direction() {
        let missing = Err(Ungraded::NotFilled);
        assert_eq!(worst([Ok(Grade::A), Ok(Grade::C)]), Ok(Grade::C));
        assert_eq!(worst([Ok(Grade::A), missing]), missing);
        assert_eq!(worst([missing, Ok(Grade::B)]), Ok(Grade::B));
        assert_eq!(worst([]), Err(Ungraded::NotMeasured));
    }

    #[test]
    fn one_percent_of_loss_is_named() {
        assert_eq!((other_loss(0.01), other_loss(0.0001)), (Some(0.01), None));
    }
}
