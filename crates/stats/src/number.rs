//! Small arithmetic that never yields NaN.

/// `value`; `None` if it is NaN or infinite.
pub fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// `part / whole`; `None` if the quotient is NaN or infinite.
pub fn ratio(part: f64, whole: f64) -> Option<f64> {
    finite(part / whole)
}

/// Jain's index of fairness, (sum of x)^2 / (n x sum of x^2): from 1/n, where one of n flows has
/// everything, to 1, where all have the same. `None` if all shares are 0.
///
/// Source: Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination for resource
/// allocation in shared computer systems", DEC-TR-301, 1984.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    ratio(sum * sum, shares.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values computed by hand from the formula: 36 / (3 x 14), 9 / (4 x 3), and 1 for equal
    /// shares.
    #[test]
    fn jain_check_values() {
        assert!((jain(&[1.0, 2.0, 3.0]).unwrap() - 0.857143).abs() < 5e-7);
        assert_eq!(jain(&[1.0, 1.0, 1.0, 0.0]), Some(0.75));
        assert_eq!(jain(&[7.0; 50]), Some(1.0));
    }

    #[test]
    fn there_is_no_fairness_among_nothing() {
        for shares in [&[][..], &[0.0, 0.0], &[f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!(jain(shares), None, "{shares:?}");
        }
    }

    #[test]
    fn ratios_are_numbers() {
        assert_eq!(ratio(1.0, 4.0), Some(0.25));
        for (part, whole) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0)] {
            assert_eq!(ratio(part, whole), None, "{part} / {whole}");
        }
    }
}
