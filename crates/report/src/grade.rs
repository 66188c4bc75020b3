//! The thresholds between good and bad, except those of the grades themselves.

use results::{Grade, Ungraded};

use crate::style::Tone;

/// Share of packets, 0 to 1, from which a queue drops many, so that no link is healthy however
/// short its queue is. DSLReports' grades for loss: below 3 % is a B.
pub(crate) const MANY_DROPS: f64 = 0.03;

/// Share of packets, 0 to 1, from which a wire loses so many that TCP is limited and the link is
/// not healthy. Our own definition. Loss is mentioned from a tenth of it.
pub(crate) const MUCH_LOSS: f64 = 0.01;

/// Utilisation, 0 to 1, below which a link with a bulk flow is starved, and not healthy however
/// short its queue is. Our own definition.
pub(crate) const STARVED: f64 = 0.9;

/// The added delay below which the grade is that of a healthy queue, in words.
pub(crate) const HEALTHY_BELOW: &str = "30 ms";

/// A grade in a word or two.
pub(crate) const fn words(grade: Grade) -> &'static str {
    match grade {
        Grade::APlus | Grade::A => "Healthy",
        Grade::B | Grade::C => "Some bufferbloat",
        Grade::D | Grade::F => "Bufferbloat",
    }
}

/// The reason why there is no grade, as a clause: `the load did not fill the line`.
pub(crate) const fn reason(reason: Ungraded) -> &'static str {
    match reason {
        Ungraded::Unused => "nothing was sent",
        Ungraded::NotFilled => "the load did not fill the line",
        Ungraded::Dead => "nothing came through",
        Ungraded::Machine => "the computer was the limit, not the line",
        Ungraded::NotMeasured => "no delay was measured while the line was full",
    }
}

/// The colour of a grade.
pub(crate) const fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::APlus | Grade::A => Tone::Good,
        Grade::B | Grade::C => Tone::Middling,
        Grade::D | Grade::F => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_healthy_delay_in_words_is_that_of_the_grade() {
        let bound: f64 = HEALTHY_BELOW.trim_end_matches(" ms").parse().unwrap();
        let words = [bound - 0.1, bound].map(|ms| words(Grade::of(ms)));
        assert_eq!(words, ["Healthy", "Some bufferbloat"]);
    }
}
