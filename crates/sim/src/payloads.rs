//! The contents of packets.

use transport::{PlainSegment, Segment};
use units::Time;

/// The content of a packet, in half a cache line.
///
/// Nearly every packet carries its content with it: where it is read, the packet is in a cache, and
/// memory of its own would not be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payload(PlainSegment);

/// The meanings of a payload.
enum Meaning {
    /// A TCP segment without unusual options.
    Plain(PlainSegment),
    /// A datagram or an echo, as in [`Content::Datagram`].
    Datagram { sent: Time },
    /// The place in [`Payloads`] of a content that the packet does not carry.
    Stored(u32),
}

impl Payload {
    /// The tag of a [`PlainSegment::stand_in`] that is a datagram.
    const DATAGRAM: u32 = 0;
    /// The tag of a stand-in that is a place.
    const STORED: u32 = 1;

    /// The payload of a datagram or an echo that was sent at this time.
    #[inline]
    pub(crate) const fn of_datagram(sent: Time) -> Self {
        Self(PlainSegment::stand_in(sent.as_nanos(), Self::DATAGRAM))
    }

    /// The payload of a packet whose content has this place in [`Payloads`].
    const fn of_stored(place: u32) -> Self {
        Self(PlainSegment::stand_in(place as u64, Self::STORED))
    }

    /// The place of the content in [`Payloads`]; `None` if the packet carries it.
    #[inline]
    pub(crate) const fn place(self) -> Option<u32> {
        match self.meaning() {
            Meaning::Stored(place) => Some(place),
            Meaning::Plain(_) | Meaning::Datagram { .. } => None,
        }
    }

    #[inline]
    const fn meaning(self) -> Meaning {
        match self.0.as_stand_in() {
            None => Meaning::Plain(self.0),
            Some((sent, Self::DATAGRAM)) => Meaning::Datagram { sent: Time::from_nanos(sent) },
            Some((place, _)) => Meaning::Stored(place as u32),
        }
    }
}

/// The content of a packet in its full form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// A TCP segment.
    Tcp(Segment),
    /// A datagram or an echo.
    Datagram {
        /// The time at which the datagram was sent. The reply to an echo keeps the time of the
        /// request.
        sent: Time,
    },
}

/// The contents that packets do not carry: segments with selective acknowledgements, and SYNs.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    places: Vec<Content>,
    /// The places that are free. Nothing is allocated once there are as many places as the most such
    /// packets that the network has held.
    free: Vec<u32>,
    /// True if all contents are stored.
    stores_all: bool,
}

impl Payloads {
    /// Stores all contents from now on, so that no two packets have the same place.
    pub(crate) fn store_all(&mut self) {
        self.stores_all = true;
    }

    /// Writes the payload of a packet with this segment.
    #[inline]
    pub(crate) fn put_segment(&mut self, segment: &Segment, payload: &mut Payload) {
        match PlainSegment::of(segment) {
            Some(plain) if !self.stores_all => *payload = Payload(plain),
            _ => *payload = self.put(Content::Tcp(*segment)),
        }
    }

    /// The payload of a datagram or an echo that was sent at this time.
    #[inline]
    pub(crate) fn put_datagram(&mut self, sent: Time) -> Payload {
        if self.stores_all {
            self.put(Content::Datagram { sent })
        } else {
            Payload::of_datagram(sent)
        }
    }

    #[inline(never)]
    fn put(&mut self, content: Content) -> Payload {
        let place = self.free.pop().unwrap_or(self.places.len() as u32);
        match self.places.get_mut(place as usize) {
            Some(free) => *free = content,
            None => self.places.push(content),
        }
        Payload::of_stored(place)
    }

    /// The content of a packet on its way.
    #[inline]
    pub(crate) fn at(&self, payload: Payload) -> Content {
        match payload.meaning() {
            Meaning::Plain(plain) => Content::Tcp(plain.segment()),
            Meaning::Datagram { sent } => Content::Datagram { sent },
            Meaning::Stored(place) => self.places[place as usize],
        }
    }

    /// The content of a packet that has been delivered; its place is free from now on.
    #[inline]
    pub(crate) fn take(&mut self, payload: Payload) -> Content {
        self.free(payload);
        self.at(payload)
    }

    /// Frees the place of a payload that is no longer needed.
    #[inline]
    pub(crate) fn free(&mut self, payload: Payload) {
        if let Some(place) = payload.place() {
            self.free.push(place);
        }
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
        for stored in [1, 1, 3] {
            let sent = Time::from_secs(5);
            if stored > 1 {
                payloads.store_all();
            }
            let datagram = payloads.put_datagram(sent);
            let mut put = |segment| {
                let mut payload = datagram;
                payloads.put_segment(&segment, &mut payload);
                (Content::Tcp(segment), payload)
            };
            let put = [put(syn), put(data), (Content::Datagram { sent }, datagram)];
            for (content, payload) in put {
                assert_eq!(format!("{:?}", payloads.at(payload)), format!("{content:?}"));
                assert_eq!(format!("{:?}", payloads.take(payload)), format!("{content:?}"));
            }
            assert_eq!(payloads.places.len(), stored);
        }
    }
}
