//! The headers before the IP header.
//!
//! Specification: <https://www.tcpdump.org/linktypes.html> (cooked and loopback headers), IEEE
//! 802.1Q (tags), RFC 1042 (SNAP), RFC 2516 section 4 (PPPoE), RFC 1661 section 2 (PPP), RFC 3032
//! section 2.1 (MPLS), RFC 2684 section 5.1 (ATM).

mod wireless;
mod wrapped;

use super::{NonIp, u16_at};
use crate::LinkType;

/// The type of a netlink device in Linux, which carries messages, not packets.
const ARPHRD_NETLINK: u16 = 824;

/// The offset of the IP header.
#[inline]
pub(super) fn ip_header(link_type: LinkType, data: &[u8]) -> Result<usize, NonIp> {
    match link_type {
        LinkType::ETHERNET => ether_type(data, 12),
        LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => Ok(0),
        // The types of raw IP on BSD: 14 on OpenBSD, 12 elsewhere.
        LinkType(12 | 14) => Ok(0),
        LinkType::SLL => cooked(data, 2, 14, 16),
        LinkType::SLL2 => cooked(data, 8, 0, 20),
        LinkType::NULL | LinkType::LOOP => loopback(data),
        LinkType::PPP => ppp(data, if data.starts_with(&[0xff, 0x03]) { 2 } else { 0 }),
        // RFC 1547 section 4.3.1: the address of Cisco's HDLC is that of one or of all receivers.
        LinkType::PPP_HDLC if matches!(data.first(), Some(0x0f | 0x8f)) => ether_type(data, 2),
        LinkType::PPP_HDLC => ppp(data, 2),
        LinkType::PPPOE => ppp(data, 6),
        LinkType::CISCO_HDLC => ether_type(data, 2),
        LinkType::ATM_LLC => protocol(data, 0, 0),
        // The frame control and two addresses.
        LinkType::FDDI => protocol(data, 0, 13),
        LinkType::IEEE80211 => protocol(data, 0, wireless::ieee80211(data, false)?),
        LinkType::RADIOTAP => protocol(data, 0, wireless::radiotap(data)?),
        LinkType::NFLOG => wrapped::netfilter_log(data),
        LinkType::PKTAP | LinkType(149) => {
            let (length, inner) = wrapped::apple(data)?;
            let packet = data.get(length..).ok_or(NonIp::CutOff)?;
            Ok(length + ip_header(inner, packet)?)
        }
        other => Err(NonIp::LinkType(other)),
    }
}

/// Reads an EtherType at `at`, and the headers that follow it.
fn ether_type(data: &[u8], at: usize) -> Result<usize, NonIp> {
    protocol(data, u16_at(data, at).ok_or(NonIp::CutOff)?, at + 2)
}

/// Reads the headers at `at` that an EtherType of `number` announces.
fn protocol(data: &[u8], mut number: u16, mut at: usize) -> Result<usize, NonIp> {
    loop {
        match number {
            0x0800 | 0x86dd => return Ok(at),
            // Two bytes of a tag, then the next EtherType: 802.1Q, 802.1ad, and what was common
            // before 802.1ad.
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => {
                number = u16_at(data, at + 2).ok_or(NonIp::CutOff)?;
                at += 4;
            }
            // A tag of VMware's and Cisco's virtual networks (VN-Tag, IEEE 802.1Qbh draft).
            0x8926 => {
                number = u16_at(data, at + 4).ok_or(NonIp::CutOff)?;
                at += 6;
            }
            // RFC 2516 section 4: version, code, session and length.
            0x8864 => return ppp(data, at + 6),
            0x8847 | 0x8848 => return labelled(data, number, at),
            // IEEE 802.3: this is a length, and an 802.2 header follows.
            ..=1500 => match *data.get(at..).unwrap_or_default() {
                // RFC 1042: a SNAP header that announces an EtherType.
                [0xaa, 0xaa, 0x03, 0, 0, 0, high, low, ..] => {
                    number = u16::from_be_bytes([high, low]);
                    at += 8;
                }
                [0xaa, ref rest @ ..] if rest.len() < 7 => return Err(NonIp::CutOff),
                [service, ..] => return Err(NonIp::Llc(service)),
                [] => return Err(NonIp::CutOff),
            },
            other => return Err(NonIp::EtherType(other)),
        }
    }
}

/// Reads MPLS labels of four bytes, the last of which is marked as the bottom (RFC 3032 section
/// 2.1).
fn labelled(data: &[u8], number: u16, mut at: usize) -> Result<usize, NonIp> {
    loop {
        let bottom = data.get(at + 2).ok_or(NonIp::CutOff)? & 1 != 0;
        at += 4;
        if bottom {
            let version = data.get(at).ok_or(NonIp::CutOff)? >> 4;
            // Labels do not say what they carry; the packets of an emulated wire begin with a zero.
            return if matches!(version, 4 | 6) { Ok(at) } else { Err(NonIp::EtherType(number)) };
        }
    }
}

/// Reads a protocol number of PPP: two bytes, or one, which then is odd (RFC 1661 sections 2 and
/// 6.5).
fn ppp(data: &[u8], at: usize) -> Result<usize, NonIp> {
    let first = *data.get(at).ok_or(NonIp::CutOff)?;
    let (number, at) = match first & 1 {
        0 => (u16_at(data, at).ok_or(NonIp::CutOff)?, at + 2),
        _ => (u16::from(first), at + 1),
    };
    if matches!(number, 0x0021 | 0x0057) { Ok(at) } else { Err(NonIp::Ppp(number)) }
}

/// Reads a cooked header of `length` bytes with the kind of device and the protocol at these
/// offsets.
fn cooked(data: &[u8], device: usize, place: usize, length: usize) -> Result<usize, NonIp> {
    let device = u16_at(data, device).ok_or(NonIp::CutOff)?;
    let number = u16_at(data, place).ok_or(NonIp::CutOff)?;
    if device == ARPHRD_NETLINK {
        return Err(NonIp::LinkType(LinkType(253)));
    }
    // linux/if_ether.h: numbers below 1536 are no EtherTypes; 4 announces an 802.2 header.
    if number < 1536 && number != 4 {
        return Err(NonIp::EtherType(number));
    }
    protocol(data, number, length)
}

/// Reads an address family of four bytes. Its byte order is that of the capturing machine, but
/// families are small numbers.
fn loopback(data: &[u8]) -> Result<usize, NonIp> {
    let bytes = *data.first_chunk().ok_or(NonIp::CutOff)?;
    let family = u32::from_le_bytes(bytes).min(u32::from_be_bytes(bytes));
    // IPv4 is 2 everywhere; IPv6 is 10 on Linux, 23 on Windows, 24, 28 or 30 on the BSDs and macOS.
    if matches!(family, 2 | 10 | 23 | 24 | 28 | 30) { Ok(4) } else { Err(NonIp::Family(family)) }
}
