//! Captured packets that are not IP packets.

use std::fmt;

use crate::LinkType;

/// The reason why a captured packet is not an IP packet, for counts and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NonIp {
    /// A link type that is not read here.
    LinkType(LinkType),
    /// Another protocol on Ethernet, such as ARP.
    EtherType(u16),
    /// An IEEE 802.2 service access point, such as that of the spanning tree protocol.
    Llc(u8),
    /// Another protocol in PPP, such as its own negotiation.
    Ppp(u16),
    /// Another address family on a loopback device.
    Family(u32),
    /// Too little was captured: the fixed part of the IP header has no end.
    CutOff,
    /// The bytes at the place of the IP header cannot be one.
    Malformed,
}

impl fmt::Display for NonIp {
    /// Writes a noun: `ARP`, `IEEE 802.11 (link type 105)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LinkType(link_type) => link_type.fmt(f),
            Self::EtherType(number) => known(f, ether_type(number), "EtherType", number.into()),
            Self::Llc(number) => known(f, service(number), "LLC service", number.into()),
            Self::Ppp(number) => known(f, ppp(number), "PPP protocol", number.into()),
            Self::Family(number) => write!(f, "address family {number}"),
            Self::CutOff => f.write_str("cut off before the end of the IP header"),
            Self::Malformed => f.write_str("malformed IP header"),
        }
    }
}

impl std::error::Error for NonIp {}

fn known(
    f: &mut fmt::Formatter<'_>,
    name: Option<&str>,
    registry: &str,
    number: u32,
) -> fmt::Result {
    match name {
        Some(name) => f.write_str(name),
        None => write!(f, "{registry} {number:#06x}"),
    }
}

const fn ether_type(number: u16) -> Option<&'static str> {
    Some(match number {
        0x0806 => "ARP",
        0x22f0 => "AVTP",
        0x8035 => "RARP",
        0x809b => "AppleTalk",
        0x8137 => "IPX",
        0x8808 => "Ethernet pause",
        0x8809 => "LACP",
        0x8847 | 0x8848 => "MPLS",
        0x8863 => "PPPoE discovery",
        0x888e => "EAPOL",
        0x88cc => "LLDP",
        0x88e1 => "HomePlug",
        0x88e5 => "MACsec",
        0x88f7 => "PTP",
        0x893a => "IEEE 1905.1",
        0x9000 => "Ethernet loopback test",
        _ => return None,
    })
}

const fn service(number: u8) -> Option<&'static str> {
    Some(match number {
        0x42 => "STP",
        0xaa => "SNAP",
        0xe0 | 0xff => "IPX",
        0xf0 => "NetBIOS",
        0xfe => "OSI",
        _ => return None,
    })
}

const fn ppp(number: u16) -> Option<&'static str> {
    Some(match number {
        0x8021 => "IPCP",
        0x8057 => "IPV6CP",
        0xc021 => "LCP",
        0xc023 => "PAP",
        0xc223 => "CHAP",
        _ => return None,
    })
}
