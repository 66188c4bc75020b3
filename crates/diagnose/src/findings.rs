//! Findings on a direction besides the kind of its queue.

use observation::Heading;
use results::{Finding, FindingKind};

use crate::favoured::favoured;
use crate::held::HELD_BACK;
use crate::machine::machine;
use crate::others::others;
use crate::rate::rate_changed;
use crate::signs::Signs;
use crate::view::View;
use crate::window::Window;

/// The fewest lost probes that show loss: fewer may be chance.
const FEWEST_LOST: f64 = 3.0;

/// All findings, the surest first. `small` is the rate of small packets in bytes a second, if they
/// were tried.
pub(crate) fn findings(
    view: &View<'_>,
    heading: Heading,
    window: &Window,
    signs: &Signs,
    small: Option<f64>,
) -> Vec<Finding> {
    let all = [
        machine(view, window, signs),
        end(view, heading, window, signs),
        favoured(signs.handshakes, signs),
        others(view, heading, signs),
    ];
    let mut all: Vec<Finding> = all.into_iter().flatten().collect();
    // Packets of others may fill a queue at any time.
    if !FindingKind::OtherTraffic.is_in(&all) {
        all.extend(random_loss(signs));
        all.extend(rate_changed(view, heading, signs, small, &all));
    }
    all.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    all
}

/// A finding if an end held the flows back and nothing waited, so that the end was the limit, and
/// not the path. `None` otherwise.
fn end(view: &View<'_>, heading: Heading, window: &Window, signs: &Signs) -> Option<Finding> {
    let part = view.held_back(heading, window)?;
    let is_limit = part > HELD_BACK && signs.settled.median <= signs.no_delay();
    let (kind, amount) = (FindingKind::EndLimits, Some(part));
    is_limit.then_some(Finding { kind, amount, confidence: 0.95 })
}

/// A finding of loss while nothing waits, which no queue caused; `None` unless some of it happened
/// while not even acknowledgements were sent. Each such lost probe makes chance less likely.
///
/// A policer drops while nothing waits, too, but only the packets of a load. Where these are all that
/// was seen, a queue shows that no policer is the limit; and what part of them a wire loses is not
/// known, since several that were lost at once count as one.
fn random_loss(signs: &Signs) -> Option<Finding> {
    let quiet = signs.quiet;
    let may_be_policed = signs.is_by_load() && signs.stage.p95 <= signs.no_delay();
    let amount = quiet.known_loss().filter(|_| !signs.is_by_load());
    let confidence = (1.0 - libm::exp(-0.5 * quiet.lost)).min(0.99);
    let is_seen = quiet.lost >= FEWEST_LOST && quiet.lost_alone >= 2.0 && !may_be_policed;
    is_seen.then_some(Finding { kind: FindingKind::RandomLoss, amount, confidence })
}
