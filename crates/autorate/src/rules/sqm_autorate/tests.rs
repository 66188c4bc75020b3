use units::Span;

use super::*;
use crate::Rules;
use crate::rules::tests::{Bench, DOWN, IDLE, limits, near};

#[test]
fn it_begins_at_three_fifths_of_the_base() {
    near(Bench::new(Rules::SqmAutorate).down(), 12.0);
}

/// After 0.4 s the quick mean has gone half of the way, and after 135 s the slow one.
#[test]
fn means_have_their_half_lives() {
    let mut means = Means { quick: 10.0, slow: 10.0 };
    means.hear(30.0, QUICK_S);
    near(means.quick, 20.0);
    let mut means = Means { quick: 10.0, slow: 10.0 };
    means.hear(30.0, SLOW_S);
    near(means.slow, 20.0);
    // The baseline is never above the quick mean.
    means.hear(0.0, 100.0 * QUICK_S);
    near(means.slow + 1.0, means.quick + 1.0);
}

/// The rise: rate x (1 + 0.1 x (1 - rate / greatest safe rate)) + 3 % of the base.
#[test]
fn load_raises_the_rate() {
    let mut rng = Rng::new(1);
    let mut direction = Direction::new(limits().down, &mut rng);
    direction.safe.fill(16e6);
    let passage = Passage { departed: units::Bytes(750_000), ..Passage::default() };
    direction.follow(&passage, Some(0.0), Time::ZERO + TICK, &mut rng);
    near(direction.rate, 12e6 * (1.0 + 0.1 * 0.25) + 0.03 * 20e6);
    near(direction.safe[0], 12e6);
}

/// The fall: the smaller one of 0.9 of the achieved rate and of a safe rate.
#[test]
fn a_long_delay_lowers_the_rate() {
    let mut rng = Rng::new(1);
    let passage = Passage { departed: units::Bytes(625_000), ..Passage::default() };
    for (safe, rate) in [(16e6, 9e6), (7e6, 7e6)] {
        let mut direction = Direction::new(limits().down, &mut rng);
        direction.safe.fill(safe);
        direction.follow(&passage, Some(16.0), Time::ZERO + TICK, &mut rng);
        near(direction.rate, rate);
    }
}

/// Two of five reflectors are slow: the third smallest difference is that of the others.
#[test]
fn the_third_smallest_difference_counts() {
    let mut sqm = SqmAutorate::new(limits(), 1);
    for (id, quick) in [(0, 90.0), (1, 25.0), (2, 21.0), (3, 20.0), (4, 95.0)] {
        let means = Means { quick, slow: 20.0 };
        let means = Both { up: means, down: means };
        sqm.reflectors.push(Reflector { id: ReflectorId(id), means, heard: Time::ZERO });
    }
    assert_eq!(sqm.delta(Heading::Up, Time::ZERO), Some(5.0));
    // After 5 s none is fresh, and one after the other is replaced.
    assert_eq!(sqm.delta(Heading::Up, Time::from_secs(5)), None);
    assert_eq!(sqm.late(Time::from_secs(5)), Some(ReflectorId(0)));
}

#[test]
fn without_load_and_delay_nothing_changes() {
    let mut bench = Bench::new(Rules::SqmAutorate);
    bench.run(Span::from_secs(10), IDLE, 5, 20.0);
    near(bench.down(), 12.0);
    bench.run(Span::from_millis(500), DOWN, 5, 20.0);
    assert!(bench.down() > 12.6);
}
