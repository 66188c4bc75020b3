//! Rates as tc reads and prints them.

use alloc::string::{String, ToString};
use core::fmt;

use units::Rate;

use super::number;

/// Reads a rate as tc does (tc(8), RATES; iproute2, `get_rate64`): with tc's units in any case or
/// none, which is bits, perhaps with an exponent, and rounded down to whole bytes per second. Also
/// reads what [`Rate`] reads. `10Mbps`, which is bytes for tc and bits for everyone else, is an
/// error; `10mbps` and `10MBps` are bytes. So is a number without a unit below a million: who types
/// `18` does not mean 18 bits per second, as tc does.
pub(crate) fn parse(text: &str) -> Result<Rate, String> {
    let plain = text.parse::<Rate>().map(Rate::bits_per_sec);
    if plain.is_ok() && text.ends_with("bps") {
        return Err(alloc::format!(
            "{} is in bytes per second for tc, and in bits per second elsewhere; for bits write \
             `mbit`, for bytes `MBps`",
            units::Excerpt(text)
        ));
    }
    if let Ok(number) = text.parse::<f64>()
        && (8.0..1e6).contains(&number)
    {
        return Err(alloc::format!(
            "{} has no unit, and would be bits per second; write `{number}mbit`, `{number}kbit` or \
             `{number}bit`",
            units::Excerpt(text)
        ));
    }
    let bits = plain.or_else(|error| bits_per_sec(text).ok_or_else(|| error.to_string()))?;
    Rate::from_bits_per_sec(bits / 8 * 8)
        .ok_or_else(|| "tc counts whole bytes per second; `8bit` is the least rate".into())
}

/// The bits per second of a rate in tc's units; `None` for any other text.
fn bits_per_sec(text: &str) -> Option<u64> {
    let (number, unit) = number::with_unit(text)?;
    let unit = unit.to_ascii_lowercase();
    let (prefix, each) = match unit.strip_suffix("bit") {
        Some(prefix) => (prefix, 1.0),
        None if unit.is_empty() => ("", 1.0),
        None => (unit.strip_suffix("bps")?, 8.0),
    };
    let prefix = match prefix {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        "ki" => f64::from(1 << 10),
        "mi" => f64::from(1 << 20),
        "gi" => f64::from(1 << 30),
        "ti" => (1_u64 << 40) as f64,
        _ => return None,
    };
    let bits = number * prefix * each;
    (bits < u64::MAX as f64).then_some(bits as u64)
}

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
