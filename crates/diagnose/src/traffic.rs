//! How much one direction carried.

use results::observation::Heading;

use crate::flow::{Carried, Flow};
use crate::passage::Passage;

/// Bytes of a packet that only acknowledges: headers and, now and then, what arrived out of order.
const ACKNOWLEDGEMENT: f64 = 52.0;

/// Segments for each acknowledgement (RFC 5681 section 4.2: every second full-sized one).
const ACKNOWLEDGED_AT_ONCE: f64 = 2.0;

/// All that a direction carries: flows, probes, and acknowledgements of flows that go the other way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic<'a> {
    /// All flows.
    pub(crate) flows: &'a [Flow<'a>],
    /// Which way.
    pub(crate) heading: Heading,
    /// Probes of this direction.
    pub(crate) passages: &'a [Passage],
    /// Bytes of a probe as an IP packet.
    pub(crate) probe: f64,
}

/// A rate of arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flux {
    /// Bytes for applications in a second.
    pub(crate) payload: f64,
    /// Bytes of IP packets in a second.
    pub(crate) bytes: f64,
    /// Packets in a second.
    pub(crate) packets: f64,
}

impl Flux {
    /// So many times as much.
    pub(crate) fn times(&self, factor: f64) -> Self {
        let Self { payload, bytes, packets } = self;
        Self { payload: payload * factor, bytes: bytes * factor, packets: packets * factor }
    }
}

impl Traffic<'_> {
    /// What arrived on average; nothing if no time passed or nothing came.
    pub(crate) fn flux(&self, from: f64, to: f64) -> Option<Flux> {
        let time = to - from;
        let data = self.sum(from, to, |flow| flow.seen.heading == self.heading);
        let back = self.sum(from, to, |flow| flow.seen.heading != self.heading);
        let acknowledgements = back.packets / ACKNOWLEDGED_AT_ONCE;
        let probes = self.probes_arrived(from, to);
        let bytes = data.bytes + acknowledgements * ACKNOWLEDGEMENT + probes * self.probe;
        let packets = data.packets + acknowledgements + probes;
        let is_there = time > 0.0 && data.payload > 0.0 && bytes.is_finite();
        is_there.then(|| Flux {
            payload: data.payload / time,
            bytes: bytes / time,
            packets: packets / time,
        })
    }

    fn sum(&self, from: f64, to: f64, which: impl Fn(&Flow<'_>) -> bool) -> Carried {
        self.flows.iter().filter(|flow| which(flow)).fold(Carried::default(), |sum, flow| {
            let (before, after) = (flow.carried(from), flow.carried(to));
            Carried {
                at: to,
                payload: sum.payload + (after.payload - before.payload).max(0.0),
                bytes: sum.bytes + (after.bytes - before.bytes).max(0.0),
                packets: sum.packets + (after.packets - before.packets).max(0.0),
            }
        })
    }

    /// By when they set out: as many as arrive, but for the ends of the window.
    fn probes_arrived(&self, from: f64, to: f64) -> f64 {
        let within = crate::passage::between(self.passages, from, to);
        within.iter().filter(|passage| passage.wait().is_some()).count() as f64
    }
}
