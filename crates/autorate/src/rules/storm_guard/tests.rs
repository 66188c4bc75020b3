use units::Span;

use crate::Rules;
use crate::rules::tests::{Bench, DOWN, IDLE, near};

fn settled() -> Bench {
    let mut bench = Bench::new(Rules::StormGuard);
    bench.run(Span::from_secs(5), IDLE, 3, 100.0);
    bench
}

/// At a round trip of 100 ms: 10 % more lowers by 5 %, 20 % more by 12 %, with pauses of 3.75 s and
/// 7.5 s.
#[test]
fn delays_in_proportion_lower_the_rate() {
    let mut bench = settled();
    bench.tick(DOWN, 3, 111.0);
    near(bench.down(), 20.0 * 0.95);
    bench.run(Span::from_secs(3), DOWN, 3, 112.0);
    near(bench.down(), 20.0 * 0.95);
    bench.tick(DOWN, 3, 125.0);
    near(bench.down(), 20.0 * 0.95 * 0.88);
    bench.run(Span::from_secs(7), DOWN, 3, 130.0);
    near(bench.down(), 20.0 * 0.95 * 0.88);
}

#[test]
fn the_rate_stays_above_half_of_the_base() {
    let mut bench = settled();
    for _ in 0..8 {
        bench.run(Span::from_secs(8), DOWN, 3, 400.0);
    }
    near(bench.down(), 10.0);
}

/// The first rise is by 15 %, since the rate is the base; the next comes ten seconds later.
#[test]
fn load_without_delay_raises_the_rate_each_ten_seconds() {
    let mut bench = settled();
    bench.tick(DOWN, 3, 100.0);
    near(bench.down(), 20.0 * 1.15);
    bench.run(Span::from_secs(9), DOWN, 3, 100.0);
    near(bench.down(), 20.0 * 1.15);
    bench.tick(DOWN, 3, 100.0);
    near(bench.down(), 20.0 * 1.15 * 1.15);
    // Below the base it rises by 30 %.
    let mut low = settled();
    low.tick(DOWN, 3, 130.0);
    low.run(Span::from_secs(7), IDLE, 3, 100.0);
    low.tick(DOWN, 3, 100.0);
    near(low.down(), 20.0 * 0.88 * 1.30);
}
