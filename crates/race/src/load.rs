//! The load, which comes and goes.

use autorate::{Both, Heading};
use units::{Rng, Span, Time};

use crate::period::Period;
use crate::random::{chance, uniform};

/// A time with the same load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) period: Period,
    /// The number of transfers in each direction.
    pub(crate) transfers: Both<u32>,
    /// True if the far server has the other end, and not the near one.
    pub(crate) is_far: bool,
}

impl Phase {
    /// True if the direction is loaded.
    pub(crate) fn loads(&self, heading: Heading) -> bool {
        self.transfers[heading] > 0
    }
}

/// The length of a phase, in seconds.
const SECONDS: (f64, f64) = (5.0, 15.0);

/// The phases of a run of this length: idle ones, and load in one direction or both.
pub(crate) fn phases(time: Span, rng: &mut Rng) -> Vec<Phase> {
    let end = Time::ZERO + time;
    let mut phases: Vec<Phase> = Vec::new();
    let mut from = Time::ZERO;
    let mut was_idle = true;
    while from < end {
        let (length, is_far) = (uniform(rng, SECONDS.0, SECONDS.1), chance(rng, 0.4));
        let span = if phases.is_empty() { 3.0 } else { length };
        let to = (from + Span::from_millis((span * 1e3) as u64)).min(end);
        let transfers = if phases.is_empty() { Both::default() } else { drawn(was_idle, rng) };
        was_idle = transfers == Both::default();
        phases.push(Phase { period: Period { from, to }, transfers, is_far });
        from = to;
    }
    phases
}

/// Phases of a run of this length, all of them with load in both directions.
pub(crate) fn in_both_directions(time: Span, rng: &mut Rng) -> Vec<Phase> {
    let loaded = |phase: Phase| Phase { transfers: phase.transfers.map(|it| it.max(1)), ..phase };
    phases(time, rng).into_iter().map(loaded).collect()
}

/// The transfers of a phase. Two idle phases do not follow each other.
fn drawn(was_idle: bool, rng: &mut Rng) -> Both<u32> {
    let count = |rng: &mut Rng| 1 + rng.below(3) as u32;
    match rng.below(if was_idle { 8 } else { 10 }) {
        0..4 => Both { up: 0, down: count(rng) },
        4..6 => Both { up: count(rng), down: 0 },
        6..8 => Both { up: count(rng), down: count(rng) },
        _ => Both::default(),
    }
}
