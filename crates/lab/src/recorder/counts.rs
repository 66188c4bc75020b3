//! The counts of each direction, and of each flow in it.

use live::LinkView;
use meter::{Counters, HopCounts, Meter, Others, Sample};
use qdisc::{Backlog, Cause, Packet};
use results::{Direction, FlowResult};
use scenario::Scenario;
use units::{Bytes, DirectionId, Span, Time};

use crate::plan::Plan;

/// The statistics of a run.
#[derive(Debug)]
pub(crate) struct Counts {
    meters: Vec<Meter>,
    others: Others,
    /// Row by row: the flows of each direction.
    hop_counts: Vec<HopCounts>,
    /// Of each flow the directions that its data crosses, and those of the way back.
    paths: Vec<[Vec<DirectionId>; 2]>,
    /// The time at which the statistics begin; `None` once they have begun.
    warm: Option<Time>,
    /// The time since which the statistics count.
    from: Time,
}

impl Counts {
    /// The counts of all directions, and of the first `flows` flows.
    pub(super) fn new(scenario: &Scenario, plan: &Plan, flows: usize) -> Self {
        let directions = 2 * scenario.links.len();
        let paths = plan.flows.iter().take(flows).map(|flow| {
            let (source, sink) = (flow.source, flow.sink);
            [plan.path(source, sink), plan.path(sink, source)]
        });
        Self {
            meters: vec![Meter::new(Time::ZERO); directions],
            others: Others::new(directions, Time::ZERO),
            hop_counts: vec![HopCounts::default(); directions * flows],
            paths: paths.collect(),
            warm: Some(Time::ZERO + scenario.warmup).filter(|warm| *warm > Time::ZERO),
            from: Time::ZERO,
        }
    }

    /// Moves the time to `now`. Statistics begin anew if the warm-up is over by then.
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
        self.others.restart(warm);
        self.hop_counts.fill(HopCounts::default());
    }

    /// Counts a packet of this flow that is offered to the queue.
    #[inline]
    pub(super) fn offered<P: Packet>(&mut self, (direction, flow): (usize, u32), packet: &P) {
        self.counts(direction, flow, |counts| counts.offered += packet.packets());
    }

    /// Counts a packet that the queue has dropped.
    pub(super) fn dropped<P: Packet>(
        &mut self,
        (direction, flow): (usize, u32),
        packet: &P,
        cause: Cause,
    ) {
        self.meters[direction].dropped(packet, cause);
        self.counts(direction, flow, |counts| counts.dropped += packet.packets());
    }

    /// Counts a packet that the queue has marked.
    pub(super) fn marked<P: Packet>(&mut self, (direction, flow): (usize, u32), packet: &P) {
        self.meters[direction].marked(packet);
        self.counts(direction, flow, |counts| counts.marked += packet.packets());
    }

    /// Counts a packet that goes onto the wire.
    #[inline]
    pub(super) fn departed<P: Packet>(&mut self, direction: usize, packet: &P, sojourn: Span) {
        self.meters[direction].departed(packet, sojourn);
    }

    /// Counts a packet that the wire has lost.
    pub(super) fn lost<P: Packet>(&mut self, (direction, flow): (usize, u32), packet: &P) {
        self.meters[direction].lost(packet);
        self.counts(direction, flow, |counts| counts.dropped += packet.packets());
    }

    /// Counts a packet that has arrived at the far end.
    #[inline]
    pub(super) fn delivered<P: Packet>(&mut self, direction: usize, packet: &P) {
        self.meters[direction].arrived(packet);
    }

    /// Notes the backlog from now on.
    #[inline]
    pub(super) fn waits(&mut self, direction: usize, backlog: Backlog, now: Time) {
        // An event before the start of the statistics may be reported after it.
        self.meters[direction].waits(backlog, now.max(self.from));
    }

    /// The time of the next sample of a new flow's wait.
    pub(super) fn next_look(&self) -> Time {
        self.others.due()
    }

    /// Samples the wait of a new flow in each direction.
    pub(super) fn look(&mut self, links: &[LinkView<'_>], now: Time) {
        let sample = |link: &LinkView<'_>| Sample {
            wait: link.new_flow_wait(now),
            is_busy: link.is_busy(now),
        };
        self.others.look(links.iter().map(sample));
    }

    /// The statistics of a direction until now. `capacity` is the most that its wire could have
    /// carried.
    pub(crate) fn direction(&self, index: usize, now: Time, capacity: Option<Bytes>) -> Direction {
        let direction = self.meters[index].direction(self.from, now, capacity);
        self.others.judge(index, direction, now)
    }

    /// The time since which the statistics count.
    pub(crate) fn from(&self) -> Time {
        self.from
    }

    /// The counters of each direction since the beginning of the run.
    pub(crate) fn counters(&self) -> impl Iterator<Item = Counters> {
        self.meters.iter().map(Meter::counters)
    }

    /// The same counters, each with the direction's backlog.
    pub(super) fn with(&self, backlogs: &[Backlog]) -> impl Iterator<Item = (Backlog, Counters)> {
        backlogs.iter().copied().zip(self.counters())
    }

    /// The meters of the directions.
    pub(crate) fn meters(&self) -> &[Meter] {
        &self.meters
    }

    /// The directions that a flow's data crosses, each with the flow's counts there.
    pub(crate) fn there(&self, flow: usize) -> Vec<(DirectionId, HopCounts)> {
        self.way(flow, 0)
    }

    /// The result of a flow, with the counts that only the links have.
    pub(crate) fn charge(&self, flow: usize, result: FlowResult) -> FlowResult {
        let hop_counts =
            |way| self.way(flow, way).into_iter().map(|(_, counts)| counts).collect::<Vec<_>>();
        meter::charge(result, &hop_counts(0), &hop_counts(1))
    }

    fn way(&self, flow: usize, way: usize) -> Vec<(DirectionId, HopCounts)> {
        let hop_counts = |direction: &DirectionId| {
            (*direction, self.hop_counts[self.place(direction.index(), flow)])
        };
        self.paths[flow][way].iter().map(hop_counts).collect()
    }

    /// Changes the counts of a flow. Packets of no flow are not counted.
    #[inline]
    fn counts(&mut self, direction: usize, flow: u32, pay: impl FnOnce(&mut HopCounts)) {
        let flow = flow as usize;
        if flow < self.paths.len() {
            let place = self.place(direction, flow);
            pay(&mut self.hop_counts[place]);
        }
    }

    fn place(&self, direction: usize, flow: usize) -> usize {
        direction * self.paths.len() + flow
    }
}

#[cfg(test)]
pub(crate) mod tests;
