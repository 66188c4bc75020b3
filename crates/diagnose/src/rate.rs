//! A rate that changed, for whatever reason.
//!
//! While packets wait a line is as fast as it can be. If its rate changes then, others have come or gone, or the line
//! has changed, as one that is faster at first (PowerBoost). Who of them it was nobody can tell, but what the line
//! carries is not known. What goes up and down all the time is the kind of the line, and no finding beside it.

use results::observation::{Heading, Load};
use results::{Finding, FindingKind};

use crate::direction::View;
use crate::queue::{sure, swings};
use crate::signs::Signs;
use crate::window::Window;

/// A rate that changes by less, as a factor, may be lumps of the senders' making.
const CHANGES: f64 = 1.5;

/// Nor do averages of whole stages that differ by less.
const DIFFERS: f64 = 1.25;

/// Small packets have more headers each, of which the link layer's are in no count of ours: they bring fewer bytes
/// across, unless somebody else had a part of the line before. More than by this factor is no error of counting.
const MORE: f64 = 1.1;

/// The finding that the rate changed, by a factor; `None` if it did not. Small packets brought so many bytes a second
/// across, if they were tried.
pub(crate) fn rate_changed(
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
    let both = both.filter(|factor| *factor > DIFFERS);
    let small = small.and_then(|small| results::ratio(small, rate)).filter(|more| *more > MORE);
    // What arrives in pieces is counted when its sender hears of it, in lumps.
    let variation = signs.busy.sustained.filter(|_| !signs.in_pieces);
    let varied = variation.filter(|factor| *factor > CHANGES);
    // What came faster while fewer packets waited, or none, came over a faster line.
    let faster = signs.fastest.filter(|_| !signs.in_pieces);
    let faster = faster.and_then(|fastest| results::ratio(fastest, rate));
    let faster = faster.filter(|factor| *factor > DIFFERS);
    let factor = both.into_iter().chain(small).chain(varied).chain(faster).reduce(f64::max)?;
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
