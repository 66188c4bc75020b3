//! What is counted at one direction of a link.

use std::ops::Sub;

use link::LinkSignals;
use qdisc::{Backlog, Cause, Signals};
use results::{DirectionRecorder, Drops, Histogram, TimeWeighted};
use units::{Span, Time};

use crate::fates::FateRecorder;
use crate::hops::Hops;
use crate::packet::SimPacket;
use crate::payloads::Payloads;

/// What is counted from the beginning on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    /// Arrived at the far end.
    pub(crate) delivered_packets: u64,
    pub(crate) delivered_bytes: u64,
    /// Left the queue for the wire, which may have lost them since.
    pub(crate) departed: u64,
    pub(crate) departed_bytes: u64,
    /// The sum of their sojourns.
    pub(crate) waited_nanos: u64,
    pub(crate) drops: Drops,
    pub(crate) marks: u64,
}

/// The statistics of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    pub(crate) counters: Counters,
    /// What had been counted when the statistics began.
    before: Counters,
    pub(crate) sojourn: Histogram,
    pub(crate) backlog_packets: TimeWeighted,
    pub(crate) backlog_bytes: TimeWeighted,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self {
            counters: Counters::default(),
            before: Counters::default(),
            sojourn: Histogram::new(),
            backlog_packets: TimeWeighted::new(Time::ZERO),
            backlog_bytes: TimeWeighted::new(Time::ZERO),
        }
    }

    /// Statistics begin now.
    pub(crate) fn reset(&mut self, now: Time) {
        self.before = self.counters;
        self.sojourn = Histogram::new();
        self.backlog_packets.reset(now);
        self.backlog_bytes.reset(now);
    }

    /// What has been counted since the statistics began.
    pub(crate) fn counted(&self) -> Counters {
        self.counters - self.before
    }

    /// A packet of this length has arrived at the far end.
    #[inline]
    pub(crate) fn arrived(&mut self, len: u32) {
        self.counters.delivered_packets += 1;
        self.counters.delivered_bytes += u64::from(len);
    }

    /// This much waits from now on.
    #[inline]
    pub(crate) fn waits(&mut self, backlog: Backlog, now: Time) {
        if backlog.packets != self.backlog_packets.value() {
            self.backlog_packets.set(backlog.packets, now);
        }
        if backlog.bytes.0 != self.backlog_bytes.value() {
            self.backlog_bytes.set(backlog.bytes.0, now);
        }
    }
}

impl Sub for Counters {
    type Output = Self;
    fn sub(self, before: Self) -> Self {
        Self {
            delivered_packets: self.delivered_packets - before.delivered_packets,
            delivered_bytes: self.delivered_bytes - before.delivered_bytes,
            departed: self.departed - before.departed,
            departed_bytes: self.departed_bytes - before.departed_bytes,
            waited_nanos: self.waited_nanos - before.waited_nanos,
            drops: Drops {
                full: self.drops.full - before.drops.full,
                aqm: self.drops.aqm - before.drops.aqm,
                loss: self.drops.loss - before.drops.loss,
            },
            marks: self.marks - before.marks,
        }
    }
}

/// Where a link's signals go: to the meter of the direction, to the toll of the flow's hop, and to
/// the timeline and the table of fates if they are wanted.
pub(crate) struct Observer<'a> {
    pub(crate) meter: &'a mut Meter,
    pub(crate) hops: &'a mut Hops,
    pub(crate) payloads: &'a mut Payloads,
    pub(crate) timeline: Option<&'a mut DirectionRecorder>,
    pub(crate) fates: Option<&'a mut FateRecorder>,
}

impl Signals<SimPacket> for Observer<'_> {
    fn dropped(&mut self, packet: SimPacket, cause: Cause, _now: Time) {
        self.hops.toll(packet.hop).dropped += 1;
        let overflow = cause == Cause::Overflow;
        match overflow {
            true => self.meter.counters.drops.full += 1,
            false => self.meter.counters.drops.aqm += 1,
        }
        if let Some(fates) = &mut self.fates {
            fates.dropped(&packet, overflow);
        }
        self.payloads.take(packet.payload);
    }

    fn marked(&mut self, packet: &SimPacket, _cause: Cause, _now: Time) {
        self.hops.toll(packet.hop).marked += 1;
        self.meter.counters.marks += 1;
    }
}

impl LinkSignals<SimPacket> for Observer<'_> {
    #[inline]
    fn departed(&mut self, packet: &SimPacket, sojourn: Span, now: Time) {
        self.meter.sojourn.record(sojourn.as_nanos());
        self.meter.counters.departed += 1;
        self.meter.counters.departed_bytes += u64::from(packet.len);
        self.meter.counters.waited_nanos += sojourn.as_nanos();
        if let Some(timeline) = &mut self.timeline {
            timeline.departed(sojourn);
        }
        if let Some(fates) = &mut self.fates {
            fates.departed(packet, now);
        }
    }

    fn lost(&mut self, packet: SimPacket, _now: Time) {
        self.hops.toll(packet.hop).dropped += 1;
        self.meter.counters.drops.loss += 1;
        if let Some(fates) = &mut self.fates {
            fates.lost();
        }
        self.payloads.take(packet.payload);
    }
}
