//! A decision as people and programs read it.

use autorate::{Blindness, Both, Decision, Heading, Limits, Reason};
use results::{AutorateBlind, AutorateDirection, AutorateReason, AutorateSource, AutorateState};
use units::{Bytes, Rate, Span, Time};

/// The time over which the rate that crossed the line is told.
const SECOND: Span = Span::from_secs(1);

/// The rate that crossed the line in the last whole second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Carried {
    mbit: f64,
    bytes: Bytes,
    /// The time at which the present second began; `None` before the first byte.
    began: Option<Time>,
}

impl Carried {
    /// Adds the bytes of a tick.
    pub(crate) fn add(&mut self, bytes: Bytes, now: Time) {
        let began = *self.began.get_or_insert(now);
        self.bytes += bytes;
        let span = now.since(began);
        if span >= SECOND {
            self.mbit = self.bytes.0 as f64 * 8.0 / 1e6 / span.as_secs_f64();
            (self.bytes, self.began) = (Bytes::ZERO, Some(now));
        }
    }
}

/// The state of rules that have decided so.
pub(crate) fn state(
    source: AutorateSource,
    decision: &Decision,
    limits: Both<Limits>,
    carried: Both<Carried>,
    now: Time,
) -> AutorateState {
    let direction = |heading: Heading| {
        let (rate, limits) = (decision.rates[heading], limits[heading]);
        AutorateDirection {
            rate_mbit: mbit(rate),
            reason: reason(decision.reasons[heading]),
            carried_mbit: carried[heading].mbit,
            minimum_mbit: mbit(limits.minimum()),
            base_mbit: mbit(limits.base()),
            maximum_mbit: mbit(limits.maximum()),
        }
    };
    AutorateState {
        source,
        blind: decision.blind.map(|blind| match blind.cause {
            Blindness::Silent => AutorateBlind::Silent,
            Blindness::Dead => AutorateBlind::Dead,
        }),
        blind_s: decision.blind.map(|blind| now.since(blind.since).as_secs_f64()),
        up: direction(Heading::Up),
        down: direction(Heading::Down),
    }
}

const fn reason(reason: Reason) -> AutorateReason {
    match reason {
        Reason::Hold => AutorateReason::Hold,
        Reason::Bloated => AutorateReason::Bloated,
        Reason::Draining => AutorateReason::Draining,
        Reason::Drained => AutorateReason::Drained,
        Reason::Loaded => AutorateReason::Loaded,
        Reason::Idle => AutorateReason::Idle,
        Reason::NotOurs => AutorateReason::NotOurs,
        Reason::Blind => AutorateReason::Blind,
    }
}

fn mbit(rate: Rate) -> f64 {
    rate.bits_per_sec() as f64 / 1e6
}
