//! Times without a unit: `rtt 20` is 20 microseconds in tc(8).

use results::{Fault, FaultName, Severity};
use units::Span;

use crate::fault::{Told, fault};
use crate::scene::{Scene, Shaped};

/// Round trips between which flows lie that use a line, in microseconds: 1 ms to 10 s.
const BOUNDS: std::ops::RangeInclusive<i64> = 1000..=10_000_000;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(scene.shapers().filter(Shaped::is_cake).filter_map(mistyped));
}

fn mistyped(shaped: Shaped<'_>) -> Option<Fault> {
    let micros = shaped.queue.number("rtt").filter(|micros| !BOUNDS.contains(micros))?;
    // Whoever typed the milliseconds without a unit meant them.
    let meant = if (5..1000).contains(&micros) { micros } else { 100 };
    let found = fault(FaultName::RttMistyped, Severity::Wrong, &shaped.queue.device)
        .seen("rtt", Span::from_micros(micros.unsigned_abs()));
    Some(found.cured("Write the unit.", shaped.change(&format!("rtt {meant}ms"))))
}
