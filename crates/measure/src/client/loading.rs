//! All flows of a stage.

use std::io;
use std::sync::Arc;

use observation::{Heading, Load};
use tokio::sync::watch;
use units::{Span, Time};

use super::flow::{Common, Flow, FlowProperties, Loaded};
use super::live_stats::LiveStats;
use super::plan::FlowPlan;
use super::stage_end::Filling;

/// The flows that load the path at present.
pub(super) struct Loading {
    common: Arc<Common>,
    load: Load,
    plan: FlowPlan,
    segment: Option<u32>,
    stop: watch::Sender<bool>,
    flows: Vec<Flow>,
    filling: Vec<(Heading, Filling)>,
}

/// The directions that a load loads.
pub(super) fn headings(load: Load) -> &'static [Heading] {
    match load {
        Load::Idle | Load::Drain => &[],
        Load::One(Heading::Up) | Load::Small(Heading::Up) => &[Heading::Up],
        Load::One(Heading::Down) | Load::Small(Heading::Down) => &[Heading::Down],
        Load::Both => &[Heading::Down, Heading::Up],
    }
}

impl Loading {
    /// Starts the first flows of each direction.
    ///
    /// `segment` is the payload of a segment in a stage of small ones, in bytes.
    pub(super) fn start(
        common: &Arc<Common>,
        load: Load,
        plan: &FlowPlan,
        segment: u32,
        now: Time,
    ) -> Self {
        let segment = matches!(load, Load::Small(_)).then_some(segment);
        let filling = headings(load).iter().map(|heading| (*heading, Filling::from(now))).collect();
        let (stop, _) = watch::channel(false);
        let common = Arc::clone(common);
        let (plan, first, flows) = (plan.clone(), plan.first.clone(), Vec::new());
        let mut loading = Self { common, load, plan, segment, stop, flows, filling };
        for dscp in &first {
            headings(load).iter().for_each(|heading| loading.add(*heading, *dscp));
        }
        loading
    }

    /// Adds a flow to each direction that needs one.
    pub(super) fn fill(&mut self, live: &LiveStats, now: Time, noise: Span) {
        let wants = |(heading, filling): &mut (Heading, Filling)| {
            let room = self.flows.iter().filter(|flow| flow.heading == *heading).count();
            let wants = (room as u32) < self.plan.most;
            (wants && filling.wants_another(live, *heading, now, noise)).then_some(*heading)
        };
        let wanted: Vec<Heading> = self.filling.iter_mut().filter_map(wants).collect();
        wanted.into_iter().for_each(|heading| self.add(heading, 0));
    }

    /// The bytes that all flows of a direction have delivered.
    pub(super) fn bytes(&self, heading: Heading) -> u64 {
        self.flows_of(heading).map(Flow::bytes).sum()
    }

    /// Directions in which flows have begun, but deliver nothing.
    pub(super) fn stuck(&self) -> impl Iterator<Item = Heading> {
        // A request and some small segments may pass where large ones do not.
        const SOME: u64 = 4096;
        let is_stuck = |heading: &Heading| {
            let ready = self.flows_of(*heading).filter(|flow| flow.is_ready()).count();
            ready > 0 && self.flows_of(*heading).all(|flow| flow.bytes() < SOME)
        };
        headings(self.load).iter().copied().filter(is_stuck)
    }

    /// True if this stage loads no direction.
    pub(super) fn is_idle(&self) -> bool {
        headings(self.load).is_empty()
    }

    /// True if all flows have ended without being told to.
    pub(super) fn is_over(&self) -> bool {
        !self.flows.is_empty() && self.flows.iter().all(Flow::is_over)
    }

    /// Tells all flows to stop, and returns the record of each.
    pub(super) async fn end(self) -> Vec<io::Result<Loaded>> {
        self.stop.send_replace(true);
        let mut ended = Vec::new();
        for flow in self.flows {
            ended.push(flow.end().await);
        }
        ended
    }

    fn flows_of(&self, heading: Heading) -> impl Iterator<Item = &Flow> {
        self.flows.iter().filter(move |flow| flow.heading == heading)
    }

    fn add(&mut self, heading: Heading, dscp: u8) {
        let congestion = self.plan.congestion(self.flows_of(heading).count());
        let kind = FlowProperties { heading, dscp, congestion, segment: self.segment };
        self.flows.push(Flow::start(Arc::clone(&self.common), kind, self.stop.subscribe()));
    }
}
