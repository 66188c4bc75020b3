//! The records of a replay.

use std::io::Write;

use link::{Link, LinkSignals};
use meter::{
    DirectionRecorder, Meter, Others, Sample, TimelineRecorder, fate_of_departed, fate_of_dropped,
};
use qdisc::{AnyQdisc, Backlog, Cause, Packet, Signals};
use results::{Distributions, Document, Timeline};
use stats::Histogram;
use tables::Fate;
use units::{PerWay, Span, Time, Way};

use crate::LINK;
use crate::fates::FateTable;
use crate::headers::LatestHeaders;
use crate::packet::ReplayPacket;

/// The statistics of the link, and the optional records.
pub(crate) struct Recorder {
    pub(crate) meter: Meter,
    pub(crate) others: Others,
    start: Time,
    timeline: Option<TimelineRecorder>,
    pub(crate) fates: Option<FateTable<Box<dyn Write>>>,
}

impl Recorder {
    /// Begins at the first arrival, with a timeline if one is wanted.
    pub(crate) fn new(start: Time, timeline: bool, fates: Option<Box<dyn Write>>) -> Self {
        /// The duration is not known: steps are joined as they become too many.
        const SHORTEST_STEP: Span = Span::from_millis(1);
        let recorder = || {
            TimelineRecorder::new(SHORTEST_STEP, Timeline::MOST_STEPS, vec![LINK.into()], vec![])
        };
        Self {
            meter: Meter::new(start),
            others: Others::new(1, start),
            start,
            timeline: timeline.then(recorder),
            fates: fates.map(FateTable::new),
        }
    }

    /// Records the backlog from now on.
    #[inline]
    pub(crate) fn waits(&mut self, backlog: Backlog, now: Time) {
        self.meter.waits(backlog, now);
        self.record(|timeline| timeline.waits(backlog.packets));
    }

    /// Samples the waits that others would have had on this link until `now`; nothing has happened
    /// on it meanwhile.
    #[inline]
    pub(crate) fn look(&mut self, link: &Link<ReplayPacket, AnyQdisc<ReplayPacket>>, now: Time) {
        loop {
            let due = self.others.due();
            if due > now || due == Time::MAX {
                return;
            }
            let is_busy = link.is_busy(due);
            self.others.look([Sample { wait: link.new_flow_wait(due), is_busy }]);
            if !is_busy {
                self.others.rest(now);
            }
        }
    }

    /// Ends the steps of the timeline that are over at `now`.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        let now = Time::ZERO + now.since(self.start);
        if let Some(timeline) = &mut self.timeline {
            timeline.advance(now);
        }
    }

    /// Adds the timeline and the distributions to the document, if they were wanted.
    pub(crate) fn draw(&mut self, document: &mut Document, end: Time) {
        let Some(timeline) = self.timeline.take() else { return };
        document.timeline = Some(timeline.finish(Time::ZERO + end.since(self.start)));
        let mut distributions = Distributions::new();
        let none = Histogram::new();
        let both = PerWay { forward: self.meter.sojourn(), reverse: &none };
        distributions.add_link(LINK.into(), both);
        document.distributions = Some(distributions);
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

/// The observer of the link's signals while one packet arrives or one departs.
pub(crate) struct Observer<'a> {
    pub(crate) recorder: &'a mut Recorder,
    /// The headers of the packet that arrives.
    pub(crate) headers: &'a LatestHeaders,
}

impl Signals<ReplayPacket> for Observer<'_> {
    fn dropped(&mut self, packet: ReplayPacket, cause: Cause, _now: Time) {
        self.recorder.meter.dropped(&packet, cause);
        self.recorder.record(|timeline| timeline.dropped(1));
        self.recorder.decided(&packet, fate_of_dropped(cause));
    }

    fn marked(&mut self, packet: &ReplayPacket, _cause: Cause, _now: Time) {
        self.recorder.meter.marked(packet);
        self.recorder.record(|timeline| timeline.marked(1));
    }

    fn store(&self) -> &LatestHeaders {
        self.headers
    }
}

impl LinkSignals<ReplayPacket> for Observer<'_> {
    /// There is no receiver at the far end: a packet that departs has arrived.
    #[inline]
    fn departed(&mut self, packet: &ReplayPacket, sojourn: Span, now: Time) {
        self.recorder.meter.departed(packet, sojourn);
        self.recorder.meter.arrived(packet);
        self.recorder.record(|timeline| {
            timeline.departed(sojourn);
            timeline.delivered(packet.len());
        });
        self.recorder.decided(packet, fate_of_departed(packet.marking.is_marked_here(), now));
    }

    /// This wire loses nothing.
    fn lost(&mut self, packet: ReplayPacket, _now: Time) {
        self.recorder.meter.lost(&packet);
    }
}
