//! Numbers of bytes.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use core::str::FromStr;

use crate::quantity::{Quantity, Suffix, UnitError};

/// A number of bytes; never packets, never bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Bytes(pub u64);

impl Bytes {
    /// Zero bytes.
    pub const ZERO: Self = Self(0);
    /// The largest number of bytes.
    pub const MAX: Self = Self(u64::MAX);
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Saturates at zero.
impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Bytes {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::ZERO, Add::add)
    }
}

const QUANTITY: Quantity = Quantity {
    noun: "a size",
    examples: "`1500B`, `256kB` (1000) or `256KiB` (1024)",
    suffixes: &[
        Suffix::exact(&["B", "byte", "bytes"], 1),
        Suffix::exact(&["kB", "KB"], 1_000),
        Suffix::exact(&["MB"], 1_000_000),
        Suffix::exact(&["GB"], 1_000_000_000),
        Suffix::exact(&["TB"], 1_000_000_000_000),
        Suffix::exact(&["KiB", "kiB"], 1 << 10),
        Suffix::exact(&["MiB"], 1 << 20),
        Suffix::exact(&["GiB"], 1 << 30),
        Suffix::exact(&["TiB"], 1 << 40),
    ],
    ambiguous: &["b", "k", "K", "m", "M", "g", "G", "kb", "Kb", "mb", "Mb", "gb", "Gb"],
    readings: "bits or bytes, thousands or 1024s; write `256kB` (1000) or `256KiB` (1024)",
};

impl FromStr for Bytes {
    type Err = UnitError;

    /// Reads `1500B`, `256kB` (1000), `256KiB` (1024). A bare number is refused.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        QUANTITY.parse(text).map(Self)
    }
}

impl fmt::Display for Bytes {
    /// Writes whole units only, so that the text reads back exactly: `1500B`, `256kB`, `256KiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 6] = [
            (1_000_000_000, "GB"),
            (1 << 30, "GiB"),
            (1_000_000, "MB"),
            (1 << 20, "MiB"),
            (1_000, "kB"),
            (1 << 10, "KiB"),
        ];
        let whole = |(unit, _): &&(u64, &str)| self.0 > 0 && self.0.is_multiple_of(*unit);
        let (unit, name) = UNITS.iter().find(whole).unwrap_or(&(1, "B"));
        write!(f, "{}{name}", self.0 / unit)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn reads_sizes_as_people_write_them() {
        for (text, bytes) in
            [("1500B", 1500), ("256kB", 256_000), ("256KiB", 262_144), ("1.5MB", 1_500_000)]
        {
            assert_eq!(text.parse::<Bytes>().unwrap(), Bytes(bytes), "{text}");
        }
        for text in ["1500", "256k", "256kb", "1000p", "-1B", "B"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn prints_what_it_reads() {
        for text in ["0B", "1500B", "256kB", "256KiB", "3MB", "1GiB"] {
            assert_eq!(text.parse::<Bytes>().unwrap().to_string(), text);
        }
    }
}
