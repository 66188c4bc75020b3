//! This machine was busy, or did not run: it sent late and heard late.

use results::{SpikeCause, SpikeEvidence};
use units::Span;

use super::Verdict;
use crate::Place;
use crate::course::Point;
use crate::facts::Facts;

/// The lateness of wake-ups in milliseconds that says nothing: any system has so much at times.
const USUAL_MS: f64 = 20.0;
const CONFIDENCE: f64 = 0.95;
/// The part of the late probes that this machine must explain to be the cause, and the part from which on it is one of
/// several.
const MOST_OF_SPIKE: f64 = 0.5;
const PART_OF_SPIKE: f64 = 0.25;

/// The verdict that this machine was late; `None` if it was not, or not enough to explain the spike.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let seconds = || facts.surroundings.seconds(facts.start, facts.end + Span::from_secs(1));
    let late = seconds().map(|it| it.lateness.as_millis_f64()).fold(0.0, f64::max);
    let within = facts.place(Place::Machine).is_some_and(|it| it.shares(facts.worst()));
    if explained(facts) < MOST_OF_SPIKE && !within {
        return None;
    }
    let mut evidence = vec![SpikeEvidence::Lateness { most_ms: late }];
    if let Some(busy) = seconds().filter_map(|it| it.busy).max() {
        evidence.push(SpikeEvidence::Busy { part: f64::from(busy) / 100.0 });
    }
    Some(Verdict::new(SpikeCause::OwnMachine, CONFIDENCE, evidence))
}

/// True if this machine explains so much of the spike that nothing else explains it alone.
pub(super) fn has_part(facts: &Facts<'_>) -> bool {
    explained(facts) >= PART_OF_SPIKE
}

/// The part of the late probes on whose way this machine was woken late, by half of what was added or more. Late
/// wake-ups at other times explain nothing, and none explains a probe without an answer.
fn explained(facts: &Facts<'_>) -> f64 {
    let is_explained = |it: &&Point| {
        let Some(added) = it.added_ms else { return false };
        let on_the_way = Span::from_secs_f64(added.max(0.0) / 1e3) + Span::from_secs(1);
        let mut seconds = facts.surroundings.seconds(it.sent, it.sent + on_the_way);
        seconds.any(|it| it.lateness.as_millis_f64() >= USUAL_MS.max(0.5 * added))
    };
    let struck = || facts.probes_worst.iter().filter(|it| it.is_struck);
    struck().filter(is_explained).count() as f64 / struck().count().max(1) as f64
}
