//! What passed and what was lost, step by step, from the first loss on: by it `diagnose` tells losses of a policer.

use observation::CapturedPassing;
use units::{Bytes, Span, Time};

/// The length of a step.
const STEP: Span = CapturedPassing::LENGTH;

/// The most steps: those of the first 16 s in which something is sent all the time.
const MOST: usize = 8192;

/// The steps in which something was sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    steps: Vec<Step>,
    has_begun: bool,
}

/// A step, in bytes of data.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    at: Time,
    seen: u32,
    /// The part of what was seen that was lost behind the place of the capture, as its being sent again shows.
    lost_ahead: u32,
    /// The data that was lost before that place, as a hole shows.
    lost_before: u32,
}

impl Passed {
    /// Notes data that was sent again: that of `sent` was lost behind the place of the capture.
    pub(crate) fn lost_ahead(&mut self, bytes: u64, sent: Time) {
        self.has_begun = true;
        let end = self.steps.partition_point(|step| step.at <= sent);
        let Some(step) = self.steps[..end].last_mut() else { return };
        if sent.since(step.at) < STEP {
            step.lost_ahead = step.lost_ahead.saturating_add(short(bytes)).min(step.seen);
        }
    }

    /// Notes a hole: data that was lost before the place of the capture, or that comes out of order.
    pub(crate) fn lost_before(&mut self, bytes: u64, now: Time) {
        self.has_begun = true;
        if let Some(step) = self.step(now) {
            step.lost_before = step.lost_before.saturating_add(short(bytes));
        }
    }

    /// Notes data that passes the place of the capture.
    pub(crate) fn seen(&mut self, bytes: u64, now: Time) {
        if !self.has_begun {
            return;
        }
        if let Some(step) = self.step(now) {
            step.seen = step.seen.saturating_add(short(bytes));
        }
    }

    /// The step of this time; `None` if there is no room for it.
    fn step(&mut self, now: Time) -> Option<&mut Step> {
        let is_new = self.steps.last().is_none_or(|last| now.since(last.at) >= STEP);
        if is_new && self.steps.len() < MOST {
            self.steps.push(Step { at: now, ..Step::default() });
        }
        self.steps.last_mut().filter(|step| now.since(step.at) < STEP)
    }

    /// The steps, with the losses behind or before the place of the capture.
    pub(crate) fn observed(&self, is_ahead: bool) -> Vec<CapturedPassing> {
        let passing = |step: &Step| {
            let (passed, lost) = match is_ahead {
                true => (step.seen - step.lost_ahead, step.lost_ahead),
                false => (step.seen, step.lost_before),
            };
            CapturedPassing { at: step.at, passed: Bytes(passed.into()), lost: Bytes(lost.into()) }
        };
        self.steps.iter().map(passing).collect()
    }
}

/// A number of bytes; no step has more than 4 GiB.
fn short(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_belongs_to_the_step_in_which_the_data_was_sent() {
        let mut passed = Passed::default();
        passed.seen(1000, Time::from_millis(1));
        assert!(passed.observed(true).is_empty(), "nothing was lost yet");
        passed.lost_ahead(500, Time::from_millis(1));
        for millis in [10, 11, 30] {
            passed.seen(1000, Time::from_millis(millis));
        }
        passed.lost_ahead(500, Time::from_millis(11));
        passed.lost_ahead(500, Time::from_millis(20));
        passed.lost_before(700, Time::from_millis(31));
        let told = |is_ahead| {
            let steps = passed.observed(is_ahead);
            steps.iter().map(|step| (step.passed.0, step.lost.0)).collect::<Vec<_>>()
        };
        assert_eq!(told(true), [(1500, 500), (1000, 0)]);
        assert_eq!(told(false), [(2000, 0), (1000, 700)]);
    }

    #[test]
    fn the_steps_have_a_bound() {
        let mut passed = Passed::default();
        passed.lost_before(1, Time::ZERO);
        (0..20_000).for_each(|step| passed.seen(100, Time::from_millis(5 * step)));
        assert_eq!(passed.observed(true).len(), MOST);
    }
}
