//! Times in tc's units (tc(8), TIMES).

use alloc::string::String;

use units::{Span, UnitError};

use super::number;

/// Reads a time as [`Span`] does, and with an exponent, as tc prints 1000 s in three digits:
/// `1e+03s`.
pub(crate) fn parse(text: &str) -> Result<Span, UnitError> {
    let plain = || without_exponent(text)?.parse().ok();
    text.parse().or_else(|error| plain().ok_or(error))
}

/// Reads a time in whole microseconds, rounded down, as tc's `get_time` does: units in any case, or
/// none, which is microseconds. Also reads what [`parse`] reads.
pub(crate) fn parse_micros(text: &str) -> Result<Span, UnitError> {
    let span = parse(text).or_else(|error| tc_micros(text).map(Span::from_micros).ok_or(error))?;
    Ok(Span::from_micros(span.as_nanos() / 1000))
}

/// The microseconds of a time in tc's units; `None` for any other text.
fn tc_micros(text: &str) -> Option<u64> {
    /// More than tc can hold, and no more than a span can.
    const MOST: f64 = 1e12;
    let (number, unit) = number::with_unit(text)?;
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" | "us" | "usec" | "usecs" => 1.0,
        "ms" | "msec" | "msecs" => 1e3,
        "s" | "sec" | "secs" => 1e6,
        _ => return None,
    };
    Some((number * unit).min(MOST) as u64)
}

/// The number without its exponent, and its unit; `None` if it has no exponent of up to 9.
fn without_exponent(text: &str) -> Option<String> {
    let (mantissa, rest) = text.split_once("e+0")?;
    let exponent = rest.chars().next()?.to_digit(10)? as usize;
    let unit = rest.get(1..).filter(|unit| !unit.starts_with(|c: char| c.is_ascii_digit()))?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || fraction.len() > exponent {
        return None;
    }
    Some(alloc::format!("{whole}{fraction:0<exponent$}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_three_digits() {
        for (text, millis) in [("1e+03s", 1_000_000), ("4.29e+03s", 4_290_000), ("1e+03ms", 1000)] {
            assert_eq!(parse(text), Ok(Span::from_millis(millis)), "{text}");
        }
        for text in ["1.2345e+03s", "e+03s", "1e+0s", "1e+03", "1e+033s", "1e+0\u{e9}s", "-1e+03s"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
