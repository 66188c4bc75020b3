//! What the sending ends of a flow's connections say of themselves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kernel::{TcpInfo, tcp_info};
use results::{FlowResult, Histogram, Spread};
use units::Span;

use super::open::Stream;
use super::{FlowGauges, FlowOutcome};

/// Asks the connections of one flow about every ten milliseconds. Its round trips are therefore
/// smoothed (RFC 6298 SRTT) and sampled, where the simulator has those of single segments.
pub(super) struct Inspector {
    gauges: Arc<[FlowGauges]>,
    flow: usize,
    rtt: Histogram,
    /// What each open connection said last.
    open: BTreeMap<u32, TcpInfo>,
    /// Counts of connections that are closed.
    past: Counts,
    before: Counts,
}

/// What is counted at a sender.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    retransmitted: u64,
    /// Of connections whose kernel says.
    timeouts: Option<u64>,
    marked: u64,
}

impl Counts {
    fn add(self, info: &TcpInfo) -> Self {
        Self {
            retransmitted: self.retransmitted + info.retransmitted,
            timeouts: info
                .timeouts
                .map_or(self.timeouts, |more| Some(self.timeouts.unwrap_or(0) + more)),
            marked: self.marked + info.marked,
        }
    }
}

impl Inspector {
    pub(super) fn new(gauges: Arc<[FlowGauges]>, flow: usize) -> Self {
        Self {
            gauges,
            flow,
            rtt: Histogram::new(),
            open: BTreeMap::new(),
            past: Counts::default(),
            before: Counts::default(),
        }
    }

    /// Asks this connection, which is known by this number.
    pub(super) fn ask(&mut self, number: u32, stream: &Stream) {
        // A connection that does not answer stays as it was.
        let Ok(info) = tcp_info(stream) else { return };
        let last = self.open.insert(number, info).unwrap_or_default();
        // Without a new acknowledgement there is no new round trip.
        if let Some(srtt) = info.srtt.filter(|_| info.acknowledged > last.acknowledged) {
            self.rtt.record(srtt.as_nanos());
            self.gauges[self.flow].round_trips.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// All have been asked: shows what they said.
    pub(super) fn show(&self) {
        let gauges = &self.gauges[self.flow];
        let cwnd = self.open.values().map(|info| info.cwnd).fold(0, u32::saturating_add);
        gauges.cwnd.store(cwnd, Ordering::Relaxed);
        let srtt = self.open.values().filter_map(|info| info.srtt).max();
        if let Some(srtt) = srtt {
            gauges.rtt.store(srtt.as_nanos(), Ordering::Relaxed);
        }
    }

    /// Asks this connection for the last time.
    pub(super) fn part(&mut self, number: u32, stream: &Stream) {
        self.ask(number, stream);
        if let Some(info) = self.open.remove(&number) {
            self.past = self.past.add(&info);
        }
    }

    /// Statistics begin now, and all have just been asked.
    pub(super) fn reset(&mut self) {
        self.rtt = Histogram::new();
        self.before = self.counts();
    }

    /// What the sending end knows of a flow.
    pub(super) fn outcome(&self) -> FlowOutcome {
        let (counts, before) = (self.counts(), self.before);
        let timeouts = counts.timeouts.map(|count| count - before.timeouts.unwrap_or(0));
        let result = FlowResult {
            rtt_ms: Some(Spread::of(&self.rtt)),
            retransmitted_packets: Some(counts.retransmitted - before.retransmitted),
            timeouts,
            marks: Some(counts.marked - before.marked),
            ..FlowResult::default()
        };
        FlowOutcome { result, delays: self.rtt.clone() }
    }

    fn counts(&self) -> Counts {
        self.open.values().fold(self.past, Counts::add)
    }
}

/// A latest round trip, for whoever looks.
pub(super) fn show_round_trip(gauges: &FlowGauges, rtt: Span) {
    gauges.rtt.store(rtt.as_nanos(), Ordering::Relaxed);
    gauges.round_trips.fetch_add(1, Ordering::Relaxed);
}
