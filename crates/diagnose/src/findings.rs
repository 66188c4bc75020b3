//! What else was found of a direction, beside its queue.

use results::observation::{Heading, Load};
use results::{Finding, FindingKind};

use crate::direction::View;
use crate::favoured::favoured;
use crate::limit::{HELD_BACK, held_back};
use crate::machine::machine;
use crate::others::others;
use crate::queue::{sure, swings};
use crate::quiet::Quiet;
use crate::signs::Signs;
use crate::window::Window;

/// A rate that changes by less, as a factor, may be lumps of the senders' making.
const CHANGES: f64 = 1.5;

/// Nor do averages of whole stages that differ by less.
const DIFFERS: f64 = 1.25;

/// Fewer lost probes may be a chance.
const FEWEST_LOST: f64 = 3.0;

/// All of them, the surest first. Small packets brought so many bytes a second across, if they were tried.
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
    // Others' packets may fill a queue at any time.
    if !has(&all, FindingKind::OtherTraffic) {
        all.extend(random_loss(signs.quiet));
        all.extend(rate_changed(view, heading, signs, small, &all));
    }
    all.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    all
}

/// Is this among them?
pub(crate) fn has(findings: &[Finding], kind: FindingKind) -> bool {
    findings.iter().any(|one| one.kind == kind)
}

/// An end held the flows back, and nothing waited: it was the limit, not the path.
fn end(view: &View<'_>, heading: Heading, window: &Window, signs: &Signs) -> Option<Finding> {
    let part = held_back(view, heading, window.from, window.to)?;
    let is_limit = part > HELD_BACK && signs.settled.median <= signs.no_delay();
    let (kind, amount) = (FindingKind::EndLimits, Some(part));
    is_limit.then_some(Finding { kind, amount, confidence: 0.95 })
}

/// While packets wait the line is as fast as it can be, so it has changed, or others have come or gone. What
/// goes up and down all the time is the kind of the line, and no finding beside it.
fn rate_changed(
    view: &View<'_>,
    heading: Heading,
    signs: &Signs,
    small: Option<f64>,
    findings: &[Finding],
) -> Option<Finding> {
    let is_waiting = signs.settled.median > signs.no_delay();
    if !is_waiting || !signs.is_filled(findings) || swings(signs) {
        return None;
    }
    let rate = signs.busy.flux.bytes;
    let factor = |other: f64| results::ratio(rate.max(other), rate.min(other));
    let both = rate_beside(view, heading, signs.no_delay()).and_then(factor);
    // Small packets have more headers each, so that a line may well carry fewer bytes of them.
    let small = small.filter(|small| *small > rate).and_then(factor);
    let stages = both.into_iter().chain(small).filter(|factor| *factor > DIFFERS);
    let varied = signs.busy.variation.filter(|factor| *factor > CHANGES);
    let factor = stages.chain(varied).reduce(f64::max)?;
    let (kind, amount) = (FindingKind::RateChanged, Some(factor));
    Some(Finding { kind, amount, confidence: sure(factor / DIFFERS) })
}

/// Bytes a second that came while both directions were loaded, if packets waited longer than this for all of
/// the time, in seconds.
fn rate_beside(view: &View<'_>, heading: Heading, no_delay: f64) -> Option<f64> {
    let traffic = view.traffic(heading);
    let window = Window::of(view.stage(Load::Both)?, &view.clock).settled(&traffic);
    let least = window.spread(traffic.passages).quantile(0.02)?;
    let flux = traffic.flux(window.from, window.to)?;
    (least > no_delay).then_some(flux.bytes)
}

/// What is lost while nothing waits was dropped by no queue, if some of it was while not even
/// acknowledgements were sent. Each probe that is lost so makes an exception less likely.
fn random_loss(quiet: Quiet) -> Option<Finding> {
    let (kind, amount) = (FindingKind::RandomLoss, Some(quiet.loss()));
    let confidence = (1.0 - libm::exp(-0.5 * quiet.lost)).min(0.99);
    let is_seen = quiet.lost >= FEWEST_LOST && quiet.lost_alone >= 2.0;
    is_seen.then_some(Finding { kind, amount, confidence })
}
