//! A captured flow as the load of a stage, whose own packets take the place of probes.

use observation::{CapturedFlow, Ended, Heading, Load, Observations, Stage};
use results::{Finding, FindingKind, QueueFinding, QueueKind, QueueOwner};
use units::Span;

use super::held_back;
use super::whose::is_way_back_busy;
use crate::direction::signs;
use crate::findings::findings;
use crate::passage::{Fate, Passage, Passages};
use crate::queue::{KEPT, MAY_BE, UNKNOWN, kind};
use crate::signs::Signs;
use crate::view::View;
use crate::window::Window;

/// The direction of the data: the place of the capture is where its clock is.
const HEADING: Heading = Heading::Up;

/// The highest confidence in a kind that one flow shows: the queue may be one of its own.
const MOST: f64 = 0.85;

/// What the flow shows of the line.
#[derive(Clone, Debug, Default)]
pub(super) struct ByLoad {
    /// The kind of queue; `None` if it cannot be judged.
    pub(super) kind: Option<QueueFinding>,
    /// The findings, the surest first.
    pub(super) findings: Vec<Finding>,
    /// True if the line was filled, by the flow or by others.
    pub(super) is_filled: bool,
}

/// Judges the flow, whose shortest round trip is `least`. Where the queue is not known to be its own,
/// its rate is a share of the line's, and what it lost does not tell how full the queue was.
pub(super) fn by_load(seen: &CapturedFlow, least: Span, whose: QueueOwner) -> ByLoad {
    let flow = &seen.flow;
    let observations = Observations {
        ipv6: seen.ipv6,
        stages: vec![Stage {
            load: Load::One(HEADING),
            start: flow.start,
            end: flow.stop,
            ended: Ended::Planned,
        }],
        flows: vec![flow.clone()],
        ..Observations::default()
    };
    let view = view(&observations, seen, least);
    let whole = Window::of(&observations.stages[0], &view.clock);
    let traffic = view.traffic(HEADING);
    let settled = whole.settled(&traffic);
    let is_others = whose == QueueOwner::Other;
    if traffic.flux(settled.from, settled.to).is_none() {
        return ByLoad { is_filled: is_others, ..ByLoad::default() };
    }
    let flows = view.loading(HEADING, &whole);
    let (signs, _) = signs(&view, HEADING, &flows, &whole, &settled);
    let mut findings = findings(&view, HEADING, &settled, &signs, None);
    let is_own = whose == QueueOwner::Own;
    // How long a packet takes, and so what an empty queue is, follows from the line's rate.
    findings.retain(|one| is_own || one.kind == FindingKind::EndLimits);
    // The rates of an end that pauses are not those of the line, nor are those of acknowledgements that wait.
    let is_way_back_busy = is_way_back_busy(seen);
    let pauses = flow.sender.last().and_then(held_back).is_some();
    findings.retain(|one| !(pauses || is_way_back_busy) || one.kind != FindingKind::RateChanged);
    let is_open = findings.iter().any(|one| one.kind.forbids_kind());
    let is_filled = is_others || !is_open && signs.is_filled(&findings);
    let queue = told(kind(&signs, &findings, None), &signs, whose);
    let is_by_rate = matches!(queue.kind, QueueKind::VariableRate | QueueKind::Aqm);
    let queue = if is_way_back_busy && is_by_rate { UNKNOWN } else { queue };
    ByLoad { kind: (!is_others).then_some(queue), findings, is_filled }
}

/// The kind, as far as the load's own packets tell it; nothing beside it makes up for what they do not
/// show.
fn told(queue: QueueFinding, signs: &Signs, whose: QueueOwner) -> QueueFinding {
    // What nobody would notice has no kind, unless it says so by its marks.
    let is_there = whose != QueueOwner::None || signs.marks > 0.0;
    let is_shown = match queue.kind {
        // A flow that may have a share of the line does not show how the line's rate goes.
        QueueKind::VariableRate => whose == QueueOwner::Own,
        QueueKind::Fifo => !may_be_managed(signs),
        _ => true,
    };
    match queue.confidence > MAY_BE && is_there && is_shown {
        true => QueueFinding { confidence: queue.confidence.min(MOST), ..queue },
        false => UNKNOWN,
    }
}

/// True if the queue is so short that it may be kept so: a managed queue and one flow go up and down
/// together, and the highest delays look like an edge.
fn may_be_managed(signs: &Signs) -> bool {
    signs.settled.longest < KEPT + 3.0 * signs.packet
}

/// The observations, seen with the flow's own packets as probes.
fn view<'a>(observations: &'a Observations, seen: &CapturedFlow, least: Span) -> View<'a> {
    let mut view = View::new(observations);
    let passages = seen.round_trips.iter().map(|one| Passage {
        at: view.clock.ours(one.at),
        fate: Fate::Waited((one.span - least).as_secs_f64()),
    });
    view.passages = Passages { up: passages.collect(), down: Vec::new() };
    view.is_by_load = true;
    view.at_losses = seen.at_losses.iter().map(|span| (*span - least).as_secs_f64()).collect();
    view.marks = seen.marks as f64;
    view
}
