//! Samples of a sender, as its kernel would tell them: what was sent and acknowledged by each time.

use observation::SenderSample;
use units::{Bytes, Span, Time};

/// The time between two samples: that of a test.
const STEP: Span = Span::from_millis(50);

/// The most samples: those of the first minute in which the sender does something.
const MOST: usize = 1200;

/// The counts of a sender at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) delivered: u64,
    pub(crate) sent: u64,
    pub(crate) again: u64,
    pub(crate) busy: Span,
    pub(crate) receiver: Span,
    pub(crate) program: Span,
}

/// The samples of one end, one each [`STEP`] in which it did something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    all: Vec<(Time, Counts)>,
    /// The time of the next one.
    due: Time,
}

impl Samples {
    /// True if it is time for a sample.
    #[inline]
    pub(crate) fn is_due(&self, now: Time) -> bool {
        now >= self.due
    }

    pub(crate) fn add(&mut self, now: Time, counts: Counts) {
        self.all.push((now, counts));
        self.due = if self.all.len() < MOST { now + STEP } else { Time::MAX };
    }

    /// The samples of a sender whose full segment has so many bytes of data, and whose shortest round
    /// trip is `least`; with what limited it, if that is known.
    pub(crate) fn observed(
        &self,
        full: u32,
        least: Option<Span>,
        knows_limits: bool,
    ) -> Vec<SenderSample> {
        let known = |span: Span| if knows_limits { span } else { Span::ZERO };
        let sample = |(at, counts): &(Time, Counts)| SenderSample {
            at: *at,
            min_rtt: least,
            mss: full,
            acknowledged: Bytes(counts.delivered),
            sent: counts.sent,
            retransmitted: counts.again,
            delivered: counts.delivered.checked_div(full.into()).unwrap_or(0),
            busy: counts.busy,
            receiver_limited: known(counts.receiver),
            program_limited: known(counts.program),
            ..SenderSample::default()
        };
        self.all.iter().map(sample).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_taken_each_step_and_no_longer_than_a_minute() {
        let mut samples = Samples::default();
        for millis in (0..200_000).step_by(20) {
            let now = Time::from_millis(millis);
            if samples.is_due(now) {
                samples.add(now, Counts { delivered: millis, ..Counts::default() });
            }
        }
        let all = samples.observed(100, None, true);
        // 60 ms are the first multiple of 20 that is not below the step.
        assert_eq!((all.len(), all[1].at), (MOST, Time::from_millis(60)));
        assert_eq!((all[10].acknowledged, all[10].delivered), (Bytes(600), 6));
    }
}
