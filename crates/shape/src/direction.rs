//! One direction of a shaped interface, and what is counted of it.

use live::{LinkView, QueuedPacket};
use qdisc::{Cause, Tally};
use results::{ShapedDelay, ShapedDirection};
use stats::Histogram;
use survey::Counters;
use units::{Bytes, Span, Time, Way};

use crate::{Factory, QueueSettings, Shown};

/// One direction of a shaped interface.
#[derive(Debug)]
pub(crate) struct Direction<F> {
    pub(crate) way: Way,
    pub(crate) settings: QueueSettings<F>,
    /// The name of our device that takes the packets.
    pub(crate) device: String,
    pub(crate) tally: Tally,
    /// Bytes that came to the queue.
    pub(crate) arrived: Bytes,
    /// Bytes that passed the queue by its leave.
    pub(crate) passed: Bytes,
    /// Bytes that the interface should have counted by now.
    pub(crate) seen: Bytes,
    /// The interface's own count when the shaper began, or when the interface came back.
    counted_before: Bytes,
    /// Bytes that the interface counted and the shaper did not see.
    missed: Bytes,
    /// Those of them that were missed before the interface came back.
    missed_before: Bytes,
    /// Packets that were lost between the kernel and the queue.
    pub(crate) lost_packets: u64,
    /// Packets that the interface refused behind the queue.
    pub(crate) refused_packets: u64,
    /// The times that packets of this second waited, in nanoseconds.
    pub(crate) sojourns: Histogram,
    /// The packets of the last second.
    last: LastSecond,
    /// Bytes that had left the queue when this second began.
    sent_before: Bytes,
}

/// The rate and the delays of a direction in the last second.
#[derive(Clone, Copy, Debug, Default)]
struct LastSecond {
    rate_mbit: f64,
    /// `None` if no packet left.
    delay: Option<ShapedDelay>,
}

impl<F: Factory> Direction<F> {
    pub(crate) fn new(way: Way, settings: QueueSettings<F>, device: String) -> Self {
        Self {
            way,
            settings,
            device,
            tally: Tally::default(),
            arrived: Bytes::ZERO,
            passed: Bytes::ZERO,
            seen: Bytes::ZERO,
            counted_before: Bytes::ZERO,
            missed: Bytes::ZERO,
            missed_before: Bytes::ZERO,
            lost_packets: 0,
            refused_packets: 0,
            sojourns: Histogram::default(),
            last: LastSecond::default(),
            sent_before: Bytes::ZERO,
        }
    }

    /// The interface's count of this direction.
    fn counted(&self, counters: Counters) -> Bytes {
        Bytes(match self.way {
            Way::Forward => counters.tx_bytes,
            Way::Reverse => counters.rx_bytes,
        })
    }

    /// Begins to compare with the counters of an interface. The last second was without it.
    pub(crate) fn meet(&mut self, counters: Option<&Counters>) {
        self.last = LastSecond::default();
        let counters = counters.copied().unwrap_or_default();
        (self.counted_before, self.seen) = (self.counted(counters), Bytes::ZERO);
        self.missed_before = self.missed;
    }

    pub(crate) fn departed(&mut self, packet: &QueuedPacket, sojourn: Span) {
        self.tally.count_sent(packet);
        self.sojourns.record_many(sojourn.as_nanos(), packet.packets.into());
        if self.way == Way::Forward {
            self.seen += Bytes(packet.len.into());
        }
    }

    pub(crate) fn offered(&mut self, packet: &QueuedPacket) {
        self.arrived += Bytes(packet.len.into());
        // What is dropped was received all the same.
        if self.way == Way::Reverse {
            self.seen += Bytes(packet.len.into());
        }
    }

    pub(crate) fn passed(&mut self, len: Bytes) {
        self.passed += len;
        self.seen += len;
    }

    pub(crate) fn dropped(&mut self, packet: &QueuedPacket, cause: Cause) {
        self.tally.count_dropped(packet, cause);
    }

    /// Ends a second of this length, at whose end the interface has these counters; `None` if they
    /// cannot be read.
    pub(crate) fn end_second(&mut self, counters: Option<&Counters>, length: Span) {
        let sent = self.tally.sent.bytes - self.sent_before;
        self.sent_before = self.tally.sent.bytes;
        let sojourns = std::mem::take(&mut self.sojourns);
        let millis = |nanos: Option<u64>| nanos.map(|nanos| nanos as f64 / 1e6);
        let delay = || {
            Some(ShapedDelay {
                p50: millis(sojourns.quantile(0.5))?,
                p95: millis(sojourns.quantile(0.95))?,
                max: millis(sojourns.max())?,
            })
        };
        let rate_mbit = sent.0 as f64 * 8.0 / 1e6 / length.as_secs_f64();
        self.last = LastSecond { rate_mbit, delay: delay() };
        let Some(counters) = counters else { return };
        let counted = self.counted(*counters) - self.counted_before;
        let missed = counted - self.seen.min(counted);
        self.missed = self.missed.max(self.missed_before + missed);
    }

    /// The direction in the document of a shaper.
    pub(crate) fn document(
        &self,
        interface: &str,
        index: usize,
        link: &LinkView<'_, F::Queue>,
        now: Time,
    ) -> ShapedDirection {
        let (queue, backlog) = (link.queue(), link.backlog());
        let shown = Shown { interface, index, queue, tally: self.tally, backlog, now };
        ShapedDirection {
            queue: self.settings.queue.to_string(),
            limit_mbit: self.settings.limit().map(|rate| rate.bits_per_sec() as f64 / 1e6),
            rate_mbit: self.last.rate_mbit,
            delay_ms: self.last.delay,
            passed_bytes: self.passed.0,
            missed_bytes: self.missed.0,
            lost_packets: self.lost_packets,
            refused_packets: self.refused_packets,
            tc: self.settings.queue.listed(&shown).fields().clone(),
        }
    }
}
