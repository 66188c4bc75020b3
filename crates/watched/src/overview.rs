//! How each target did over time, in few steps, and who suffered most.

use std::collections::BTreeMap;

use results::{WatchedCounts, WatchedOverview, WatchedTarget, is_watched_target};
use stats::{ascending, quantile};
use store::{Reader, StoreError, Summary, Target};
use units::Time;

use crate::grid::Grid;
use crate::period::{HOUR, MINUTE, counts, floor, ms, within};

/// The steps of an overview, at most.
const STEPS: u64 = 60;
/// The quantile of minutes or hours that stands for the best of them.
const BEST: f64 = 0.1;
/// The delay in milliseconds that a probe without an answer counts as.
const UNANSWERED_MS: f64 = 1000.0;

/// What all targets showed.
pub(crate) struct Overview {
    pub(crate) targets: Vec<WatchedTarget>,
    /// What came of the probes to all watched targets together, by hours.
    pub(crate) hours: BTreeMap<Time, Summary>,
}

impl Overview {
    /// Reads what a store has of some time.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn read(
        reader: &Reader,
        targets: &[Target],
        from: Time,
        to: Time,
    ) -> Result<Self, StoreError> {
        let grid = Grid::new(from, to, STEPS);
        let grid = if grid.step < MINUTE { Grid::of(from, to, MINUTE) } else { grid };
        let mut overview = Self { targets: Vec::new(), hours: BTreeMap::new() };
        for target in targets {
            let begin = floor(from, grid.level().width());
            let all = reader.summaries(target.id, begin, to, grid.level())?;
            overview.targets.push(WatchedTarget {
                name: target.name.clone(),
                counts: counts(&all),
                overview: over_time(&all, &grid),
            });
            if is_watched_target(&target.name) {
                all.into_iter().for_each(|it| overview.add(it));
            }
        }
        Ok(overview)
    }

    fn add(&mut self, summary: Summary) {
        let hour = floor(summary.start, HOUR);
        match self.hours.get_mut(&hour) {
            Some(there) => there.merge(&summary),
            None => _ = self.hours.insert(hour, summary),
        }
    }
}

fn over_time(all: &[Summary], grid: &Grid) -> WatchedOverview {
    let step = |index: usize| {
        let begin = grid.from + grid.step * index as u64;
        counts(within(all, |it| it.start, begin, begin + grid.step))
    };
    let steps: Vec<WatchedCounts> = (0..grid.count).map(step).collect();
    let p95 = |it: &Summary| it.round_trips.quantile(0.95).map(ms);
    // Of hours, and not of steps: each day of a year may have a bad evening.
    let best = quantile(&ascending(all.iter().filter_map(p95)), BEST);
    let later = |p95_ms: Option<f64>| Some((p95_ms? - best?).max(0.0));
    let suffered = |it: &Summary| {
        let lost = (it.lost + it.failed) as f64;
        lost * UNANSWERED_MS + (it.sent as f64 - lost) * later(p95(it)).unwrap_or(0.0)
    };
    let sent: u64 = all.iter().map(|it| it.sent).sum();
    WatchedOverview {
        from_s: grid.from.as_secs_f64(),
        step_s: grid.step.as_secs_f64(),
        later_ms: steps.iter().map(|it| later(it.p95_ms)).collect(),
        loss: steps.iter().map(WatchedCounts::loss).collect(),
        later_p95_ms: later(counts(all).p95_ms),
        suffered_ms: all.iter().map(suffered).sum::<f64>() / sent.max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use stats::Histogram;

    use super::*;

    fn minute(index: u64, ms: u64, lost: u64) -> Summary {
        let mut round_trips = Histogram::new();
        round_trips.record_many(ms * 1_000_000, 60 - lost);
        let start = Time::ZERO + MINUTE * index;
        Summary { start, width: MINUTE, sent: 60, late: 0, lost, failed: 0, round_trips }
    }

    #[test]
    fn a_target_suffers_by_what_it_lacks_beside_its_best_times() {
        let grid = Grid::of(Time::ZERO, Time::ZERO + MINUTE * 4, MINUTE);
        let steady: Vec<_> = (0..4).map(|it| minute(it, 200, 0)).collect();
        assert_eq!(over_time(&steady, &grid).suffered_ms, 0.0);
        let seen = over_time(&[minute(0, 20, 0), minute(1, 120, 0), minute(3, 20, 30)], &grid);
        assert_eq!(seen.loss, [Some(0.0), Some(0.0), None, Some(0.5)]);
        assert_eq!(seen.later_ms.iter().filter(|it| it.is_none()).count(), 1);
        // A hundred milliseconds in a third of the time, and a second for a sixth of the probes.
        let expected = 100.0 / 3.0 + 1000.0 / 6.0;
        assert!((seen.suffered_ms - expected).abs() < 2.0, "{seen:?}");
    }
}
