//! The data that a direction carried.

use observation::Heading;

use crate::flow::{Carried, FULL, Flow, HEADERS};
use crate::passage::{Passage, Passages, between};

/// Segments for each acknowledgement where they are not counted (RFC 5681 section 4.2: every second
/// full-sized one).
const ACKNOWLEDGED_AT_ONCE: f64 = 2.0;

/// The bytes of an echo request of ping(8) in IP.
const PING: f64 = 64.0;
/// The bytes of a packet that ends at a hop, and about those of the answer, which quotes it.
const HOP: f64 = 100.0;
const TCP: f64 = 32.0;

/// Number of segments of a new connection beside the load, each way: those that open and close it,
/// a small message and an acknowledgement, as in a capture of a test.
const SEGMENTS: f64 = 5.0;
/// Bytes in these segments besides headers: of the message, of a SYN's additional options, and of
/// options for gaps.
const MESSAGE: f64 = 64.0;

/// All that a direction carries: flows, probes, echoes, new connections, a call, pages, and
/// acknowledgements of the other direction's flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic<'a> {
    /// All flows.
    pub(crate) flows: &'a [Flow<'a>],
    /// The direction.
    pub(crate) heading: Heading,
    /// The probes of this direction.
    pub(crate) passages: &'a [Passage],
    /// Bytes of a probe as an IP packet.
    pub(crate) probe: f64,
    /// Probes of other classes, and frames of a call, with their bytes.
    pub(crate) others: &'a [(Passages, f64)],
    /// Pages that the server sent: beginning and end in seconds, and bytes.
    pub(crate) pages: &'a [(f64, f64, f64)],
    /// The times of new connections beside the load, in seconds.
    pub(crate) foreign: &'a [f64],
    /// The times of echo requests that were answered, in seconds.
    pub(crate) pings: &'a [f64],
    /// The times of packets that ended at a hop and were answered by it, in seconds.
    pub(crate) hops: &'a [f64],
    pub(crate) ipv6: bool,
}

/// Rates of delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flux {
    /// Application bytes a second.
    pub(crate) payload: f64,
    /// Bytes of IP packets a second.
    pub(crate) bytes: f64,
    /// Packets a second.
    pub(crate) packets: f64,
}

impl Flux {
    /// The rates multiplied by a factor.
    pub(crate) fn times(&self, factor: f64) -> Self {
        let Self { payload, bytes, packets } = self;
        Self { payload: payload * factor, bytes: bytes * factor, packets: packets * factor }
    }
}

impl Traffic<'_> {
    /// The average rates of delivery; `None` if no time passed or nothing was delivered.
    pub(crate) fn flux(&self, from: f64, to: f64) -> Option<Flux> {
        let time = to - from;
        let data = self.sum(from, to, |flow| flow.seen.heading == self.heading);
        let acknowledgements = self.acknowledgements(from, to);
        let headers = HEADERS[usize::from(self.ipv6)];
        let (probes, probe_bytes) = self.probes_delivered(from, to);
        let parts = self.pages_delivered(from, to) / (FULL - headers);
        // An acknowledgement is headers and, sometimes, SACK blocks.
        let bytes = data.bytes + acknowledgements * headers + probe_bytes + parts * FULL;
        let packets = data.packets + acknowledgements + probes + parts;
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

    /// The acknowledgements that were delivered to the senders of the other direction.
    fn acknowledgements(&self, from: f64, to: f64) -> f64 {
        let back = self.flows.iter().filter(|flow| flow.seen.heading != self.heading);
        let delivered = back.map(|flow| {
            let counted = flow.acknowledgements(from).zip(flow.acknowledgements(to));
            let estimated = || {
                let packets = flow.carried(to).packets - flow.carried(from).packets;
                packets / ACKNOWLEDGED_AT_ONCE
            };
            counted.map_or_else(estimated, |(before, after)| after - before).max(0.0)
        });
        delivered.sum()
    }

    /// The bytes of pages that were delivered. The time of each byte is not known, so the bytes
    /// count as evenly spread.
    fn pages_delivered(&self, from: f64, to: f64) -> f64 {
        let part = |(begun, complete, bytes): &(f64, f64, f64)| {
            let within = complete.min(to) - begun.max(from);
            stats::ratio(bytes * within.max(0.0), complete - begun).unwrap_or(0.0)
        };
        let pages = if self.heading == Heading::Down { self.pages } else { &[] };
        pages.iter().map(part).sum()
    }

    /// The part of a line of `rate` bytes a second that the test's packets beside the load take; 0
    /// if no time passed.
    pub(crate) fn part_of_probes(&self, from: f64, to: f64, rate: f64) -> f64 {
        let (_, bytes) = self.probes_delivered(from, to);
        stats::ratio(bytes, rate * (to - from)).unwrap_or(0.0)
    }

    /// The packets beside the load, and their bytes, by the times of sending: as many as are
    /// delivered, but for the ends of the window.
    fn probes_delivered(&self, from: f64, to: f64) -> (f64, f64) {
        let delivered = |passages: &[Passage]| {
            let within = between(passages, from, to).iter();
            within.filter(|passage| passage.wait().is_some()).count() as f64
        };
        let others = self
            .others
            .iter()
            .map(|(passages, bytes)| (delivered(passages.heading(self.heading)), *bytes));
        let within = |times: &[f64]| {
            let before = |at: f64| times.partition_point(|time| *time < at);
            before(to).saturating_sub(before(from)) as f64
        };
        let headers = HEADERS[usize::from(self.ipv6)];
        let all = others.chain([
            (delivered(self.passages), self.probe),
            (within(self.pings), PING + headers - TCP),
            (within(self.hops), HOP),
            (SEGMENTS * within(self.foreign), headers + MESSAGE / SEGMENTS),
        ]);
        all.fold((0.0, 0.0), |(count, sum), (some, bytes)| (count + some, sum + some * bytes))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::passage::Fate;

    /// A download with these probes alone.
    pub(crate) fn bare(passages: &[Passage]) -> Traffic<'_> {
        Traffic {
            flows: &[],
            heading: Heading::Down,
            passages,
            probe: 84.0,
            others: &[],
            pages: &[],
            foreign: &[],
            pings: &[],
            hops: &[],
            ipv6: false,
        }
    }

    /// Probes that are far apart on a fast line take much of a slow one.
    #[test]
    fn what_we_send_ourselves_is_a_part_of_the_line() {
        let probe = |index: u32| Passage { at: f64::from(index) / 60.0, fate: Fate::Waited(1.0) };
        let passages: Vec<Passage> = (0..60).map(probe).collect();
        let heading = Heading::Up;
        let traffic = Traffic { heading, pings: &[0.5], ..bare(&passages) };
        // 60 probes and one echo request of 84 bytes each, of half a megabit in a second.
        let part = traffic.part_of_probes(0.0, 1.0, 62_500.0);
        assert!((part - 61.0 * 84.0 / 62_500.0).abs() < 1e-9, "{part}");
    }
}
