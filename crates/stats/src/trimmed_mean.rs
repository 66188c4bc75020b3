//! The single-sided trimmed mean: the slowest few are left out.

/// The mean of the least `kept_percent` of the samples, rounded up to a whole number of samples and
/// at least one; `None` if there are no samples.
///
/// Specification: draft-ietf-ippm-responsiveness-09, "Aggregating the Measurements": TM at the TMP
/// percentile.
pub fn trimmed_mean(samples: &[f64], kept_percent: usize) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let kept = (sorted.len() * kept_percent.min(100)).div_ceil(100);
    sorted.truncate(kept.max(1));
    (!sorted.is_empty()).then(|| sorted.iter().sum::<f64>() / sorted.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_of_twenty_is_left_out() {
        let mut samples = vec![10.0; 19];
        samples.insert(3, 1000.0);
        assert_eq!(trimmed_mean(&samples, 95), Some(10.0));
        assert_eq!(trimmed_mean(&samples, 100), Some(59.5));
    }

    #[test]
    fn of_few_none_is_left_out() {
        assert_eq!(trimmed_mean(&[1.0, 3.0], 95), Some(2.0));
        assert_eq!(trimmed_mean(&[7.0], 0), Some(7.0));
        assert_eq!(trimmed_mean(&[], 95), None);
    }
}
