//! The finding that the server's own bound limited a direction.
//!
//! A server may bound its rate in each direction (`unbloat serve --max-rate`), and says so. A load
//! that comes as near to the bound as TCP does to any limit has met it: then nothing is known of
//! the path's queue, and packets wait at the server.

use results::{
    DelaySpread, Finding, FindingKind, LoadedDirection, Measurement, QueueFinding, QueueKind,
};
use units::Rate;

use crate::flow::FULL;
use crate::held::HELD_BACK;
use crate::view::View;
use crate::window::Window;

/// The part of a bound from which the bound is the limit. The bound counts bytes read and written;
/// on the path headers add a twentieth to that.
const NEAR: f64 = 0.95;

/// The part of a bound from which the bound is the limit where flows wait for a window. A server
/// that reads no faster closes the sender's window, and then it is the limit even if less than its
/// bound gets through, but not if much less does.
const HELD: f64 = 0.5;

/// Number of packets of a burst. A load that is bounded below the line's rate waits in the line for
/// no longer than bursts of this many packets take at that bound.
const BURST: f64 = 2.0;
/// The least and the greatest bound of that wait, in milliseconds: TCP sends several packets at a
/// time, and at a very low bound a packet takes as long as a queue.
const BURSTS: [f64; 2] = [5.0, 20.0];

/// Corrects the results of each direction that the server's bound limited: packets that wait at the
/// server show nothing of the path.
pub(crate) fn apply(view: &View<'_>, measurement: &mut Measurement) {
    let Some(bound) = view.seen.server_rate.map(Rate::as_mbit_f64) else { return };
    for (heading, direction) in measurement.loaded_mut() {
        let [from, to] = direction.window_s;
        let is_held =
            view.held_back(heading, &Window { from, to }).is_some_and(|part| part > HELD_BACK);
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

/// True if packets wait in the line. Of few probes only the longest delay is known, and bursts may
/// have caused that.
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
    use observation::Observations;

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
        // Few probes, with and without a queue.
        let few = |max| DelaySpread { max: Some(max), ..DelaySpread::default() };
        assert!(found_with(19.6, few(1.0)).findings.len() == 1);
        assert!(found_with(19.6, few(80.0)).findings.is_empty());
        // Less than the bound, or as much with a queue.
        for line in [found(15.0, 1.0), found(19.6, 80.0), found(19.6, 6.0)] {
            assert!(line.saturated && line.findings.is_empty());
        }
    }
}
