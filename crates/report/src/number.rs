//! Numbers as text for people.

/// The text for a missing value.
pub(crate) const MISSING: &str = "–";

/// Milliseconds: one decimal below 100, none above.
pub(crate) fn millis(value: f64) -> String {
    // 99.95 would become `100.0`.
    if value.abs() < 99.95 { fixed(value, 1) } else { fixed(value, 0) }
}

/// Megabits per second, or seconds: three significant digits, at most three decimals.
pub(crate) fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        ..0.9995 => 3,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    fixed(value, decimals)
}

/// A part of a whole (0 to 1) as a percentage without its sign.
pub(crate) fn percent(part: f64) -> String {
    fixed(part * 100.0, 1)
}

/// A number of things: with thousands separators, and from ten million on with three digits and a
/// prefix.
pub(crate) fn count(value: u64) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G")];
    let number = value as f64;
    if value < 10_000_000 {
        return grouped(&value.to_string());
    }
    let (unit, prefix) =
        PREFIXES.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1e6, "M"));
    significant(number / unit) + prefix
}

/// A number of things: `1 packet`, `12 packets`.
pub(crate) fn things(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", count(number))
}

/// A length of time in a sentence, from milliseconds: `0.07 ms`, `4.8 ms`, `212 ms`, `1.05 s`.
pub(crate) fn duration(value: f64) -> String {
    match value {
        0.0 => "0 ms".into(),
        ..0.0995 => fixed(value, 2) + " ms",
        ..999.5 => rough(value) + " ms",
        _ => significant(value / 1e3) + " s",
    }
}

/// A part of a whole (0 to 1) in a sentence: `3.4 %`, `98 %`.
pub(crate) fn share(part: f64) -> String {
    rough(part * 100.0) + " %"
}

/// A part of the probes (0 to 1) that nobody answered: two digits, as `web/watch/overview.js` writes it.
pub(crate) fn loss(part: f64) -> String {
    let percent = part * 100.0;
    let decimals = match percent {
        0.0 => 0,
        ..0.0995 => 3,
        ..0.995 => 2,
        ..9.95 => 1,
        _ => 0,
    };
    // Half is rounded up, as in the script.
    let scale = [1.0, 10.0, 100.0, 1000.0][decimals];
    fixed((percent * scale).round() / scale, decimals) + " %"
}

/// A factor in a sentence, or another number that need not be exact: `1.3`, `58`, `1,200`.
pub(crate) fn rough(value: f64) -> String {
    if value < 9.95 { fixed(value, 1) } else { fixed(value, 0) }
}

/// A figure of a paper, or ours beside it: four significant digits, without trailing zeros.
pub(crate) fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        ..0.99995 => 4,
        ..9.9995 => 3,
        ..99.995 => 2,
        ..999.95 => 1,
        _ => 0,
    };
    let text = fixed(value, decimals);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The part by which one figure exceeds another, as a percentage with its sign.
pub(crate) fn deviation(part: f64) -> String {
    let percent = percent(part);
    if part > 0.0 && percent != "0.0" { format!("+{percent}") } else { percent }
}

/// A number with this number of decimals and with thousands separators; in powers of ten from 10^12
/// on.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value.abs() >= 1e12 {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.decimals$}");
    // Rounded to zero, a negative number keeps its sign.
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|b| matches!(b, b'0' | b'.')) => zero.to_owned(),
        _ => grouped(&text),
    }
}

/// A decimal number with a comma before each three digits of its whole part.
fn grouped(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.split_at(usize::from(whole.starts_with('-')));
    let mut grouped = String::from(sign);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests;
