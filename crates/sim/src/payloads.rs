//! Where the contents of packets lie while their packets are on the way.

use transport::Segment;
use units::Time;

/// What a packet is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Payload {
    /// A TCP segment.
    Tcp(Segment),
    /// A datagram or an echo.
    Datagram {
        /// When its first packet was sent: an echo's reply keeps the request's time.
        sent: Time,
    },
}

/// Holds payloads, so that a packet that moves from queue to wire to queue is a few words and not
/// a whole header. Places are used again; nothing is allocated once it is as large as the network
/// was full.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    places: Vec<Payload>,
    free: Vec<u32>,
}

impl Payloads {
    /// Puts a payload somewhere.
    #[inline]
    pub(crate) fn put(&mut self, payload: Payload) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = payload;
            return place;
        }
        self.places.push(payload);
        (self.places.len() - 1) as u32
    }

    /// The payload of a packet that is on its way.
    pub(crate) fn at(&self, place: u32) -> &Payload {
        &self.places[place as usize]
    }

    /// The payload of a packet that has arrived; its place is free from now on.
    #[inline]
    pub(crate) fn take(&mut self, place: u32) -> &Payload {
        self.free.push(place);
        &self.places[place as usize]
    }
}
