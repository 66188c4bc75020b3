//! The observer of a link's signals.

use link::LinkSignals;
use meter::Tap;
use qdisc::{Cause, Signals};
use units::{Span, Time};

use crate::offer_times::OfferTimes;
use crate::packet::SimPacket;
use crate::store::Store;

/// The observer of a link: it reports the link's signals to the instruments, and frees the payloads
/// of packets that go no further.
pub(crate) struct Observer<'a> {
    pub(crate) tap: Tap<'a>,
    pub(crate) store: &'a mut Store,
    /// The times at which packets were offered; `None` if packets are not recorded one by
    /// one.
    pub(crate) offer_times: Option<&'a OfferTimes>,
}

impl Signals<SimPacket> for Observer<'_> {
    fn dropped(&mut self, packet: SimPacket, cause: Cause, now: Time) {
        let offered = || self.offer_times.and_then(|times| times.offered(&packet)).unwrap_or(now);
        self.tap.dropped(&packet.tag(), cause, offered);
        self.tap.stay_ends(&packet.tag(), now, offered);
        self.store.payloads.free(packet.payload);
    }

    fn marked(&mut self, packet: &SimPacket, cause: Cause, _now: Time) {
        self.tap.marked(&packet.tag(), cause);
    }

    fn store(&self) -> &Store {
        self.store
    }
}

impl LinkSignals<SimPacket> for Observer<'_> {
    #[inline]
    fn departed(&mut self, packet: &SimPacket, sojourn: Span, now: Time) {
        self.tap.departed(&packet.tag(), sojourn, now);
    }

    fn lost(&mut self, packet: SimPacket, _now: Time) {
        self.tap.lost(&packet.tag());
        self.store.payloads.free(packet.payload);
    }
}
