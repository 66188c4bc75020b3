//! What probes met while their direction was not loaded: others' traffic, and losses that no queue made.

use results::observation::{Heading, Load};

use crate::direction::View;
use crate::passage::{Fate, Passage, between};
use crate::signs::NO_DELAY;
use crate::spread::Weighted;
use crate::window::Window;

/// Probes around which nothing waited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Quiet {
    /// Those that arrived.
    pub(crate) arrived: f64,
    /// Those that did not, though what was sent just before and just after them did, and did not wait.
    pub(crate) lost: f64,
    /// Those of them that were lost while nothing at all was loaded: no acknowledgements filled a queue.
    pub(crate) lost_alone: f64,
}

/// Beyond this, in seconds, a wait is no machine's: somebody's packets were before it.
pub(crate) const OF_MACHINES: f64 = 5e-3;

/// A stretch of the idle stage over which noise is looked at, in seconds.
const STRETCH: f64 = 0.25;

/// Fewer probes than this have no percentile.
const FEWEST: usize = 4;

/// Of so many lost probes the part that is lost is known to half of it (Poisson, 95 of 100).
const KNOWN: f64 = 16.0;

impl Quiet {
    /// Of all stages that did not load this direction.
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
                arrived: sum.arrived + one.arrived,
                lost: sum.lost + one.lost,
                lost_alone: sum.lost_alone + if is_alone { one.lost } else { 0.0 },
            }
        })
    }

    fn of(passages: &[Passage]) -> Self {
        let is_quiet =
            |passage: &&Passage| passage.wait().is_some_and(|wait| wait <= NO_DELAY + OF_MACHINES);
        let is_alone = |index: usize| {
            let before = passages[..index].iter().rev().find(|one| one.fate != Fate::Lost);
            let after = passages[index + 1..].iter().find(|one| one.fate != Fate::Lost);
            [before, after].iter().all(|one| one.as_ref().is_some_and(is_quiet))
        };
        // What drops several in a row is somebody's queue.
        let is_lost = |index: usize| passages[index].fate == Fate::Lost;
        let is_first = |index: usize| index.checked_sub(1).is_none_or(|before| !is_lost(before));
        let lost = (0..passages.len()).filter(|index| is_lost(*index) && is_first(*index));
        Self {
            arrived: passages.iter().filter(is_quiet).count() as f64,
            lost: lost.filter(|index| is_alone(*index)).count() as f64,
            lost_alone: 0.0,
        }
    }

    /// The part that is lost, if so many were that it is known to half of it or so; nothing else.
    pub(crate) fn known_loss(&self) -> Option<f64> {
        (self.lost >= KNOWN).then(|| self.loss())
    }

    /// The part that is lost.
    fn loss(&self) -> f64 {
        results::ratio(self.lost, self.lost + self.arrived).unwrap_or(0.0)
    }

    /// May a wire lose this part of all packets, if so many of these were lost? Not if fewer were than are in
    /// one of a hundred such tests (Poisson: none of 5, one of 7, two of 9).
    pub(crate) fn may_lose(&self, part: f64) -> bool {
        part * (self.lost + self.arrived) < 5.0 + 2.0 * self.lost
    }
}

/// The time of a pause in which neither queue drains any more: what was still on its way when the pause began may be
/// dropped, and probes that leave one queue in a row may fill the other. Its later half at most.
fn drained(ways: [&[Passage]; 2], pause: &Window) -> Window {
    let waits = ways.iter().flat_map(|passages| pause.waits(passages));
    let short = NO_DELAY + OF_MACHINES;
    let last = waits.filter(|(_, wait)| *wait > short).map(|(at, wait)| at + wait + short);
    Window { from: last.fold(pause.middle(), f64::max).min(pause.to), to: pause.to }
}

/// What machines add to the wait of an idle path, in seconds: the 95th percentile of its quietest
/// stretches, of which others' packets are no part.
pub(crate) fn noise(passages: &[Passage], idle: &Window) -> f64 {
    let count = (idle.length() / STRETCH).clamp(0.0, 1e3) as u32;
    let stretches = (0..count).filter_map(|index| {
        let from = idle.from + f64::from(index) * STRETCH;
        let stretch = Window { from, to: from + STRETCH };
        let waits = stretch.waits(passages);
        let is_enough = waits.len() >= FEWEST;
        is_enough.then(|| Weighted::evenly(waits.iter().map(|(_, wait)| *wait)).quantile(0.95))?
    });
    Weighted::evenly(stretches).quantile(0.25).unwrap_or(0.0).min(OF_MACHINES)
}

#[cfg(test)]
mod tests;
