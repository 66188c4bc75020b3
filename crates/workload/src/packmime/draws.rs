//! Random numbers of the distributions that the model is made of.

use units::Rng;

/// A number of the standard normal distribution.
pub(super) fn normal(rng: &mut Rng) -> f64 {
    let [number] = normals(rng);
    number
}

/// Numbers of the standard normal distribution: Marsaglia and Bray's polar method (1964).
///
/// A fifth of all points lies outside the unit circle, and no processor can predict which. So a
/// point is stored without a branch, and the next one takes its place.
pub(super) fn normals<const N: usize>(rng: &mut Rng) -> [f64; N] {
    let mut points = [(0.0, 0.0); N];
    let mut found = 0;
    while found < N {
        let (x, y) = (2.0 * rng.next_f64() - 1.0, 2.0 * rng.next_f64() - 1.0);
        let square: f64 = x * x + y * y;
        points[found] = (x, square);
        found += usize::from((square > 0.0) & (square < 1.0));
    }
    points.map(|(x, square)| x * (-2.0 * libm::log(square) / square).sqrt())
}

/// The part of the standard normal distribution that lies above `x`.
pub(super) fn part_above(x: f64) -> f64 {
    libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

/// A number of the uniform distribution from 0, exclusive, to 1.
pub(super) fn uniform(rng: &mut Rng) -> f64 {
    1.0 - rng.next_f64()
}

/// The value above which this part, more than zero, of a Weibull distribution lies.
pub(super) fn weibull_above(part: f64, shape: f64, scale: f64) -> f64 {
    scale * libm::pow(-libm::log(part), 1.0 / shape)
}

/// A number of a Weibull distribution.
pub(super) fn weibull(rng: &mut Rng, shape: f64, scale: f64) -> f64 {
    weibull_above(uniform(rng), shape, scale)
}

/// A number of a gamma distribution of rate 1, for shapes of at least 1: Marsaglia and Tsang, "A
/// simple method for generating gamma variables" (2000).
pub(super) fn gamma(rng: &mut Rng, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = 1.0 + c * x;
        let v = v * v * v;
        if v > 0.0 && libm::log(uniform(rng)) < x * x / 2.0 + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of 200,000 draws.
    fn moments(mut draw: impl FnMut(&mut Rng) -> f64) -> (f64, f64) {
        const DRAWS: u32 = 200_000;
        let mut rng = Rng::new(1);
        let draws: Vec<f64> = (0..DRAWS).map(|_| draw(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(DRAWS);
        let squares = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        (mean, squares / f64::from(DRAWS))
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let (mean, variance) = moments(normal);
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        let (mean, variance) = moments(|rng| gamma(rng, 1.85));
        assert!((mean - 1.85).abs() < 0.02 && (variance - 1.85).abs() < 0.05, "{mean} {variance}");
        // A Weibull distribution of shape 1 is an exponential one.
        let (mean, variance) = moments(|rng| weibull(rng, 1.0, 2.0));
        assert!((mean - 2.0).abs() < 0.02 && (variance - 4.0).abs() < 0.1, "{mean} {variance}");
    }

    #[test]
    fn parts_of_the_normal_distribution() {
        assert!((part_above(0.0) - 0.5).abs() < 1e-15);
        assert!((part_above(1.959_964) - 0.025).abs() < 1e-8);
        assert!((part_above(-1.0) - 0.841_344_746).abs() < 1e-9);
    }
}
