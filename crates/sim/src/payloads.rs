//! Where the contents of packets lie while their packets are on the way.

use transport::{PlainSegment, Segment};
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
/// a whole header. Most are plain segments, and lie by themselves in half a cache line each.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    plain: Places<PlainSegment>,
    others: Places<Payload>,
}

/// In the low bit of a payload's place: is it plain?
const PLAIN: u32 = 1;

impl Payloads {
    /// Puts a payload somewhere.
    #[inline]
    pub(crate) fn put(&mut self, payload: Payload) -> u32 {
        if let Payload::Tcp(segment) = &payload
            && let Some(plain) = PlainSegment::of(segment)
        {
            return self.plain.put(plain) << 1 | PLAIN;
        }
        self.others.put(payload) << 1
    }

    /// The payload of a packet that is on its way.
    #[inline]
    pub(crate) fn at(&self, place: u32) -> Payload {
        if place & PLAIN == 0 {
            return self.others.places[(place >> 1) as usize];
        }
        Payload::Tcp(self.plain.places[(place >> 1) as usize].segment())
    }

    /// The payload of a packet that has arrived; its place is free from now on.
    #[inline]
    pub(crate) fn take(&mut self, place: u32) -> Payload {
        self.free(place);
        self.at(place)
    }

    /// A packet is no more, and nobody wants to know what was in it.
    #[inline]
    pub(crate) fn free(&mut self, place: u32) {
        let free = if place & PLAIN == 0 { &mut self.others.free } else { &mut self.plain.free };
        free.push(place >> 1);
    }
}

/// Places that are used again: nothing is allocated once they are as many as the network was full.
#[derive(Debug)]
struct Places<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Places<T> {
    #[inline]
    fn put(&mut self, content: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = content;
            return place;
        }
        self.places.push(content);
        (self.places.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use transport::{Config, Endpoint};

    use super::*;

    #[test]
    fn what_was_put_is_taken_and_its_place_used_again() {
        let mut client = Endpoint::client(Config::default());
        client.connect(Time::ZERO);
        let syn = client.poll(Time::ZERO).unwrap();
        let plain = PlainSegment::of(&Segment { syn: Default::default(), seq: 7, ..syn }).unwrap();
        let mut payloads = Payloads::default();
        for _ in 0..3 {
            let sent = Time::from_secs(5);
            let put = [
                Payload::Tcp(syn),
                Payload::Tcp(plain.segment()),
                Payload::Datagram { sent },
                Payload::Tcp(plain.segment()),
            ];
            let places = put.map(|payload| payloads.put(payload));
            for (payload, place) in put.into_iter().zip(places) {
                assert_eq!(format!("{:?}", payloads.at(place)), format!("{payload:?}"));
                assert_eq!(format!("{:?}", payloads.take(place)), format!("{payload:?}"));
            }
        }
        assert_eq!((payloads.plain.places.len(), payloads.others.places.len()), (2, 2));
    }
}
