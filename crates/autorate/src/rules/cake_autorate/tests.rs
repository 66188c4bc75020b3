use units::Span;

use super::*;
use crate::Rules;
use crate::rules::tests::{Bench, DOWN, IDLE, near};

/// The factors of the sheet at its ends and in the middle: 30 ms 0.99, 45 ms 0.87, 60 ms 0.75; 10 ms
/// 1.04, 20 ms 1.02, 30 ms 1.00.
#[test]
fn factors_are_those_of_the_defaults() {
    for (mean, factor) in [(20.0, 0.99), (30.0, 0.99), (45.0, 0.87), (60.0, 0.75), (500.0, 0.75)] {
        near(between((LONG_MS, MOST_DOWN_MS), DOWN_FACTORS, mean), factor);
    }
    for (mean, factor) in [(0.0, 1.04), (10.0, 1.04), (20.0, 1.02), (30.0, 1.0), (99.0, 1.0)] {
        near(between((LONG_MS, MOST_UP_MS), UP_FACTORS, mean), factor);
    }
}

#[test]
fn a_loaded_direction_rises_by_four_percent_each_sample_of_the_rate() {
    let mut bench = Bench::new(Rules::CakeAutorate);
    bench.run(Span::from_millis(200), DOWN, 1, 20.0);
    let before = bench.down();
    bench.run(Span::from_millis(200), DOWN, 1, 20.0);
    near(bench.down(), before * 1.04);
    near(bench.up(), 20.0);
}

/// Round trips that are 200 ms longer are one-way delays that are 100 ms longer: three of six make a
/// mean of 50 ms, and the factor 0.83 = 0.99 - 20/30 x 0.24. Both directions fall, since a round trip
/// does not tell which.
#[test]
fn three_long_delays_of_six_lower_both_rates() {
    let mut bench = Bench::new(Rules::CakeAutorate);
    bench.run(Span::from_millis(900), IDLE, 1, 20.0);
    bench.tick(IDLE, 1, 220.0);
    bench.tick(IDLE, 1, 220.0);
    near(bench.down(), 20.0);
    bench.tick(IDLE, 1, 220.0);
    // The baseline rises by a thousandth of the difference each time.
    assert!((bench.down() / 20.0 - 0.83).abs() < 0.002, "{}", bench.down());
    assert!((bench.up() / 20.0 - 0.83).abs() < 0.002, "{}", bench.up());
    let once = bench.down();
    bench.run(Span::from_millis(250), IDLE, 1, 220.0);
    near(bench.down(), once);
    bench.tick(IDLE, 1, 220.0);
    near(bench.down(), once * 0.75);
}

#[test]
fn an_idle_direction_goes_back_to_the_base_by_a_hundredth_a_second() {
    let mut bench = Bench::new(Rules::CakeAutorate);
    bench.run(Span::from_secs(1), DOWN, 1, 20.0);
    let risen = bench.down();
    bench.run(Span::from_millis(2400), IDLE, 1, 20.0);
    near(bench.down(), risen * 0.99 * 0.99);
}

#[test]
fn ten_seconds_without_an_answer_set_the_least_rate_and_are_told() {
    let mut bench = Bench::new(Rules::CakeAutorate);
    bench.run(Span::from_secs(1), DOWN, 1, 20.0);
    bench.run(Span::from_millis(9950), DOWN, 0, 0.0);
    assert!(bench.last.blind.is_none() && bench.down() > 19.0);
    bench.tick(DOWN, 0, 0.0);
    near(bench.down(), 5.0);
    let blind = bench.last.blind.unwrap();
    assert_eq!((blind.cause, blind.since), (Blindness::Silent, Time::from_secs(1)));
}
