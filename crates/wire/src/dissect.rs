//! The properties of a captured packet that a queue needs: its length, flow and ECN field.
//!
//! Specification: RFC 791 and RFC 8200 (headers), RFC 2675 (jumbograms), RFC 9293 section 3.1 (TCP),
//! RFC 768 (UDP), RFC 3168 section 5 (ECN).
//!
//! Packets may be cut off anywhere, so only the fixed part of the IP header is required. Fields
//! that a queue would not read are not checked: checksums are often left to the network card.
//!
//! Deviations: the version in the IP header decides the type of the packet, whatever the layer
//! below says. An IP length of zero is what Linux writes into super-packets that are too long for
//! the field; the length then follows from that of the captured packet.

mod ip;
mod link;
mod non_ip;

use std::net::IpAddr;

pub use non_ip::NonIp;

use units::mix;

use crate::{LinkType, protocol};

/// The longest IP packet in bytes that is accepted: twice the largest super-packet that Linux
/// builds (`GSO_MAX_SIZE`, 512 KiB).
pub const LARGEST_PACKET: u64 = 1 << 20;

/// An IP packet as a queue sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView {
    /// Length in bytes from the IP header on, however few were captured; at least `header_len` and
    /// at most [`LARGEST_PACKET`]. A super-packet, which a network card would cut into segments, or
    /// has put together, is as long as all of them with one header.
    pub ip_len: u64,
    /// Length in bytes of the IP header, the extension headers and the transport header. A TCP
    /// header that was not captured counts with its least length.
    pub header_len: u32,
    /// Length in bytes of the IP header and the extension headers, behind which the transport
    /// header begins.
    pub transport_start: u32,
    /// The ECN field, 0 to 3.
    pub ecn: u8,
    /// The differentiated services code point, 0 to 63.
    pub dscp: u8,
    /// The number of the transport protocol: 6 is TCP, 17 UDP.
    pub protocol: u8,
    /// The sender's address.
    pub source: IpAddr,
    /// The receiver's address.
    pub destination: IpAddr,
    /// Source and destination port; `None` if the protocol has no ports, if this is a later
    /// fragment, or if the ports were not captured.
    pub ports: Option<(u16, u16)>,
    /// True if this is a fragment of a packet.
    pub is_fragment: bool,
}

impl PacketView {
    /// The TCP header in `ip`, which are the packet's bytes from the IP header on, as far as it was
    /// captured. `None` if the packet is not TCP, or is a fragment.
    pub fn tcp_header<'a>(&self, ip: &'a [u8]) -> Option<&'a [u8]> {
        let end = ip.len().min(self.header_len as usize);
        let is_whole_tcp = self.protocol == protocol::TCP && !self.is_fragment;
        ip.get(self.transport_start as usize..end).filter(|_| is_whole_tcp)
    }

    /// A keyed hash of addresses, protocol and ports.
    ///
    /// The ports of fragments are left out, since only the first has them: all fragments of a
    /// packet must meet in one queue. Linux does the same for FQ-CoDel.
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

/// The number of the host with this address: the same for equal addresses, and the same for two
/// different ones with a chance of 2^-64.
pub fn host(address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            mix(mix((bits >> 64) as u64) ^ bits as u64)
        }
    }
}

fn wide(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The captured bytes of a packet from its IP header on.
///
/// # Errors
/// If the packet is not an IP packet, or if the IP header was not captured.
#[inline]
pub fn from_ip(link_type: LinkType, data: &[u8]) -> Result<&[u8], NonIp> {
    data.get(link::ip_header(link_type, data)?..).ok_or(NonIp::CutOff)
}

/// The view of a captured packet: `data` are its captured bytes, `original_len` its length. If that
/// is less than the length of `data`, the latter counts.
///
/// # Errors
/// If the packet is not an IP packet, if too little of it was captured, or if its IP header is
/// malformed.
#[inline]
pub fn dissect(link_type: LinkType, data: &[u8], original_len: u64) -> Result<PacketView, NonIp> {
    dissect_from_ip(link_type, data, original_len).map(|(view, _)| view)
}

/// The same, and the captured bytes from the IP header on.
///
/// # Errors
/// As [`dissect`].
#[inline]
pub fn dissect_from_ip(
    link_type: LinkType,
    data: &[u8],
    original_len: u64,
) -> Result<(PacketView, &[u8]), NonIp> {
    let packet = from_ip(link_type, data)?;
    let link_header = data.len() - packet.len();
    let view = ip::view(packet, original_len.max(data.len() as u64) - link_header as u64)?;
    Ok((view, packet))
}

/// A number of two bytes in network byte order; `None` if it was not captured.
#[inline]
fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?.first_chunk().copied().map(u16::from_be_bytes)
}
