//! Grades of delays, as docs/grade.md defines them, of what a watch knows.

use results::{Grade, Ungraded};

/// The part of the probes without an answer from which on the 95th percentile of the delay is not known.
const MOST_UNANSWERED: f64 = 0.05;

/// The answers without which a 95th percentile is not known: of fewer, it is the longest one.
pub(crate) const LEAST_ANSWERS: u64 = 20;

/// What is known of an added delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Added {
    /// Its 95th percentile over the answers in milliseconds; `None` if nothing was answered.
    pub(crate) p95_ms: Option<f64>,
    /// The number of the answers.
    pub(crate) answers: u64,
    /// The part of the probes without an answer, 0 to 1.
    pub(crate) unanswered: f64,
    /// True if there was calm time to compare with. If not, the delay may be greater.
    pub(crate) has_calm: bool,
    /// True if the line was loaded long enough. If not, the delay under load may be greater.
    pub(crate) has_loaded: bool,
}

impl Added {
    /// True if there are enough answers to know their 95th percentile.
    pub(crate) fn has_answers(&self) -> bool {
        self.answers >= LEAST_ANSWERS
    }

    /// The grade, or why there is none.
    pub(crate) fn grade(&self) -> Result<Grade, Ungraded> {
        let grade = Grade::of(self.p95_ms.ok_or(Ungraded::Dead)?);
        match grade {
            _ if !self.has_answers() => Err(Ungraded::NotMeasured),
            // Of enough answers, an F needs nothing more: the delay may be greater, and not less.
            Grade::F => Ok(grade),
            _ if !self.has_calm || self.unanswered > MOST_UNANSWERED => Err(Ungraded::NotMeasured),
            Grade::APlus | Grade::A if !self.has_loaded => Err(Ungraded::NotFilled),
            _ => Ok(grade),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_grade_needs_load_calm_and_answers() {
        let whole = |p95_ms| Added {
            p95_ms: Some(p95_ms),
            answers: LEAST_ANSWERS,
            unanswered: 0.01,
            has_calm: true,
            has_loaded: true,
        };
        assert_eq!(whole(4.0).grade(), Ok(Grade::APlus));
        let all =
            |added: fn(Added) -> Added| [4.0, 100.0, 900.0].map(|it| added(whole(it)).grade());
        let idle = all(|it| Added { has_loaded: false, ..it });
        assert_eq!(idle, [Err(Ungraded::NotFilled), Ok(Grade::C), Ok(Grade::F)]);
        let unknown = [Err(Ungraded::NotMeasured), Err(Ungraded::NotMeasured), Ok(Grade::F)];
        assert_eq!(all(|it| Added { has_calm: false, ..it }), unknown);
        assert_eq!(all(|it| Added { unanswered: 0.36, ..it }), unknown);
        // Of four probes to a web server, the longest is no 95th percentile.
        assert_eq!(all(|it| Added { answers: 4, ..it }), [Err(Ungraded::NotMeasured); 3]);
        let silent = Added { p95_ms: None, unanswered: 1.0, ..whole(0.0) };
        assert_eq!(silent.grade(), Err(Ungraded::Dead));
    }
}
