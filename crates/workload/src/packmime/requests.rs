//! The sizes of requests.

use units::Rng;

use super::draws::part_above;
use super::noise::Noise;
use super::{between, logistic};

/// The parameter d of the noise behind the sizes.
const D: f64 = 0.31;
/// The lower half of the distribution: a part of it, and the bytes below which that part lies.
const SMALL: [(f64, f64); 12] = [
    (0.0, 51.0),
    (0.01, 93.8),
    (0.03, 147.0),
    (0.05, 184.0),
    (0.1, 217.0),
    (0.15, 259.0),
    (0.25, 294.0),
    (0.35, 322.0),
    (0.5, 350.5),
    (0.7, 379.3),
    (0.85, 400.3),
    (1.0, 421.8),
];
/// The upper half of the distribution: a part of 2^-x lies above 2^y bytes.
const LARGE: [(f64, f64); 11] = [
    (0.0, 8.725),
    (0.55, 8.826),
    (0.91, 8.955),
    (1.27, 9.172),
    (1.8, 9.547),
    (2.16, 9.719),
    (2.7, 9.839),
    (3.06, 9.935),
    (3.42, 10.105),
    (3.96, 10.445),
    (6.29, 12.016),
];
/// The index of the Pareto distribution of the tail.
const TAIL: f64 = 1.484;

/// The sizes of requests, one for each connection; successive ones are similar.
#[derive(Debug)]
pub(super) struct Requests {
    noise: Noise,
}

impl Requests {
    pub(super) fn new(rate: f64, rng: Rng) -> Self {
        let white = logistic(0.123, 0.494, rate);
        Self { noise: Noise::new(D, white, rng) }
    }

    /// The next size in bytes, at least 1.
    pub(super) fn size(&mut self) -> u64 {
        bytes(part_above(self.noise.next()))
    }
}

/// The size in bytes above which this part, more than zero, of all requests lies.
fn bytes(above: f64) -> u64 {
    let size = if above < 0.5 {
        libm::exp2(between(&LARGE, 1.0 / TAIL, -libm::log2(2.0 * above)))
    } else {
        between(&SMALL, 0.0, 2.0 * (1.0 - above))
    };
    size as u64
}
