//! Packets as bytes: Ethernet, IPv4, and TCP, UDP or ICMP echo, with valid checksums.
//!
//! The payload is zeros, and only its length is given: zeros add nothing to a checksum, so building
//! a frame costs only its headers.
//!
//! Specification: RFC 894 (IPv4 over Ethernet), RFC 791 section 3.1 and RFC 3168 section 5 (the IP
//! header), RFC 9293 section 3.1 (TCP), RFC 768 (UDP), RFC 792 (echo), RFC 1071 (checksum).
//!
//! Deviations: none. A packet above 65535 bytes has the total length 0, as Linux writes it.

mod checksum;
mod tcp;

use std::net::Ipv4Addr;

use crate::protocol;
pub use checksum::Checksum;
pub use tcp::{TcpHeader, TcpOptions};

const ETHERNET: usize = 14;
const IP: usize = 20;
const UDP: usize = 8;
const ECHO: usize = 8;
/// The longest TCP header in bytes: the header length counts up to 15 words (RFC 9293 section 3.1).
const LONGEST_TCP: usize = 60;
const LARGEST: usize = ETHERNET + IP + LONGEST_TCP + u16::MAX as usize;

/// A hardware address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// An address that no vendor has assigned: the bit for "locally administered" is set (IEEE 802
    /// section 8.4).
    pub const fn local(number: u32) -> Self {
        let [a, b, c, d] = number.to_be_bytes();
        Self([0x02, 0, a, b, c, d])
    }
}

/// The Ethernet header of an IPv4 packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ethernet {
    /// The address of the station that sends the frame.
    pub source: MacAddress,
    /// The address of the station that the frame is sent to.
    pub destination: MacAddress,
}

/// The fields of an IPv4 header that vary. Headers have no options, and packets must not be
/// fragmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4 {
    /// The sender's address.
    pub source: Ipv4Addr,
    /// The receiver's address.
    pub destination: Ipv4Addr,
    /// The time to live: the number of links that the packet may still cross.
    pub ttl: u8,
    /// The identification.
    pub id: u16,
    /// Differentiated services and, in the low two bits, ECN (RFC 3168 section 5).
    pub traffic_class: u8,
}

/// The transport header of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport<'a> {
    /// A TCP segment.
    Tcp(TcpHeader<'a>),
    /// A UDP datagram.
    Udp {
        /// The sender's port.
        source: u16,
        /// The receiver's port.
        destination: u16,
    },
    /// An ICMP echo.
    Echo {
        /// True for a reply, false for a request.
        is_reply: bool,
        /// The identifier of the ping.
        id: u16,
        /// The sequence number of the request.
        sequence: u16,
    },
}

/// A buffer in which frames are built, one after the other.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The headers of the last frame, and zeros behind them.
    bytes: Vec<u8>,
    /// The length of the last frame's headers.
    headers: usize,
}

impl Default for Frame {
    fn default() -> Self {
        Self { bytes: vec![0; LARGEST], headers: 0 }
    }
}

impl Frame {
    /// Builds the frame with these headers and `payload` bytes of zeros behind them. The frame is
    /// not padded to Ethernet's least length, as captured at the sender.
    pub fn build(
        &mut self,
        ethernet: &Ethernet,
        ip: &Ipv4,
        transport: &Transport<'_>,
        payload: u16,
    ) -> &[u8] {
        let start = ETHERNET + IP;
        let header = match transport {
            Transport::Tcp(tcp) => tcp.len(),
            Transport::Udp { .. } => UDP,
            Transport::Echo { .. } => ECHO,
        };
        let headers = start + header;
        // A shorter header must not leave the end of a longer one in the payload.
        self.bytes[headers..self.headers.max(headers)].fill(0);
        self.headers = headers;
        let segment = header + usize::from(payload);
        let protocol = self.transport(ip, transport, segment);
        write_ethernet(&mut self.bytes[..ETHERNET], ethernet);
        write_ip(&mut self.bytes[ETHERNET..start], ip, protocol, IP + segment);
        &self.bytes[..start + segment]
    }

    /// Writes the header of the segment, which is `len` bytes long with its payload; returns the
    /// number of the protocol.
    fn transport(&mut self, ip: &Ipv4, transport: &Transport<'_>, len: usize) -> u8 {
        let bytes = &mut self.bytes[ETHERNET + IP..self.headers];
        match *transport {
            Transport::Tcp(tcp) => {
                tcp.write(bytes);
                let checksum = pseudo_header(ip, protocol::TCP, len).with(bytes).finish();
                bytes[16..18].copy_from_slice(&checksum.to_be_bytes());
                protocol::TCP
            }
            Transport::Udp { source, destination } => {
                write_udp(bytes, source, destination, len, pseudo_header(ip, protocol::UDP, len));
                protocol::UDP
            }
            Transport::Echo { is_reply, id, sequence } => {
                write_echo(bytes, is_reply, id, sequence);
                protocol::ICMP
            }
        }
    }
}

fn write_ethernet(bytes: &mut [u8], ethernet: &Ethernet) {
    bytes[..6].copy_from_slice(&ethernet.destination.0);
    bytes[6..12].copy_from_slice(&ethernet.source.0);
    // RFC 894: an IPv4 packet follows.
    bytes[12..].copy_from_slice(&[0x08, 0x00]);
}

fn write_ip(bytes: &mut [u8], ip: &Ipv4, protocol: u8, len: usize) {
    const VERSION_4_OF_5_WORDS: u8 = 0x45;
    const DO_NOT_FRAGMENT: [u8; 2] = [0x40, 0x00];
    bytes[0] = VERSION_4_OF_5_WORDS;
    bytes[1] = ip.traffic_class;
    bytes[2..4].copy_from_slice(&u16::try_from(len).unwrap_or(0).to_be_bytes());
    bytes[4..6].copy_from_slice(&ip.id.to_be_bytes());
    bytes[6..8].copy_from_slice(&DO_NOT_FRAGMENT);
    bytes[8] = ip.ttl;
    bytes[9] = protocol;
    bytes[10..12].fill(0);
    bytes[12..16].copy_from_slice(&ip.source.octets());
    bytes[16..20].copy_from_slice(&ip.destination.octets());
    let checksum = Checksum::default().with(bytes).finish();
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
}

fn write_udp(bytes: &mut [u8], source: u16, destination: u16, len: usize, sum: Checksum) {
    bytes[0..2].copy_from_slice(&source.to_be_bytes());
    bytes[2..4].copy_from_slice(&destination.to_be_bytes());
    bytes[4..6].copy_from_slice(&u16::try_from(len).unwrap_or(0).to_be_bytes());
    bytes[6..8].fill(0);
    // RFC 768: 0 means that there is no checksum, so a checksum of 0 is written as all ones.
    let checksum = match sum.with(bytes).finish() {
        0 => u16::MAX,
        checksum => checksum,
    };
    bytes[6..8].copy_from_slice(&checksum.to_be_bytes());
}

fn write_echo(bytes: &mut [u8], is_reply: bool, id: u16, sequence: u16) {
    const REQUEST: u8 = 8;
    const REPLY: u8 = 0;
    bytes[..4].copy_from_slice(&[if is_reply { REPLY } else { REQUEST }, 0, 0, 0]);
    bytes[4..6].copy_from_slice(&id.to_be_bytes());
    bytes[6..8].copy_from_slice(&sequence.to_be_bytes());
    let checksum = Checksum::default().with(bytes).finish();
    bytes[2..4].copy_from_slice(&checksum.to_be_bytes());
}

/// The checksum of addresses, protocol and length, which the checksum of the segment includes (RFC
/// 9293 section 3.1 and RFC 768).
fn pseudo_header(ip: &Ipv4, protocol: u8, len: usize) -> Checksum {
    let checksum = Checksum::default().with(&ip.source.octets()).with(&ip.destination.octets());
    checksum.with(&[0, protocol]).with(&(len as u32).to_be_bytes())
}

#[cfg(test)]
mod tests;
