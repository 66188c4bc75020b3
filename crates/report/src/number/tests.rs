use super::*;

#[test]
fn milliseconds() {
    for (value, text) in [
        (0.0, "0.0"),
        (0.04, "0.0"),
        (4.849, "4.8"),
        (99.94, "99.9"),
        (99.96, "100"),
        (1200.4, "1,200"),
        (1_234_567.0, "1,234,567"),
        (-0.01, "0.0"),
        (1e300, "1.00e300"),
        (f64::NAN, "–"),
        (f64::INFINITY, "–"),
    ] {
        assert_eq!(millis(value), text);
    }
}

#[test]
fn three_significant_digits() {
    for (value, text) in [
        (0.0, "0"),
        (0.0641, "0.064"),
        (0.9994, "0.999"),
        (0.9996, "1.00"),
        (1.914, "1.91"),
        (9.996, "10.0"),
        (19.13, "19.1"),
        (99.96, "100"),
        (940.4, "940"),
        (9_404.0, "9,404"),
    ] {
        assert_eq!(significant(value), text);
    }
}

#[test]
fn counts_have_separators_and_stay_short() {
    for (value, text) in [
        (0, "0"),
        (999, "999"),
        (1_000, "1,000"),
        (9_999_999, "9,999,999"),
        (10_000_000, "10.0M"),
        (4_294_967_296, "4.29G"),
        (u64::MAX, "18.4E"),
    ] {
        assert_eq!(count(value), text);
    }
}

#[test]
fn durations_and_factors_in_a_sentence() {
    for (value, text) in [
        (0.0, "0 ms"),
        (0.04, "0.04 ms"),
        (0.0996, "0.1 ms"),
        (0.3, "0.3 ms"),
        (4.83, "4.8 ms"),
        (20.02, "20 ms"),
        (212.4, "212 ms"),
        (999.4, "999 ms"),
        (999.6, "1.00 s"),
        (1_048.6, "1.05 s"),
        (12_345.0, "12.3 s"),
        (99_960.0, "100 s"),
        (4_000_000.0, "4,000 s"),
    ] {
        assert_eq!(duration(value), text);
    }
    for (value, text) in [(1.25, "1.2"), (9.96, "10"), (58.3, "58"), (1234.0, "1,234")] {
        assert_eq!(rough(value), text);
    }
}

#[test]
fn percentages_and_figures() {
    assert_eq!(percent(0.9564), "95.6");
    assert_eq!(percent(1.0), "100.0");
    assert_eq!((share(0.0342), share(0.998)), ("3.4 %".into(), "100 %".into()));
    for (part, text) in [(0.012, "+1.2"), (-0.711, "-71.1"), (0.0001, "0.0"), (-0.0001, "0.0")] {
        assert_eq!(deviation(part), text);
    }
    for (value, text) in [
        (0.0, "0"),
        (0.0324, "0.0324"),
        (0.5, "0.5"),
        (7.0, "7"),
        (135.21, "135.2"),
        (676.0, "676"),
        (54722.4, "54,722"),
        (31168.0, "31,168"),
        (100.0, "100"),
        (-48.3, "-48.3"),
    ] {
        assert_eq!(figure(value), text);
    }
}
