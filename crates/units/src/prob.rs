//! Probabilities.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::Excerpt;
use crate::quantity::UnitError;

/// A probability: a number from 0 to 1, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Prob(f64);

impl Prob {
    /// The probability 0.
    pub const ZERO: Self = Self(0.0);
    /// The probability 1.
    pub const ONE: Self = Self(1.0);

    /// `value` limited to 0..=1; NaN gives 0.
    pub const fn clamped(value: f64) -> Self {
        if value >= 1.0 {
            Self(1.0)
        } else if value > 0.0 {
            Self(value)
        } else {
            Self(0.0)
        }
    }

    /// The probability as a number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Prob {
    type Err = UnitError;

    /// Reads `0.02` and `2%`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (number, scale) = match trimmed.strip_suffix('%') {
            Some(number) => (number.trim_end(), 100.0),
            None => (trimmed, 1.0),
        };
        let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let value = number.parse::<f64>().ok().filter(|_| plain).map(|value| value / scale);
        match value {
            Some(value) if value <= 1.0 => Ok(Self(value)),
            _ => Err(UnitError::new(format!(
                "{} is not a probability; write a number from 0 to 1, or `2%`",
                Excerpt(trimmed)
            ))),
        }
    }
}

impl fmt::Display for Prob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fractions_and_percentages() {
        for (text, value) in [("0.1", 0.1), ("2%", 0.02), ("0", 0.0), ("1", 1.0), ("100%", 1.0)] {
            assert_eq!(text.parse::<Prob>().unwrap().get(), value, "{text}");
        }
        for text in ["", "%", "1.1", "101%", "-0.1", "nan", "inf", "1e-3", "often"] {
            assert!(text.parse::<Prob>().is_err(), "{text}");
        }
    }

    #[test]
    fn clamps() {
        assert_eq!(Prob::clamped(f64::NAN), Prob::ZERO);
        assert_eq!(Prob::clamped(7.0), Prob::ONE);
    }
}
