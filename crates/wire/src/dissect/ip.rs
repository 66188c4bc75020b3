//! A packet from the IP header on.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{LARGEST_PACKET, NonIp, PacketView, u16_at};
use crate::protocol;

/// The packet that begins with `data`; with its padding it took `room` bytes on the wire.
#[inline]
pub(super) fn view(data: &[u8], room: u64) -> Result<PacketView, NonIp> {
    match data.first().ok_or(NonIp::CutOff)? >> 4 {
        4 => ipv4(data, room),
        6 => ipv6(data, room),
        _ => Err(NonIp::Malformed),
    }
}

fn ipv4(data: &[u8], room: u64) -> Result<PacketView, NonIp> {
    let header = data.first_chunk::<20>().ok_or(NonIp::CutOff)?;
    let [first, tos, len_high, len_low, _, _, offset_high, offset_low, _, protocol, ..] = *header;
    let [.., s0, s1, s2, s3, d0, d1, d2, d3] = *header;
    let header_len = usize::from(first & 0xf) * 4;
    if header_len < header.len() {
        return Err(NonIp::Malformed);
    }
    let ip_len = match u16::from_be_bytes([len_high, len_low]) {
        0 => room,
        length => length.into(),
    };
    // RFC 791 section 3.1: a flag that more fragments follow, and the offset of this one.
    let offset = u16::from_be_bytes([offset_high & 0x1f, offset_low]);
    Headers {
        end: header_len,
        protocol,
        is_first: offset == 0,
        is_fragment: offset != 0 || offset_high & 0x20 != 0,
    }
    .view(data, ip_len, tos, Ipv4Addr::new(s0, s1, s2, s3), Ipv4Addr::new(d0, d1, d2, d3))
}

fn ipv6(data: &[u8], room: u64) -> Result<PacketView, NonIp> {
    const FIXED: u64 = 40;
    let header = data.first_chunk::<{ FIXED as usize }>().ok_or(NonIp::CutOff)?;
    let class = header[0] << 4 | header[1] >> 4;
    let (source, rest) = header[8..].split_first_chunk().ok_or(NonIp::CutOff)?;
    let destination = rest.first_chunk().ok_or(NonIp::CutOff)?;
    let ip_len = match (u16::from_be_bytes([header[4], header[5]]), header[6]) {
        (0, protocol::NOTHING) => FIXED,
        (0, protocol::HOP_BY_HOP) => jumbo_len(data).map_or(room, |length| FIXED + length),
        (0, _) => room,
        (length, _) => FIXED + u64::from(length),
    };
    Headers::of_ipv6(header[6], data, ip_len).view(
        data,
        ip_len,
        class,
        Ipv6Addr::from(*source),
        Ipv6Addr::from(*destination),
    )
}

/// The length from a hop-by-hop option (RFC 2675 section 2); `None` if there is none.
fn jumbo_len(data: &[u8]) -> Option<u64> {
    const JUMBO_PAYLOAD: u8 = 0xc2;
    const PADDING: u8 = 0;
    let header = data.get(40..)?;
    let length = (usize::from(*header.get(1)?) + 1) * 8;
    let mut options = header.get(2..length.min(header.len()))?;
    loop {
        match *options {
            [PADDING, ..] => options = &options[1..],
            [JUMBO_PAYLOAD, 4, a, b, c, d, ..] => {
                let length = u32::from_be_bytes([a, b, c, d]);
                return (length > u16::MAX.into()).then_some(length.into());
            }
            [_, length, ..] => options = options.get(2 + usize::from(length)..)?,
            _ => return None,
        }
    }
}

/// The result of reading the network layer.
struct Headers {
    /// The offset at which the headers end, and the transport header begins.
    end: usize,
    /// The number of the protocol that follows.
    protocol: u8,
    /// True if the header of that protocol is here, and not in an earlier fragment.
    is_first: bool,
    is_fragment: bool,
}

impl Headers {
    /// Reads one extension header after the other (RFC 8200 section 4).
    fn of_ipv6(protocol: u8, data: &[u8], ip_len: u64) -> Self {
        let data = captured(data, ip_len);
        let mut this = Self { end: 40, protocol, is_first: true, is_fragment: false };
        while this.is_first {
            let extension = data.get(this.end..).unwrap_or_default();
            let [next, length, third, fourth, ..] = *extension else { break };
            this.end += match this.protocol {
                protocol::HOP_BY_HOP
                | protocol::ROUTING
                | protocol::DESTINATION
                | protocol::MOBILITY
                | protocol::HOST_IDENTITY
                | protocol::SHIM6 => (usize::from(length) + 1) * 8,
                // RFC 4302 section 2.2: in units of four bytes, less two.
                protocol::AUTHENTICATION => (usize::from(length) + 2) * 4,
                // RFC 8200 section 4.5: the offset, two reserved bits, and whether more fragments
                // follow.
                protocol::FRAGMENT => {
                    this.is_first = (third, fourth & 0xf8) == (0, 0);
                    this.is_fragment = !this.is_first || fourth & 1 != 0;
                    8
                }
                _ => break,
            };
            this.protocol = next;
        }
        this
    }

    fn view<A: Into<IpAddr>>(
        self,
        data: &[u8],
        ip_len: u64,
        class: u8,
        source: A,
        destination: A,
    ) -> Result<PacketView, NonIp> {
        let room = ip_len.checked_sub(self.end as u64).ok_or(NonIp::Malformed)?;
        if ip_len > LARGEST_PACKET {
            return Err(NonIp::Malformed);
        }
        let transport = captured(data, ip_len).get(self.end..).unwrap_or_default();
        let transport = if self.is_first { Some(transport) } else { None };
        let transport_len = transport.map_or(0, |header| header_len(self.protocol, header));
        Ok(PacketView {
            ip_len,
            header_len: self.end as u32 + room.min(transport_len) as u32,
            transport_start: self.end as u32,
            ecn: class & 0b11,
            dscp: class >> 2,
            protocol: self.protocol,
            source: source.into(),
            destination: destination.into(),
            ports: transport.and_then(|header| ports(self.protocol, header)),
            is_fragment: self.is_fragment,
        })
    }
}

/// The captured bytes of a packet of `ip_len` bytes, without the padding behind it.
fn captured(data: &[u8], ip_len: u64) -> &[u8] {
    let end = usize::try_from(ip_len).map_or(data.len(), |end| end.min(data.len()));
    &data[..end]
}

/// The length of a transport header in bytes, as far as it can be seen.
fn header_len(protocol: u8, header: &[u8]) -> u64 {
    // RFC 9293 section 3.1 and RFC 4340 section 5.1: a length in units of four bytes.
    let words = |at: usize, shift: u8, least| {
        header.get(at).map_or(least, |byte| (u64::from(byte >> shift) * 4).max(least))
    };
    match protocol {
        protocol::TCP => words(12, 4, 20),
        protocol::DCCP => words(4, 0, 12),
        protocol::SCTP => 12,
        protocol::UDP | protocol::UDP_LITE | protocol::ICMP | protocol::ICMPV6 => 8,
        _ => 0,
    }
}

fn ports(protocol: u8, header: &[u8]) -> Option<(u16, u16)> {
    use protocol::{DCCP, SCTP, TCP, UDP, UDP_LITE};
    if !matches!(protocol, TCP | UDP | UDP_LITE | DCCP | SCTP) {
        return None;
    }
    Some((u16_at(header, 0)?, u16_at(header, 2)?))
}
