//! Powers of ten.

/// The power of ten of the first digit of a positive number.
pub(super) fn magnitude(value: f64) -> i32 {
    let power = libm::floor(libm::log10(value)) as i32;
    // A logarithm may be rounded to the wrong side of a whole number.
    match value {
        _ if value >= power_of_ten(power + 1) => power + 1,
        _ if value < power_of_ten(power) => power - 1,
        _ => power,
    }
}

/// Ten to a power, as exact as possible.
pub(super) fn power_of_ten(power: i32) -> f64 {
    let factor = (0..power.abs()).fold(1.0, |product, _| product * 10.0);
    if power < 0 { 1.0 / factor } else { factor }
}
