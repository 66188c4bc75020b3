//! The format of the numbers along one axis, which is the same for all.

use super::decimal::{magnitude, power_of_ten};
use crate::number::fixed;

/// A way to write numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Numbers like `1,000`, with this number of decimals.
    Plain(usize),
    /// Numbers like `2.5M`: in units of a power of ten that has a prefix.
    Prefix { power: i32, name: &'static str, decimals: usize },
    /// Numbers like `2×10⁻⁹`: in units of a power of ten.
    Power { power: i32, decimals: usize },
    /// Numbers like `10⁻⁹` and `2×10⁻⁹`: each with its power of ten.
    Powers,
}

impl Style {
    /// The style for numbers up to `largest` that differ in the digit of `10^power`.
    pub(super) fn linear(largest: f64, power: i32) -> Self {
        let size = magnitude(largest);
        let decimals = |unit: i32| (unit - power).max(0) as usize;
        let prefix = [(12, "T"), (9, "G"), (6, "M")].into_iter().find(|(unit, _)| size >= *unit);
        match prefix {
            _ if !(-3..15).contains(&size) => {
                Style::Power { power: size, decimals: decimals(size) }
            }
            Some((unit, name)) if decimals(unit) <= 3 => {
                Style::Prefix { power: unit, name, decimals: decimals(unit) }
            }
            _ => Style::Plain(decimals(0)),
        }
    }

    /// The style for round numbers from `low` to `high` on a logarithmic axis.
    pub(super) fn logarithmic(low: f64, high: f64) -> Self {
        if low >= 1e-4 && high < 1e7 { Style::Plain(0) } else { Style::Powers }
    }

    /// A number in this style.
    pub(super) fn label(self, value: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        let number = match self {
            // A small number needs more decimals.
            Style::Plain(0) => fixed(value, (-magnitude(value.abs())).max(0) as usize),
            Style::Plain(decimals) => fixed(value, decimals),
            Style::Prefix { power, name, decimals } => {
                fixed(value / power_of_ten(power), decimals) + name
            }
            Style::Power { power, decimals } => {
                fixed(scaled(value, power), decimals) + "×10" + &superscript(power)
            }
            Style::Powers => power_label(value),
        };
        // A minus sign, which is as wide as a plus, in place of the hyphen.
        number.replace('-', "−")
    }
}

/// A positive number as one digit and a power of ten.
fn power_label(value: f64) -> String {
    let power = magnitude(value);
    let digit = fixed(scaled(value, power), 0);
    let factor = if digit == "1" { String::new() } else { digit + "×" };
    factor + "10" + &superscript(power)
}

/// `value` in units of a power of ten.
fn scaled(value: f64, power: i32) -> f64 {
    // Multiplying by a whole power is exact where dividing by a fraction is not.
    if power < 0 { value * power_of_ten(-power) } else { value / power_of_ten(power) }
}

/// A power in superscript digits.
fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |digit: char| digit.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    power.to_string().chars().map(raised).collect()
}
