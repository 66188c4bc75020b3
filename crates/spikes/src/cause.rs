//! The cause of a spike, from its facts. The first rule that fits decides; what none explains is unknown.
//!
//! `./x bench watch` counts how often each confidence is right (docs/watch.md).

mod first_hop;
mod line;
mod own_load;
mod own_machine;
mod server;
mod slots;
mod target;

pub(crate) use own_load::small_near;

use observation::Heading;
use results::{SpikeCause, SpikeEvidence};

use crate::facts::Facts;

/// A cause, how sure it is, and what speaks for it.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) cause: SpikeCause,
    pub(crate) confidence: f64,
    /// The direction, if the cause tells it.
    pub(crate) direction: Option<Heading>,
    /// What speaks for this cause alone.
    pub(crate) evidence: Vec<SpikeEvidence>,
}

impl Verdict {
    /// A verdict that tells no direction.
    fn new(cause: SpikeCause, confidence: f64, evidence: Vec<SpikeEvidence>) -> Self {
        Self { cause, confidence, direction: None, evidence }
    }

    fn unknown() -> Self {
        Self::new(SpikeCause::Unknown, 0.0, Vec::new())
    }
}

/// True if the spike is that of its targets alone: others were calm meanwhile.
pub(crate) fn is_of_targets(facts: &Facts<'_>) -> bool {
    server::judge(facts).or_else(|| target::judge(facts)).is_some()
}

/// The cause of a spike, with all evidence, the strongest first.
pub(crate) fn judge(facts: &Facts<'_>) -> Verdict {
    let rules = [
        own_machine::judge,
        server::judge,
        // Before the target: an own load may fill a link that only one target is behind.
        own_load::judge,
        target::judge,
        first_hop::judge,
        slots::judge,
        line::judge,
    ];
    let mut verdict = rules.iter().find_map(|rule| rule(facts)).unwrap_or_else(Verdict::unknown);
    let is_elsewhere = matches!(verdict.cause, SpikeCause::Line | SpikeCause::Router);
    if verdict.cause == SpikeCause::Line && own_load::may_fill(facts)
        || is_elsewhere && own_machine::has_part(facts)
    {
        verdict = Verdict::unknown();
    }
    if verdict.cause == SpikeCause::Line && own_load::coincides(facts) {
        verdict.confidence = verdict.confidence.min(own_load::FIRST);
    }
    // Behind a radio that shows something, the load may have had no part in it.
    let is_near = verdict.cause == SpikeCause::Router
        || verdict.cause == SpikeCause::Wireless && !first_hop::shows_radio(facts);
    if is_near && own_load::small_near(facts).is_some() {
        verdict = Verdict::unknown();
    }
    for evidence in facts.common_evidence() {
        if !verdict.evidence.contains(&evidence) {
            verdict.evidence.push(evidence);
        }
    }
    verdict
}
