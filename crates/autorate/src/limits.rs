//! The rates between which a controller may choose.

use std::fmt;

use units::Rate;

/// The rates of one direction that the user allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    minimum: Rate,
    base: Rate,
    maximum: Rate,
}

impl Limits {
    /// The limits with these rates: the least rate, the base rate, and the greatest
    /// rate.
    ///
    /// # Errors
    /// If the rates are not in this order.
    pub fn new(minimum: Rate, base: Rate, maximum: Rate) -> Result<Self, LimitsError> {
        match minimum <= base && base <= maximum {
            true => Ok(Self { minimum, base, maximum }),
            false => Err(LimitsError { minimum, base, maximum }),
        }
    }

    /// The least rate.
    pub const fn minimum(&self) -> Rate {
        self.minimum
    }

    /// The base rate, which the line has most of the time.
    pub const fn base(&self) -> Rate {
        self.base
    }

    /// The greatest rate.
    pub const fn maximum(&self) -> Rate {
        self.maximum
    }

    /// True if the rate is allowed.
    pub fn contains(&self, rate: Rate) -> bool {
        (self.minimum..=self.maximum).contains(&rate)
    }

    /// The allowed rate that is nearest to this number of bits per second. What is no number gives
    /// the least rate.
    pub(crate) fn nearest(&self, bits_per_sec: f64) -> Rate {
        let rate = Rate::from_bits_per_sec(bits_per_sec as u64).unwrap_or(self.minimum);
        rate.clamp(self.minimum, self.maximum)
    }
}

/// The error that rates are no limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitsError {
    minimum: Rate,
    base: Rate,
    maximum: Rate,
}

impl fmt::Display for LimitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { minimum, base, maximum } = self;
        write!(
            f,
            "the base rate {base} must lie between the minimum {minimum} and the maximum {maximum}"
        )
    }
}

impl std::error::Error for LimitsError {}

/// The number of bits per second of a rate.
pub(crate) fn bits(rate: Rate) -> f64 {
    rate.bits_per_sec() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_rates_is_checked() {
        let mbit = Rate::from_mbit;
        let limits = Limits::new(mbit(5), mbit(20), mbit(80)).unwrap();
        assert!(
            limits.contains(mbit(5)) && limits.contains(mbit(80)) && !limits.contains(mbit(81))
        );
        for (bits, nearest) in [(f64::NAN, 5), (-1.0, 5), (2e7, 20), (f64::INFINITY, 80)] {
            assert_eq!(limits.nearest(bits), mbit(nearest));
        }
        let error = Limits::new(mbit(5), mbit(4), mbit(80)).unwrap_err().to_string();
        assert!(error.contains("4mbit") && error.contains("80mbit"), "{error}");
    }
}
