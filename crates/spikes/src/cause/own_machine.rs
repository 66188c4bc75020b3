//! This machine was busy, or did not run: it sent late and heard late.

use results::{SpikeCause, SpikeEvidence};
use units::Span;

use super::Verdict;
use crate::Place;
use crate::facts::Facts;

/// The lateness of wake-ups in milliseconds that says nothing: any system has so much at times.
const USUAL_MS: f64 = 20.0;
const CONFIDENCE: f64 = 0.95;

/// The verdict that this machine was late; `None` if it was not, or not enough to explain the spike.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let seconds = || facts.surroundings.seconds(facts.start, facts.end + Span::from_secs(1));
    let late_ms = || seconds().map(|it| it.lateness.as_millis_f64());
    let late = late_ms().fold(0.0, f64::max);
    // One late second explains no spike that lasts.
    let explains = |added: f64| {
        let bound = USUAL_MS.max(0.5 * added);
        2 * late_ms().filter(|late| *late >= bound).count() >= seconds().count()
    };
    let was_late = seconds().next().is_some() && facts.worst().added_p95_ms.is_some_and(explains);
    let within = facts.place(Place::Machine).is_some_and(|it| it.shares(facts.worst()));
    if !was_late && !within {
        return None;
    }
    let mut evidence = vec![SpikeEvidence::Lateness { most_ms: late }];
    if let Some(busy) = seconds().filter_map(|it| it.busy).max() {
        evidence.push(SpikeEvidence::Busy { part: f64::from(busy) / 100.0 });
    }
    Some(Verdict::new(SpikeCause::OwnMachine, CONFIDENCE, evidence))
}
