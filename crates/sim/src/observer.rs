//! The observer of a link's signals, which passes them on.

use link::LinkSignals;
use meter::{DirectionRecorder, FateRecorder, Meter, Passage};
use qdisc::{Cause, Packet, Signals};
use units::{Span, Time};

use crate::Writer;
use crate::fates::Fates;
use crate::hops::{Hop, Hops};
use crate::packet::SimPacket;
use crate::store::Store;

/// The receivers of a link's signals: the meter of the direction, the counts of the flow's hop, and
/// the timeline and the table of fates if there are any.
pub(crate) struct Observer<'a> {
    pub(crate) meter: &'a mut Meter,
    pub(crate) hops: &'a mut Hops,
    pub(crate) store: &'a mut Store,
    pub(crate) timeline: Option<&'a mut DirectionRecorder>,
    pub(crate) fates: Option<&'a mut Fates>,
}

impl Observer<'_> {
    /// Calls `tell` with the table of fates, if there is one.
    #[inline]
    fn record(
        &mut self,
        packet: &SimPacket,
        tell: impl FnOnce(&mut FateRecorder<Writer>, &Passage),
    ) {
        if let Some(fates) = &mut self.fates
            && let Hop::Direction(direction) = self.hops.at(packet.hop)
        {
            let passage = Passage {
                direction,
                flow: packet.flow,
                packets: 1,
                bytes: packet.len(),
                offered: fates.offered(packet),
                is_marked: packet.marking.is_marked_here(),
            };
            tell(&mut fates.recorder, &passage);
        }
    }
}

impl Signals<SimPacket> for Observer<'_> {
    fn dropped(&mut self, packet: SimPacket, cause: Cause, _now: Time) {
        self.hops.drop(&packet);
        self.meter.dropped(&packet, cause);
        self.record(&packet, |fates, passage| fates.dropped(passage, cause));
        self.store.payloads.free(packet.payload);
    }

    fn marked(&mut self, packet: &SimPacket, _cause: Cause, _now: Time) {
        self.hops.mark(packet);
        self.meter.marked(packet);
    }

    fn store(&self) -> &Store {
        self.store
    }
}

impl LinkSignals<SimPacket> for Observer<'_> {
    #[inline]
    fn departed(&mut self, packet: &SimPacket, sojourn: Span, now: Time) {
        self.meter.departed(packet, sojourn);
        if let Some(timeline) = &mut self.timeline {
            timeline.departed(sojourn);
        }
        self.record(packet, |fates, passage| fates.departed(passage, now));
    }

    fn lost(&mut self, packet: SimPacket, _now: Time) {
        self.hops.drop(&packet);
        self.meter.lost(&packet);
        if let Some(fates) = &mut self.fates {
            fates.recorder.lost();
        }
        self.store.payloads.free(packet.payload);
    }
}
