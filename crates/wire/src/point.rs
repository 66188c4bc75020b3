//! The place at which a packet was seen, where a capture holds packets of several places.
//!
//! A router that is captured at all interfaces shows what it forwards when it comes and when it goes; a mirrored port
//! of a switch may do so too. RFC 7011 section 2 calls such a place an observation point.

use crate::{LinkType, Record};

/// The number of the place at which a packet was seen. It is the same for all packets of a flow that pass there, and
/// another one where the flow passes another interface, leaves the machine, has other hardware addresses or has
/// passed one more router. `ip` are the captured bytes from the IP header on.
#[inline]
pub fn observation_point(record: &Record<'_>, ip: &[u8]) -> u64 {
    let header = record.data;
    let link = match record.link_type {
        // Both addresses. What follows may have a length in it, which differs from packet to packet.
        LinkType::ETHERNET => pair(eight(header, 0), eight(header, 4)),
        // The direction, and the sender's hardware address.
        LinkType::SLL => pair(eight(header, 0), address(header, 5, 6)),
        // The number of the interface, the direction, and the address.
        LinkType::SLL2 => pair(eight(header, 4), address(header, 11, 12)),
        _ => 0,
    };
    let hops = match ip.first().map(|first| first >> 4) {
        Some(4) => ip.get(8),
        _ => ip.get(7),
    };
    let hops = u64::from(hops.copied().unwrap_or_default());
    link ^ (u64::from(record.interface) << 8 | hops)
}

/// Eight bytes of a header; 0 if they were not captured.
#[inline]
fn eight(header: &[u8], at: usize) -> u64 {
    let bytes = header.get(at..).and_then(|rest| rest.first_chunk().copied());
    bytes.map_or(0, u64::from_le_bytes)
}

/// The hardware address in a field of eight bytes of a cooked capture. Its length is in another field. Behind a shorter
/// address Linux leaves what its memory held before: other bytes in each packet.
#[inline]
fn address(header: &[u8], len_at: usize, at: usize) -> u64 {
    let len = header.get(len_at).copied().unwrap_or_default();
    let unused = 8 - u32::from(len.min(8));
    eight(header, at).checked_shl(8 * unused).unwrap_or_default()
}

/// A hash of two numbers.
#[inline]
const fn pair(one: u64, other: u64) -> u64 {
    // Multiplicative hashing by the golden ratio (D. Knuth, TAOCP 3, section 6.4).
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    (one.wrapping_mul(GOLDEN) ^ other).wrapping_mul(GOLDEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of an IPv4 header with this many hops left, behind a link header.
    fn point(link_type: LinkType, interface: u32, link: &[u8], hops: u8) -> u64 {
        let ip = [0x45, 0, 0, 20, 0, 0, 0, 0, hops, 6];
        let data = [link, &ip].concat();
        let record =
            Record { number: 1, time: None, interface, link_type, original_len: 60, data: &data };
        observation_point(&record, &ip)
    }

    #[test]
    fn each_place_has_a_number_of_its_own() {
        let ethernet = |to, from| [[to; 6], [from; 6]].concat();
        let cooked =
            |direction| [[0, direction, 0, 1, 0, 6, 1, 2], [3, 4, 5, 6, 0, 0, 8, 0]].concat();
        let cooked2 = |interface, direction| {
            [&[8, 0, 0, 0, 0, 0, 0, interface, 0, 1, direction, 6], &[1, 2, 3, 4, 5, 6, 0, 0][..]]
                .concat()
        };
        let points = [
            point(LinkType::ETHERNET, 0, &ethernet(1, 2), 64),
            point(LinkType::ETHERNET, 1, &ethernet(1, 2), 64),
            point(LinkType::ETHERNET, 0, &ethernet(2, 1), 64),
            point(LinkType::ETHERNET, 0, &ethernet(1, 2), 63),
            point(LinkType::SLL, 0, &cooked(0), 64),
            point(LinkType::SLL, 0, &cooked(4), 64),
            point(LinkType::SLL2, 0, &cooked2(2, 0), 64),
            point(LinkType::SLL2, 0, &cooked2(2, 4), 64),
            point(LinkType::SLL2, 0, &cooked2(3, 0), 64),
            point(LinkType::RAW, 0, &[], 64),
            point(LinkType::RAW, 0, &[], 63),
        ];
        for (index, one) in points.iter().enumerate() {
            assert!(!points[..index].contains(one), "{index}");
        }
    }

    /// `tcpdump -i any` on Linux 6.18 writes such bytes behind the six of an address of Ethernet.
    #[test]
    fn what_is_behind_an_address_tells_no_place() {
        let cooked = |rest: [u8; 2]| {
            let header = [&[0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6][..], &rest, &[8, 0]].concat();
            point(LinkType::SLL, 0, &header, 64)
        };
        let cooked2 = |len: u8, last: u8, rest: u8| {
            let header =
                [&[8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, len, 1, 2, 3, 4, 5, last][..], &[rest; 2]];
            point(LinkType::SLL2, 0, &header.concat(), 64)
        };
        assert_eq!(cooked([0, 0]), cooked([7, 9]));
        assert_eq!(cooked2(6, 6, 0), cooked2(6, 6, 9));
        assert_ne!(cooked2(6, 6, 0), cooked2(6, 7, 0), "another address");
        assert_ne!(cooked2(8, 6, 0), cooked2(8, 6, 9), "an address of eight bytes");
        assert_eq!(cooked2(0, 6, 0), cooked2(0, 7, 9), "no address");
    }

    /// The length of a packet that PPPoE has in its header tells no place.
    #[test]
    fn what_differs_from_packet_to_packet_tells_no_place() {
        let session = |len| [&[1; 12][..], &[0x88, 0x64, 0x11, 0, 0, 1, 0, len, 0, 0x21]].concat();
        let point = |len| point(LinkType::ETHERNET, 0, &session(len), 64);
        assert_eq!(point(20), point(90));
    }
}
