//! Limits of the test itself: what may have bounded its figures, or made it other than planned.

use observation::{Ended, Heading, Load, Observations};
use results::{Limit, LoadedDirection, Measurement, ProcessorLoad, Processors};

use crate::signs::NO_LOSS;
use crate::view::View;
use crate::window::Window;

/// The busy part above which a processor is too busy.
const BUSY: f64 = 0.9;

/// The lateness above which probes are late, in seconds.
const LATE: f64 = 2e-3;

/// The lateness above which a machine has too little time for its work, in seconds.
const TOO_LATE: f64 = 10e-3;

/// The part of the time for which an end holds the flows back, above which the end limits the rate
/// more often than the path does.
const MOSTLY: f64 = 0.5;

/// The gap between probes, in seconds, above which the machine must have slept.
const ASLEEP: f64 = 2.0;

/// All limits that apply, the weightiest first.
pub(crate) fn limits(view: &View<'_>, found: &Measurement) -> Vec<Limit> {
    let mut limits = Vec::new();
    limits.extend(ends(view.seen));
    limits.extend(view.is_by_handshakes.then_some(Limit::UdpBlocked));
    let both = found.both.as_ref();
    // A load of one direction alone shows more of it than a load of both.
    let download = found.download.as_ref().or(both.map(|both| &both.download));
    let upload = found.upload.as_ref().or(both.map(|both| &both.upload));
    for (heading, found) in [(Heading::Down, download), (Heading::Up, upload)] {
        limits.extend(found.map(|found| of_direction(view, heading, found)).unwrap_or_default());
    }
    limits.extend(idle(view));
    if processors_matter(view, found) {
        limits.extend(found.processors.into_iter().flat_map(of_processors));
    }
    limits.extend(of_machines(view));
    limits
}

fn ends(seen: &Observations) -> Option<Limit> {
    seen.stages.iter().rev().find_map(|stage| match stage.ended {
        Ended::Lost => Some(Limit::Lost),
        Ended::LargeLost => Some(Limit::LargeLost),
        Ended::StoodStill => Some(Limit::StoodStill),
        Ended::Interrupted => Some(Limit::Interrupted),
        _ => None,
    })
}

fn of_direction(view: &View<'_>, heading: Heading, found: &LoadedDirection) -> Vec<Limit> {
    let mut limits = Vec::new();
    let [from, to] = found.window_s;
    if found.findings.iter().any(|finding| finding.kind.forbids_kind()) {
        // The findings name the limit already.
        return limits;
    }
    let held_back = view.held_back(heading, &Window { from, to });
    limits.extend(
        held_back.filter(|part| *part > MOSTLY).map(|part| Limit::HeldBack { heading, part }),
    );
    // A queue that drops has been full.
    let mut lost = found.retransmitted.into_iter().chain(found.loss);
    let drops = lost.any(|part| part > NO_LOSS);
    let growth = growth(view.seen, heading);
    limits.extend(growth.filter(|one| !(drops && matches!(one, Limit::StillGrowing { .. }))));
    if found.congestion.starts_with("bbr") {
        limits.push(Limit::GentleSenders { heading });
    }
    limits
}

/// A limit if the queue grew for longer than planned; `None` otherwise. Stages of small packets do
/// not count, and while both directions are loaded the growing queue may be the other one's.
fn growth(seen: &Observations, heading: Heading) -> Option<Limit> {
    let is_alone = seen.stages.iter().any(|stage| stage.load == Load::One(heading));
    let wanted = if is_alone { Load::One(heading) } else { Load::Both };
    let stages = || seen.stages.iter().filter(move |stage| stage.load == wanted);
    if stages().any(|stage| stage.ended == Ended::StillGrowing) {
        return Some(Limit::StillGrowing { heading });
    }
    let longer =
        stages().find(|stage| stage.load == Load::One(heading) && stage.ended == Ended::Settled)?;
    let duration_s = longer.end.since(longer.start).as_secs_f64();
    Some(Limit::Extended { heading, duration_s })
}

/// Limits if there was hardly ever a time without a queue, or if there was a queue before the load.
fn idle(view: &View<'_>) -> Vec<Limit> {
    const NOTICED: f64 = 10e-3;
    const RARE: f64 = 0.05;
    // Traffic that keeps a queue from ever being empty may leave it nearly so now and then.
    const EMPTY: f64 = 1.5e-3;
    let mut limits = Vec::new();
    for heading in [Heading::Up, Heading::Down] {
        let passages = view.passages.heading(heading);
        let unloaded = view.seen.stages.iter().filter(|stage| !stage.load.loads(heading));
        let waits: Vec<f64> = unloaded
            .flat_map(|stage| Window::of(stage, &view.clock).waits(passages))
            .map(|(_, wait)| wait)
            .collect();
        let before = view.noise(heading).1;
        let empty = if before > NOTICED { EMPTY } else { NOTICED };
        let free = waits.iter().filter(|wait| **wait < empty).count() as f64;
        if stats::ratio(free, waits.len() as f64).is_some_and(|part| part < RARE) {
            limits.push(Limit::NeverIdle { heading });
        }
        if before > NOTICED {
            limits.push(Limit::LoadedBefore { heading, delay_ms: before * 1e3 });
        }
    }
    limits
}

/// True if busy processors matter. A full processor alone shows nothing: other programs may use it.
/// It matters if it delayed probes, or if the processor and not the line may have been the limit.
fn processors_matter(view: &View<'_>, found: &Measurement) -> bool {
    let is_unfilled = found.judged().any(|(_, direction)| !direction.saturated);
    latest(view.seen) > TOO_LATE || is_unfilled
}

/// The worst lateness of a probe, in seconds.
fn latest(seen: &Observations) -> f64 {
    seen.host.iter().map(|sample| sample.lateness.as_secs_f64()).fold(0.0, f64::max)
}

fn of_processors(found: Processors) -> impl Iterator<Item = Limit> {
    let too_busy = |busy: ProcessorLoad| busy.busiest.filter(|part| *part > BUSY);
    let ours = too_busy(found.client).map(|part| Limit::ProcessorBusy { part });
    let theirs = too_busy(found.server).map(|part| Limit::ServerProcessorBusy { part });
    ours.into_iter().chain(theirs)
}

fn of_machines(view: &View<'_>) -> Vec<Limit> {
    let seen = view.seen;
    let mut limits = Vec::new();
    let late = latest(seen);
    if late > LATE {
        limits.push(Limit::LateProbes { delay_ms: late * 1e3 });
    }
    if seen.other_tests > 0 {
        limits.push(Limit::ServerShared { count: seen.other_tests.into() });
    }
    if !seen.rebinds.is_empty() {
        limits.push(Limit::AddressChanged { count: seen.rebinds.len() as u64 });
    }
    let stepped = |by: f64| Limit::ClockStepped { delay_ms: by * 1e3 };
    limits.extend(view.clock.steps.iter().map(|step| stepped(step.by)));
    limits.extend(slept(view).map(|duration_s| Limit::Slept { duration_s }));
    limits
}

/// The longest time without a probe, in seconds, if it is so long that the machine must have slept;
/// `None` otherwise.
fn slept(view: &View<'_>) -> Option<f64> {
    if view.is_by_handshakes {
        // Connections beside the load wait for one another, so gaps between them are no sleep.
        return None;
    }
    let up = &view.passages.up;
    let gaps = up.windows(2).map(|pair| pair[1].at - pair[0].at);
    Some(gaps.fold(0.0, f64::max)).filter(|gap| *gap > ASLEEP)
}

#[cfg(test)]
mod tests {
    use observation::Stage;
    use units::Time;

    use super::*;

    #[test]
    fn a_queue_that_grows_beside_the_other_direction_s_is_not_this_one_s() {
        let stage = |load, ended, from: u64| {
            let (start, end) = (Time::from_secs(from), Time::from_secs(from + 5));
            Stage { load, start, end, ended }
        };
        let up = Load::One(Heading::Up);
        let both = stage(Load::Both, Ended::StillGrowing, 10);
        let growth = |stages: &[Stage]| {
            let seen = Observations { stages: stages.to_vec(), ..Observations::default() };
            super::growth(&seen, Heading::Up)
        };
        let grows = Some(Limit::StillGrowing { heading: Heading::Up });
        assert_eq!(growth(&[stage(up, Ended::Planned, 0), both]), None);
        assert_eq!(growth(&[stage(up, Ended::StillGrowing, 0)]), grows);
        assert_eq!(growth(&[both]), grows, "all that is known of it");
    }
}
