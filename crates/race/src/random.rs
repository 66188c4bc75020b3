//! Random quantities that models of lines need.

use libm::{cos, log, sqrt};
use units::Rng;

/// A number from `least` to `most`.
pub(crate) fn uniform(rng: &mut Rng, least: f64, most: f64) -> f64 {
    least + rng.next_f64() * (most - least)
}

/// A time until the next event of a process of Poisson, with this mean.
pub(crate) fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * log(1.0 - rng.next_f64())
}

/// A number of a normal distribution with mean 0 and deviation 1 (Box and Muller, 1958).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = sqrt(-2.0 * log(1.0 - rng.next_f64()));
    radius * cos(2.0 * std::f64::consts::PI * rng.next_f64())
}

/// True with this probability.
pub(crate) fn chance(rng: &mut Rng, probability: f64) -> bool {
    rng.next_f64() < probability
}
