//! Numbers with a unit behind them, as C's `strtod` divides a text.

/// The number at the beginning, not negative, and the unit behind it; `None` for any other text.
pub(super) fn with_unit(text: &str) -> Option<(f64, &str)> {
    let is_of_unit = |c: char| !c.is_ascii_digit() && !matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let (number, unit) = text.split_at(text.find(is_of_unit).unwrap_or(text.len()));
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number, unit))
}
