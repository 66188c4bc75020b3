//! The gaps between connections: of a Weibull distribution, correlated over a long time.

use units::Rng;

use super::draws::{part_above, weibull_above};
use super::logistic;
use super::noise::Noise;

/// The parameter d of the noise behind the gaps.
const D: f64 = 0.33;

/// The gaps between connections.
#[derive(Debug)]
pub(super) struct Arrivals {
    noise: Noise,
    pub(super) shape: f64,
    /// The scale in seconds.
    pub(super) scale: f64,
}

impl Arrivals {
    pub(super) fn new(rate: f64, rng: Rng) -> Self {
        let shape = logistic(0.352, 0.388, rate);
        // The scale for which the mean is 1 / rate.
        let scale = 1.0 / (rate * libm::tgamma(1.0 + 1.0 / shape));
        Self { noise: Noise::new(D, white(rate), rng), shape, scale }
    }

    /// The next gap in seconds.
    pub(super) fn gap(&mut self) -> f64 {
        weibull_above(part_above(self.noise.next()), self.shape, self.scale)
    }
}

/// The part of the noise's variance that has no memory.
pub(super) fn white(rate: f64) -> f64 {
    logistic(0.333, 0.414, rate)
}
