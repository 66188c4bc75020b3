//! What is counted at the link.

use std::io::Write;

use link::LinkSignals;
use qdisc::{Backlog, Cause, Signals};
use results::{
    Direction, DirectionRecorder, Distributions, Document, Drops, Fate, Histogram, MeanMax,
    Sojourn, TimeWeighted, Timeline, TimelineRecorder, Way,
};
use units::{Bytes, Span, Time};

use crate::LINK;
use crate::fates::FateTable;
use crate::packet::ReplayPacket;

/// The statistics of the link, and the table of fates if one is wanted.
pub(crate) struct Meter {
    pub(crate) departed: Backlog,
    drops: Drops,
    marks: u64,
    sojourn: Histogram,
    backlog_packets: TimeWeighted,
    backlog_bytes: TimeWeighted,
    start: Time,
    timeline: Option<TimelineRecorder>,
    pub(crate) fates: Option<FateTable<Box<dyn Write>>>,
}

impl Meter {
    /// Begins with the first arrival, with a timeline if one is wanted.
    pub(crate) fn new(start: Time, timeline: bool, fates: Option<Box<dyn Write>>) -> Self {
        /// Nobody knows how long it will be: steps are joined as they become too many.
        const SHORTEST_STEP: Span = Span::from_millis(1);
        let recorder = || {
            TimelineRecorder::new(SHORTEST_STEP, Timeline::MOST_STEPS, vec![LINK.into()], vec![])
        };
        Self {
            start,
            timeline: timeline.then(recorder),
            departed: Backlog::default(),
            drops: Drops::default(),
            marks: 0,
            sojourn: Histogram::new(),
            backlog_packets: TimeWeighted::new(start),
            backlog_bytes: TimeWeighted::new(start),
            fates: fates.map(FateTable::new),
        }
    }

    /// This much waits from now on.
    #[inline]
    pub(crate) fn waits(&mut self, backlog: Backlog, now: Time) {
        if backlog.packets != self.backlog_packets.value() {
            self.backlog_packets.set(backlog.packets, now);
            self.record(|timeline| timeline.waits(backlog.packets));
        }
        if backlog.bytes.0 != self.backlog_bytes.value() {
            self.backlog_bytes.set(backlog.bytes.0, now);
        }
    }

    /// It is `now`: ends the steps of the timeline that are over.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        let now = Time::ZERO + now.since(self.start);
        if let Some(timeline) = &mut self.timeline {
            timeline.advance(now);
        }
    }

    /// Adds the timeline, and with it the distributions, if it was wanted.
    pub(crate) fn draw(&mut self, document: &mut Document, end: Time) {
        let Some(timeline) = self.timeline.take() else { return };
        document.timeline = Some(timeline.finish(Time::ZERO + end.since(self.start)));
        let mut distributions = Distributions::new();
        distributions.add_link(LINK.into(), &self.sojourn, &Histogram::new());
        document.distributions = Some(distributions);
    }

    /// The whole, over `period` until `end`, in which the link could have carried `capacity`.
    pub(crate) fn direction(&self, period: Span, capacity: Option<Bytes>, end: Time) -> Direction {
        let Backlog { packets, bytes } = self.departed;
        let seconds = period.as_secs_f64();
        Direction {
            queue: String::new(),
            delivered_packets: packets,
            delivered_bytes: bytes.0,
            rate_mbit: (seconds > 0.0).then(|| bytes.0 as f64 * 8e-6 / seconds),
            utilisation: capacity
                .filter(|capacity| capacity.0 > 0)
                .map(|capacity| (bytes.0 as f64 / capacity.0 as f64).min(1.0)),
            drops: self.drops,
            marks: self.marks,
            sojourn_ms: Sojourn::of(&self.sojourn),
            backlog_packets: MeanMax::of(&self.backlog_packets, end),
            backlog_bytes: MeanMax::of(&self.backlog_bytes, end),
            jain_goodput: None,
            jain_drops: None,
        }
    }

    #[inline]
    fn record(&mut self, note: impl FnOnce(&mut DirectionRecorder)) {
        if let Some(timeline) = &mut self.timeline {
            note(timeline.direction(0, Way::Forward));
        }
    }

    #[inline]
    fn decided(&mut self, packet: &ReplayPacket, fate: Fate) {
        if let Some(fates) = &mut self.fates {
            fates.decided(packet.index, packet.arrived, fate);
        }
    }
}

impl Signals<ReplayPacket> for Meter {
    fn dropped(&mut self, packet: ReplayPacket, cause: Cause, _now: Time) {
        let fate = if cause == Cause::Overflow {
            self.drops.full += 1;
            Fate::DroppedFull
        } else {
            self.drops.aqm += 1;
            Fate::DroppedAqm
        };
        self.record(|timeline| timeline.dropped(1));
        self.decided(&packet, fate);
    }

    fn marked(&mut self, _packet: &ReplayPacket, _cause: Cause, _now: Time) {
        self.marks += 1;
        self.record(|timeline| timeline.marked(1));
    }
}

impl LinkSignals<ReplayPacket> for Meter {
    #[inline]
    fn departed(&mut self, packet: &ReplayPacket, sojourn: Span, now: Time) {
        self.sojourn.record(sojourn.as_nanos());
        let bytes = Bytes(u64::from(packet.len));
        self.departed += bytes;
        self.record(|timeline| {
            timeline.departed(sojourn);
            timeline.delivered(bytes);
        });
        let fate = match packet.is_marked_here() {
            true => Fate::Marked { departed: now },
            false => Fate::Delivered { departed: now },
        };
        self.decided(packet, fate);
    }

    /// This wire loses nothing.
    fn lost(&mut self, _packet: ReplayPacket, _now: Time) {
        self.drops.loss += 1;
    }
}
