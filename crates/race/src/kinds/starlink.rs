//! A line of Starlink: a new satellite, a new rate and a new path each 15 s.
//!
//! All terminals share a clock with slots of 15 s (Dishylink PR 22; cake-autorate issue 393). Within
//! a slot the rate varies by some percent; at its beginning the line carries nothing for a moment.

use autorate::{Both, Heading};
use libm::sqrt;
use units::{Rng, Span};

use crate::Course;
use crate::course::steps;
use crate::line::{Detours, Trouble};
use crate::random::{normal, uniform};

const SLOT: Span = Span::from_secs(15);
/// The rates of a slot, in bits per second.
const RATES: Both<(f64, f64)> = Both { up: (4e6, 14e6), down: (25e6, 90e6) };
/// The deviation of the rate within a slot, in parts of it, and how much of it is left after a
/// step.
const DEVIATION: f64 = 0.08;
const MEMORY: f64 = 0.9;
/// The steps in which a new slot carries nothing.
const GAP_STEPS: usize = 1;
/// The longest detour of a slot, in milliseconds.
const DETOUR_MS: f64 = 12.0;

pub(super) fn courses(time: Span, rng: &mut Rng) -> Both<Course> {
    let in_slot = steps(SLOT);
    // The clock of the slots began before the run.
    let offset = rng.below(in_slot as u64) as usize;
    Both::new(|heading: Heading| {
        let (least, most) = RATES[heading];
        let (mut level, mut wander) = (uniform(rng, least, most), 0.0);
        let mut rates = Vec::new();
        for step in 0..steps(time) {
            let of_slot = (step + offset) % in_slot;
            if of_slot == 0 {
                level = uniform(rng, least, most);
            }
            wander = MEMORY * wander + sqrt(1.0 - MEMORY * MEMORY) * normal(rng);
            let rate = level * (1.0 + DEVIATION * wander).max(0.2);
            rates.push(if of_slot < GAP_STEPS { 0.0 } else { rate });
        }
        Course::even(rates)
    })
}

/// The paths of the slots. They change when slots of their own clock begin, so that neither tells
/// the other.
pub(super) fn trouble(time: Span, rng: &mut Rng) -> Trouble {
    let slots = time.as_nanos() / SLOT.as_nanos() + 1;
    let longer_ms = (0..slots).map(|_| uniform(rng, 0.0, DETOUR_MS)).collect();
    Trouble {
        noise_ms: 2.0,
        detours: Some(Detours { every: SLOT, longer_ms }),
        ..Trouble::default()
    }
}
