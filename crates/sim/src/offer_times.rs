//! The times at which packets were offered to queues, for the table of fates.

use units::Time;

use crate::packet::SimPacket;

/// The times at which packets were offered to the queues that they are in, by the places of their
/// payloads, which are [all stored](crate::payloads::Payloads::store_all). The times are stored apart
/// from the packets, which stay small, and only if there is a table of fates.
#[derive(Debug, Default)]
pub(crate) struct OfferTimes(Vec<Time>);

impl OfferTimes {
    /// Notes that a packet is offered to the queue of its present hop.
    pub(crate) fn note(&mut self, packet: &SimPacket, now: Time) {
        let Some(place) = packet.payload.place() else { return };
        let place = place as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, Time::ZERO);
        }
        self.0[place] = now;
    }

    /// The time at which a packet was offered to the queue of its present hop; `None` if that was not noted.
    pub(crate) fn offered(&self, packet: &SimPacket) -> Option<Time> {
        let place = packet.payload.place()?;
        self.0.get(place as usize).copied()
    }
}
