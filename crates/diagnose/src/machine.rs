//! Evidence against the measuring machines: their lateness looks like a queue.

use results::{Finding, FindingKind};
use stats::{ascending, quantile};

use crate::signs::Signs;
use crate::spread::Weighted;
use crate::view::View;
use crate::window::Window;

/// The part above which a processor is full.
const FULL: f64 = 0.95;

/// The part of a processor above which the test may be the reason that the processor is full.
const MUCH: f64 = 0.3;

/// Seconds above which no machine causes a wait, if its probes are in time.
const SHORT: f64 = 0.03;

/// Seconds of lateness that do not affect a measurement.
const LATE: f64 = 2e-3;

/// The part of packets' waits from which lateness accounts for too much of them.
const OF_THE_WAIT: f64 = 0.1;

/// Seconds of lateness that a machine with enough time hardly ever has.
const STALLED: f64 = 10e-3;

/// The part of the longest waits from which stalls account for too much of them.
const OF_THE_LONGEST: f64 = 0.05;

/// The lateness of this machine in the window, in seconds: the median and the 95th percentile of
/// the greatest lateness in each sample.
pub(crate) fn lateness(view: &View<'_>, window: &Window) -> [f64; 2] {
    let within = |at: f64| (window.from..window.to).contains(&at);
    let ours = view.seen.host.iter().filter(|one| within(view.clock.ours(one.at)));
    let late = Weighted::evenly(ours.map(|one| one.lateness.as_secs_f64()));
    [0.5, 0.95].map(|part| late.quantile(part).unwrap_or(0.0))
}

/// True if a machine with this median lateness is late by too large a part of packets' waits. Both
/// are in seconds.
pub fn is_late(late: f64, waits: f64) -> bool {
    late > LATE.max(OF_THE_WAIT * waits)
}

/// True if a machine with this 95th percentile of lateness stalls for too large a part of the 95th
/// percentile of packets' waits. Both are in seconds.
fn stalls(late: f64, waits: f64) -> bool {
    late > STALLED.max(OF_THE_LONGEST * waits)
}

/// True if a machine is no faster because its processor is full, and the test itself takes much of
/// it, while nothing waits for long. `waits` is in seconds; the other two are parts of one
/// processor, usually medians, and `None` if not known.
pub fn is_slow(waits: f64, busiest: Option<f64>, own: Option<f64>) -> bool {
    let is_more = |part: Option<f64>, bound| part.is_some_and(|part| part > bound);
    waits < SHORT && is_more(busiest, FULL) && is_more(own, MUCH)
}

/// The finding that a machine was the limit; `None` if this machine and the server had enough time.
///
/// A machine is the limit if its usual lateness is too large a part of packets' waits; if it
/// stalls, as the guest of a busy host does; or if nothing waits for long, its processor or the
/// server's is full, and the test takes much of that processor, so that the machine cannot send
/// faster.
pub(crate) fn machine(view: &View<'_>, window: &Window, signs: &Signs) -> Option<Finding> {
    let within = |at: f64| (window.from..window.to).contains(&at);
    let ours = || view.seen.host.iter().filter(|one| within(view.clock.ours(one.at)));
    let ours_is = [
        quantile(&ascending(ours().filter_map(|one| one.busiest)), 0.5),
        quantile(&ascending(ours().filter_map(|one| one.own)), 0.5),
    ];
    let mut theirs = view.clock.theirs();
    let server = view.seen.server.iter().map(|one| (theirs(one.at), one.busiest, one.own));
    let server: Vec<_> = server.filter(|(at, ..)| within(*at)).collect();
    let theirs_is = [
        quantile(&ascending(server.iter().filter_map(|one| one.1)), 0.5),
        quantile(&ascending(server.iter().filter_map(|one| one.2)), 0.5),
    ];
    let [usual, ever] = waits(signs);
    let [late, stalled] = signs.late;
    let is_late = is_late(late, usual) || stalls(stalled, usual);
    let is_slow = [ours_is, theirs_is].iter().any(|[busiest, own]| is_slow(ever, *busiest, *own));
    let is_full = ours_is[0].is_some_and(|part| part > FULL);
    (is_late || is_slow).then(|| Finding {
        kind: FindingKind::MachineLimits,
        amount: stats::finite(stalled * 1e3).filter(|_| is_late),
        confidence: if is_late && is_full { 0.95 } else { 0.85 },
    })
}

/// The 95th percentiles of packets' waits in seconds, in the window and in the whole stage: those
/// of probes, or, where none came through, the load's own wait.
fn waits(signs: &Signs) -> [f64; 2] {
    let by_probes = signs.stage.probes > 0.0;
    if by_probes { [signs.settled.p95, signs.stage.p95] } else { [signs.flows; 2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_by_little_of_what_packets_wait_has_time_enough() {
        // A machine of a busy home: late by some milliseconds now and then.
        assert!(!is_late(1.9e-3, 5e-3) && !stalls(9e-3, 5e-3));
        // As late as the waits, usually, or now and then.
        assert!(is_late(8e-3, 10e-3) && stalls(16e-3, 180e-3));
        // Beside a queue of half a second this does not matter.
        assert!(!is_late(8e-3, 0.5) && !stalls(16e-3, 0.5));
    }
}
