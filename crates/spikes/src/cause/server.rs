//! A server kept the probes: it tells when each reached it and when its answer left, so that nothing else was late.

use results::{SpikeCause, SpikeEvidence};

use super::Verdict;
use crate::facts::{Facts, Share};

const CONFIDENCE: f64 = 0.95;

/// The verdict that the servers kept most late probes of every struck target; `None` if they did not, or do not tell.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let struck = || facts.members.iter().map(|it| &facts.shares[*it]);
    let is_kept = struck().all(Share::is_kept);
    let most_ms = struck().filter_map(|it| it.kept_most_ms).reduce(f64::max)?;
    let evidence = vec![SpikeEvidence::Kept { most_ms }];
    is_kept.then(|| Verdict::new(SpikeCause::Target, CONFIDENCE, evidence))
}
