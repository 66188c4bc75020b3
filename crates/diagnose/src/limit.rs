//! Limits of the test itself: what may have bounded its figures, or made it other than planned.

use observation::{Ended, Heading, Load, Observations};
use results::{Busy, Claim, LoadedDirection, Measurement, Processors, Remark};

use crate::signs::NO_LOSS;
use crate::view::View;
use crate::window::Window;

/// A reason to doubt a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// No probe was answered, so delays are those of handshakes.
    UdpBlocked,
    /// The client's busiest processor was this busy, 0 to 1, at the 90th percentile.
    Processor(f64),
    /// The server's busiest processor was this busy, 0 to 1, at the 90th percentile.
    ServerProcessor(f64),
    /// The thread that sends probes was this late at worst, in seconds.
    LateProbes(f64),
    /// The flows waited for a window or a buffer of an end for this part of their time, 0 to 1.
    Window(Heading, f64),
    /// The load was extended to this length, in seconds, until the queue grew no more.
    Extended(Heading, f64),
    /// The queue still grew at the end.
    StillGrowing(Heading),
    /// The senders had a congestion control that does not fill queues.
    Gentle(Heading),
    /// Probes never saw this direction without a queue, so its delays are lower bounds.
    NeverIdle(Heading),
    /// This direction was delayed by this, in seconds, before the test loaded anything.
    LoadedBefore(Heading, f64),
    /// The server ran this many other tests.
    ServerBusy(u32),
    /// The client's address changed this many times.
    AddressChanged(usize),
    /// The server's clock jumped by this, in seconds.
    ClockStepped(f64),
    /// Nothing was sent for this long, in seconds: the machine slept.
    Suspended(f64),
    /// The test was told to stop.
    Interrupted,
    /// The server or the path was lost.
    Lost,
    /// Large packets do not come through, though small ones do.
    LargeLost,
    /// The machine slept, or the program stood still.
    StoodStill,
}

impl Limit {
    /// The limit as a remark: its name, the direction that it concerns, and a sentence.
    pub fn remark(&self) -> Remark {
        match *self {
            Self::UdpBlocked => Remark::new(
                Claim::UdpBlocked,
                "UDP does not pass between here and the server: delays are those of TCP's handshakes \
                 beside the load, up to ten a second. They are less certain, and of both directions loaded \
                 at once it is not known which one waits.",
            ),
            Self::Processor(part) => Remark {
                part: Some(part),
                ..Remark::new(Claim::ProcessorBusy, processor("this computer", part))
            },
            Self::ServerProcessor(part) => Remark {
                part: Some(part),
                ..Remark::new(Claim::ServerProcessorBusy, processor("the server", part))
            },
            Self::Window(heading, part) => Remark { part: Some(part), ..self.of(heading) },
            Self::LateProbes(late) => Remark {
                delay_ms: Some(late * 1e3),
                ..Remark::new(
                    Claim::LateProbes,
                    format!("This computer sent probes up to {:.1} ms late.", late * 1e3),
                )
            },
            Self::LoadedBefore(heading, wait) => {
                Remark { delay_ms: Some(wait * 1e3), ..self.of(heading) }
            }
            Self::ClockStepped(by) => Remark {
                delay_ms: Some(by * 1e3),
                ..Remark::new(
                    Claim::ClockStepped,
                    format!("The server's clock jumped by {:.1} ms; that was taken out.", by * 1e3),
                )
            },
            Self::Extended(heading, _)
            | Self::StillGrowing(heading)
            | Self::Gentle(heading)
            | Self::NeverIdle(heading) => self.of(heading),
            Self::ServerBusy(tests) => Remark::new(Claim::ServerShared, shared(tests)),
            Self::AddressChanged(times) => Remark::new(Claim::AddressChanged, rebound(times)),
            Self::Suspended(seconds) => {
                Remark::new(Claim::Slept, format!("This computer slept for {seconds:.0} s."))
            }
            Self::Interrupted => {
                Remark::new(Claim::Interrupted, "The test was stopped before its end.")
            }
            Self::LargeLost => Remark::new(
                Claim::LargeLost,
                "Large packets do not come through, and small ones do: what a line does under load is not known.",
            ),
            Self::StoodStill => Remark::new(
                Claim::StoodStill,
                "This computer slept, or had no time for the test, which ended then.",
            ),
            Self::Lost => {
                Remark::new(Claim::Lost, "The server or the path to it was lost before the end.")
            }
        }
    }

    /// The remark of a limit that concerns a direction.
    fn of(&self, heading: Heading) -> Remark {
        let name = match heading {
            Heading::Up => "upload",
            Heading::Down => "download",
        };
        let (claim, text) = match *self {
            Self::Window(_, part) => (
                Claim::HeldBack,
                format!(
                    "The {name}'s connections waited {:.0} % of the time for a window or a buffer of \
                     this computer or the server, not for the path.",
                    part * 100.0
                ),
            ),
            Self::Extended(_, seconds) => (
                Claim::Extended,
                format!("The {name} was extended to {seconds:.1} s: its queue was still growing."),
            ),
            Self::StillGrowing(_) => (
                Claim::StillGrowing,
                format!("The {name}'s queue was still growing when the test ended."),
            ),
            Self::Gentle(_) => (
                Claim::GentleSenders,
                format!(
                    "The {name}'s senders used a congestion control that does not fill queues: \
                     others may fill them further."
                ),
            ),
            Self::LoadedBefore(_, wait) => (
                Claim::LoadedBefore,
                format!(
                    "The {name} was in use before the test loaded it: {:.0} ms of delay.",
                    wait * 1e3
                ),
            ),
            _ => (
                Claim::NeverIdle,
                format!(
                    "The {name} was hardly ever without a queue: its delays are at least these."
                ),
            ),
        };
        Remark::of(claim, heading, text)
    }
}

fn processor(whose: &str, part: f64) -> String {
    let percent = part * 100.0;
    format!(
        "A processor of {whose} was {percent:.0} % busy: the result may reflect it rather than the line."
    )
}

fn shared(tests: u32) -> String {
    match tests {
        1 => "The server did another test meanwhile.".into(),
        tests => format!("The server did {tests} other tests meanwhile."),
    }
}

fn rebound(times: usize) -> String {
    match times {
        1 => "Our address changed meanwhile.".into(),
        times => format!("Our address changed {times} times meanwhile."),
    }
}

/// The busy part above which a processor is too busy.
const BUSY: f64 = 0.9;

/// The lateness above which probes are late, in seconds.
const LATE: f64 = 2e-3;

/// The lateness above which a machine has too little time for its work, in seconds.
const TOO_LATE: f64 = 10e-3;

/// The same part, above which it limits the rate more often than the path does.
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
    limits.extend(held_back.filter(|part| *part > MOSTLY).map(|part| Limit::Window(heading, part)));
    // A queue that drops has been full.
    let mut lost = found.retransmitted.into_iter().chain(found.loss);
    let drops = lost.any(|part| part > NO_LOSS);
    let growth = growth(view.seen, heading);
    limits.extend(growth.filter(|one| !(drops && matches!(one, Limit::StillGrowing(_)))));
    if found.congestion.starts_with("bbr") {
        limits.push(Limit::Gentle(heading));
    }
    limits
}

/// A limit if the queue grew for longer than planned. Stages of small packets do not count, and
/// while both directions are loaded the growing queue may be the other one's.
fn growth(seen: &Observations, heading: Heading) -> Option<Limit> {
    let is_alone = seen.stages.iter().any(|stage| stage.load == Load::One(heading));
    let wanted = if is_alone { Load::One(heading) } else { Load::Both };
    let stages = || seen.stages.iter().filter(move |stage| stage.load == wanted);
    if stages().any(|stage| stage.ended == Ended::StillGrowing) {
        return Some(Limit::StillGrowing(heading));
    }
    let longer =
        stages().find(|stage| stage.load == Load::One(heading) && stage.ended == Ended::Settled)?;
    Some(Limit::Extended(heading, longer.end.since(longer.start).as_secs_f64()))
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
            limits.push(Limit::NeverIdle(heading));
        }
        if before > NOTICED {
            limits.push(Limit::LoadedBefore(heading, before));
        }
    }
    limits
}

/// True if busy processors matter. A full one alone shows nothing: others may use it. It matters if
/// it delayed probes, or if it and not the line may have been the limit.
fn processors_matter(view: &View<'_>, found: &Measurement) -> bool {
    let is_unfilled = found.judged().any(|(_, direction)| !direction.saturated);
    latest(view.seen) > TOO_LATE || is_unfilled
}

/// The worst lateness of a probe, in seconds.
fn latest(seen: &Observations) -> f64 {
    seen.host.iter().map(|sample| sample.lateness.as_secs_f64()).fold(0.0, f64::max)
}

fn of_processors(found: Processors) -> impl Iterator<Item = Limit> {
    let too_busy = |busy: Busy| busy.busiest.filter(|part| *part > BUSY);
    let ours = too_busy(found.client).map(Limit::Processor);
    ours.into_iter().chain(too_busy(found.server).map(Limit::ServerProcessor))
}

fn of_machines(view: &View<'_>) -> Vec<Limit> {
    let seen = view.seen;
    let mut limits = Vec::new();
    let late = latest(seen);
    if late > LATE {
        limits.push(Limit::LateProbes(late));
    }
    if seen.other_tests > 0 {
        limits.push(Limit::ServerBusy(seen.other_tests));
    }
    if !seen.rebinds.is_empty() {
        limits.push(Limit::AddressChanged(seen.rebinds.len()));
    }
    limits.extend(view.clock.steps.iter().map(|step| Limit::ClockStepped(step.by)));
    limits.extend(slept(view).map(Limit::Suspended));
    limits
}

/// The longest time without a probe in seconds, if it is so long that the machine must have slept.
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
        let grows = Some(Limit::StillGrowing(Heading::Up));
        assert_eq!(growth(&[stage(up, Ended::Planned, 0), both]), None);
        assert_eq!(growth(&[stage(up, Ended::StillGrowing, 0)]), grows);
        assert_eq!(growth(&[both]), grows, "all that is known of it");
    }

    /// A remark's figure is in the unit of its field's name, and its text has the same figure.
    #[test]
    fn remarks_have_the_figures_of_their_words() {
        for (limit, millis, words) in [
            (Limit::LateProbes(0.0123), 12.3, "12.3 ms late"),
            (Limit::LoadedBefore(Heading::Up, 0.05), 50.0, "50 ms of delay"),
            (Limit::ClockStepped(-0.25), -250.0, "jumped by -250.0 ms"),
        ] {
            let remark = limit.remark();
            let is_near = remark.delay_ms.is_some_and(|ms| (ms - millis).abs() < 1e-9);
            assert!(is_near && remark.text.contains(words), "{remark:?}");
        }
        for limit in [
            Limit::Processor(0.97),
            Limit::ServerProcessor(0.97),
            Limit::Window(Heading::Down, 0.97),
        ] {
            let remark = limit.remark();
            assert!(remark.part == Some(0.97) && remark.text.contains("97 %"), "{remark:?}");
        }
    }
}
