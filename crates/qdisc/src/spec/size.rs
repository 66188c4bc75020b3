//! Sizes as tc reads and prints them, and as users write them.

use alloc::string::{String, ToString};
use core::fmt;

use units::Bytes;

use super::number;

/// tc's units, with their numbers of bytes (tc(8), SIZES).
const TC_UNITS: [(&str, u64); 4] = [("Gb", 1 << 30), ("Mb", 1 << 20), ("Kb", 1 << 10), ("b", 1)];

/// Reads `1514`, `600000b`, `32Mb` and `256k` as tc does (iproute2, `get_size64`), other texts as
/// [`Bytes`] does, and what is left as tc does again: exponents, and units of bits, in which
/// `4mbit` is half a mebibyte.
pub(crate) fn parse(text: &str) -> Result<Bytes, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    // Our own spellings come first: `kB` is 1000 bytes, whatever it is in tc.
    let spelt = match unit {
        "" | "b" => "B",
        "k" | "K" | "kb" | "Kb" => "KiB",
        "m" | "M" | "mb" | "Mb" => "MiB",
        "g" | "G" | "gb" | "Gb" => "GiB",
        unit => unit,
    };
    let mut size = String::from(number);
    size.push_str(spelt);
    size.parse().or_else(|error: units::UnitError| as_tc(text).ok_or_else(|| error.to_string()))
}

/// The size in tc's units, perhaps with an exponent; `None` for any other text, and for units that
/// mean something else outside of tc, such as `kB`.
fn as_tc(text: &str) -> Option<Bytes> {
    let (number, unit) = number::with_unit(text)?;
    let unit = match unit {
        "" | "b" | "B" => 1,
        "k" | "K" | "kb" | "Kb" => 1 << 10,
        "m" | "M" | "mb" | "Mb" => 1 << 20,
        "g" | "G" | "gb" | "Gb" => 1 << 30,
        _ if unit.eq_ignore_ascii_case("kbit") => (1 << 10) / 8,
        _ if unit.eq_ignore_ascii_case("mbit") => (1 << 20) / 8,
        _ if unit.eq_ignore_ascii_case("gbit") => (1 << 30) / 8,
        _ => return None,
    };
    let bytes = number * f64::from(unit);
    (bytes < u64::MAX as f64).then_some(Bytes(bytes as u64))
}

/// A size as tc prints it, but never rounded: `32Mb`, `600000b`.
pub(crate) struct TcSize(pub(crate) Bytes);

impl fmt::Display for TcSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Bytes(bytes)) = *self;
        let whole = |(_, unit): &&(&str, u64)| bytes > 0 && bytes % unit == 0;
        let (name, unit) = TC_UNITS.iter().find(whole).unwrap_or(&("b", 1));
        write!(f, "{}{name}", bytes / unit)
    }
}
