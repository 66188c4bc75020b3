//! What held a sender back, besides the path: its program, its own buffer, or the other end's window.
//!
//! One rule for the senders of a test, whose kernels tell these times, and for those of a capture.

use observation::SenderSample;
use results::SenderLimit;

/// The part of time for which flows wait for an end, above which the end limits the rate.
pub(crate) const HELD_BACK: f64 = 0.2;

/// The seconds of some senders: those in which they had something to send, and the parts of these in
/// which an end held them back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Held {
    busy: f64,
    receiver: f64,
    buffer: f64,
    program: f64,
}

impl Held {
    /// The sum with what a sender did between two of its samples.
    pub(crate) fn and(self, first: &SenderSample, last: &SenderSample) -> Self {
        let secs =
            |of: fn(&SenderSample) -> units::Span| of(last).as_secs_f64() - of(first).as_secs_f64();
        Self {
            busy: self.busy + secs(|at| at.busy),
            receiver: self.receiver + secs(|at| at.receiver_limited),
            buffer: self.buffer + secs(|at| at.buffer_limited),
            program: self.program + secs(|at| at.program_limited),
        }
    }

    /// The part of the busy time for which an end held the senders back, 0 to 1; `None` if it is 0 or
    /// not known.
    pub(crate) fn part(&self) -> Option<f64> {
        let held = self.receiver + self.buffer + self.program;
        stats::ratio(held, self.busy).filter(|part| *part > 0.0).map(|part| part.min(1.0))
    }

    /// The end that held the senders back for so much of the time that it limits the rate; `None` if
    /// none did.
    pub(crate) fn by(&self) -> Option<SenderLimit> {
        let (limit, held) = match self.receiver >= self.program {
            true => (SenderLimit::Receiver, self.receiver),
            false => (SenderLimit::Program, self.program),
        };
        stats::ratio(held, self.busy).is_some_and(|part| part > HELD_BACK).then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    /// Ten seconds, of which these were held back by the receiver and by the program.
    fn held(receiver: u64, program: u64) -> Held {
        let sample = SenderSample {
            busy: Span::from_secs(10),
            receiver_limited: Span::from_secs(receiver),
            program_limited: Span::from_secs(program),
            ..SenderSample::default()
        };
        Held::default().and(&SenderSample::default(), &sample)
    }

    #[test]
    fn who_holds_back_for_more_of_the_time_is_the_limit() {
        assert_eq!(held(3, 2).by(), Some(SenderLimit::Receiver));
        assert_eq!(held(2, 3).by(), Some(SenderLimit::Program));
        assert_eq!((held(2, 2).by(), held(2, 2).part()), (None, Some(0.4)));
        assert_eq!((held(0, 0).part(), Held::default().part()), (None, None));
    }
}
