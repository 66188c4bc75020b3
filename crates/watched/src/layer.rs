//! Layers: what was seen over time, in steps of one length.

use observation::{ProbeOutcome, WatchedProbe};
use results::{WatchLayer, WatchedSteps};
use stats::Histogram;
use store::{Reader, StoreError, Summary, Target};
use units::{Bytes, Span, Time};

use crate::grid::Grid;
use crate::period::{MINUTE, ms};

/// A step of this length shows extra probes too.
const SECOND: Span = Span::from_secs(1);

/// What came of the probes of a step.
#[derive(Clone, Debug, Default)]
struct Step {
    all: Counts,
    /// Those of the extra probes.
    extra: Counts,
    round_trips: Histogram,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent: u64,
    late: u64,
    lost: u64,
}

impl Counts {
    fn take(&mut self, outcome: ProbeOutcome) {
        self.sent += 1;
        self.late += u64::from(outcome.is_late());
        self.lost += u64::from(outcome.round_trip().is_none());
    }
}

/// What was seen of these targets from one time to another, in at most so many steps.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn layer(
    reader: &Reader,
    targets: &[&Target],
    from: Time,
    to: Time,
    most: u64,
) -> Result<WatchLayer, StoreError> {
    let grid = Grid::new(from, to, most);
    let steps = |target: &&Target| Ok(written(&steps(reader, target, &grid)?));
    let targets = targets.iter().map(steps).collect::<Result<_, StoreError>>()?;
    let [up_mbit, down_mbit] = load(reader, &grid)?;
    Ok(WatchLayer {
        from_s: grid.from.as_secs_f64(),
        step_s: grid.step.as_secs_f64(),
        targets,
        up_mbit,
        down_mbit,
    })
}

fn steps(reader: &Reader, target: &Target, grid: &Grid) -> Result<Vec<Step>, StoreError> {
    let mut steps = vec![Step::default(); grid.count];
    if grid.step < MINUTE {
        // In a single second all probes have about the same weight; over a longer time only the regular ones.
        let is_seconds = grid.step <= SECOND;
        for probe in reader.probes(target.id, grid.from, grid.to)? {
            let place = grid.place(probe.sent).filter(|_| is_seconds || !probe.is_extra);
            if let Some(place) = place {
                steps[place].take_probe(probe);
            }
        }
        return Ok(steps);
    }
    for summary in reader.summaries(target.id, grid.from, grid.to, grid.level())? {
        if let Some(place) = grid.place(summary.start) {
            steps[place].take_summary(&summary);
        }
    }
    Ok(steps)
}

impl Step {
    fn take_probe(&mut self, probe: WatchedProbe) {
        self.all.take(probe.outcome);
        if probe.is_extra {
            self.extra.take(probe.outcome);
        }
        if let Some(round_trip) = probe.outcome.round_trip() {
            self.round_trips.record(round_trip.as_nanos());
        }
    }

    fn take_summary(&mut self, summary: &Summary) {
        self.all.sent += summary.sent;
        self.all.late += summary.late;
        self.all.lost += summary.lost + summary.failed;
        self.round_trips.merge(&summary.round_trips);
    }
}

fn written(steps: &[Step]) -> WatchedSteps {
    let quantile =
        |part: f64| steps.iter().map(|it| it.round_trips.quantile(part).map(ms)).collect();
    let count = |of: fn(&Step) -> u64| steps.iter().map(of).collect();
    WatchedSteps {
        sent: count(|it| it.all.sent),
        late: count(|it| it.all.late),
        lost: count(|it| it.all.lost),
        extra: count(|it| it.extra.sent),
        extra_late: count(|it| it.extra.late),
        extra_lost: count(|it| it.extra.lost),
        min_ms: steps.iter().map(|it| it.round_trips.min().map(ms)).collect(),
        p10_ms: quantile(0.1),
        p25_ms: quantile(0.25),
        p50_ms: quantile(0.5),
        p75_ms: quantile(0.75),
        p90_ms: quantile(0.9),
        max_ms: steps.iter().map(|it| it.round_trips.max().map(ms)).collect(),
    }
}

/// The mean rates up and down in each step, in Mbit/s.
fn load(reader: &Reader, grid: &Grid) -> Result<[Vec<Option<f64>>; 2], StoreError> {
    let mut seen = [vec![(0, 0.0); grid.count], vec![(0, 0.0); grid.count]];
    let mut note = |at: Time, seconds: u64, passed: [Option<Bytes>; 2]| {
        let Some(place) = grid.place(at) else { return };
        for (seen, bytes) in seen.iter_mut().zip(passed) {
            if let Some(bytes) = bytes {
                seen[place].0 += seconds;
                seen[place].1 += bytes.0 as f64 * 8e-6;
            }
        }
    };
    if grid.step < MINUTE {
        for second in reader.seconds(grid.from, grid.to)? {
            note(second.at, 1, [second.up, second.down]);
        }
    } else {
        for minute in reader.machine_minutes(grid.from, grid.to)? {
            note(minute.start, minute.seconds, [minute.up, minute.down]);
        }
    }
    let mean = |(seconds, mbit): (u64, f64)| (seconds > 0).then(|| round(mbit / seconds as f64));
    Ok(seen.map(|it| it.into_iter().map(mean).collect()))
}

/// A rate to the kbit/s.
fn round(mbit: f64) -> f64 {
    (mbit * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_probes_are_told_apart() {
        let round_trip = Span::from_millis(1500);
        let mut step = Step::default();
        for (is_extra, outcome) in [
            (false, ProbeOutcome::Answered { round_trip, up: None, kept: None }),
            (true, ProbeOutcome::Answered { round_trip, up: None, kept: None }),
            (true, ProbeOutcome::Lost),
        ] {
            step.take_probe(WatchedProbe { sent: Time::ZERO, is_extra, outcome });
        }
        let steps = written(&[step]);
        let all = [steps.sent, steps.late, steps.lost].concat();
        let extra = [steps.extra, steps.extra_late, steps.extra_lost].concat();
        assert_eq!((all, extra), (vec![3, 2, 1], vec![2, 1, 1]));
    }
}
