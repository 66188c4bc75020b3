//! Records the state of links and flows over time.

mod direction;
mod flow;
mod ranges;
mod recorder;
mod sums;

use results::Timeline;
use scenario::Scenario;
use units::{Bytes, Span, Time, Way};

use crate::Counters;
pub use direction::DirectionRecorder;
pub use flow::FlowRecorder;
pub use recorder::TimelineRecorder;

/// The most flows: more cannot be told apart in a plot.
const MOST_FLOWS: usize = 24;
/// The most steps: far more than a plot needs, and still a modest amount of memory.
const MOST_STEPS: u64 = 100_000;

/// The step of a timeline that is fine enough for a plot of this scenario, and keeps its document
/// small.
pub fn timeline_step(scenario: &Scenario) -> Span {
    let directions = 2 * scenario.links.len() * Timeline::LISTS_OF_DIRECTION;
    let flows = kept_flows(scenario).len() * Timeline::LISTS_OF_FLOW;
    Timeline::step_for(scenario.duration, directions + flows)
}

/// The flows that are recorded, in their order. The first member of each `count` is chosen, then
/// the second, and so on, so that a hundred flows of one kind do not crowd out the others.
pub fn kept_flows(scenario: &Scenario) -> Vec<usize> {
    let members = scenario.flows.iter().flat_map(|flow| 0..flow.count);
    let mut ranks: Vec<(u32, usize)> = members.zip(0..).collect();
    ranks.sort_unstable();
    ranks.truncate(MOST_FLOWS);
    let mut kept: Vec<usize> = ranks.into_iter().map(|(_, flow)| flow).collect();
    kept.sort_unstable();
    kept
}

/// Fills the timeline. Backlogs, sojourns, windows and round trips are recorded as they happen;
/// sums are taken from the counters when a step ends.
#[derive(Debug)]
pub struct Timekeeper {
    recorder: TimelineRecorder,
    /// The flows that are recorded, with the bytes that each had delivered when the step began.
    kept: Vec<(usize, u64)>,
    /// Per flow: its index in `kept`; `None` if it is not recorded.
    places: Vec<Option<u32>>,
    /// The counters of each direction when the step began.
    counted: Vec<Counters>,
}

impl Timekeeper {
    /// The timeline of all links of the scenario and of its [`kept_flows`], in steps of more than
    /// zero. Steps are joined if they become too many.
    pub fn new(scenario: &Scenario, step: Span) -> Self {
        let names = scenario.flow_names();
        let kept = kept_flows(scenario);
        let mut places = vec![None; names.len()];
        for (&flow, place) in kept.iter().zip(0..) {
            places[flow] = Some(place);
        }
        let links: Vec<String> = scenario.links.iter().map(|link| link.name.clone()).collect();
        let counted = vec![Counters::default(); 2 * links.len()];
        let flows = kept.iter().map(|flow| names[*flow].clone()).collect();
        let steps = scenario.duration.as_nanos().div_ceil(step.as_nanos().max(1));
        let recorder = TimelineRecorder::new(step, steps.min(MOST_STEPS) as usize, links, flows);
        let kept = kept.into_iter().map(|flow| (flow, 0)).collect();
        Self { recorder, kept, places, counted }
    }

    /// The recorder for the backlogs and sojourns of this direction.
    #[inline]
    pub fn direction(&mut self, index: usize) -> &mut DirectionRecorder {
        let way = if index.is_multiple_of(2) { Way::Forward } else { Way::Reverse };
        self.recorder.direction(index / 2, way)
    }

    /// The recorder for the windows and round trips of this flow; `None` if the flow is not
    /// recorded.
    #[inline]
    pub fn flow(&mut self, index: usize) -> Option<&mut FlowRecorder> {
        let place = self.places[index]?;
        Some(self.recorder.flow(place as usize))
    }

    /// The end of the current step.
    pub fn step_ends(&self) -> Time {
        self.recorder.step_ends()
    }

    /// Ends the current step, if it ends now. `directions` are the counters of each direction since
    /// the beginning, `delivered` the application bytes that a flow has delivered.
    pub fn advance(
        &mut self,
        now: Time,
        directions: impl IntoIterator<Item = Counters>,
        delivered: impl Fn(usize) -> u64,
    ) {
        self.sum_up(directions, delivered);
        self.recorder.advance(now);
    }

    /// Ends the timeline.
    pub fn finish(
        mut self,
        now: Time,
        directions: impl IntoIterator<Item = Counters>,
        delivered: impl Fn(usize) -> u64,
    ) -> Timeline {
        self.sum_up(directions, delivered);
        let omitted_flows = self.places.len() - self.kept.len();
        Timeline { omitted_flows, ..self.recorder.finish(now) }
    }

    /// Adds the counts since the last call.
    fn sum_up(
        &mut self,
        directions: impl IntoIterator<Item = Counters>,
        delivered: impl Fn(usize) -> u64,
    ) {
        for (index, counters) in directions.into_iter().enumerate() {
            let new = counters - std::mem::replace(&mut self.counted[index], counters);
            let recorder = self.direction(index);
            recorder.delivered(Bytes(new.delivered_bytes));
            recorder.dropped(new.drops.total());
            recorder.marked(new.marks);
        }
        for (place, (flow, before)) in self.kept.iter_mut().enumerate() {
            let delivered = delivered(*flow);
            let new = delivered - std::mem::replace(before, delivered);
            self.recorder.flow(place).delivered(Bytes(new));
        }
    }
}
