//! The evidence of a conclusion, as data.

use observation::Heading;
use results::{DelayStep, Evidence, HopDelay, PathDelay};

use super::judgement::Step;
use super::path::ProbedPath;
use super::shares::{TooSmall, Witness, Witnesses};

/// The evidence of a delay that is too short to be placed.
pub(super) fn too_small(small: &TooSmall) -> Evidence {
    Evidence::TooSmall { added_ms: small.typical * 1e3 }
}

/// The evidence of a step: the delays of the witnesses around it, without the client's Wi-Fi.
pub(super) fn step(
    witnesses: &Witnesses,
    path: &ProbedPath<'_>,
    heading: Heading,
    step: Step,
) -> DelayStep {
    let (before, behind) = witnesses.around(step);
    let first = before.map_or(1, |witness| witness.hop + 1);
    let end = behind.map_or(path.server(), |witness| witness.hop);
    DelayStep {
        path: whole(witnesses, heading),
        hops: [before, behind].into_iter().flatten().map(|it| added(it, path)).collect(),
        silent: (end > first).then(|| [first, end - 1]),
        server_answered: path.is_server_found(),
        wireless: None,
    }
}

/// The evidence without a step: the delays of all witnesses.
pub(super) fn contradictory(
    witnesses: &Witnesses,
    path: &ProbedPath<'_>,
    heading: Heading,
) -> Evidence {
    let hops = witnesses.iter().map(|witness| added(witness, path)).collect();
    Evidence::Contradictory { path: whole(witnesses, heading), hops }
}

/// The evidence of a step behind all routers, whose answers may have bypassed the queue.
pub(super) fn bypassed(witnesses: &Witnesses, heading: Heading) -> Evidence {
    Evidence::Bypassed { path: whole(witnesses, heading) }
}

fn whole(witnesses: &Witnesses, heading: Heading) -> PathDelay {
    PathDelay { heading, added_ms: witnesses.typical * 1e3 }
}

fn added(witness: &Witness, path: &ProbedPath<'_>) -> HopDelay {
    let Witness { hop, added, .. } = *witness;
    HopDelay { hop, address: path.address(hop), added_ms: added * 1e3 }
}
