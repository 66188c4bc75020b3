//! A change of the rate, for whatever reason.
//!
//! While packets wait, a line is as fast as it can be. If its rate changes then, other traffic has
//! come or gone, or the line has changed, as one that is faster at first (PowerBoost). Which of
//! these it was is not known, and so neither is the line's rate. A rate that goes up and down all
//! the time is the kind of the queue, and no finding besides.

use observation::{Heading, Load};
use results::{Finding, FindingKind};

use crate::queue::{sure, swings};
use crate::signs::Signs;
use crate::view::View;
use crate::window::Window;

/// The factor below which a change of rate may be the senders' lumps.
const CHANGES: f64 = 1.5;

/// The factor below which averages of whole stages count as equal.
const DIFFERS: f64 = 1.25;

/// The factor above which a higher rate of small packets is no error of counting. Small packets
/// have more headers, of which those of the link layer are not counted. So they bring fewer bytes
/// across, unless others had a part of the line before.
const MORE: f64 = 1.1;

/// The finding that the rate changed, with its factor; `None` if it did not. `small` is the rate of
/// small packets in bytes a second, if they were tried.
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
    let factor = |other: f64| stats::ratio(rate.max(other), rate.min(other));
    let both = rate_beside(view, heading, signs.no_delay()).and_then(factor);
    let both = both.filter(|factor| *factor > DIFFERS);
    let small = small.and_then(|small| stats::ratio(small, rate)).filter(|more| *more > MORE);
    // Segments in pieces are counted when their sender learns of them, in lumps.
    let variation = signs.busy.sustained.filter(|_| !signs.in_pieces);
    let varied = variation.filter(|factor| *factor > CHANGES);
    // Data that came faster while fewer packets waited, or none, came over a faster line.
    let faster = signs.fastest.filter(|_| !signs.in_pieces);
    let faster = faster.and_then(|fastest| stats::ratio(fastest, rate));
    let faster = faster.filter(|factor| *factor > DIFFERS);
    let factor = both.into_iter().chain(small).chain(varied).chain(faster).reduce(f64::max)?;
    let (kind, amount) = (FindingKind::RateChanged, Some(factor));
    Some(Finding { kind, amount, confidence: sure(factor / DIFFERS) })
}

/// The rate in bytes a second while both directions were loaded, if packets always waited longer
/// than `no_delay` seconds; `None` otherwise.
fn rate_beside(view: &View<'_>, heading: Heading, no_delay: f64) -> Option<f64> {
    let traffic = view.traffic(heading);
    let window = Window::of(view.stage(Load::Both)?, &view.clock).settled(&traffic);
    let least = window.spread(traffic.passages).quantile(0.02)?;
    let flux = traffic.flux(window.from, window.to)?;
    (least > no_delay).then_some(flux.bytes)
}
