//! Bits per second.

use core::fmt;
use core::num::NonZeroU64;
use core::ops::{Div, Mul};
use core::str::FromStr;

use crate::quantity::{Quantity, Suffix, UnitError};
use crate::{Bytes, Span};

/// A rate in bits per second; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Rate(NonZeroU64);

impl Rate {
    /// `bits` bits per second; `None` if that is zero.
    pub const fn from_bits_per_sec(bits: u64) -> Option<Self> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// `mbit` megabits per second.
    ///
    /// # Panics
    /// If `mbit` is zero.
    pub const fn from_mbit(mbit: u64) -> Self {
        Self::from_bits_per_sec(mbit * 1_000_000).expect("a rate is not zero")
    }

    /// The rate in bits per second.
    pub const fn bits_per_sec(self) -> u64 {
        self.0.get()
    }

    /// The rate in megabits per second, for people.
    pub fn as_mbit_f64(self) -> f64 {
        self.0.get() as f64 / 1e6
    }
}

/// The time that these bytes take at this rate, rounded down. The remainder is lost: for a train of
/// packets see [`Serializer`](crate::Serializer), which keeps it.
impl Div<Rate> for Bytes {
    type Output = Span;
    fn div(self, rate: Rate) -> Span {
        let nanos = nanobits(self) / u128::from(rate.0.get());
        Span::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The number of whole bytes that pass in this time.
impl Mul<Span> for Rate {
    type Output = Bytes;
    fn mul(self, span: Span) -> Bytes {
        let bytes = u128::from(self.0.get()) * u128::from(span.as_nanos()) / 8_000_000_000;
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

/// The rate at which these bytes pass in this time; `None` if that is less than 1 bit/s or the
/// time is zero.
impl Div<Span> for Bytes {
    type Output = Option<Rate>;
    fn div(self, span: Span) -> Option<Rate> {
        let rate = nanobits(self).checked_div(u128::from(span.as_nanos()))?;
        Rate::from_bits_per_sec(u64::try_from(rate).unwrap_or(u64::MAX))
    }
}

/// The number of bits times the nanoseconds in a second.
fn nanobits(bytes: Bytes) -> u128 {
    u128::from(bytes.0) * 8_000_000_000
}

const QUANTITY: Quantity = Quantity {
    noun: "a rate",
    examples: "`10mbit`, `10Mbit/s`, `10Mbps`, `1.5Gbit` or, in bytes, `5MB/s`",
    suffixes: &[
        Suffix::exact(&["bit", "bit/s", "b/s"], 1),
        Suffix::exact(&["kbit", "Kbit", "kbit/s", "Kbit/s", "Kbps", "kb/s", "Kb/s"], 1_000),
        Suffix::exact(&["mbit", "Mbit", "mbit/s", "Mbit/s", "Mbps", "Mb/s"], 1_000_000),
        Suffix::exact(&["gbit", "Gbit", "gbit/s", "Gbit/s", "Gbps", "Gb/s"], 1_000_000_000),
        Suffix::exact(&["tbit", "Tbit", "tbit/s", "Tbit/s", "Tbps", "Tb/s"], 1_000_000_000_000),
        Suffix::exact(&["kibit", "Kibit", "Kibit/s"], 1 << 10),
        Suffix::exact(&["mibit", "Mibit", "Mibit/s"], 1 << 20),
        Suffix::exact(&["gibit", "Gibit", "Gibit/s"], 1 << 30),
        Suffix::exact(&["B/s", "Bps"], 8),
        Suffix::exact(&["kB/s", "KB/s", "kBps", "KBps"], 8_000),
        Suffix::exact(&["MB/s", "MBps"], 8_000_000),
        Suffix::exact(&["GB/s", "GBps"], 8_000_000_000),
        Suffix::exact(&["KiB/s", "kiB/s"], 8 << 10),
        Suffix::exact(&["MiB/s"], 8 << 20),
        Suffix::exact(&["GiB/s"], 8 << 30),
    ],
    // tc(8), RATES: `mbps` is megabytes per second there; everyone else reads megabits.
    ambiguous: &["bps", "kbps", "mbps", "gbps", "tbps", "mb/s", "gb/s"],
    readings: "tc reads bytes per second, everyone else bits; for bits write `kbit`, `mbit`, `gbit` \
               (or `Kbps`, `Mbps`, `Gbps`), for bytes `kB/s`, `MB/s`, `GB/s`",
};

impl FromStr for Rate {
    type Err = UnitError;

    /// Reads `10mbit`, `10Mbit/s`, `10Mbps`, `1.5Gbit`, `5MB/s`. A bare number is refused, and so
    /// is lower-case `mbps`, which tc reads as bytes and everyone else as bits.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bits = QUANTITY.parse(text)?;
        Self::from_bits_per_sec(bits)
            .ok_or_else(|| UnitError::new("a rate must be more than zero, as `10mbit` is"))
    }
}

impl fmt::Display for Rate {
    /// Writes the rate as tc does: `10mbit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0.get() {
            0..1_000 => (1, "bit"),
            1_000..1_000_000 => (1_000, "kbit"),
            1_000_000..1_000_000_000 => (1_000_000, "mbit"),
            _ => (1_000_000_000, "gbit"),
        };
        crate::quantity::write_decimal(f, self.0.get(), unit, name)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn reads_rates_as_people_write_them() {
        for (text, bits) in [
            ("10mbit", 10_000_000),
            ("10Mbit/s", 10_000_000),
            ("10Mbps", 10_000_000),
            ("1.5Gbit", 1_500_000_000),
            ("5MB/s", 40_000_000),
            ("64kbit", 64_000),
            ("1Kibit", 1024),
            ("8 bit/s", 8),
        ] {
            assert_eq!(text.parse::<Rate>().unwrap().bits_per_sec(), bits, "{text}");
        }
    }

    #[test]
    fn refuses_both_readings_of_lower_case_mbps() {
        let message = "10mbps".parse::<Rate>().unwrap_err().to_string();
        assert!(message.contains("bytes") && message.contains("bits"), "{message}");
        // The other prefixes are refused too.
        let message = "10kbps".parse::<Rate>().unwrap_err().to_string();
        assert!(message.contains("`kbit`") && message.contains("`kB/s`"), "{message}");
    }

    #[test]
    fn refuses_what_is_not_a_rate() {
        for text in
            ["", "10", "0mbit", "0.1bit", "-1mbit", "fast", "1e9bit", "10 m", "99999999999tbit"]
        {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn prints_what_it_reads() {
        for text in ["10mbit", "1.5gbit", "512kbit", "7bit"] {
            assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn physics() {
        let rate = Rate::from_mbit(10);
        assert_eq!(Bytes(1500) / rate, Span::from_micros(1200));
        assert_eq!(rate * Span::from_millis(100), Bytes(125_000));
        assert_eq!(Bytes(125_000) / Span::from_millis(100), Some(rate));
        assert_eq!(Bytes(1) / Span::ZERO, None);
    }
}
