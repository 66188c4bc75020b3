//! The result and cost of a simulation by any simulator.

use serde::Serialize;

use crate::speed::ScenarioCost;

/// The result and cost of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PeerResult {
    pub(super) goodput_mbit: f64,
    /// The sojourns of the packets that the bottleneck's queue delivered.
    pub(super) sojourn_p50_ms: Option<f64>,
    pub(super) sojourn_p95_ms: Option<f64>,
    /// The drops at the bottleneck's queue; `None` if they were not counted.
    pub(super) drops: Option<u64>,
    /// The packets that the bottleneck sent forward.
    pub(super) packets: u64,
    pub(super) events: Option<u64>,
    pub(super) cpu_s: f64,
    pub(super) peak_rss_mb: Option<f64>,
}

impl From<ScenarioCost> for PeerResult {
    fn from(cost: ScenarioCost) -> Self {
        let packets = cost.bottleneck_packets;
        Self {
            goodput_mbit: cost.goodput_mbit,
            sojourn_p50_ms: cost.sojourn_p50_ms,
            sojourn_p95_ms: cost.sojourn_p95_ms,
            drops: Some(cost.drops),
            packets,
            events: Some((cost.events_per_packet * packets as f64).round() as u64),
            cpu_s: cost.cpu_s,
            peak_rss_mb: cost.peak_rss_mb,
        }
    }
}
