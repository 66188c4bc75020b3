//! The hook of a program that looks at a run now and then, and changes its queues.

use meter::{Counters, Gauges, LinkState};
use qdisc::QdiscSpec;
use scenario::{Change, Scenario};
use units::{DirectionId, Rate, Span, Time};

use crate::flow::Flow;
use crate::world::World;

/// A program beside a run, as a controller of rates is: it sees what a router sees, changes queues,
/// and sends pings.
pub trait Supervisor {
    /// The time of the next call of [`act`](Self::act); [`Time::MAX`] for no more calls.
    fn due(&self) -> Time;

    /// Looks at the run at the time that was [due](Self::due), and changes it. Afterwards `due` is
    /// later.
    fn act(&mut self, run: &mut Supervised<'_>);
}

/// A run at the time of a supervisor's call. Directions are those of the scenario, and flows have
/// the order of [`Scenario::flow_names`].
pub struct Supervised<'a> {
    world: &'a mut World,
    scenario: &'a Scenario,
}

impl<'a> Supervised<'a> {
    pub(crate) fn new(world: &'a mut World, scenario: &'a Scenario) -> Self {
        Self { world, scenario }
    }

    /// The time of the run.
    pub fn now(&self) -> Time {
        self.world.now
    }

    /// The counters of a direction since the beginning; `None` if there is no such direction.
    pub fn counters(&self, direction: DirectionId) -> Option<Counters> {
        self.world.instruments.counters().nth(direction.index())
    }

    /// The state of a direction now; `None` if there is no such direction.
    pub fn state(&self, direction: DirectionId) -> Option<LinkState> {
        let direction = self.world.directions.get(direction.index())?;
        Some(direction.state(self.world.now))
    }

    /// The application bytes that a flow has delivered since the beginning; 0 if there is no such
    /// flow.
    pub fn delivered(&self, flow: usize) -> u64 {
        self.world.flows.get(flow).map_or(0, |flow| flow.delivered())
    }

    /// The present values of a flow; `None` if there is no such flow.
    pub fn gauges(&self, flow: usize) -> Option<Gauges> {
        self.world.flows.get(flow).map(Flow::gauges)
    }

    /// The segments that a flow has retransmitted since the beginning; 0 for a flow without TCP, or if
    /// there is no such flow.
    pub fn retransmitted(&self, flow: usize) -> u64 {
        self.world.flows.get(flow).map_or(0, Flow::retransmitted)
    }

    /// Sends a request of a ping now, besides those of its interval. A flow of another kind sends
    /// nothing.
    pub fn ping(&mut self, flow: usize) {
        self.world.ping(flow);
    }

    /// Takes the latest round trip of a flow; `None` if it has been taken, or before the first.
    pub fn take_round_trip(&mut self, flow: usize) -> Option<Span> {
        self.world.flows.get_mut(flow)?.take_round_trip()
    }

    /// Gives the queue of a direction all of these settings, as `tc qdisc change` does.
    ///
    /// # Panics
    /// If there is no such direction, or a setting differs that cannot change while the queue runs.
    pub fn change_queue(&mut self, direction: DirectionId, queue: QdiscSpec) {
        self.change(direction, Some(queue), None);
    }

    /// Changes the rate of a direction. A direction without a constant rate does not change.
    ///
    /// # Panics
    /// If there is no such direction.
    pub fn change_rate(&mut self, direction: DirectionId, rate: Rate) {
        self.change(direction, None, Some(rate));
    }

    fn change(&mut self, direction: DirectionId, queue: Option<QdiscSpec>, rate: Option<Rate>) {
        let at = self.world.now.since(Time::ZERO);
        let change = Change { at, direction, queue, rate };
        self.world.change(&change, self.scenario.direction(direction));
    }
}
