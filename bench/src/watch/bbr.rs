//! Flows with BBR, version 1: they fill a queue when they begin, and then keep a short one or none.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00, sections 4.3.2 to 4.3.5.

use observed::between;
use units::Rng;

use super::home::uniform;

/// The bytes of the first round trip: ten segments (RFC 6928).
const INITIAL: f64 = 15_000.0;
/// The gain with which a flow begins, 2/ln 2, and the rounds at that rate in which it sees that the line is full.
const STARTUP: f64 = 2.885;
const FULL_ROUNDS: f64 = 3.0;
/// The rounds in which the queue of the beginning is drained, at most.
const DRAIN_ROUNDS: f64 = 8.0;
/// The gains of the eight rounds of a cycle are 5/4, 3/4, and six times 1.
const PROBE: f64 = 0.25;
const CYCLE: u64 = 8;
/// The queue in round trips beyond which a flow sends nothing new: it has two round trips in flight at most.
const MOST: f64 = 1.0;
/// Each ten seconds, nearly nothing is sent for a fifth of a second, to see the round trip of the empty line.
const PROBE_RTT_EVERY: f64 = 10.0;
const PROBE_RTT: f64 = 0.2;

/// The flows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bbr {
    /// The round trip in seconds of their path without a queue.
    pub(super) round_trip: f64,
    /// The queue that they keep, in round trips: none for one flow, up to one for many, each of which takes the line
    /// for a little faster than it is.
    pub(super) standing: f64,
}

impl Bbr {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let round_trip = between(rng, 0.01, 0.2);
        let standing = if rng.below(2) == 0 { 0.0 } else { uniform(rng, 0.2, 1.0) };
        Self { round_trip, standing }
    }

    /// The rate at which the flows send, so many seconds after their beginning, as a multiple of the line's rate.
    /// `rate` is that one in bytes a second, `queue_s` its queue in seconds.
    pub(super) fn sends(self, since: f64, rate: f64, queue_s: f64) -> f64 {
        let (rounds, queue) = (since / self.round_trip, queue_s / self.round_trip);
        let first = INITIAL / self.round_trip / rate;
        // The rate doubles in each round.
        let filled = libm::log2(1.0 / first).max(0.0);
        let keep = |least: f64, fill: f64, drain: f64| match queue {
            _ if queue < least => fill,
            _ if queue > least => drain,
            _ => 1.0,
        };
        match rounds {
            _ if rounds < filled => first * libm::exp2(rounds),
            _ if rounds < filled + FULL_ROUNDS => keep(STARTUP - 1.0, STARTUP, 1.0),
            _ if rounds < filled + FULL_ROUNDS + DRAIN_ROUNDS => {
                keep(self.standing, 1.0, 1.0 / STARTUP)
            }
            _ if since % PROBE_RTT_EVERY > PROBE_RTT_EVERY - PROBE_RTT => first.min(0.1),
            _ if queue > MOST + PROBE => 1.0 - PROBE,
            _ => match rounds as u64 % CYCLE {
                0 => keep(self.standing + PROBE, 1.0 + PROBE, 1.0),
                1 => keep(self.standing, 1.0, 1.0 - PROBE),
                _ => keep(self.standing, 1.0 + PROBE, 1.0),
            },
        }
    }
}
