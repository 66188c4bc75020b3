//! The fates of probes while their direction was not loaded: others' traffic, and losses without a
//! queue.

use observation::{Heading, Load};

use crate::noise::{NO_DELAY, OF_MACHINES};
use crate::passage::{Fate, Passage, between};
use crate::view::View;
use crate::window::Window;

/// Probes that were sent while nothing waited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Quiet {
    /// The number of probes that were delivered.
    pub(crate) delivered: f64,
    /// The number of probes that did not, though the probes just before and just after did, and did
    /// not wait.
    pub(crate) lost: f64,
    /// The number of those lost while nothing at all was loaded, so that no acknowledgements filled
    /// a queue.
    pub(crate) lost_alone: f64,
}

/// The number of lost probes from which the part that is lost is known to within half of it
/// (Poisson, 95 of 100).
const KNOWN: f64 = 16.0;

impl Quiet {
    /// The probes of all stages that did not load this direction.
    pub(crate) fn new(view: &View<'_>, heading: Heading) -> Self {
        let passages = view.passages.heading(heading);
        let unloaded = view.seen.stages.iter().filter(|stage| !stage.load.loads(heading));
        unloaded.fold(Self::default(), |sum, stage| {
            let window = Window::of(stage, &view.clock);
            let ways = [Heading::Up, Heading::Down].map(|heading| view.passages.heading(heading));
            let window = if stage.load == Load::Drain { drained(ways, &window) } else { window };
            let one = Self::of(between(passages, window.from, window.to));
            let is_alone = matches!(stage.load, Load::Idle | Load::Drain);
            Self {
                delivered: sum.delivered + one.delivered,
                lost: sum.lost + one.lost,
                lost_alone: sum.lost_alone + if is_alone { one.lost } else { 0.0 },
            }
        })
    }

    /// The load's own packets that found the queue empty, where nothing else was seen: fewer than one
    /// `packet` waited, which takes so many seconds.
    pub(crate) fn of_load(view: &View<'_>, heading: Heading, packet: f64) -> Self {
        /// What machines add beside a load, in seconds. A managed queue may drop a few packets just when it has
        /// become short again, so that no more is let pass for an empty one.
        const ADDED: f64 = 0.3e-3;
        let bound = ADDED + 0.5 * packet;
        let passages = view.passages.heading(heading);
        let flows = view.flows.iter().filter(|flow| flow.seen.heading == heading);
        let delivered = flows.flat_map(|flow| flow.sender.windows(2)).filter_map(|pair| {
            let [(from, before), (to, after)] = pair else { return None };
            let within = between(passages, *from, *to);
            let is_quiet = within.iter().all(|one| one.wait().is_some_and(|wait| wait <= bound));
            let sent = after.sent.saturating_sub(before.sent) as f64;
            (!within.is_empty() && is_quiet).then_some(sent)
        });
        let lost = view.at_losses.iter().filter(|wait| **wait <= bound).count() as f64;
        Self { delivered: delivered.sum(), lost, lost_alone: lost }
    }

    fn of(passages: &[Passage]) -> Self {
        let is_quiet =
            |passage: &&Passage| passage.wait().is_some_and(|wait| wait <= NO_DELAY + OF_MACHINES);
        let is_alone = |index: usize| {
            let before = passages[..index].iter().rev().find(|one| one.fate != Fate::Lost);
            let after = passages[index + 1..].iter().find(|one| one.fate != Fate::Lost);
            [before, after].iter().all(|one| one.as_ref().is_some_and(is_quiet))
        };
        // Several losses in a row are those of a queue.
        let is_lost = |index: usize| passages[index].fate == Fate::Lost;
        let is_first = |index: usize| index.checked_sub(1).is_none_or(|before| !is_lost(before));
        let lost = (0..passages.len()).filter(|index| is_lost(*index) && is_first(*index));
        Self {
            delivered: passages.iter().filter(is_quiet).count() as f64,
            lost: lost.filter(|index| is_alone(*index)).count() as f64,
            lost_alone: 0.0,
        }
    }

    /// The part of the probes that is lost; `None` if too few were lost to know it to about half of
    /// it.
    pub(crate) fn known_loss(&self) -> Option<f64> {
        (self.lost >= KNOWN).then(|| self.loss())
    }

    /// The part of the probes that is lost.
    fn loss(&self) -> f64 {
        stats::ratio(self.lost, self.lost + self.delivered).unwrap_or(0.0)
    }

    /// True if a wire may lose this part of all packets, given these losses. False if that few
    /// losses happen in fewer than one of a hundred such tests (Poisson: none of 5, one of 7, two
    /// of 9).
    pub(crate) fn may_lose(&self, part: f64) -> bool {
        part * (self.lost + self.delivered) < 5.0 + 2.0 * self.lost
    }
}

/// The part of a pause in which neither queue drains any more, at most the later half. Packets
/// still on the path when the pause began may be dropped, and probes that leave one queue in a row
/// may fill the other.
fn drained(ways: [&[Passage]; 2], pause: &Window) -> Window {
    let waits = ways.iter().flat_map(|passages| pause.waits(passages));
    let short = NO_DELAY + OF_MACHINES;
    let last = waits.filter(|(_, wait)| *wait > short).map(|(at, wait)| at + wait + short);
    Window { from: last.fold(pause.middle(), f64::max).min(pause.to), to: pause.to }
}

#[cfg(test)]
mod tests;
