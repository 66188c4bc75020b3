//! Copies of packets: a capture of several places holds a packet once for each place that it passes.
//!
//! Of packets with the same content, those count that were seen where the first one was: what was sent again passes that
//! place again. A place is that of [`wire::observation_point`]. What a router changes is not compared: the hops that are
//! left, the class, the mark of congestion, and the checksums, which may still be missing at the first place.

use units::mix;
use wire::{PacketView, protocol};

/// The packets that are remembered are the latest four of each set, about 65,000 in all: more than wait in a queue.
const SETS: usize = 1 << SET_BITS;
const SET_BITS: u32 = 14;
const WAYS: usize = 4;

/// The bytes behind the IP header that are compared: those of a header with options, and of most short messages.
const COMPARED: usize = 64;

/// The places at which the latest packets were seen first.
pub(super) struct Places {
    contents: Vec<[u64; WAYS]>,
    points: Vec<[u64; WAYS]>,
}

impl Places {
    pub(super) fn new() -> Self {
        Self { contents: vec![[0; WAYS]; SETS], points: vec![[0; WAYS]; SETS] }
    }

    /// True if a packet with this content was seen before, and first at another place. `ip` are the captured bytes
    /// from the IP header on.
    pub(super) fn is_copy(&mut self, view: &PacketView, ip: &[u8], point: u64) -> bool {
        let content = content(view, ip);
        let set = (content >> (u64::BITS - SET_BITS)) as usize;
        let (contents, points) = (&mut self.contents[set], &mut self.points[set]);
        if let Some(known) = contents.iter().position(|it| *it == content) {
            return points[known] != point;
        }
        contents.rotate_right(1);
        points.rotate_right(1);
        (contents[0], points[0]) = (content, point);
        false
    }
}

/// A hash of what stays the same on the way.
fn content(view: &PacketView, ip: &[u8]) -> u64 {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    // Identification, flags and offset.
    let of_ipv4 = ip.get(4..8).filter(|_| view.source.is_ipv4()).map_or(0, word);
    let mut hash = mix(u64::from(view.flow_hash(0)) << 32 ^ of_ipv4 ^ view.ip_len << 20);
    let rest = ip.get(view.transport_start as usize..).unwrap_or_default();
    let mut rest: [u8; COMPARED] =
        std::array::from_fn(|at| rest.get(at).copied().unwrap_or_default());
    let checksum = match view.protocol {
        protocol::TCP => 16..18,
        protocol::UDP => 6..8,
        _ => 0..0,
    };
    rest[checksum].fill(0);
    for chunk in rest.chunks(8) {
        hash = mix(hash ^ word(chunk));
    }
    hash
}

#[cfg(test)]
mod tests {
    use wire::{LinkType, dissect};

    use super::*;

    /// A segment of TCP over IPv4 with this identification and number.
    fn segment(identification: u8, number: u8) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 40, 0, identification, 0, 0, 64, 6, 0, 0];
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend([0, 1, 0, 2, 0, 0, 0, number, 0, 0, 0, 0, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
        packet
    }

    fn is_copy(places: &mut Places, packet: &[u8], point: u64) -> bool {
        places.is_copy(&dissect(LinkType::RAW, packet, 40).unwrap(), packet, point)
    }

    #[test]
    fn what_a_router_forwards_is_a_copy_and_what_is_sent_again_is_not() {
        let mut places = Places::new();
        let packet = segment(1, 1);
        let mut forwarded = packet.clone();
        // Class, hops, and the checksums of IP and TCP.
        for (at, value) in [(1, 3), (8, 63), (10, 7), (11, 7), (36, 9), (37, 9)] {
            forwarded[at] = value;
        }
        assert!(!is_copy(&mut places, &packet, 1));
        assert!(is_copy(&mut places, &forwarded, 2));
        assert!(!is_copy(&mut places, &packet, 1), "sent again");
        assert!(is_copy(&mut places, &forwarded, 2) && is_copy(&mut places, &forwarded, 3));
        for other in [segment(2, 1), segment(1, 2)] {
            assert!(!is_copy(&mut places, &other, 2), "another packet");
        }
    }

    #[test]
    fn the_memory_has_a_bound() {
        let mut places = Places::new();
        for number in 0..=u8::MAX {
            for identification in 0..=u8::MAX {
                assert!(!is_copy(&mut places, &segment(identification, number), 1));
            }
        }
        let copies = (0..=u8::MAX).filter(|it| is_copy(&mut places, &segment(*it, u8::MAX), 2));
        assert_eq!(copies.count(), 256, "the latest are known");
    }
}
