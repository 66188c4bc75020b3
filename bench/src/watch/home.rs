//! A random home, its line, and the targets that are watched from it.

use observed::between;
use units::Rng;

/// The seconds of calm before the trouble.
pub(super) const CALM: f64 = 300.0;
/// The times of the transfers that filled the line before, and their length: up, then down.
pub(super) const EARLIER: [f64; 2] = [60.0, 100.0];
pub(super) const EARLIER_LENGTH: f64 = 15.0;
/// The time of a copy within the local network before.
pub(super) const COPY: f64 = 20.0;

/// The way in which a hop answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HopAnswers {
    /// Promptly.
    Promptly,
    /// At times tens of milliseconds late by itself.
    Slowly,
    Never,
}

/// A home.
#[derive(Clone, Debug)]
pub(super) struct Home {
    /// The rates up and down in bytes a second.
    pub(super) rates: [f64; 2],
    /// The buffers up and down in bytes.
    pub(super) buffers: [f64; 2],
    pub(super) is_wireless: bool,
    /// The usual round trips of hops and targets in milliseconds.
    pub(super) hops_ms: [f64; 3],
    pub(super) targets_ms: Vec<f64>,
    pub(super) hops: [HopAnswers; 3],
    /// True if the first target tells one-way delays.
    pub(super) tells: bool,
    /// The drift of its clock, in parts in a million.
    pub(super) drift: f64,
    /// The part of all packets that is lost at random.
    pub(super) loss: f64,
    /// The mean of the exponential jitter in milliseconds.
    pub(super) jitter_ms: f64,
    /// True if somebody here watches a film, and if pages are loaded.
    pub(super) film: bool,
    pub(super) pages: bool,
    /// True if this machine has filled the line before, in each direction.
    pub(super) earlier: bool,
    /// The rate in bytes a second at which this machine copies to another one at home, and whether it has done so
    /// before.
    pub(super) copy: f64,
    pub(super) copied: bool,
}

impl Home {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let mut log = |from: f64, to: f64| between(rng, from, to);
        let down = log(4.0, 1000.0);
        let up = (down * log(0.05, 1.0)).max(1.0);
        let seconds = [log(0.06, 2.0), log(0.05, 1.0)];
        let rates = [up, down].map(|mbit| mbit * 1e6 / 8.0);
        let count = 1 + (log(1.0, 6.99) as usize);
        let access = log(1.0, 30.0);
        let targets_ms = (0..count).map(|_| access + log(3.0, 200.0)).collect();
        let noise = log(0.2, 4.0);
        let loss = log(1e-5, 1e-2);
        let is_wireless = rng.below(2) == 0;
        let answers = |rng: &mut Rng, never: u64| match rng.below(10) {
            it if it < never => HopAnswers::Never,
            it if it < never + 1 => HopAnswers::Slowly,
            _ => HopAnswers::Promptly,
        };
        Self {
            rates,
            buffers: [rates[0] * seconds[0], rates[1] * seconds[1]],
            is_wireless,
            hops_ms: [if is_wireless { 2.5 } else { 0.4 }, access, access + 1.0],
            targets_ms,
            hops: [answers(rng, 1), answers(rng, 3), answers(rng, 3)],
            tells: rng.below(3) == 0,
            drift: uniform(rng, -100.0, 100.0),
            loss,
            jitter_ms: if is_wireless { noise } else { noise / 10.0 },
            film: rng.below(3) == 0,
            pages: rng.below(2) == 0,
            earlier: rng.below(4) > 0,
            copy: between(rng, 50.0, 940.0) * 1e6 / 8.0,
            copied: rng.below(4) == 0,
        }
    }
}

/// A random value between these bounds.
pub(super) fn uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.next_f64()
}
