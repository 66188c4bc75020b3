//! Failures of targets that nothing else tells: each reason of each target once.

use observation::{ProbeFailure, ProbeOutcome};

use crate::news::News;

/// The failures of all targets.
pub(super) struct Failures {
    targets: Vec<Failing>,
}

/// What is known of one target.
#[derive(Clone, Default)]
struct Failing {
    has_answered: bool,
    told: Vec<ProbeFailure>,
    /// What was wrong at the latest probe.
    detail: Option<String>,
}

impl Failures {
    pub(super) fn new(targets: usize) -> Self {
        Self { targets: vec![Failing::default(); targets] }
    }

    /// Notes what was wrong at a probe, before the probe is noted.
    pub(super) fn note_detail(&mut self, target: usize, detail: String) {
        if let Some(it) = self.targets.get_mut(target) {
            it.detail = Some(detail);
        }
    }

    /// Takes what came of a probe. Returns what has to be told of its failure.
    pub(super) fn note(&mut self, target: usize, outcome: ProbeOutcome) -> Option<News> {
        let it = self.targets.get_mut(target)?;
        let detail = it.detail.take();
        let ProbeOutcome::Failed(reason) = outcome else {
            it.has_answered |= outcome.round_trip().is_some();
            return None;
        };
        // Gaps and spikes tell what happens to a target that has answered.
        let is_event = matches!(reason, ProbeFailure::NoRoute | ProbeFailure::Unreachable);
        if is_event && it.has_answered || it.told.contains(&reason) {
            return None;
        }
        it.told.push(reason);
        Some(News::Failing { target, reason, detail })
    }
}

#[cfg(test)]
mod tests {
    use observation::ProbeFailure::{Answer, Unreachable};
    use units::Span;

    use super::*;

    #[test]
    fn each_reason_is_told_once_and_with_its_detail() {
        let mut failures = Failures::new(2);
        failures.note_detail(0, "a certificate".into());
        let told = failures.note(0, ProbeOutcome::Failed(Answer));
        let detail = Some("a certificate".to_owned());
        assert_eq!(told, Some(News::Failing { target: 0, reason: Answer, detail }));
        assert_eq!(failures.note(0, ProbeOutcome::Failed(Answer)), None);
        let told = failures.note(0, ProbeOutcome::Failed(Unreachable));
        assert_eq!(told, Some(News::Failing { target: 0, reason: Unreachable, detail: None }));
        // A hop on the way is no target.
        assert_eq!(failures.note(2, ProbeOutcome::Failed(Unreachable)), None);
    }

    #[test]
    fn a_target_that_has_answered_has_events() {
        let mut failures = Failures::new(1);
        let answered =
            ProbeOutcome::Answered { round_trip: Span::from_millis(20), up: None, kept: None };
        assert_eq!(failures.note(0, answered), None);
        assert_eq!(failures.note(0, ProbeOutcome::Failed(Unreachable)), None);
        assert!(failures.note(0, ProbeOutcome::Failed(Answer)).is_some());
    }
}
