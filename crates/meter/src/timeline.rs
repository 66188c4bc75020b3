//! Records the state of links and flows over time.

mod direction;
mod flow;
mod ranges;
mod steps;
mod sums;

use results::Timeline;
use scenario::Scenario;
use units::{Bytes, DirectionId, Span, Time};

use crate::Counters;
use crate::network::{MOST_RECORDED, Network};
pub(crate) use direction::DirectionRecorder;
pub use flow::FlowRecorder;
use steps::Steps;

/// The steps of a timeline, which are joined two by two if they become too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineOptions {
    /// The length of a step at the beginning; more than zero.
    pub step: Span,
    /// The most steps.
    pub most_steps: usize,
}

impl TimelineOptions {
    /// Steps of this length over the whole of a scenario.
    pub fn of(scenario: &Scenario, step: Span) -> Self {
        /// Far more than a plot needs, and still a modest amount of memory.
        const MOST_STEPS: u64 = 100_000;
        let steps = scenario.duration.as_nanos().div_ceil(step.as_nanos().max(1));
        Self { step, most_steps: steps.min(MOST_STEPS) as usize }
    }
}

/// The step of a timeline that is fine enough for a plot of this scenario, and keeps its document
/// small.
pub fn timeline_step(scenario: &Scenario) -> Span {
    let directions = DirectionId::all(scenario.links.len()).count();
    let flows = scenario.flows.iter().map(|flow| flow.count as usize).sum::<usize>();
    let lists = directions * Timeline::LISTS_OF_DIRECTION
        + flows.min(MOST_RECORDED) * Timeline::LISTS_OF_FLOW;
    Timeline::step_for(scenario.duration, lists)
}

/// The recorder of a timeline. Backlogs, sojourns, windows and round trips are recorded as they
/// happen; sums are taken from the counters when a step ends.
#[derive(Debug)]
pub(crate) struct TimelineRecorder {
    steps: Steps,
    /// The numbers of the flows that are recorded, with the bytes that each had delivered when the
    /// step began.
    recorded: Vec<(usize, u64)>,
    /// Per flow: its index in `recorded`; `None` if it is not recorded.
    places: Vec<Option<u32>>,
    /// The counters of each direction when the step began.
    counted: Vec<Counters>,
}

impl TimelineRecorder {
    /// The timeline of all links of a network and of its [recorded flows](Network::recorded_flows),
    /// from `start` on.
    pub(crate) fn new(network: &Network, start: Time, options: TimelineOptions) -> Self {
        let recorded = network.recorded_flows();
        let mut places = vec![None; network.flows.len()];
        for (&flow, place) in recorded.iter().zip(0..) {
            places[flow] = Some(place);
        }
        let counted = vec![Counters::default(); network.directions().count()];
        let flows = recorded.iter().map(|flow| network.flows[*flow].name.clone()).collect();
        let steps = Steps::new(start, options, network.links.clone(), flows);
        let recorded = recorded.into_iter().map(|flow| (flow, 0)).collect();
        Self { steps, recorded, places, counted }
    }

    /// The recorder for the backlogs and sojourns of this direction.
    #[inline]
    pub(crate) fn direction(&mut self, direction: DirectionId) -> &mut DirectionRecorder {
        self.steps.direction(direction)
    }

    /// The recorder for the windows and round trips of this flow; `None` if the flow is not
    /// recorded.
    #[inline]
    pub(crate) fn flow(&mut self, flow: usize) -> Option<&mut FlowRecorder> {
        let place = self.places[flow]?;
        Some(self.steps.flow(place as usize))
    }

    /// The end of the current step.
    pub(crate) fn step_ends(&self) -> Time {
        self.steps.step_ends()
    }

    /// Ends the current step, if it ends now. `directions` are the counters of each direction since
    /// the beginning, `delivered` the application bytes that a flow has delivered.
    pub(crate) fn advance(
        &mut self,
        now: Time,
        directions: impl IntoIterator<Item = Counters>,
        delivered: impl Fn(usize) -> u64,
    ) {
        self.sum_up(directions, delivered);
        self.steps.advance(now);
    }

    /// Ends the timeline.
    pub(crate) fn finish(
        mut self,
        now: Time,
        directions: impl IntoIterator<Item = Counters>,
        delivered: impl Fn(usize) -> u64,
    ) -> Timeline {
        self.sum_up(directions, delivered);
        let omitted_flows = self.places.len() - self.recorded.len();
        Timeline { omitted_flows, ..self.steps.finish(now) }
    }

    /// Adds the counts since the last call.
    fn sum_up(
        &mut self,
        directions: impl IntoIterator<Item = Counters>,
        delivered: impl Fn(usize) -> u64,
    ) {
        for (index, counters) in directions.into_iter().enumerate() {
            let new = counters - std::mem::replace(&mut self.counted[index], counters);
            let recorder = self.steps.direction(DirectionId::from_index(index));
            recorder.delivered(Bytes(new.delivered_bytes));
            recorder.dropped(new.drops.without_ack_filter());
            recorder.marked(new.marks);
        }
        for (place, (flow, before)) in self.recorded.iter_mut().enumerate() {
            let delivered = delivered(*flow);
            let new = delivered - std::mem::replace(before, delivered);
            self.steps.flow(place).delivered(Bytes(new));
        }
    }
}
