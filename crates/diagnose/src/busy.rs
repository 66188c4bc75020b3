//! How fast a direction carries while its queue is not empty: the rate of its bottleneck.

use crate::spread::Weighted;
use crate::traffic::{Flux, Traffic};
use crate::window::Window;

/// The bottleneck's rate, and how much it varied.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Busy {
    /// On average while the queue was not empty.
    pub(crate) flux: Flux,
    /// What it was at its fastest (the 90th percentile of short times), over what it was at its
    /// slowest (the 10th); 1 if it was always the same. Nothing if there are too few such times.
    pub(crate) variation: Option<f64>,
}

/// A short time, in seconds: long enough that what a kernel does at once does not matter.
const SHORT: f64 = 0.1;

/// And long enough for so many packets, of which one more or less does not matter either.
const PACKETS: f64 = 25.0;

/// Fewer short times say nothing about how the rate varies.
const FEWEST: usize = 8;

/// A queue that holds this much of what it holds at most is not empty.
pub(crate) const NOT_EMPTY: f64 = 0.1;

/// Over the window, in which the queue's longest delay was `full` seconds; nothing if nothing came.
pub(crate) fn busy(traffic: &Traffic<'_>, window: &Window, full: f64) -> Option<Busy> {
    let average = traffic.flux(window.from, window.to)?;
    let length = SHORT.max(results::ratio(PACKETS, average.packets).unwrap_or(SHORT));
    let count = (window.length() / length).clamp(0.0, 1e4) as u32;
    // A probe leaves the queue when it has waited.
    let waits = window.waits(traffic.passages);
    let mut left: Vec<(f64, f64)> = waits.iter().map(|(at, wait)| (at + wait, *wait)).collect();
    left.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let is_busy = |from: f64, to: f64| {
        let start = left.partition_point(|(at, _)| *at < from);
        let end = left.partition_point(|(at, _)| *at < to);
        let within = left.get(start..end).unwrap_or_default();
        !within.is_empty() && within.iter().all(|(_, wait)| *wait > NOT_EMPTY * full)
    };
    let times = (0..count).map(|index| window.from + f64::from(index) * length);
    let fluxes: Vec<Flux> = times
        .filter(|from| is_busy(*from, from + length))
        .filter_map(|from| traffic.flux(from, from + length))
        .collect();
    let mean = |part: fn(&Flux) -> f64| fluxes.iter().map(part).sum::<f64>() / fluxes.len() as f64;
    let flux = if fluxes.len() < FEWEST {
        average
    } else {
        let (payload, bytes) = (mean(|flux| flux.payload), mean(|flux| flux.bytes));
        Flux { payload, bytes, packets: mean(|flux| flux.packets) }
    };
    let rates = Weighted::evenly(fluxes.iter().map(|flux| flux.bytes));
    let slowest_and_fastest = rates.quantile(0.1).zip(rates.quantile(0.9));
    let variation = slowest_and_fastest.filter(|_| fluxes.len() >= FEWEST);
    Some(Busy { flux, variation: variation.and_then(|(low, high)| results::ratio(high, low)) })
}
