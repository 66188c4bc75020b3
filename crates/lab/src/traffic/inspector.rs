//! Statistics from the sending ends of a flow's connections.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use kernel::{TcpInfo, tcp_info};
use results::{FlowDelay, FlowResult};
use stats::Histogram;

use super::gauges::OwnGauges;
use super::open::Stream;
use super::outcome::FlowOutcome;

/// The reader of the TCP statistics of one flow's connections, about every ten milliseconds. The
/// flow's round trips are therefore smoothed (RFC 6298 SRTT) and sampled, while the simulator has
/// those of single segments.
pub(super) struct Inspector {
    gauges: OwnGauges,
    rtt: Histogram,
    /// The latest statistics of each open connection.
    open: BTreeMap<u16, TcpInfo>,
    /// The sums of closed connections.
    past: Counts,
    before: Counts,
}

/// The counts of a sender.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    retransmitted: u64,
    /// Retransmission timeouts; `None` if the kernel does not report them.
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
    pub(super) fn new(gauges: OwnGauges) -> Self {
        Self {
            gauges,
            rtt: Histogram::new(),
            open: BTreeMap::new(),
            past: Counts::default(),
            before: Counts::default(),
        }
    }

    /// Reads the statistics of the connection with this number.
    pub(super) fn ask(&mut self, number: u16, stream: &Stream) {
        // A connection whose statistics cannot be read keeps its last ones.
        let Ok(info) = tcp_info(stream) else { return };
        let last = self.open.insert(number, info).unwrap_or_default();
        // Without a new acknowledgement there is no new round trip.
        if let Some(srtt) = info.srtt.filter(|_| info.acknowledged > last.acknowledged) {
            self.rtt.record(srtt.as_nanos());
            self.gauges.round_trips.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Updates the gauges, after all connections have been read.
    pub(super) fn show(&self) {
        let cwnd = self.open.values().map(|info| info.cwnd).fold(0, u32::saturating_add);
        self.gauges.cwnd.store(cwnd, Ordering::Relaxed);
        let srtt = self.open.values().filter_map(|info| info.srtt).max();
        if let Some(srtt) = srtt {
            self.gauges.rtt.store(srtt.as_nanos(), Ordering::Relaxed);
        }
    }

    /// Reads the statistics of the connection with this number for the last time.
    pub(super) fn part(&mut self, number: u16, stream: &Stream) {
        self.ask(number, stream);
        if let Some(info) = self.open.remove(&number) {
            self.past = self.past.add(&info);
        }
    }

    /// Begins the statistics. All connections must just have been read.
    pub(super) fn reset(&mut self) {
        self.rtt = Histogram::new();
        self.before = self.counts();
    }

    /// The outcome of a flow: the result of its application, with the statistics.
    pub(super) fn outcome(&self, application: FlowResult) -> FlowOutcome {
        let (counts, before) = (self.counts(), self.before);
        let timeouts = counts.timeouts.map(|count| count - before.timeouts.unwrap_or(0));
        let result = FlowResult {
            rtt_ms: Some(FlowDelay::of(&self.rtt)),
            retransmitted_packets: Some(counts.retransmitted - before.retransmitted),
            timeouts,
            marks: Some(counts.marked - before.marked),
            ..application
        };
        FlowOutcome { result, delays: self.rtt.clone() }
    }

    fn counts(&self) -> Counts {
        self.open.values().fold(self.past, Counts::add)
    }
}
