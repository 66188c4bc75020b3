//! Rates as tc prints them.

use core::fmt;

use units::Rate;

/// tc's units, with their numbers of bits per second (tc(8), RATES).
const TC_UNITS: [(&str, u64); 4] =
    [("Gbit", 1_000_000_000), ("Mbit", 1_000_000), ("Kbit", 1_000), ("bit", 1)];

/// A rate as tc prints it, but never rounded: `10Mbit`, `1900Kbit`.
pub(crate) struct TcRate(pub(crate) Rate);

impl fmt::Display for TcRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.0.bits_per_sec();
        let whole = |(_, unit): &&(&str, u64)| bits.is_multiple_of(*unit);
        let (name, unit) = TC_UNITS.iter().find(whole).unwrap_or(&("bit", 1));
        write!(f, "{}{name}", bits / unit)
    }
}
