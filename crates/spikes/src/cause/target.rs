//! One target alone was late, or the way to it beyond the line: others were calm on the same line.

use results::SpikeCause;

use super::Verdict;
use crate::facts::{Facts, Share};

/// The part of the hosts that may be struck: more than that is no matter of one of them.
const MOST_STRUCK: f64 = 0.34;
/// Confidence if others were calm, and if the hops behind the line were while there is one target.
const OTHERS_CALM: f64 = 0.95;
const HOPS_CALM: f64 = 0.75;

/// The verdict that the targets did it; `None` if others were struck too, or if nobody tells.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let worst = facts.worst();
    let others = || facts.targets().filter(|(index, _)| !facts.members.contains(index));
    let is_calm = |it: &(usize, &Share)| it.1.is_calm_beside(worst);
    let calm = others().filter(is_calm).count();
    let struck = facts.hosts(facts.members.iter().copied());
    let told = struck + facts.hosts(others().filter(is_calm).map(|(index, _)| index));
    let is_alone = struck == 1 || struck as f64 <= MOST_STRUCK * told as f64;
    let hops_calm = facts.later_hops().any(|it| it.is_calm_beside(worst))
        && !facts.later_hops().any(|it| it.shares(worst));
    let confidence = match () {
        () if calm >= 1 && calm == others().count() && is_alone => OTHERS_CALM,
        () if others().next().is_none() && struck == 1 && hops_calm => HOPS_CALM,
        () => return None,
    };
    Some(Verdict::new(SpikeCause::Target, confidence, Vec::new()))
}
