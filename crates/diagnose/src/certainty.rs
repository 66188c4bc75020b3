//! The uncertainty of a load's figures: how far they would differ, had it been loaded at another
//! time.
//!
//! A queue comes and goes with the sawteeth of its flows, and neighbouring probes see the same
//! tooth, so a hundred of them are not a hundred independent observations. The window is therefore
//! resampled from blocks of an eighth of it, drawn at random, many times: the figures of these
//! windows spread as those of other tests would.
//!
//! Source: H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals
//! of Statistics 17(3), 1989: the moving-block bootstrap; its percentiles are the bounds. A block that
//! reaches the end goes on at the beginning, or else both would count less than the middle: D. N.
//! Politis, J. P. Romano, "A circular block-resampling procedure for stationary data", 1992.

use results::{Certainty, DelaySpread};
use units::Rng;

use crate::passage::{Passage, between};
use crate::spread::times;
use crate::traffic::Traffic;
use crate::window::Window;

/// The number of blocks of a window.
const BLOCKS: usize = 8;

/// The number of resampled windows.
const DRAWS: usize = 200;

/// The probability of the bounds.
const CONFIDENCE: f64 = 0.95;

/// The fewest samples that have tails.
const FEWEST: usize = 20;

/// The bounds of this direction's rate in the window, of its probes' delays as far as they are
/// `told`, and of the probes' loss.
pub(crate) fn certainty(traffic: &Traffic<'_>, window: &Window, told: &DelaySpread) -> Certainty {
    let mut random = Rng::new(0);
    let draw = |random: &mut Rng| [(); BLOCKS].map(|()| block(window, random.next_f64()));
    let draws: Vec<Blocks> = (0..DRAWS).map(|_| draw(&mut random)).collect();
    let bytes = |[from, to]: [f64; 2]| Some(traffic.flux(from, to)?.bytes * (to - from));
    let rate = |blocks: &Blocks| {
        let bytes: f64 = blocks.iter().flatten().filter_map(|part| bytes(*part)).sum();
        stats::ratio(bytes * 8e-6, window.length())
    };
    let waits = window.waits(traffic.passages);
    let [mut p50, mut p95, mut p99] = [const { Vec::new() }; 3];
    if waits.len() >= FEWEST {
        let samples = Samples::new(waits, window);
        for blocks in &draws {
            let [median, high, higher] = samples.quantiles(blocks, [0.5, 0.95, 0.99]);
            p50.push(median);
            p95.push(high);
            p99.push(higher);
        }
    }
    Certainty {
        rate_mbit: bounds(draws.iter().filter_map(rate).collect()),
        added_p50_ms: told.p50.and_then(|_| bounds(p50)),
        added_p95_ms: told.p95.and_then(|_| bounds(p95)),
        added_p99_ms: told.p99.and_then(|_| bounds(p99)),
        loss: lost(traffic.passages, window, &draws),
    }
}

/// The bounds of the loss of probes. There are two pairs of bounds: those of resampled windows, and
/// those that so few probes leave open. The wider one counts.
fn lost(passages: &[Passage], window: &Window, draws: &[Blocks]) -> Option<[f64; 2]> {
    let part = window.loss(passages)?;
    let count = between(passages, window.from, window.to).len() as f64;
    let few = wilson(part, count, DEVIATIONS);
    let of = |blocks: &Blocks| {
        let parts = blocks.iter().flatten().filter(|[from, to]| from < to);
        let sums = parts.fold([0.0; 2], |[lost, all], [from, to]| {
            let there = between(passages, *from, *to).len() as f64;
            let part = Window { from: *from, to: *to }.loss(passages).unwrap_or(0.0);
            [lost + part * there, all + there]
        });
        stats::ratio(sums[0], sums[1])
    };
    let clustered = bounds(draws.iter().filter_map(of).collect()).unwrap_or(few);
    Some([few[0].min(clustered[0]), few[1].max(clustered[1])])
}

/// The normal deviation that 95 of 100 do not exceed, either way.
const DEVIATIONS: f64 = 1.96;

/// The bounds of a part of `count` observations, at this normal deviation: E. B. Wilson, "Probable
/// inference, the law of succession, and statistical inference", Journal of the American
/// Statistical Association 22, 1927.
pub fn wilson(part: f64, count: f64, deviations: f64) -> [f64; 2] {
    let square = deviations * deviations / count.max(1.0);
    let middle = part + square / 2.0;
    let half = libm::sqrt(square * part * (1.0 - part) + square * square / 4.0);
    [middle - half, middle + half].map(|bound| (bound / (1.0 + square)).clamp(0.0, 1.0))
}

/// Eighths of a window, each as two intervals, of which the second may be empty.
type Blocks = [[[f64; 2]; 2]; BLOCKS];

/// The eighth that begins at this part of the window: the interval before the window's end, and the
/// one that wraps to its beginning.
fn block(window: &Window, part: f64) -> [[f64; 2]; 2] {
    let start = window.from + part * window.length();
    let end = start + window.length() / BLOCKS as f64;
    let beyond = (end - window.to).max(0.0);
    [[start, end.min(window.to)], [window.from, window.from + beyond]]
}

/// The bounds of these values; `None` if there are too few.
fn bounds(mut values: Vec<f64>) -> Option<[f64; 2]> {
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().checked_sub(FEWEST)? + FEWEST - 1;
    let at = |part: f64| values.get((last as f64 * part).round() as usize).copied();
    let tail = (1.0 - CONFIDENCE) / 2.0;
    Some([at(tail)?, at(1.0 - tail)?])
}

/// Probes in the order of their times, also in the order of their waits.
struct Samples {
    /// Time of sending and wait of each probe, in seconds.
    waits: Vec<(f64, f64)>,
    /// Seconds that each probe stands for.
    times: Vec<f64>,
    /// Indices of the probes, the shortest wait first.
    ascending: Vec<usize>,
}

impl Samples {
    fn new(waits: Vec<(f64, f64)>, window: &Window) -> Self {
        let mut ascending: Vec<usize> = (0..waits.len()).collect();
        ascending.sort_unstable_by(|one, other| waits[*one].1.total_cmp(&waits[*other].1));
        let times = times(&waits, window.from, window.to).collect();
        Self { waits, times, ascending }
    }

    /// The waits in milliseconds at these parts of the blocks' time; a probe counts once for each
    /// block that has it.
    fn quantiles(&self, blocks: &Blocks, parts: [f64; 3]) -> [f64; 3] {
        let mut counts = vec![0_i32; self.waits.len() + 1];
        for [from, to] in blocks.iter().flatten() {
            let at = |time: f64| self.waits.partition_point(|(at, _)| *at < time);
            counts[at(*from)] += 1;
            counts[at(*to)] -= 1;
        }
        let mut sum = 0;
        for change in &mut counts {
            sum += *change;
            *change = sum;
        }
        let weight = |index: usize| f64::from(counts[index]) * self.times[index];
        let all: f64 = (0..self.times.len()).map(weight).sum();
        parts.map(|part| {
            let mut sum = 0.0;
            let reached = self.ascending.iter().find(|index| {
                sum += weight(**index);
                counts[**index] > 0 && sum >= all * part
            });
            reached.map_or(f64::NAN, |index| self.waits[*index].1 * 1e3)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantiles(of: impl Fn(f64) -> f64) -> [Option<[f64; 2]>; 3] {
        let waits = (0..1000).map(|n| (f64::from(n) / 100.0, of(f64::from(n) / 100.0))).collect();
        let window = Window { from: 0.0, to: 10.0 };
        let samples = Samples::new(waits, &window);
        let mut random = Rng::new(1);
        let mut found = [const { Vec::new() }; 3];
        for _ in 0..DRAWS {
            let blocks = [(); BLOCKS].map(|()| block(&window, random.next_f64()));
            let all = samples.quantiles(&blocks, [0.5, 0.95, 0.99]);
            found.iter_mut().zip(all).for_each(|(list, value)| list.push(value));
        }
        found.map(bounds)
    }

    #[test]
    fn what_is_always_the_same_is_certain() {
        for bounds in quantiles(|_| 0.1) {
            assert_eq!(bounds, Some([100.0, 100.0]));
        }
    }

    #[test]
    fn what_happens_once_is_less_certain_than_what_happens_all_the_time() {
        let width = |bounds: Option<[f64; 2]>| bounds.map(|[low, high]| high - low).unwrap();
        // A sawtooth of half a second, and one long wait.
        let [often, _, _] = quantiles(|at| 0.1 * (at * 2.0).fract());
        let [_, _, once] = quantiles(|at| if (4.0..4.2).contains(&at) { 1.0 } else { 0.01 });
        assert!(width(often) < 10.0, "{often:?}");
        assert!(width(once) > 900.0, "{once:?}");
    }

    #[test]
    fn a_block_at_the_end_goes_on_at_the_beginning() {
        let window = Window { from: 2.0, to: 10.0 };
        assert_eq!(block(&window, 0.25), [[4.0, 5.0], [2.0, 2.0]]);
        assert_eq!(block(&window, 0.9375), [[9.5, 10.0], [2.0, 2.5]]);
    }

    #[test]
    fn of_too_few_nothing_is_known() {
        assert_eq!(bounds(vec![1.0; FEWEST - 1]), None);
        assert_eq!(bounds(vec![f64::NAN; DRAWS]), None);
        assert_eq!(bounds(vec![1.0; FEWEST]), Some([1.0, 1.0]));
    }
}
