//! How far links may be ahead of the clock, so that a run that is stopped ends soon.

use units::{Span, Time};

/// The turns of the loop from one question whether to go on to the next: they take less than a
/// millisecond, however slowly the virtual time passes.
const ASKED_EACH: u64 = 2048;
/// The time by which links may be ahead of the clock at most.
const FARTHEST: Span = Span::from_millis(100);
/// The factor of the time between the last two questions by which links may be ahead of the clock.
const PERIODS: u64 = 32;

/// The lookahead of a run. Links that are ahead cannot go back, so a run that is stopped goes on to the
/// horizon.
pub(crate) struct Lookahead {
    /// The turns of the loop and the time at the last question.
    asked: (u64, Time),
    /// The time by which links may now be ahead of a look.
    span: Span,
    /// The latest time up to which links may be ahead.
    horizon: Time,
}

impl Lookahead {
    /// The lookahead of a run that goes on after these turns, at this time. If it can be stopped, the pace
    /// at which its time passes is measured first.
    pub(crate) const fn new(turns: u64, now: Time, can_stop: bool) -> Self {
        let span = if can_stop { Span::ZERO } else { FARTHEST };
        Self { asked: (turns, now), span, horizon: now }
    }

    /// The turns of the loop until the next question, after these.
    pub(crate) const fn turns_left(&self, turns: u64) -> u64 {
        (self.asked.0 + ASKED_EACH).saturating_sub(turns)
    }

    /// The time up to which links may be ahead before somebody looks at their states at `look`, and at
    /// counts at `counts`. It never goes back.
    pub(crate) fn horizon(&mut self, look: Time, counts: Time) -> Time {
        self.horizon = self.horizon.max(counts.min(look + self.span));
        self.horizon
    }

    /// True if it is to be asked whether the run goes on.
    pub(crate) fn is_question_due(&mut self, turns: u64, now: Time) -> bool {
        let (turns_before, before) = self.asked;
        if turns - turns_before < ASKED_EACH {
            return false;
        }
        self.asked = (turns, now);
        self.span = FARTHEST.min(now.since(before) * PERIODS);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn the_slower_the_time_passes_the_less_links_are_ahead() {
        let mut lookahead = Lookahead::new(0, Time::ZERO, true);
        assert_eq!(lookahead.horizon(ms(10), ms(1000)), ms(10), "the pace is unknown");
        assert!(!lookahead.is_question_due(2047, ms(1)));
        assert!(lookahead.is_question_due(2048, ms(1)));
        assert_eq!(lookahead.horizon(ms(10), ms(1000)), ms(42));
        assert!(lookahead.is_question_due(4096, ms(11)));
        assert_eq!(lookahead.horizon(ms(20), ms(1000)), ms(120), "the farthest");
        assert_eq!(lookahead.turns_left(4100), 2044);
    }

    #[test]
    fn links_do_not_go_back_and_stay_behind_a_look_at_counts() {
        let mut lookahead = Lookahead::new(0, Time::ZERO, false);
        assert_eq!(lookahead.horizon(ms(10), ms(1000)), ms(110));
        assert!(lookahead.is_question_due(2048, Time::ZERO));
        assert_eq!(lookahead.horizon(ms(20), ms(1000)), ms(110), "they are ahead already");
        assert_eq!(lookahead.horizon(ms(120), ms(115)), ms(115));
    }
}
