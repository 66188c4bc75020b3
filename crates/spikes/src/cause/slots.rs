//! The slots of a satellite: short spikes that repeat.

use results::{SpikeCause, SpikeEvidence};
use units::Span;

use super::Verdict;
use crate::facts::Facts;
use crate::onsets::PERIOD;

/// The longest spike that a change of slots makes.
const LONGEST: Span = Span::from_secs(8);
const CONFIDENCE: f64 = 0.95;

/// The verdict that the slots did it; `None` if no onsets repeat, or if the spike is too long.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let onsets = facts.repeats.filter(|_| facts.end.since(facts.start) <= LONGEST)?;
    let evidence = vec![SpikeEvidence::Repeats { period_s: PERIOD.as_secs_f64(), onsets }];
    Some(Verdict::new(SpikeCause::Slots, CONFIDENCE, evidence))
}
