//! What is counted in each direction, and of each flow there.

use live::LinkView;
use meter::{Counters, Meter, Others, Sample, Toll};
use qdisc::{Backlog, Cause, Packet};
use results::{Direction, FlowResult};
use scenario::Scenario;
use units::{Bytes, Span, Time};

use crate::plan::Plan;

/// The statistics of a run.
#[derive(Debug)]
pub(crate) struct Counts {
    meters: Vec<Meter>,
    others: Others,
    /// Row by row: of each direction all flows.
    tolls: Vec<Toll>,
    /// Of each flow the directions that its data crosses, and those of the way back.
    paths: Vec<[Vec<usize>; 2]>,
    /// When the statistics begin, as long as they have not.
    warm: Option<Time>,
    /// Since when they are.
    from: Time,
}

impl Counts {
    /// Of all directions, and of the first so many flows.
    pub(super) fn new(scenario: &Scenario, plan: &Plan, flows: usize) -> Self {
        let directions = 2 * scenario.links.len();
        let paths = plan.flows.iter().take(flows).map(|flow| {
            let (source, sink) = (flow.source, flow.sink);
            [plan.path(source, sink), plan.path(sink, source)]
        });
        Self {
            meters: vec![Meter::new(Time::ZERO); directions],
            others: Others::new(directions, Time::ZERO + scenario.warmup),
            tolls: vec![Toll::default(); directions * flows],
            paths: paths.collect(),
            warm: Some(Time::ZERO + scenario.warmup).filter(|warm| *warm > Time::ZERO),
            from: Time::ZERO,
        }
    }

    /// What follows happens now. If the warm-up is over by then, all begins anew.
    #[inline]
    pub(super) fn at(&mut self, now: Time) -> &mut Self {
        if self.warm.is_some_and(|warm| now >= warm) {
            self.begin();
        }
        self
    }

    #[cold]
    fn begin(&mut self) {
        let Some(warm) = self.warm.take() else { return };
        self.from = warm;
        self.meters.iter_mut().for_each(|meter| meter.reset(warm));
        self.tolls.fill(Toll::default());
    }

    /// A packet of this flow is offered to the queue.
    #[inline]
    pub(super) fn offered<P: Packet>(&mut self, (direction, flow): (usize, u32), packet: &P) {
        self.toll(direction, flow, |toll| toll.offered += packet.packets());
    }

    /// The queue has dropped it.
    pub(super) fn dropped<P: Packet>(
        &mut self,
        (direction, flow): (usize, u32),
        packet: &P,
        cause: Cause,
    ) {
        self.meters[direction].dropped(packet, cause);
        self.toll(direction, flow, |toll| toll.dropped += packet.packets());
    }

    /// The queue has marked it.
    pub(super) fn marked<P: Packet>(&mut self, (direction, flow): (usize, u32), packet: &P) {
        self.meters[direction].marked(packet);
        self.toll(direction, flow, |toll| toll.marked += packet.packets());
    }

    /// It goes onto the wire.
    #[inline]
    pub(super) fn departed<P: Packet>(&mut self, direction: usize, packet: &P, sojourn: Span) {
        self.meters[direction].departed(packet, sojourn);
    }

    /// The wire has lost it.
    pub(super) fn lost<P: Packet>(&mut self, (direction, flow): (usize, u32), packet: &P) {
        self.meters[direction].lost(packet);
        self.toll(direction, flow, |toll| toll.dropped += packet.packets());
    }

    /// It has arrived at the far end.
    #[inline]
    pub(super) fn delivered<P: Packet>(&mut self, direction: usize, packet: &P) {
        self.meters[direction].arrived(packet);
    }

    /// So much waits from now on.
    #[inline]
    pub(super) fn waits(&mut self, direction: usize, backlog: Backlog, now: Time) {
        // What was due before the statistics began may be told after that.
        self.meters[direction].waits(backlog, now.max(self.from));
    }

    /// When to look next at what others wait.
    pub(super) fn next_look(&self) -> Time {
        self.others.due()
    }

    /// Looks at what others wait.
    pub(super) fn look(&mut self, links: &[LinkView<'_>], now: Time) {
        let sample = |link: &LinkView<'_>| Sample {
            wait: link.new_flow_wait(now),
            is_busy: link.is_busy(now),
        };
        self.others.look(links.iter().map(sample));
    }

    /// What was counted in a direction until now. Its wire could have carried so much.
    pub(crate) fn direction(&self, index: usize, now: Time, capacity: Option<Bytes>) -> Direction {
        let direction = self.meters[index].direction(self.from, now, capacity);
        self.others.judge(index, direction, now)
    }

    /// Since when the statistics are.
    pub(crate) fn from(&self) -> Time {
        self.from
    }

    /// What has been counted in each direction since the beginning.
    pub(crate) fn counters(&self) -> impl Iterator<Item = Counters> {
        self.meters.iter().map(Meter::counters)
    }

    /// The same with what waits there.
    pub(super) fn with(&self, backlogs: &[Backlog]) -> impl Iterator<Item = (Backlog, Counters)> {
        backlogs.iter().copied().zip(self.counters())
    }

    /// Per direction.
    pub(crate) fn meters(&self) -> &[Meter] {
        &self.meters
    }

    /// What a flow met on the way that its data took, and with which directions.
    pub(crate) fn there(&self, flow: usize) -> Vec<(usize, Toll)> {
        self.way(flow, 0)
    }

    /// The result of a flow, with what only the links know.
    pub(crate) fn charge(&self, flow: usize, result: FlowResult) -> FlowResult {
        let tolls = |way| self.way(flow, way).into_iter().map(|(_, toll)| toll).collect::<Vec<_>>();
        meter::charge(result, &tolls(0), &tolls(1))
    }

    fn way(&self, flow: usize, way: usize) -> Vec<(usize, Toll)> {
        let tolls = |direction: &usize| (*direction, self.tolls[self.place(*direction, flow)]);
        self.paths[flow][way].iter().map(tolls).collect()
    }

    /// Packets that belong to no flow pay none.
    #[inline]
    fn toll(&mut self, direction: usize, flow: u32, pay: impl FnOnce(&mut Toll)) {
        let flow = flow as usize;
        if flow < self.paths.len() {
            let place = self.place(direction, flow);
            pay(&mut self.tolls[place]);
        }
    }

    fn place(&self, direction: usize, flow: usize) -> usize {
        direction * self.paths.len() + flow
    }
}

#[cfg(test)]
pub(crate) mod tests;
