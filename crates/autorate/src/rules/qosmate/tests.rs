use units::Span;

use crate::rules::tests::{Bench, DOWN, IDLE, near};
use crate::{Both, Rules};

#[test]
fn a_slow_ping_cuts_once_a_second_down_to_a_quarter() {
    let mut bench = Bench::new(Rules::Qosmate);
    bench.run(Span::from_secs(2), IDLE, 3, 20.0);
    bench.tick(DOWN, 3, 31.0);
    near(bench.down(), 20.0 * 0.85);
    bench.tick(DOWN, 3, 31.0);
    near(bench.down(), 20.0 * 0.85);
    bench.tick(DOWN, 3, 31.0);
    near(bench.down(), 20.0 * 0.85 * 0.85);
    bench.run(Span::from_secs(20), DOWN, 3, 31.0);
    // A quarter of the base and the user's minimum are the same.
    near(bench.down(), 5.0);
}

/// The upload is idle while the download is loaded, so that only the download is cut.
#[test]
fn an_idle_direction_is_not_cut_for_the_other() {
    let mut bench = Bench::new(Rules::Qosmate);
    bench.run(Span::from_secs(2), IDLE, 3, 20.0);
    bench.run(Span::from_secs(2), DOWN, 3, 40.0);
    near(bench.up(), 20.0);
    let half = Both { up: 0.6, down: 1.0 };
    bench.tick(half, 3, 40.0);
    near(bench.up(), 20.0 * 0.85);
}

#[test]
fn a_quick_ping_raises_by_a_fiftieth_each_three_seconds_to_105_percent() {
    let mut bench = Bench::new(Rules::Qosmate);
    bench.run(Span::from_secs(3), DOWN, 3, 20.0);
    near(bench.down(), 20.0 * 1.02);
    bench.run(Span::from_secs(3), DOWN, 3, 24.0);
    near(bench.down(), 20.0 * 1.02 * 1.02);
    bench.run(Span::from_secs(9), DOWN, 3, 20.0);
    near(bench.down(), 21.0);
}
