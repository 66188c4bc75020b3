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
    let both = rate_beside(view, heading, signs.no_delay());
    let both = both.and_then(|beside| factor(beside.as_if(rate)));
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

/// The rate in bytes a second while both directions were loaded: at least that of IP packets, and at
/// most that with what a line may add to them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Beside {
    least: f64,
    most: f64,
}

/// The bytes that a line may add to a packet: an acknowledgement of 52 bytes takes two cells of ATM.
const ADDED: f64 = 54.0;

impl Beside {
    /// The rate that is nearest to that of the load alone. While both directions are loaded, many
    /// packets are acknowledgements, and a line that adds much to each carries fewer bytes of IP.
    fn as_if(self, alone: f64) -> f64 {
        alone.clamp(self.least, self.most)
    }
}

/// The rate while both directions were loaded, if packets always waited longer than `no_delay`
/// seconds; `None` otherwise.
fn rate_beside(view: &View<'_>, heading: Heading, no_delay: f64) -> Option<Beside> {
    let traffic = view.traffic(heading);
    let window = Window::of(view.stage(Load::Both)?, &view.clock).settled(&traffic);
    let least = window.spread(traffic.passages).quantile(0.02)?;
    let flux = traffic.flux(window.from, window.to)?;
    let beside = Beside { least: flux.bytes, most: flux.bytes + ADDED * flux.packets };
    (least > no_delay).then_some(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Mbit/s of full packets alone. Beside a download, 5000 acknowledgements a second take as
    /// much again on the line as in IP; half of the rate is more than these explain.
    #[test]
    fn acknowledgements_are_longer_on_the_line() {
        let beside = |bytes: f64| Beside { least: bytes, most: bytes + 5_000.0 * ADDED };
        assert_eq!(beside(1_000_000.0).as_if(1_250_000.0), 1_250_000.0);
        assert_eq!(beside(500_000.0).as_if(1_250_000.0), 770_000.0);
        assert_eq!(beside(1_500_000.0).as_if(1_250_000.0), 1_500_000.0);
    }
}
