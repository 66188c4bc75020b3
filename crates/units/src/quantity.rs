//! Reading and writing a decimal number with a unit, exactly: no floating point on the way.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::Excerpt;

/// The reason why a text is not a quantity, in a sentence that says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(String);

impl UnitError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for UnitError {}

/// Spellings of one unit, and the number of base units in it.
pub(crate) struct Suffix {
    spellings: &'static [&'static str],
    factor: u64,
}

impl Suffix {
    pub(crate) const fn exact(spellings: &'static [&'static str], factor: u64) -> Self {
        Self { spellings, factor }
    }
}

/// The texts that can be read as one kind of quantity.
pub(crate) struct Quantity {
    /// The name of the quantity with its article: "a rate".
    pub(crate) noun: &'static str,
    pub(crate) examples: &'static str,
    pub(crate) suffixes: &'static [Suffix],
    /// Spellings that people read in more than one way, and that are therefore refused.
    pub(crate) ambiguous: &'static [&'static str],
    /// The possible readings of an ambiguous spelling, and what to write instead.
    pub(crate) readings: &'static str,
}

impl Quantity {
    /// The whole number of base units that `text` stands for, rounded down.
    pub(crate) fn parse(&self, text: &str) -> Result<u64, UnitError> {
        let trimmed = text.trim();
        let Self { noun, examples, .. } = self;
        let shown = Excerpt(trimmed);
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = (&trimmed[..end], trimmed[end..].trim_start());
        let Some((mantissa, scale)) = decimal(number) else {
            return Err(UnitError(format!("{shown} is not {noun}; write {examples}")));
        };
        if unit.is_empty() {
            return Err(UnitError(format!("{shown} has no unit; write {noun} as {examples}")));
        }
        if self.ambiguous.contains(&unit) {
            return Err(UnitError(format!("{shown} is ambiguous: {}", self.readings)));
        }
        let Some(suffix) = self.suffixes.iter().find(|s| s.spellings.contains(&unit)) else {
            let unit = Excerpt(unit);
            return Err(UnitError(format!("{unit} is no unit of {noun}; write {examples}")));
        };
        mantissa
            .checked_mul(u128::from(suffix.factor))
            .and_then(|product| u64::try_from(product / scale).ok())
            .ok_or_else(|| UnitError(format!("{shown} is too large for {noun}")))
    }
}

/// A number without sign or exponent as (digits, power of ten to divide by). `None` if nothing
/// stands before the point, if there are two points, or if there are more than 30 digits.
fn decimal(number: &str) -> Option<(u128, u128)> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = whole.len() + fraction.len();
    if whole.is_empty() || digits > 30 || fraction.contains('.') {
        return None;
    }
    let mantissa = whole
        .bytes()
        .chain(fraction.bytes())
        .fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    Some((mantissa, 10u128.pow(fraction.len() as u32)))
}

/// Writes `value` as an exact decimal of `unit`, which must be a power of ten, and then `name`.
pub(crate) fn write_decimal(
    f: &mut fmt::Formatter<'_>,
    value: u64,
    unit: u64,
    name: &str,
) -> fmt::Result {
    let (whole, mut rest) = (value / unit, value % unit);
    write!(f, "{whole}")?;
    if rest > 0 {
        f.write_str(".")?;
        let mut place = unit / 10;
        while rest > 0 {
            write!(f, "{}", rest / place)?;
            rest %= place;
            place /= 10;
        }
    }
    f.write_str(name)
}
