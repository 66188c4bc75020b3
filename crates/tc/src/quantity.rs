//! Times, sizes and rates as tc prints them, and read.
//!
//! Specification: iproute2, `lib/utils.c` (`print_time`), `lib/json_print_math.c` (`sprint_size`)
//! and `lib/json_print.c` (`print_color_rate`).

/// A number as `printf` of C prints it with `%g` and this number of significant digits.
pub(crate) fn general(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let Ok(exponent) = exponent.parse::<i32>() else { return scientific };
    if (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent) as usize;
        return without_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

/// Microseconds as tc prints them: `60.6ms`.
pub(crate) fn time(micros: u64) -> String {
    match micros {
        0..1000 => format!("{micros}us"),
        1000..1_000_000 => format!("{}ms", general(micros as f64 / 1e3, 3)),
        _ => format!("{}s", general(micros as f64 / 1e6, 3)),
    }
}

/// The microseconds of a time as tc prints it; `None` if tc prints no time so.
pub(crate) fn read_time(text: &str) -> Option<u64> {
    match split_unit(text)? {
        (number, "us") => number.parse().ok(),
        // 999.5 ms and more are printed as `1e+03ms`; a whole second is `1s`.
        (number, "ms") => whole(read_number(number)? * 1e3).map(|micros| micros.min(999_999)),
        (number, "s") => whole(read_number(number)? * 1e6),
        _ => None,
    }
}

/// Bytes as tc prints them, rounded if they are near a whole number of a larger unit: `4098Kb`.
pub(crate) fn size(bytes: u64) -> String {
    for (unit, name, near) in
        [(1_u64 << 30, "Gb", 1024), (1 << 20, "Mb", 1024), (1 << 10, "Kb", 16)]
    {
        let whole = bytes / unit + u64::from(bytes % unit >= unit / 2);
        if bytes >= unit && whole.saturating_mul(unit).abs_diff(bytes) < near {
            return format!("{}{name}", general(whole as f64, 6));
        }
    }
    format!("{bytes}b")
}

/// The bytes of a size as tc prints it; `None` if tc prints no size so.
pub(crate) fn read_size(text: &str) -> Option<u64> {
    let units = [("b", 0), ("Kb", 10), ("Mb", 20), ("Gb", 30)];
    let (number, unit) = split_unit(text)?;
    let (_, shift) = units.into_iter().find(|(name, _)| *name == unit)?;
    match shift {
        0 => number.parse().ok(),
        _ => whole(read_number(number)? * f64::from(1 << shift)),
    }
}

/// Bytes per second as tc prints them, in bits: `9071Kbit`.
pub(crate) fn rate(bytes_per_sec: u64) -> String {
    let (mut rate, mut unit) = (u128::from(bytes_per_sec) * 8, 0);
    let units = ["", "K", "M", "G", "T"];
    while unit + 1 < units.len() && rate >= 1000 && (rate % 1000 == 0 || rate >= 1_000_000) {
        (rate, unit) = (rate / 1000, unit + 1);
    }
    format!("{rate}{}bit", units[unit])
}

/// The bytes per second of a rate as tc prints it; `None` if tc prints no rate so.
pub(crate) fn read_rate(text: &str) -> Option<u64> {
    let units = ["bit", "Kbit", "Mbit", "Gbit", "Tbit"];
    let (number, unit) = split_unit(text)?;
    let power = units.into_iter().position(|name| name == unit)?;
    let bits = number.parse::<u128>().ok()?.checked_mul(1000_u128.pow(power as u32))?;
    u64::try_from(bits / 8).ok()
}

/// A number as `printf` of C prints it with `%g`; `None` if it is none.
pub(crate) fn read_number(text: &str) -> Option<f64> {
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    text.parse().ok().filter(|number: &f64| begins && number.is_finite())
}

/// The number and the unit behind it, which may be empty. An `e` belongs to the number.
fn split_unit(text: &str) -> Option<(&str, &str)> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '+' | '-');
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The whole number that this is near; `None` if it is negative or too large.
fn whole(number: f64) -> Option<u64> {
    let rounded = number.round();
    (0.0..1e19).contains(&rounded).then_some(rounded as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C, ISO/IEC 9899 section 7.23.6.1, conversion `g`.
    #[test]
    fn numbers_as_c_prints_them() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.02, "0.02"),
            (0.001_234_567, "0.00123457"),
            (0.000_012_345_678, "1.23457e-05"),
            (123_456.7, "123457"),
            (1_234_567.0, "1.23457e+06"),
            (0.999_999_9, "1"),
        ] {
            assert_eq!(general(value, 6), text);
            assert_eq!(general(read_number(text).unwrap(), 6), text);
        }
    }

    /// Numbers as a real tc printed them, beside its JSON, and the ends of the ranges.
    #[test]
    fn quantities_as_tc_prints_them() {
        for (micros, text) in [
            (0, "0us"),
            (999, "999us"),
            (1_551, "1.55ms"),
            (5_000, "5ms"),
            (60_559, "60.6ms"),
            (74_997, "75ms"),
            (155_559, "156ms"),
            (999_600, "1e+03ms"),
            (1_050_000, "1.05s"),
            (1_000_000_000, "1e+03s"),
            (4_294_967_295, "4.29e+03s"),
        ] {
            assert_eq!(time(micros), text);
            assert_eq!(time(read_time(text).unwrap()), text);
        }
        for (bytes, text) in [
            (2703, "2703b"),
            (4_194_304, "4Mb"),
            (4_196_352, "4098Kb"),
            (65_536, "64Kb"),
            (15_503_360, "15140Kb"),
            (33_554_432, "32Mb"),
            (1 << 30, "1Gb"),
        ] {
            assert_eq!(size(bytes), text);
            assert_eq!(size(read_size(text).unwrap()), text);
        }
        for (bytes_per_sec, text) in [
            (0, "0bit"),
            (37_500, "300Kbit"),
            (957_031, "7656Kbit"),
            (1_250_000, "10Mbit"),
            (12_500_000_000, "100Gbit"),
        ] {
            assert_eq!(rate(bytes_per_sec), text);
            assert_eq!(rate(read_rate(text).unwrap()), text);
        }
    }

    #[test]
    fn what_tc_does_not_print_is_refused() {
        for text in ["", "5", "5m", "ms", "-5ms", "1e400s", "nans", "99999999999999999999us"] {
            assert_eq!(read_time(text), None, "{text}");
        }
        for text in ["", "5", "5kb", "b", "-5b", "99999999999999999999b"] {
            assert_eq!(read_size(text), None, "{text}");
        }
        for text in ["", "5", "5mbit", "bit", "-5bit", "1.5Mbit", "99999999999999999999Tbit"] {
            assert_eq!(read_rate(text), None, "{text}");
        }
    }
}
