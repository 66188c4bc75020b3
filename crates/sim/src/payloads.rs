//! The memory of payloads while their packets are on the way.

use std::collections::VecDeque;

use transport::{PlainSegment, Segment};
use units::Time;

use crate::hops::End;

/// The content of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Payload {
    /// A TCP segment.
    Tcp(Segment),
    /// A datagram or an echo.
    Datagram {
        /// The time at which the datagram was sent. The reply to an echo keeps the time of the
        /// request.
        sent: Time,
    },
}

/// The payloads of all packets, stored here so that a packet that moves from queue to wire to queue
/// is a few words and not a whole header. Most are plain segments, which are stored apart in half a
/// cache line each.
///
/// Payloads from one end of the flows are stored apart from those of the other, each in the order
/// of sending, in which most reach the far end too: memory that no cache holds is read fastest in
/// order.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    plain: [Places<PlainSegment>; 2],
    others: Places<Payload>,
}

/// The low bits of a payload's place select the store that it is in.
const KIND_BITS: u32 = 2;
const OTHERS: u32 = 2;

impl Payloads {
    /// Stores a segment that is sent from this end of a flow, and returns its place.
    #[inline]
    pub(crate) fn put_segment(&mut self, segment: &Segment, from: End) -> u32 {
        match PlainSegment::of(segment) {
            Some(plain) => self.plain[from as usize].put(plain) << KIND_BITS | from as u32,
            None => self.put_other(Payload::Tcp(*segment)),
        }
    }

    /// Stores a datagram or an echo that was sent at this time, and returns its place.
    pub(crate) fn put_datagram(&mut self, sent: Time) -> u32 {
        self.put_other(Payload::Datagram { sent })
    }

    #[inline(never)]
    fn put_other(&mut self, payload: Payload) -> u32 {
        self.others.put(payload) << KIND_BITS | OTHERS
    }

    /// The payload of a packet on its way.
    #[inline]
    pub(crate) fn at(&self, payload: u32) -> Payload {
        let (kind, place) = split(payload);
        match self.plain.get(kind) {
            Some(plain) => Payload::Tcp(plain.places[place].segment()),
            None => self.others.places[place],
        }
    }

    /// The payload of a packet that has been delivered; its place is free from now on.
    #[inline]
    pub(crate) fn take(&mut self, payload: u32) -> Payload {
        self.free(payload);
        self.at(payload)
    }

    /// Frees the place of a payload that is no longer needed.
    #[inline]
    pub(crate) fn free(&mut self, payload: u32) {
        let (kind, place) = split(payload);
        let free = match self.plain.get_mut(kind) {
            Some(plain) => &mut plain.free,
            None => &mut self.others.free,
        };
        free.push_back(place as u32);
    }
}

const fn split(payload: u32) -> (usize, usize) {
    ((payload & ((1 << KIND_BITS) - 1)) as usize, (payload >> KIND_BITS) as usize)
}

/// Places that are used again, the one that has been free for longest first. Nothing is allocated
/// once they are as many as the most packets that the network has held.
#[derive(Debug)]
struct Places<T> {
    places: Vec<T>,
    free: VecDeque<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: VecDeque::new() }
    }
}

impl<T> Places<T> {
    #[inline]
    fn put(&mut self, content: T) -> u32 {
        if let Some(place) = self.free.pop_front() {
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
        let data = Segment { syn: Default::default(), seq: 7, len: 1448, ..syn };
        let mut payloads = Payloads::default();
        for _ in 0..3 {
            let sent = Time::from_secs(5);
            let put = [
                (Payload::Tcp(syn), payloads.put_segment(&syn, End::Source)),
                (Payload::Tcp(data), payloads.put_segment(&data, End::Source)),
                (Payload::Datagram { sent }, payloads.put_datagram(sent)),
                (Payload::Tcp(data), payloads.put_segment(&data, End::Sink)),
            ];
            for (payload, place) in put {
                assert_eq!(format!("{:?}", payloads.at(place)), format!("{payload:?}"));
                assert_eq!(format!("{:?}", payloads.take(place)), format!("{payload:?}"));
            }
        }
        let held = payloads.plain.each_ref().map(|plain| plain.places.len());
        assert_eq!((held, payloads.others.places.len()), ([1, 1], 2));
    }
}
