//! What a rule costs: the delay that it lets others suffer, and the goodput that it takes away.
//!
//! Both are about the time in which something is transferred while the line lives. The delay is that
//! of a packet of a new flow through both queues of both directions, beyond 30 ms, as a mean over
//! time: a call bears 30 ms (ITU-T G.114 has 150 ms for all that lies between mouth and ear), a page
//! hides them. Goodput is lost against the oracle on the same line with the same load, as a mean of
//! the directions that had load. More goodput than the oracle's is no gain: it comes with delay.
//!
//! One percent of goodput costs as much as a millisecond of mean delay: halving the rate is as bad as
//! 50 ms for all.

use autorate::{Both, Heading};
use units::Time;

use crate::line::Line;

/// The delay that costs nothing, in milliseconds.
pub(crate) const FREE_MS: f64 = 30.0;

/// The percent of goodput that cost as much as a millisecond.
const PERCENT_FOR_MS: f64 = 1.0;

/// A line that carries less than this part of its base is dead: no rule can help.
const ALIVE: f64 = 0.05;

/// True if the delay at this time counts: something is transferred, and the line lives.
pub(crate) fn counts(line: &Line, now: Time) -> bool {
    let lives = |heading: &Heading| {
        line.courses[*heading].at(now) >= ALIVE * line.limits[*heading].base().bits_per_sec() as f64
    };
    let phase = line.load.iter().find(|phase| phase.period.contains(now));
    let is_loaded = phase.is_some_and(|it| Heading::BOTH.iter().any(|way| it.loads(*way)));
    is_loaded && Heading::BOTH.iter().all(lives)
}

/// The goodput that is lost against the oracle in each direction, in percent; `None` for a
/// direction without load.
pub(crate) fn lost_percent(goodput: Both<f64>, oracle: Both<f64>) -> Both<Option<f64>> {
    Both::new(|heading| {
        let best = oracle[heading];
        (best > 0.0).then(|| 100.0 * (1.0 - goodput[heading] / best).max(0.0))
    })
}

/// The cost.
pub(crate) fn cost(delay_ms: f64, lost: Both<Option<f64>>) -> f64 {
    let lost: Vec<f64> = Heading::BOTH.iter().filter_map(|it| lost[*it]).collect();
    let mean = lost.iter().sum::<f64>() / lost.len().max(1) as f64;
    delay_ms + mean * PERCENT_FOR_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percent_is_a_millisecond() {
        let oracle = Both { up: 10.0, down: 40.0 };
        let lost = lost_percent(Both { up: 5.0, down: 44.0 }, oracle);
        assert_eq!(lost, Both { up: Some(50.0), down: Some(0.0) });
        assert_eq!(cost(7.0, lost), 32.0);
        let only_down = lost_percent(Both { up: 0.0, down: 36.0 }, Both { up: 0.0, down: 40.0 });
        assert!((cost(0.0, only_down) - 10.0).abs() < 1e-9);
    }
}
