//! The link on which a scenario's data waits.

use units::{DirectionId, Rate};

use crate::scenario::Scenario;
use crate::topology::{Direction, RatePlan};

impl Scenario {
    /// The slowest direction that data over TCP crosses, which takes what a link has; among equals the first in
    /// the file. Where no flow has TCP, all data counts.
    pub fn bottleneck(&self) -> DirectionId {
        let crossed = |loads_only: bool| -> Vec<DirectionId> {
            let routes = self.flows.iter().zip(self.routes());
            let routes = routes.filter(|(flow, _)| !loads_only || flow.traffic.is_tcp());
            routes.flat_map(|(_, route)| route.hops).collect()
        };
        let loaded = crossed(true);
        let crossed = if loaded.is_empty() { crossed(false) } else { loaded };
        let rate = |direction: &DirectionId| rate(self.direction(*direction));
        DirectionId::all(self.links.len())
            .filter(|direction| crossed.contains(direction))
            .min_by_key(|direction| rate(direction).map_or(u64::MAX, Rate::bits_per_sec))
            // A checked scenario has a flow, and a flow a route.
            .unwrap_or(DirectionId::from_index(0))
    }
}

/// The lowest rate of a constant or scheduled direction, or the average rate of a trace. `None`
/// without a limit.
fn rate(direction: &Direction) -> Option<Rate> {
    match direction.rate.as_ref()? {
        RatePlan::Constant(rate) => Some(*rate),
        RatePlan::Schedule(schedule) => schedule.steps().iter().map(|(_, rate)| *rate).min(),
        RatePlan::Trace { trace, .. } => Some(trace.average_rate()),
    }
}
