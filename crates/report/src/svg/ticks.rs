//! The ticks of an axis.

use super::decimal::{magnitude, power_of_ten};
use super::label::Style;
use crate::figure::Scale;

/// A tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Value at the tick.
    pub value: f64,
    /// Label of the tick; empty for a minor tick.
    pub label: String,
}

/// Round numbers from `low` to `high`, about `count` of them with a label.
pub(super) fn ticks(scale: Scale, low: f64, high: f64, count: usize) -> Vec<Tick> {
    match scale {
        Scale::Linear => linear(low, high, count),
        Scale::Log => logarithmic(low, high, count),
    }
}

/// The round step (1, 2 or 5 times a power of ten) of which about `count` make `span`, as its first
/// digit and its power of ten.
pub(super) fn step(span: f64, count: usize) -> (f64, i32) {
    let rough = span / count.max(1) as f64;
    let power = magnitude(rough);
    // The bounds are the geometric means of neighbouring digits.
    match rough / power_of_ten(power) {
        ..1.414 => (1.0, power),
        ..3.162 => (2.0, power),
        ..7.071 => (5.0, power),
        _ => (1.0, power + 1),
    }
}

/// Ticks at the multiples of a round number.
fn linear(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (digit, power) = step(high - low, count);
    let step = digit * power_of_ten(power);
    // A tick at the very edge must not be lost to rounding.
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    let style = Style::linear(low.abs().max(high.abs()), power);
    let multiples = (0..=2 * count + 2).map(|index| first + index as f64);
    multiples
        .take_while(|multiple| *multiple <= last)
        .map(|multiple| multiple * step)
        .map(|value| Tick { value: value.clamp(low, high), label: style.label(value) })
        .collect()
}

/// Ticks at the powers of ten, and at 2 and 5 times each where there are few; the others have no
/// label.
fn logarithmic(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (first, last) = (magnitude(low), magnitude(high));
    let decades = libm::log10(high) - libm::log10(low);
    let fine = decades * 3.0 <= count as f64 && decades < 2.7;
    let every = (decades / count.max(1) as f64).ceil().max(1.0) as i32;
    let style = Style::logarithmic(low, high);
    let mut ticks = Vec::new();
    for power in first..=last {
        let digits = match every {
            // Over very many decades, ticks without a label are too close to be seen.
            6.. if power.rem_euclid(every) != 0 => continue,
            3.. => 1..=1,
            _ => 1..=9,
        };
        for digit in digits {
            let value = f64::from(digit) * power_of_ten(power);
            let labelled = match digit {
                1 => power.rem_euclid(every) == 0,
                2 | 5 => fine,
                _ => false,
            };
            // An edge may differ from its tick in the last digit, because the two are computed
            // differently.
            if value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9) {
                let label = if labelled { style.label(value) } else { String::new() };
                ticks.push(Tick { value: value.clamp(low, high), label });
            }
        }
    }
    ticks
}

#[cfg(test)]
mod tests;
