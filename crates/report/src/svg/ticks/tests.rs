use super::*;

fn labels(scale: Scale, low: f64, high: f64, count: usize) -> Vec<String> {
    let ticks = ticks(scale, low, high, count);
    ticks.into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect()
}

#[test]
fn linear_axes_have_round_numbers() {
    for (low, high, count, expected) in [
        (0.0, 10.0, 5, "0 2 4 6 8 10"),
        (0.0, 0.5, 5, "0 0.1 0.2 0.3 0.4 0.5"),
        (0.0, 300.0, 6, "0 50 100 150 200 250 300"),
        (0.0, 1200.0, 6, "0 200 400 600 800 1,000 1,200"),
        (-3.0, 3.0, 6, "−3 −2 −1 0 1 2 3"),
        (0.3, 0.9, 3, "0.4 0.6 0.8"),
        (0.0, 2.5e6, 5, "0 0.5M 1.0M 1.5M 2.0M 2.5M"),
        (0.0, 4e9, 4, "0 1G 2G 3G 4G"),
        (0.0, 0.003, 3, "0 0.001 0.002 0.003"),
        (0.0, 4e-9, 4, "0 1×10⁻⁹ 2×10⁻⁹ 3×10⁻⁹ 4×10⁻⁹"),
        (0.0, 2e17, 4, "0 0.5×10¹⁷ 1.0×10¹⁷ 1.5×10¹⁷ 2.0×10¹⁷"),
        // In a window far from zero the numbers can still be distinguished.
        (1_700_000_000.0, 1_700_000_002.0, 2, "1,700,000,000 1,700,000,001 1,700,000,002"),
    ] {
        assert_eq!(labels(Scale::Linear, low, high, count).join(" "), expected, "{low} to {high}");
    }
}

#[test]
fn log_axes_have_powers_of_ten() {
    for (low, high, count, expected) in [
        (1.0, 1000.0, 5, "1 10 100 1,000"),
        (0.1, 2.0, 8, "0.1 0.2 0.5 1 2"),
        (5.0, 200.0, 8, "5 10 20 50 100 200"),
        (0.01, 1e6, 9, "0.01 0.1 1 10 100 1,000 10,000 100,000 1,000,000"),
        (1e-9, 1e-6, 5, "10⁻⁹ 10⁻⁸ 10⁻⁷ 10⁻⁶"),
        (2e8, 5e9, 6, "2×10⁸ 5×10⁸ 10⁹ 2×10⁹ 5×10⁹"),
        (1e-9, 1e12, 7, "10⁻⁹ 10⁻⁶ 10⁻³ 10⁰ 10³ 10⁶ 10⁹ 10¹²"),
    ] {
        assert_eq!(labels(Scale::Log, low, high, count).join(" "), expected, "{low} to {high}");
    }
}

#[test]
fn between_powers_of_ten_are_places_without_a_label() {
    let values: Vec<f64> =
        ticks(Scale::Log, 1.0, 100.0, 2).into_iter().map(|tick| tick.value.round()).collect();
    let expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
    assert_eq!(values, expected.map(f64::from));
}

#[test]
fn a_step_is_one_two_or_five() {
    for (span, count, expected) in [
        (10.0, 10, (1.0, 0)),
        (10.0, 5, (2.0, 0)),
        (10.0, 2, (5.0, 0)),
        (1000.0, 1, (1.0, 3)),
        (0.9, 1, (1.0, 0)),
        (1e-9, 1, (1.0, -9)),
        (3e12, 6, (5.0, 11)),
    ] {
        assert_eq!(step(span, count), expected, "{span} by {count}");
    }
}

#[test]
fn the_magnitude_is_that_of_the_first_digit() {
    for (value, power) in
        [(1.0, 0), (9.99, 0), (10.0, 1), (1000.0, 3), (999.0, 2), (0.001, -3), (1e-9, -9)]
    {
        assert_eq!(magnitude(value), power, "{value}");
    }
}
