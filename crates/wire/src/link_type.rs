//! The types of the header with which a captured packet begins.

use std::fmt;

/// A link type of the registry <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType(pub u16);

impl LinkType {
    /// BSD loopback: an address family in the byte order of the machine that captured.
    pub const NULL: Self = Self(0);
    /// Ethernet, from the destination address on, without preamble.
    pub const ETHERNET: Self = Self(1);
    /// Token ring, which is not read here.
    pub const TOKEN_RING: Self = Self(6);
    /// PPP, with or without the address and control bytes of HDLC.
    pub const PPP: Self = Self(9);
    /// FDDI, from the frame control on.
    pub const FDDI: Self = Self(10);
    /// PPP with the address and control bytes of HDLC, or HDLC of Cisco.
    pub const PPP_HDLC: Self = Self(50);
    /// A session of PPPoE, from its version on.
    pub const PPPOE: Self = Self(51);
    /// A packet of ATM's AAL5, from its LLC header on (RFC 2684).
    pub const ATM_LLC: Self = Self(100);
    /// An IP packet and nothing before it.
    pub const RAW: Self = Self(101);
    /// HDLC of Cisco: address, control, and an EtherType.
    pub const CISCO_HDLC: Self = Self(104);
    /// IEEE 802.11, from the frame control on.
    pub const IEEE80211: Self = Self(105);
    /// OpenBSD loopback: an address family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux "cooked" capture, as of the pseudo-device `any`.
    pub const SLL: Self = Self(113);
    /// IEEE 802.11 behind a radiotap header.
    pub const RADIOTAP: Self = Self(127);
    /// A whole record of an ERF file, with a kind of packet that is not read here.
    pub const ERF: Self = Self(197);
    /// An IPv4 packet and nothing before it.
    pub const IPV4: Self = Self(228);
    /// An IPv6 packet and nothing before it.
    pub const IPV6: Self = Self(229);
    /// A message of Linux's netfilter log, with a packet in it.
    pub const NFLOG: Self = Self(239);
    /// Apple's metadata of a packet, with a packet of any type behind.
    pub const PKTAP: Self = Self(258);
    /// Linux "cooked" capture with the number of the interface.
    pub const SLL2: Self = Self(276);

    /// The usual name of the type; `None` if the type is not among those named here.
    const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "BSD loopback",
            1 => "Ethernet",
            6 => "token ring",
            9 => "PPP",
            10 => "FDDI",
            12 | 14 | 101 => "raw IP",
            50 => "PPP in HDLC framing",
            51 => "PPPoE",
            100 => "ATM with an LLC header",
            104 => "Cisco HDLC",
            105 => "IEEE 802.11",
            108 => "OpenBSD loopback",
            113 => "Linux cooked",
            119 => "IEEE 802.11 with a Prism header",
            127 => "IEEE 802.11 with a radiotap header",
            149 | 258 => "Apple packet metadata",
            163 => "IEEE 802.11 with an AVS header",
            187 | 201 => "Bluetooth",
            189 | 220 => "Linux USB",
            195 | 215 | 230 => "IEEE 802.15.4",
            197 => "ERF record",
            228 => "raw IPv4",
            229 => "raw IPv6",
            231 => "D-Bus",
            239 => "Linux netfilter log",
            249 => "USBPcap",
            251 => "Bluetooth Low Energy",
            252 => "Wireshark exported layers",
            253 => "Linux netlink",
            276 => "Linux cooked 2",
            _ => return None,
        })
    }
}

impl fmt::Display for LinkType {
    /// Writes name and number: `Ethernet (link type 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} (link type {})", self.0),
            None => write!(f, "link type {}", self.0),
        }
    }
}
