//! Noise with a long memory, which makes connections come in clusters of all sizes.
//!
//! It is fARIMA(0, d, 1) noise plus white noise, normal, of mean 0 and variance 1. The
//! autocorrelation of fARIMA(0, d, 0) falls so slowly that no recursion over a few values gives it.
//! But it is a mixture: its k-th value is the mean of u^k, where u has a beta distribution with the
//! parameters d and 1 - 2 d, since both are the same quotient of gamma functions. And u^k is the
//! autocorrelation of an autoregression x = u x + noise. So the sum of a dozen autoregressions,
//! with the shares that the beta distribution gives them, has the right memory, to a few
//! thousandths for the last 5000 values, and costs a dozen steps for each value instead of 5000.
//!
//! Specification: Cao et al. 2004 section 4; Hosking, "Fractional differencing", Biometrika 1981,
//! theorem 1 (the autocorrelation). The moving average adds each value to the one before.

use units::Rng;

use super::draws::{normal, normals};

/// The s of the first autoregression; an autoregression is at u = 1 / (1 + e^-s).
const FIRST: f64 = -4.0;
/// The step from one s to the next.
const STEP: f64 = 1.5;
/// The number of autoregressions; the last has a memory of 270,000 values.
const COUNT: usize = 12;

/// A source of noise.
#[derive(Debug)]
pub(super) struct Noise {
    rng: Rng,
    parts: [Part; COUNT],
    /// Standard deviation of the part that no autoregression remembers.
    forgotten: f64,
    before: f64,
    /// The factor of the sum of two successive values of fARIMA(0, d, 0).
    gain: f64,
    /// Standard deviation of the white noise.
    white: f64,
}

/// An autoregression of variance 1.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// The part of a value that is in the next: u.
    kept: f64,
    /// Standard deviation of the new part of a value.
    fresh: f64,
    /// The factor of this autoregression in the sum.
    gain: f64,
    value: f64,
}

impl Noise {
    /// Noise of this `d`, where `white` is the part of the variance that has no memory.
    pub(super) fn new(d: f64, white: f64, mut rng: Rng) -> Self {
        let (shares, first) = shares(d);
        let parts = std::array::from_fn(|index| {
            let (kept, lost) = place(index);
            let (fresh, gain) = ((lost * (1.0 + kept)).sqrt(), shares[index].sqrt());
            Part { kept, fresh, gain, value: normal(&mut rng) }
        });
        // Hosking: the first autocorrelation is d / (1 - d).
        let variance = 2.0 + 2.0 * d / (1.0 - d);
        let gain = ((1.0 - white) / variance).sqrt();
        let (forgotten, white) = (first.sqrt(), white.sqrt());
        let mut noise = Self { rng, parts, forgotten, before: 0.0, gain, white };
        noise.before = noise.fractional();
        noise
    }

    /// The next value.
    pub(super) fn next(&mut self) -> f64 {
        let now = self.fractional();
        let sum = now + std::mem::replace(&mut self.before, now);
        self.gain * sum + self.white * normal(&mut self.rng)
    }

    /// The next value of fARIMA(0, d, 0).
    fn fractional(&mut self) -> f64 {
        let forgotten = normal(&mut self.rng);
        let fresh: [f64; COUNT] = normals(&mut self.rng);
        let mut sum = self.forgotten * forgotten;
        for (part, fresh) in self.parts.iter_mut().zip(fresh) {
            part.value = part.kept * part.value + part.fresh * fresh;
            sum += part.gain * part.value;
        }
        sum
    }
}

/// The u of an autoregression, and 1 - u.
fn place(index: usize) -> (f64, f64) {
    let rest = libm::exp(-(FIRST + STEP * index as f64));
    (1.0 / (1.0 + rest), rest / (1.0 + rest))
}

/// The part of the beta distribution that each autoregression stands for, and the part that lies
/// below all of them: by the trapezoidal rule in s, which is practically exact for so smooth a
/// function.
fn shares(d: f64) -> ([f64; COUNT], f64) {
    let (a, b) = (d, 1.0 - 2.0 * d);
    let density = libm::tgamma(a + b) / (libm::tgamma(a) * libm::tgamma(b));
    let mut shares = [0.0; COUNT];
    for (index, share) in shares.iter_mut().enumerate() {
        let (kept, lost) = place(index);
        *share = STEP * density * libm::pow(kept, a) * libm::pow(lost, b);
    }
    // The shares above the last one fall by the same factor at each step.
    let last = shares[COUNT - 1];
    shares[COUNT - 1] = last / (1.0 - libm::exp(-b * STEP));
    let below = 1.0 - shares.iter().sum::<f64>();
    (shares, below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosking's theorem 1: each value is the one before times (k - 1 + d) / (k - d).
    fn autocorrelations(d: f64) -> impl Iterator<Item = f64> {
        let step = move |k: u32| (f64::from(k) - 1.0 + d) / (f64::from(k) - d);
        std::iter::once(1.0).chain((1..).scan(1.0, move |correlation, k| {
            *correlation *= step(k);
            Some(*correlation)
        }))
    }

    #[test]
    fn the_memory_is_as_long_as_it_should_be() {
        for d in [0.31, 0.33] {
            let (shares, below) = shares(d);
            assert!(below > 0.1 && below < 0.2, "{below}");
            for (lag, expected) in autocorrelations(d).enumerate().skip(1).take(5_000) {
                let powers = (0..COUNT).map(|index| libm::pow(place(index).0, lag as f64));
                let sum: f64 = powers.zip(shares).map(|(power, share)| power * share).sum();
                assert!((sum / expected - 1.0).abs() < 0.005, "d {d}, lag {lag}: {sum} {expected}");
            }
        }
    }

    #[test]
    fn variance_and_correlation_of_what_comes_out() {
        const VALUES: usize = 400_000;
        let (d, white) = (0.33, 0.6);
        let mut noise = Noise::new(d, white, Rng::new(5));
        let values: Vec<f64> = (0..VALUES).map(|_| noise.next()).collect();
        let moment = |lag: usize| {
            let pairs = values.iter().zip(&values[lag..]);
            pairs.map(|(x, y)| x * y).sum::<f64>() / (VALUES - lag) as f64
        };
        assert!((moment(0) - 1.0).abs() < 0.03, "{}", moment(0));
        let exact: Vec<f64> = autocorrelations(d).take(12).collect();
        for lag in [1, 3, 10] {
            let sum = 2.0 * exact[lag] + exact[lag - 1] + exact[lag + 1];
            let expected = (1.0 - white) * sum / (2.0 + 2.0 * exact[1]);
            assert!((moment(lag) - expected).abs() < 0.03, "{lag}: {} {expected}", moment(lag));
        }
    }
}
