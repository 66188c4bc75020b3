//! The records of a replay.

use std::io;

use link::{Link, LinkSignals};
use meter::{
    Gauges, InstrumentOptions, Instruments, LinkState, Network, QueueState, Run, Tag,
    TimelineOptions, fate_of_departed, fate_of_dropped,
};
use qdisc::{AnyQdisc, Backlog, Cause, Packet, QdiscSpec, Signals};
use results::{DirectionResult, Document, Timeline};
use tables::Fate;
use units::{Bytes, DirectionId, Span, Time, Way};

use crate::LINK;
use crate::fates::{FateRows, FateTable};
use crate::headers::LatestHeaders;
use crate::packet::ReplayPacket;

/// The direction that the packets cross.
const DIRECTION: DirectionId = DirectionId::new(0, Way::Forward);

/// The instruments of the link, and the table of fates if one is wanted.
pub(crate) struct Recorder<'a> {
    instruments: Instruments,
    pub(crate) fates: Option<FateTable<Box<dyn FateRows + 'a>>>,
}

impl<'a> Recorder<'a> {
    /// A recorder that begins with the first packet, with a timeline if one is wanted.
    ///
    /// # Errors
    /// None, as the instruments write nothing.
    pub(crate) fn new(
        start: Time,
        timeline: bool,
        fates: Option<Box<dyn FateRows + 'a>>,
    ) -> io::Result<Self> {
        /// The steps of the timeline, which are joined as they become too many: the duration is not
        /// known.
        const STEPS: TimelineOptions =
            TimelineOptions { step: Span::from_millis(1), most_steps: Timeline::MOST_STEPS };
        let instruments = Instruments::new(InstrumentOptions {
            network: Network { links: vec![LINK.into()], flows: Vec::new() },
            start,
            warmup: Span::ZERO,
            fates: None,
            series: None,
            timeline: timeline.then_some(STEPS),
        })?;
        Ok(Self { instruments, fates: fates.map(FateTable::new) })
    }

    /// Records the backlog from now on.
    #[inline]
    pub(crate) fn waits(&mut self, backlog: Backlog, now: Time) {
        self.instruments.tap(DIRECTION).waits(backlog, now);
    }

    /// Does all that is due at the instruments until `now`. Nothing has happened on the link
    /// meanwhile.
    #[inline]
    pub(crate) fn catch_up(
        &mut self,
        link: &Link<ReplayPacket, AnyQdisc<ReplayPacket>>,
        now: Time,
    ) {
        loop {
            let due = self.instruments.due();
            if due > now || due == Time::MAX {
                return;
            }
            self.instruments.tick(due, || now, &[LinkState::of(link, due)], |_| Gauges::default());
        }
    }

    /// The state of the queue now, which has these settings.
    pub(crate) fn queue_state(
        &self,
        spec: &QdiscSpec,
        link: &Link<ReplayPacket, AnyQdisc<ReplayPacket>>,
        now: Time,
    ) -> QueueState {
        self.instruments.queue_state(DIRECTION, spec, link.queue(), now)
    }

    /// Fills in the results of a replay that ended at `end`.
    pub(crate) fn document(
        self,
        document: Document,
        queue: String,
        end: Time,
        capacity: Option<Bytes>,
    ) -> Document {
        let queues = vec![queue, String::new()];
        let run = Run { document, end, queues, flows: Vec::new() };
        let capacity = |direction, _| capacity.filter(|_| direction == DIRECTION);
        let mut document = self.instruments.document(run, capacity);
        // The link has no way back.
        document.links[LINK].reverse = DirectionResult::default();
        document
    }

    #[inline]
    fn decided(&mut self, packet: &ReplayPacket, fate: Fate) {
        if let Some(fates) = &mut self.fates {
            fates.decided(packet.index, packet.offered, fate);
        }
    }
}

/// The observer of the link's signals while one packet arrives or one departs.
pub(crate) struct Observer<'a, 'r> {
    pub(crate) recorder: &'a mut Recorder<'r>,
    /// The headers of the packet that arrives.
    pub(crate) headers: &'a LatestHeaders,
}

impl Signals<ReplayPacket> for Observer<'_, '_> {
    fn dropped(&mut self, packet: ReplayPacket, cause: Cause, _now: Time) {
        let recorder = &mut *self.recorder;
        recorder.instruments.tap(DIRECTION).dropped(&tag(&packet), cause, || packet.offered);
        recorder.decided(&packet, fate_of_dropped(cause));
    }

    fn marked(&mut self, packet: &ReplayPacket, cause: Cause, _now: Time) {
        self.recorder.instruments.tap(DIRECTION).marked(&tag(packet), cause);
    }

    fn store(&self) -> &LatestHeaders {
        self.headers
    }
}

impl LinkSignals<ReplayPacket> for Observer<'_, '_> {
    /// Counts a packet that departs as delivered too, since there is no receiver at the far end.
    #[inline]
    fn departed(&mut self, packet: &ReplayPacket, sojourn: Span, now: Time) {
        let (mut tap, tag) = (self.recorder.instruments.tap(DIRECTION), tag(packet));
        tap.departed(&tag, sojourn, now);
        tap.delivered(&tag);
        self.recorder.decided(packet, fate_of_departed(tag.is_marked, now));
    }

    /// Counts a loss, which this wire never has.
    fn lost(&mut self, packet: ReplayPacket, _now: Time) {
        self.recorder.instruments.tap(DIRECTION).lost(&tag(&packet));
    }
}

/// A packet as the instruments count it. The flows of a replay have no counts of their own.
#[inline]
fn tag(packet: &ReplayPacket) -> Tag {
    let is_marked = packet.marking.is_marked_here();
    Tag { flow: 0, packets: 1, bytes: packet.len(), is_marked }
}
