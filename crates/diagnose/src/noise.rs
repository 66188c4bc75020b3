//! Waits that machines add.

use crate::passage::Passage;
use crate::spread::Weighted;
use crate::window::Window;

/// Wait in seconds up to which there is no queue, whatever the rate: machines add as much.
pub(crate) const NO_DELAY: f64 = 2e-3;

/// Wait in seconds above which machines are not the cause, but packets of others.
pub(crate) const OF_MACHINES: f64 = 5e-3;

/// The length of the stretches of the idle stage from which noise is taken, in seconds.
const STRETCH: f64 = 0.25;

/// The fewest probes that have a percentile.
const FEWEST: usize = 4;

/// The wait that machines add on an idle path, in seconds: the 95th percentile of its quietest
/// stretches, which have no packets of others.
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
