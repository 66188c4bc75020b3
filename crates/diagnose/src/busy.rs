//! The rate of a direction while its queue is not empty, which is the rate of its bottleneck.

use crate::spread::Weighted;
use crate::traffic::{Flux, Traffic};
use crate::window::Window;

/// The bottleneck's rate, and its variation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BusyRate {
    /// The average while the queue was not empty.
    pub(crate) flux: Flux,
    /// The ratio of the rate in the fastest short times (the 90th percentile) to the rate in the
    /// slowest (the 10th); 1 for a constant rate. `None` if there are too few such times.
    pub(crate) variation: Option<f64>,
    /// The ratio over longer times that bring several super-packets each, so that their lumps are
    /// no variation of the line. `None` if there are too few such times.
    pub(crate) sustained: Option<f64>,
    /// The number of changes from clearly below the median of these rates to clearly above, or
    /// back.
    pub(crate) swings: u32,
    /// The rate in bytes a second in the fastest short times (the 90th percentile), whether the
    /// queue was empty or not.
    pub(crate) fastest: f64,
}

/// A short time, in seconds: long enough to even out a kernel's bursts.
const SHORT: f64 = 0.1;

/// The least packets of a short time, so that one more or less does not matter.
const PACKETS: f64 = 25.0;

/// Bytes of several of the largest super-packets (GSO, 64 KiB): over times that bring fewer, a
/// swing may be the sender's, and not the line's.
const SUPER_PACKETS: f64 = 3.0 * 65536.0;

/// The fewest short times that show how the rate varies.
const FEWEST: usize = 8;

/// The fewest long times that show how the rate varies.
const FEWEST_LONG: usize = 4;

/// The part of the longest delay above which a queue counts as not empty.
pub(crate) const NOT_EMPTY: f64 = 0.1;

/// The part to which the variation falls as times become twice as long, below which it is that of
/// lumps: the variation of data that come evenly but in lumps falls to a half, that of independent
/// chance to 0.7, and slow variation stays.
const LUMPS: f64 = 0.6;

/// The rate over the window, in which the queue's longest delay was `full` seconds; `None` if
/// nothing was delivered.
pub(crate) fn busy(traffic: &Traffic<'_>, window: &Window, full: f64) -> Option<BusyRate> {
    let average = traffic.flux(window.from, window.to)?;
    let mut length = SHORT.max(stats::ratio(PACKETS, average.packets).unwrap_or(SHORT));
    let left = left(traffic, window);
    let mut times = Times::new(traffic, window, length);
    while times.are_lumps() {
        length *= 2.0;
        times = Times::new(traffic, window, length);
    }
    let is_busy = |from: f64, length: f64| {
        let start = left.partition_point(|(at, _)| *at < from);
        let end = left.partition_point(|(at, _)| *at < from + length);
        let within = left.get(start..end).unwrap_or_default();
        !within.is_empty() && within.iter().all(|(_, wait)| *wait > NOT_EMPTY * full)
    };
    let fluxes = times.which(|from| is_busy(from, length));
    let mean = |part: fn(&Flux) -> f64| fluxes.iter().map(part).sum::<f64>() / fluxes.len() as f64;
    let flux = if fluxes.len() < FEWEST {
        average
    } else {
        let (payload, bytes) = (mean(|flux| flux.payload), mean(|flux| flux.bytes));
        Flux { payload, bytes, packets: mean(|flux| flux.packets) }
    };
    let long = length.max(SUPER_PACKETS / average.bytes);
    let over_long = Times::new(traffic, window, long).which(|from| is_busy(from, long));
    let fastest = Weighted::evenly(times.0.iter().map(|(_, flux)| flux.bytes)).quantile(0.9);
    Some(BusyRate {
        flux,
        variation: variation(&fluxes, FEWEST),
        sustained: variation(&over_long, FEWEST_LONG),
        swings: swings(&over_long),
        fastest: fastest.unwrap_or(average.bytes),
    })
}

/// The 90th percentile of these rates over the 10th; `None` if there are fewer than `fewest`.
fn variation(fluxes: &[Flux], fewest: usize) -> Option<f64> {
    let rates = Weighted::evenly(fluxes.iter().map(|flux| flux.bytes));
    let (low, high) = rates.quantile(0.1).zip(rates.quantile(0.9))?;
    stats::ratio(high, low).filter(|_| fluxes.len() >= fewest)
}

/// The rate in bytes a second of the fastest quarter of this window: long enough that lumps of
/// super-packets do not matter, and short enough for a line that is faster at first. `None` if
/// nothing was delivered.
pub(crate) fn fastest(traffic: &Traffic<'_>, window: &Window) -> Option<f64> {
    const QUARTERS: u32 = 4;
    let length = window.length() / f64::from(QUARTERS);
    let begins = (0..QUARTERS).map(|quarter| window.from + f64::from(quarter) * length);
    let rates = begins.filter_map(|from| Some(traffic.flux(from, from + length)?.bytes));
    rates.reduce(f64::max)
}

/// The number of changes from below nine tenths of the median to above eleven tenths, or back.
fn swings(fluxes: &[Flux]) -> u32 {
    const CLEARLY: f64 = 0.1;
    let Some(middle) = Weighted::evenly(fluxes.iter().map(|flux| flux.bytes)).quantile(0.5) else {
        return 0;
    };
    let clear = fluxes.iter().map(|flux| flux.bytes / middle - 1.0);
    let mut sides = clear.filter(|off| off.abs() > CLEARLY).map(|off| off > 0.0);
    let Some(mut side) = sides.next() else { return 0 };
    sides.fold(0, |count, next| {
        let changes = next != side;
        side = next;
        count + u32::from(changes)
    })
}

/// The times at which probes left the queue, and their waits, in seconds.
fn left(traffic: &Traffic<'_>, window: &Window) -> Vec<(f64, f64)> {
    let waits = window.waits(traffic.passages);
    let mut left: Vec<(f64, f64)> = waits.iter().map(|(at, wait)| (at + wait, *wait)).collect();
    left.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    left
}

/// Consecutive times of one length: the beginning of each, and the rate in it.
struct Times(Vec<(f64, Flux)>);

impl Times {
    fn new(traffic: &Traffic<'_>, window: &Window, length: f64) -> Self {
        let count = (window.length() / length).clamp(0.0, 1e4) as u32;
        let times = (0..count).map(|index| window.from + f64::from(index) * length);
        Self(times.filter_map(|from| Some((from, traffic.flux(from, from + length)?))).collect())
    }

    /// The rates of the times that `which` chooses by their beginnings.
    fn which(&self, which: impl Fn(f64) -> bool) -> Vec<Flux> {
        self.0.iter().filter(|(from, _)| which(*from)).map(|(_, flux)| *flux).collect()
    }

    /// True if the rates vary as those of data in lumps do, and if there are enough times to try
    /// longer ones.
    fn are_lumps(&self) -> bool {
        if self.0.len() < 4 * FEWEST {
            return false;
        }
        let single: Vec<f64> = self.0.iter().map(|(_, flux)| flux.bytes).collect();
        let double: Vec<f64> = single.chunks_exact(2).map(|two| (two[0] + two[1]) / 2.0).collect();
        stats::ratio(deviation(&double), deviation(&single)).is_some_and(|part| part < LUMPS)
    }
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (squares.sum::<f64>() / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::tests::download;
    use crate::flow::{Carried, Flow};
    use crate::passage::{Fate, Passage};
    use crate::traffic::tests::bare;

    /// The result of twenty seconds in which packets always wait, and `bytes` have been delivered
    /// by each time.
    fn found(bytes: impl Fn(f64) -> f64) -> BusyRate {
        seen(bytes, |traffic, window| busy(traffic, window, 0.2).expect("something came"))
    }

    fn seen<T>(bytes: impl Fn(f64) -> f64, look: impl Fn(&Traffic<'_>, &Window) -> T) -> T {
        let seen = download(20);
        let carried = |step: u32| {
            let at = f64::from(step) * 0.05;
            let bytes = bytes(at);
            Carried { at, payload: bytes, bytes, packets: bytes / 1500.0 }
        };
        let flows = [Flow {
            seen: &seen,
            start: 0.0,
            stop: 20.0,
            received: (0..=400).map(carried).collect(),
            largest: 1500.0,
            in_pieces: false,
            sender: Vec::new(),
        }];
        let probe = |index: u32| Passage { at: f64::from(index) * 0.02, fate: Fate::Waited(0.2) };
        let passages: Vec<Passage> = (0..1000).map(probe).collect();
        let traffic = Traffic { flows: &flows, probe: 0.0, ..bare(&passages) };
        look(&traffic, &Window { from: 0.0, to: 20.0 })
    }

    /// The result for data in lumps of this many bytes, at this rate in bytes a second.
    fn in_lumps(lump: f64, rate: f64) -> BusyRate {
        found(|at| (at * rate / lump).floor() * lump)
    }

    #[test]
    fn a_line_that_is_faster_at_first_shows_it() {
        let found = |rate: f64| seen(|at| at * rate + at.min(5.0) * rate, fastest);
        assert!(found(1e6).is_some_and(|fastest| (fastest - 2e6).abs() < 1e4), "{:?}", found(1e6));
        // Lumps of a super-packet make a line look no faster.
        let lumps = seen(|at| (at * 125e3 / 65e3).floor() * 65e3, fastest);
        assert!(lumps.is_some_and(|fastest| fastest < 125e3 * 1.25), "{lumps:?}");
    }

    #[test]
    fn lumps_of_a_sender_are_no_swings_of_the_line() {
        // One super-packet every half second.
        assert_eq!(in_lumps(65e3, 125e3).swings, 0);
        // Three or four in a short time: longer times show that the rate is constant.
        let many = in_lumps(65e3, 2.275e6);
        assert!(many.swings == 0 && many.variation.is_some_and(|part| part < 1.3), "{many:?}");
        // Slower than lumps that can be recognized, and faster than three of the largest
        // super-packets are delivered.
        let unevenly = found(|at| 125e3 * (at + 0.11 * (at * std::f64::consts::TAU / 1.4).sin()));
        assert!(unevenly.swings == 0 && unevenly.variation > Some(1.3), "{unevenly:?}");
        let varies = found(|at| at * 1e6 + 0.2e6 * (2.0 * at).sin());
        assert!(varies.variation.is_some_and(|part| part > 1.3), "{varies:?}");
        assert!(varies.swings > 4, "{varies:?}");
    }
}
