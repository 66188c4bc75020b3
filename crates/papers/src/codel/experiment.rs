//! One run, and the part of its result that is kept.

use results::{DirectionResult, Document, FlowResult, Timeline};
use units::Span;

use crate::error::Error;
use crate::run::{File, Ran, Run};

/// The name of the observed link, in each of the scenarios.
const BOTTLENECK: &str = "bottleneck";

/// A scenario of this article, with changes.
#[derive(Clone, Debug)]
pub(super) struct Experiment {
    file: File,
    changes: Vec<(&'static str, String)>,
    step: Option<Span>,
    /// True if each flow's result is kept.
    flows: bool,
}

impl Experiment {
    /// The scenario of this file, unchanged. Only the links' results are kept, because there are
    /// thousands of runs.
    pub(super) fn of(file: File) -> Self {
        Self { file, changes: Vec::new(), step: None, flows: false }
    }

    /// The experiment with this field changed.
    pub(super) fn set(mut self, path: &'static str, value: impl ToString) -> Self {
        self.changes.push((path, value.to_string()));
        self
    }

    /// The experiment with a timeline of this step.
    pub(super) fn over_time(self, step: Span) -> Self {
        Self { step: Some(step), ..self }
    }

    /// The experiment with each flow's result kept.
    pub(super) fn with_flows(self) -> Self {
        Self { flows: true, ..self }
    }

    /// A key that is equal for equal experiments only: the command that repeats the run, and the
    /// parts of the result that are kept.
    pub(super) fn key(&self) -> String {
        let sets = self.changes.iter().map(|(path, value)| format!(" --set \"{path}={value}\""));
        let sets: String = sets.collect();
        format!("{}{sets} {:?} {}", self.file.name, self.step, self.flows)
    }

    /// Simulates the experiment; `None` if `progress` ended it.
    pub(super) fn see(&self, progress: &mut dyn FnMut(f64) -> bool) -> Result<Option<Seen>, Error> {
        let run = Run::of(self.file);
        let run = self.changes.iter().fold(run, |run, (path, value)| run.set(path, value));
        let run = match self.step {
            Some(step) => run.over_time(step),
            None => run,
        };
        let ran = run.simulate(None, progress)?;
        Ok(ran.map(|Ran { document, .. }| Seen::of(document, self.flows)))
    }
}

/// The part of a run's result that is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The bottleneck in the data's direction.
    pub(super) forward: DirectionResult,
    /// The bottleneck in the reverse direction.
    pub(super) reverse: DirectionResult,
    flows: Vec<(String, FlowResult)>,
    timeline: Option<Timeline>,
}

impl Seen {
    fn of(mut document: Document, flows: bool) -> Self {
        let link = document.links.swap_remove(BOTTLENECK).unwrap_or_default();
        let flows = if flows { document.flows.into_iter().collect() } else { Vec::new() };
        let timeline = document.timeline;
        Self { forward: link.forward, reverse: link.reverse, flows, timeline }
    }

    /// The result of this flow; `None` if flows were not kept or there is none with this name.
    pub(super) fn flow(&self, name: &str) -> Option<&FlowResult> {
        self.flows.iter().find(|(known, _)| known == name).map(|(_, flow)| flow)
    }

    /// The timeline; `None` if it was not kept.
    pub(super) fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// The share of the data's packets that the bottleneck dropped; `None` without packets.
    pub(super) fn drop_share(&self) -> Option<f64> {
        drop_share(&self.forward)
    }
}

/// The share of packets that this direction dropped; `None` without packets.
pub(super) fn drop_share(way: &DirectionResult) -> Option<f64> {
    let dropped = way.drops.total() as f64;
    let offered = way.delivered_packets as f64 + dropped;
    (offered > 0.0).then(|| dropped / offered)
}

/// The bottleneck in the data's direction, over time; `None` if the run has no such link.
pub(super) fn bottleneck(timeline: &Timeline) -> Option<&results::DirectionTimeline> {
    timeline.links.get(BOTTLENECK).map(|link| &link.forward)
}
