//! Was it the server's own bound that limited a direction?
//!
//! A server may bound what it sends and takes (`unbloat serve --max-rate`), and says so. Who comes so
//! near to the bound as TCP does to any has met it: then nothing is known of the path's queue, and
//! what waits does so at the server.

use results::{
    DelaySpread, Finding, FindingKind, LoadedDirection, Measurement, QueueFinding, QueueKind,
};
use units::Rate;

use crate::conclusions::loaded_mut;
use crate::direction::View;
use crate::flow::FULL;
use crate::limit::{HELD_BACK, held_back};

/// So near to a bound it is what limits. It counts what is read and written; on the path headers add
/// a twentieth to that.
const NEAR: f64 = 0.95;

/// A server that reads no faster closes the window of who sends to it, and then it is the limit also
/// where less than its bound gets through; but not where it is much less.
const HELD: f64 = 0.5;

/// What is held back to a bound below the line's rate does not wait in the line: for no longer than bursts of so many
/// packets take at that bound,
const BURST: f64 = 2.0;
/// and for no less and no more than this, in milliseconds: TCP sends several packets at a time, and of a bound so low a
/// packet takes as long as a queue.
const BURSTS: [f64; 2] = [5.0, 20.0];

/// Takes back what a server's bound makes up.
pub(crate) fn apply(view: &View<'_>, measurement: &mut Measurement) {
    let Some(bound) = view.seen.server_rate.map(Rate::as_mbit_f64) else { return };
    for (heading, direction) in loaded_mut(measurement) {
        let [from, to] = direction.window_s;
        let is_held = held_back(view, heading, from, to).is_some_and(|part| part > HELD_BACK);
        let waits = waits(&direction.added_delay_ms, bound);
        let least = match (is_held, waits) {
            (true, false) => HELD,
            (false, true) => continue,
            _ => NEAR,
        };
        if direction.goodput_mbit.is_some_and(|mbit| mbit >= least * bound) {
            limited(direction, bound);
        }
    }
}

/// Do packets wait in the line? Of few probes the longest delay alone is known, which bursts make up too.
fn waits(added: &DelaySpread, bound: f64) -> bool {
    let [least, most] = BURSTS;
    let packet = 8e-3 * FULL / bound;
    let typical = added.p50.map(|millis| millis > (BURST * packet).clamp(least, most));
    typical.or(added.max.map(|millis| millis > most)).unwrap_or(false)
}

fn limited(direction: &mut LoadedDirection, bound: f64) {
    let kind = FindingKind::ServerRate;
    direction.findings.insert(0, Finding { kind, amount: Some(bound), confidence: 0.99 });
    direction.queue = Some(QueueFinding { kind: QueueKind::Unknown, confidence: 0.0 });
    (direction.buffer, direction.saturated) = (None, false);
}

#[cfg(test)]
mod tests {
    use results::observation::Observations;

    use super::*;

    fn found(goodput: f64, waits: f64) -> LoadedDirection {
        found_with(goodput, DelaySpread { p50: Some(waits), ..DelaySpread::default() })
    }

    fn found_with(goodput: f64, added_delay_ms: DelaySpread) -> LoadedDirection {
        let queue = Some(QueueFinding { kind: QueueKind::Aqm, confidence: 0.95 });
        let goodput_mbit = Some(goodput);
        let saturated = true;
        let download = LoadedDirection {
            queue,
            goodput_mbit,
            added_delay_ms,
            saturated,
            ..Default::default()
        };
        let mut measurement = Measurement { download: Some(download), ..Measurement::default() };
        let server_rate = Rate::from_bits_per_sec(20_000_000);
        let seen = Observations { server_rate, ..Observations::default() };
        apply(&View::new(&seen), &mut measurement);
        measurement.download.unwrap_or_default()
    }

    #[test]
    fn a_server_that_is_the_limit_tells_nothing_of_the_line() {
        let limited = found(19.6, 1.0);
        assert_eq!(limited.findings[0].kind, FindingKind::ServerRate);
        assert_eq!(limited.queue.map(|queue| queue.kind), Some(QueueKind::Unknown));
        assert!(!limited.saturated);
        // Few probes, and a queue stands.
        let few = |max| DelaySpread { max: Some(max), ..DelaySpread::default() };
        assert!(found_with(19.6, few(1.0)).findings.len() == 1);
        assert!(found_with(19.6, few(80.0)).findings.is_empty());
        // Less, or as much, but a queue stands.
        for line in [found(15.0, 1.0), found(19.6, 80.0), found(19.6, 6.0)] {
            assert!(line.saturated && line.findings.is_empty());
        }
    }
}
