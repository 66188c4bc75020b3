//! Where the contents of packets lie while their packets are on the way.

use transport::{PlainSegment, Segment};
use units::Time;

use crate::packet::SimPacket;

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

/// Holds what packets do not carry themselves: the payloads of the few that are no plain segments.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    places: Vec<Payload>,
    /// Places that are used again: nothing is allocated once they are as many as the network was
    /// full.
    free: Vec<u32>,
    /// Is there a place for each packet?
    hold_all: bool,
}

/// The place of what a packet carries itself.
const CARRIED: u32 = u32::MAX;

impl Payloads {
    /// From now on each packet has a place, by which those that are under way can be told apart.
    pub(crate) fn hold_all(&mut self) {
        self.hold_all = true;
    }

    /// Puts a payload somewhere: what its packet carries, and the place.
    #[inline]
    pub(crate) fn put(&mut self, payload: Payload) -> (PlainSegment, u32) {
        if let Payload::Tcp(segment) = &payload
            && !self.hold_all
            && let Some(segment) = PlainSegment::of(segment)
        {
            return (segment, CARRIED);
        }
        (PlainSegment::EMPTY, self.hold(payload))
    }

    /// The payload of a packet that is on its way.
    #[inline]
    pub(crate) fn at(&self, packet: &SimPacket) -> Payload {
        match packet.place {
            CARRIED => Payload::Tcp(packet.segment.segment()),
            place => self.places[place as usize],
        }
    }

    /// A packet is no more; its place is free from now on.
    #[inline]
    pub(crate) fn free(&mut self, packet: &SimPacket) {
        if packet.place != CARRIED {
            self.free.push(packet.place);
        }
    }

    fn hold(&mut self, payload: Payload) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = payload;
            return place;
        }
        self.places.push(payload);
        (self.places.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use qdisc::{Ecn, Marking};
    use transport::{Config, Endpoint};

    use super::*;

    fn packet((segment, place): (PlainSegment, u32)) -> SimPacket {
        let marking = Marking::of(Ecn::NotEct);
        SimPacket { segment, place, len: 0, hop: 0, flow: 0, channel: 0, id: 0, marking }
    }

    #[test]
    fn what_was_put_is_there_and_its_place_used_again() {
        let mut client = Endpoint::client(Config::default());
        client.connect(Time::ZERO);
        let syn = client.poll(Time::ZERO).unwrap();
        let data = Segment { syn: Default::default(), seq: 7, len: 1448, ..syn };
        for (hold_all, places) in [(false, 2), (true, 3)] {
            let mut payloads = Payloads { hold_all, ..Payloads::default() };
            for _ in 0..3 {
                let sent = Time::from_secs(5);
                let put = [Payload::Tcp(syn), Payload::Tcp(data), Payload::Datagram { sent }];
                let packets = put.map(|payload| packet(payloads.put(payload)));
                for (payload, packet) in put.into_iter().zip(&packets) {
                    assert_eq!(format!("{:?}", payloads.at(packet)), format!("{payload:?}"));
                    payloads.free(packet);
                }
            }
            assert_eq!(payloads.places.len(), places);
        }
    }
}
