//! How each target did over time, in few steps, and who suffered most.

use std::collections::BTreeMap;

use results::{WatchedCounts, WatchedOverview, WatchedTarget, is_watched_target};
use stats::{ascending, quantile};
use store::{Reader, StoreError, Summary, Target};
use units::{Span, Time};

use crate::grade::Added;
use crate::grid::Grid;
use crate::load::Load;
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
        load: &Load,
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
                is_unreached: target.first.is_none(),
                counts: counts(&all),
                overview: over_time(&all, &grid, load),
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

fn over_time(all: &[Summary], grid: &Grid, load: &Load) -> WatchedOverview {
    let step = |index: usize| {
        let begin = grid.from + grid.step * index as u64;
        counts(within(all, |it| it.start, begin, begin + grid.step))
    };
    let steps: Vec<WatchedCounts> = (0..grid.count).map(step).collect();
    let p95 = |it: &Summary| it.round_trips.quantile(0.95).map(ms);
    // Of hours, and not of steps: each day of a year may have a bad evening.
    let best_of = |of: &dyn Fn(&&Summary) -> bool| {
        quantile(&ascending(all.iter().filter(of).filter_map(p95)), BEST)
    };
    let calm = best_of(&|it| load.is_calm(it.start, it.width));
    let best = calm.or_else(|| best_of(&|_| true));
    // At least: the best times may have been late too.
    let later = |p95_ms: Option<f64>| Some((p95_ms? - best?).max(0.0));
    let probed = all.iter().fold(Span::ZERO, |sum, it| sum + it.width);
    let is_comparable = load.is_comparable(grid.from, grid.to, probed);
    let suffered = |it: &Summary| {
        let lost = (it.lost + it.failed) as f64;
        lost * UNANSWERED_MS + (it.sent as f64 - lost) * later(p95(it)).unwrap_or(0.0)
    };
    let counts_of_all = counts(all);
    let added = Added {
        p95_ms: later(counts_of_all.p95_ms),
        answers: counts_of_all.sent - counts_of_all.unanswered(),
        unanswered: counts_of_all.loss().unwrap_or(1.0),
        has_calm: calm.is_some() && load.has_calm(grid.from, grid.to),
        has_loaded: load.has_loaded(grid.from, grid.to),
    };
    let is_told = is_comparable && added.has_answers() || added.grade().is_ok();
    WatchedOverview {
        from_s: grid.from.as_secs_f64(),
        step_s: grid.step.as_secs_f64(),
        later_ms: steps.iter().map(|it| later(it.p95_ms).filter(|_| is_comparable)).collect(),
        loss: steps.iter().map(WatchedCounts::loss).collect(),
        later_p95_ms: added.p95_ms.filter(|_| is_told),
        grade: added.grade().ok(),
        grade_reason: added.grade().err(),
        suffered_ms: all.iter().map(suffered).sum::<f64>() / counts_of_all.sent.max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use results::{Grade, Ungraded};
    use stats::Histogram;
    use store::MachineMinute;
    use units::Bytes;

    use super::*;

    fn minute(index: u64, ms: u64, lost: u64) -> Summary {
        let mut round_trips = Histogram::new();
        round_trips.record_many(ms * 1_000_000, 60 - lost);
        let start = Time::ZERO + MINUTE * index;
        Summary { start, width: MINUTE, sent: 60, late: 0, lost, failed: 0, round_trips }
    }

    /// A machine that sent so many bytes in each of some minutes.
    fn load(bytes: &[u64]) -> Load {
        let minute = |(index, bytes): (usize, &u64)| MachineMinute {
            start: Time::ZERO + MINUTE * index as u64,
            seconds: 60,
            up: Some(Bytes(*bytes)),
            down: Some(Bytes(0)),
            ..MachineMinute::default()
        };
        let machine: Vec<_> = bytes.iter().enumerate().map(minute).collect();
        Load::of(&machine, Time::ZERO + MINUTE * bytes.len() as u64)
    }

    #[test]
    fn a_watch_that_was_loaded_throughout_has_no_good_grade() {
        const FULL: u64 = 60_000_000;
        let graded = |minutes: &[(u64, u64)]| {
            let grid = Grid::of(Time::ZERO, Time::ZERO + MINUTE * minutes.len() as u64, MINUTE);
            let bytes: Vec<u64> = minutes.iter().map(|it| it.1).collect();
            let all: Vec<_> =
                (0..).zip(minutes).map(|(index, it)| minute(index, it.0, 0)).collect();
            let seen = over_time(&all, &grid, &load(&bytes));
            (seen.grade, seen.grade_reason)
        };
        assert_eq!(graded(&[(120, FULL); 8]), (None, Some(Ungraded::NotMeasured)));
        assert_eq!(graded(&[(20, 0); 8]), (None, Some(Ungraded::NotFilled)));
        let both = |late| [[(20, 0); 3], [(late, FULL); 3]].concat();
        assert_eq!(graded(&both(22)), (Some(Grade::APlus), None));
        assert_eq!(graded(&both(120)), (Some(Grade::C), None));
        assert_eq!(
            graded(&[[(20, 0); 2], [(120, FULL); 2]].concat()).1,
            Some(Ungraded::NotMeasured)
        );
    }

    /// Two minutes, of which this machine loaded one: no time is known to be a good one.
    #[test]
    fn a_young_watch_does_not_say_how_much_later_answers_came() {
        let seen = |minutes: &[Summary], load: &Load| {
            let grid = Grid::of(Time::ZERO, Time::ZERO + MINUTE * minutes.len() as u64, MINUTE);
            let seen = over_time(minutes, &grid, load);
            (seen.later_p95_ms, seen.later_ms.iter().flatten().count(), seen.grade_reason)
        };
        let young = [minute(0, 20, 0), minute(1, 157, 0)];
        let unknown = (None, 0, Some(Ungraded::NotMeasured));
        assert_eq!(seen(&young, &load(&[0, 18_000_000])), unknown);
        assert_eq!(seen(&young[1..], &load(&[18_000_000])), unknown);
        assert_eq!(seen(&young, &load(&[])), unknown);
        let older = [20, 20, 20, 157].iter().zip(0..).map(|(ms, index)| minute(index, *ms, 0));
        let (later, steps, _) = seen(&older.collect::<Vec<_>>(), &load(&[0, 0, 0, 18_000_000]));
        assert!(later.is_some_and(|it| (it - 137.0).abs() < 3.0) && steps == 4, "{later:?}");
        // An F needs nothing more.
        let bad = [minute(0, 20, 0), minute(1, 1500, 0)];
        let (later, steps, reason) = seen(&bad, &load(&[0, 18_000_000]));
        assert!(later.is_some_and(|it| it > 1400.0) && steps == 0 && reason.is_none(), "{later:?}");
    }

    #[test]
    fn a_target_suffers_by_what_it_lacks_beside_its_best_times() {
        let grid = Grid::of(Time::ZERO, Time::ZERO + MINUTE * 4, MINUTE);
        let steady: Vec<_> = (0..4).map(|it| minute(it, 200, 0)).collect();
        let idle = load(&[0; 4]);
        assert_eq!(over_time(&steady, &grid, &idle).suffered_ms, 0.0);
        let minutes = [minute(0, 20, 0), minute(1, 120, 0), minute(3, 20, 30)];
        let seen = over_time(&minutes, &grid, &idle);
        assert_eq!(seen.loss, [Some(0.0), Some(0.0), None, Some(0.5)]);
        assert_eq!(seen.later_ms.iter().filter(|it| it.is_none()).count(), 1);
        // A hundred milliseconds in a third of the time, and a second for a sixth of the probes.
        let expected = 100.0 / 3.0 + 1000.0 / 6.0;
        assert!((seen.suffered_ms - expected).abs() < 2.0, "{seen:?}");
    }
}
