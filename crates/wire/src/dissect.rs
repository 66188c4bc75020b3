//! What a queue wants to know of a packet that was captured: how long it is, whose it is, its ECN.
//!
//! Specification: RFC 791 and RFC 8200 (headers), RFC 2675 (jumbograms), RFC 9293 section 3.1 (TCP),
//! RFC 768 (UDP), RFC 3168 section 5 (ECN).
//!
//! Packets may be cut off anywhere, so nothing is required but the fixed part of the IP header, and
//! nothing is checked that a queue would not look at: checksums are often left to the network card.
//!
//! Deviations: the version in the IP header decides what the packet is, whatever the layer below
//! says. An IP length of zero is what Linux writes into super-packets that are too long for the
//! field; it then follows from the length of the captured packet.

mod alien;
mod ip;
mod link;

use std::net::IpAddr;

pub use alien::Alien;

use units::mix;

use crate::LinkType;

/// The longest IP packet that is believed: twice the largest super-packet that Linux builds
/// (`GSO_MAX_SIZE`, 512 KiB).
pub const LARGEST_PACKET: u64 = 1 << 20;

/// An IP packet as a queue sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView {
    /// Bytes on the wire from the IP header on, however few were captured; at least `header_len`
    /// and at most [`LARGEST_PACKET`]. A super-packet, which a network card was to cut into
    /// segments, or has put together, is as long as all of them with one header.
    pub ip_len: u64,
    /// Bytes of it that are IP header, extension headers and transport header. Of a TCP header that
    /// was not captured the least is assumed.
    pub header_len: u32,
    /// The ECN field, 0 to 3.
    pub ecn: u8,
    /// The differentiated services code point, 0 to 63.
    pub dscp: u8,
    /// The number of the transport protocol: 6 is TCP, 17 UDP.
    pub protocol: u8,
    /// Who sent it.
    pub source: IpAddr,
    /// Who is to get it.
    pub destination: IpAddr,
    /// Source and destination port, if the protocol has some, this is not a later fragment, and
    /// they were captured.
    pub ports: Option<(u16, u16)>,
    /// Is this a piece of a packet?
    pub is_fragment: bool,
}

impl PacketView {
    /// A keyed hash of addresses, protocol and ports.
    ///
    /// Of fragments the ports are left out, since only the first has them: all pieces of a packet
    /// shall meet in one queue. Linux does the same for FQ-CoDel.
    #[inline]
    pub fn flow_hash(&self, salt: u64) -> u32 {
        let hash = match (self.source, self.destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                mix(salt ^ (u64::from(source.to_bits()) << 32 | u64::from(destination.to_bits())))
            }
            (source, destination) => {
                [source, destination].into_iter().map(wide).fold(salt, |hash, address| {
                    mix(mix(hash ^ (address >> 64) as u64) ^ address as u64)
                })
            }
        };
        let (source, destination) = self.ports.filter(|_| !self.is_fragment).unwrap_or_default();
        let ports = u64::from(source) << 16 | u64::from(destination);
        (mix(hash ^ (u64::from(self.protocol) << 32 | ports)) >> 32) as u32
    }
}

fn wide(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Looks into a captured packet: `data` is what was captured of it, `original_len` how
/// long it was; if that is less than what was captured, it was that long.
///
/// # Errors
/// If it is not an IP packet, or too little of it was captured, or its IP header is none.
#[inline]
pub fn dissect(link_type: LinkType, data: &[u8], original_len: u64) -> Result<PacketView, Alien> {
    let start = link::ip_header(link_type, data)?;
    let packet = data.get(start..).ok_or(Alien::CutOff)?;
    ip::view(packet, original_len.max(data.len() as u64) - start as u64)
}

/// A number of two bytes in network byte order, if it was captured.
#[inline]
fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?.first_chunk().copied().map(u16::from_be_bytes)
}
