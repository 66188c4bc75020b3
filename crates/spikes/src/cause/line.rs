//! The line behind the first hop, or somebody else who fills it: all targets were late, and the first
//! hop was not.

use results::SpikeCause;

use super::Verdict;
use crate::Place;
use crate::facts::{Facts, Share};

/// The part of the hosts that must be late.
const LEAST_LATE: f64 = 0.66;
/// Confidence if a later hop was late as well, and if only the targets tell.
const HOPS_LATE: f64 = 0.95;
const TARGETS_LATE: f64 = 0.85;

/// The verdict that the line did it; `None` if the first hop was not calm, or does not tell.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let worst = facts.worst();
    facts.place(Place::Hop(1)).filter(|it| it.is_calm_beside(worst))?;
    // A delay that strikes a near target may be too small to strike a far one.
    let shares = |(index, it): &(usize, &Share)| !facts.members.contains(index) && it.shares(worst);
    let sharing = facts.targets().filter(shares).map(|(index, _)| index);
    let late = facts.hosts(facts.members.iter().copied().chain(sharing));
    let all = facts.hosts(facts.targets().map(|(index, _)| index));
    let part = late as f64 / all.max(late) as f64;
    let hop_late = facts.later_hops().any(|it| it.shares(worst));
    let confidence = match () {
        () if hop_late && part >= LEAST_LATE => HOPS_LATE,
        () if late >= 2 && part >= LEAST_LATE => TARGETS_LATE,
        () => return None,
    };
    Some(Verdict::new(SpikeCause::Line, confidence, Vec::new()))
}
