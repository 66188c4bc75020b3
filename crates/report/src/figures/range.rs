//! Values over time as curves of few enough points, which keep every peak.

use results::Extremes;

use crate::figure::Curve;
use crate::scene::{FlowGroup, QueueSeries};

/// Largest number of values of a curve over time.
const MOST: usize = 2000;
/// Approximate largest number of values of all curves of a figure together.
const TOGETHER: usize = 8000;

/// Values over time for one curve; for several series the curve is the range of all of them.
pub(super) struct Readings<'a> {
    pub(super) name: String,
    pub(super) step_s: f64,
    pub(super) extremes: Vec<&'a Extremes>,
}

impl<'a> Readings<'a> {
    pub(super) fn of_queue(queue: &QueueSeries<'a>, extremes: &'a Extremes) -> Self {
        Self { name: queue.name.clone(), step_s: queue.step_s, extremes: vec![extremes] }
    }

    pub(super) fn of_flows(group: &FlowGroup<'a>, extremes: Vec<&'a Extremes>) -> Self {
        Self { name: group.name.clone(), step_s: group.step_s, extremes }
    }

    fn steps(&self) -> usize {
        self.extremes.iter().map(|one| one.low.len().max(one.high.len())).max().unwrap_or(0)
    }

    /// The lowest and the highest value in these steps; `None` if there is none.
    fn range(&self, from: usize, to: usize) -> Option<(f64, f64)> {
        let part = |list: &'a [Option<f64>]| {
            let part = list.get(from..to.min(list.len())).unwrap_or_default();
            part.iter().flatten().copied().filter(|value| value.is_finite())
        };
        let all = || self.extremes.iter().flat_map(|one| part(&one.low).chain(part(&one.high)));
        let low = all().reduce(f64::min)?;
        Some((low, all().reduce(f64::max)?))
    }

    /// The curve with one value for each `merged` steps, and with gaps where values are missing for
    /// long.
    fn curve(&self, merged: usize) -> Option<Curve> {
        let steps = self.steps();
        let buckets = (0..steps).step_by(merged).filter_map(|from| {
            let to = from.saturating_add(merged).min(steps);
            let middle = (from + to) as f64 / 2.0 * self.step_s;
            self.range(from, to).filter(|_| middle.is_finite()).map(|range| (middle, range))
        });
        let points: Vec<(f64, (f64, f64))> = buckets.collect();
        let longest = longest_pause(&points)?;
        let mut curve = Curve { name: self.name.clone(), ..Curve::default() };
        let mut before = None;
        for (x, (low, high)) in points {
            if let Some(before) = before.filter(|before| x - before > longest) {
                // The sum of the two times could overflow.
                curve.x.push(before + (x - before) / 2.0);
                curve.y.push(None);
                curve.low.push(None);
            }
            curve.x.push(x);
            curve.y.push(Some(high));
            curve.low.push(Some(low));
            before = Some(x);
        }
        Some(curve)
    }
}

/// The curves of these readings, all thinned to the same degree; those without a value are left
/// out.
pub(super) fn curves(readings: &[Readings<'_>]) -> Vec<Curve> {
    curves_of(readings, (TOGETHER / readings.len().max(1)).clamp(1, MOST))
}

/// The same for small panels, in which more values would be a comb.
pub(super) fn small_curves(readings: &[Readings<'_>]) -> Vec<Curve> {
    const SMALL: usize = 240;
    curves_of(readings, SMALL)
}

/// The curves of at most so many values each.
fn curves_of(readings: &[Readings<'_>], points: usize) -> Vec<Curve> {
    // A gap is a point too: there is at most one between two values.
    let steps = readings.iter().map(Readings::steps).max().unwrap_or(0);
    let merged = steps.div_ceil(points).max(1);
    readings.iter().filter_map(|readings| readings.curve(merged)).collect()
}

/// The longest pause that is not a gap, in seconds. Pauses are normal: ten pings a second leave
/// most steps empty, but form a line. A gap is much longer than the usual pause, and long enough to
/// be seen.
fn longest_pause(points: &[(f64, (f64, f64))]) -> Option<f64> {
    const UNUSUAL: f64 = 6.0;
    const VISIBLE: f64 = 0.01;
    let (first, last) = (points.first()?.0, points.last()?.0);
    let mut pauses: Vec<f64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    pauses.sort_by(f64::total_cmp);
    let usual = pauses.get(pauses.len() / 2).copied().unwrap_or(0.0);
    Some((usual * UNUSUAL).max((last - first) * VISIBLE))
}
