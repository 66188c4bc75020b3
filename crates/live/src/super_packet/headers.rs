//! The fields of headers that a cut changes.

use wire::{LinkType, dissect, protocol};

use super::checksum::{replace, replace_len, set_word, word};
use super::{Malformed, SuperPacket};
use crate::Segmentation;

/// The positions of fields in the IPv4 header.
mod v4 {
    pub(super) const TOTAL_LENGTH: usize = 2;
    pub(super) const IDENTIFICATION: usize = 4;
    pub(super) const CHECKSUM: usize = 10;
    pub(super) const FIXED: usize = 20;
}

/// The positions of fields in the IPv6 header.
mod v6 {
    pub(super) const PAYLOAD_LENGTH: usize = 4;
    pub(super) const FIXED: usize = 40;
}

/// A version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ip {
    V4,
    V6,
}

impl Ip {
    /// The version of a packet.
    ///
    /// # Errors
    /// If the fixed part of the header is not there.
    pub(super) fn of(headers: &[u8]) -> Result<Self, Malformed> {
        let this = match headers.first().ok_or(Malformed)? >> 4 {
            4 => Self::V4,
            6 => Self::V6,
            _ => return Err(Malformed),
        };
        if headers.len() < this.fixed_len() { Err(Malformed) } else { Ok(this) }
    }

    /// The length of the header's fixed part.
    pub(super) const fn fixed_len(self) -> usize {
        match self {
            Self::V4 => v4::FIXED,
            Self::V6 => v6::FIXED,
        }
    }

    /// The length of the packet, of which `len` bytes were received. A super-packet has exactly
    /// that length; after another packet there may be the padding of a short Ethernet frame.
    pub(super) fn total_len(
        self,
        headers: &[u8],
        len: usize,
        is_super: bool,
    ) -> Result<u32, Malformed> {
        let len = u32::try_from(len).map_err(|_| Malformed)?;
        let written = match self {
            Self::V4 => u32::from(word(headers, v4::TOTAL_LENGTH)),
            Self::V6 => 40 + u32::from(word(headers, v6::PAYLOAD_LENGTH)),
        };
        if written > len || (is_super && written < len) { Err(Malformed) } else { Ok(written) }
    }

    /// True if the transport header begins at `start`.
    pub(super) fn carries(
        self,
        headers: &[u8],
        total: u32,
        transport: Transport,
        start: u16,
    ) -> bool {
        if self == Self::V4 {
            return start == u16::from(headers[0] & 0xf) * 4;
        }
        // If the bytes of the transport header are missing, its least length is assumed, and the
        // packet's other headers must end here.
        let before = &headers[..headers.len().min(start.into())];
        dissect(LinkType::RAW, before, total.into()).is_ok_and(|view| {
            view.protocol == transport.protocol()
                && view.ports.is_none()
                && view.header_len == u32::from(start) + transport.least_header_len()
        })
    }
}

/// The transport protocols whose super-packets can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Tcp,
    Udp,
}

impl Transport {
    pub(super) const fn of(segmentation: Segmentation) -> Self {
        if segmentation.tcp { Self::Tcp } else { Self::Udp }
    }

    /// The protocol number.
    pub(super) const fn protocol(self) -> u8 {
        match self {
            Self::Tcp => protocol::TCP,
            Self::Udp => protocol::UDP,
        }
    }

    /// The position of the checksum in the header: RFC 9293 section 3.1, RFC 768.
    pub(super) const fn checksum_at(self) -> u16 {
        match self {
            Self::Tcp => 16,
            Self::Udp => 6,
        }
    }

    /// The least length of the header.
    const fn least_header_len(self) -> u32 {
        match self {
            Self::Tcp => 20,
            Self::Udp => 8,
        }
    }

    /// The length of the header that begins at `start`.
    pub(super) fn header_len(self, headers: &[u8], start: u16) -> Result<u32, Malformed> {
        let len = match self {
            Self::Tcp => {
                let words = headers.get(usize::from(start) + 12).ok_or(Malformed)? >> 4;
                u32::from(words) * 4
            }
            Self::Udp => self.least_header_len(),
        };
        if len < self.least_header_len() { Err(Malformed) } else { Ok(len) }
    }

    /// True if the header that begins at `start` allows a packet of `total` bytes.
    pub(super) fn agrees_on_len(self, headers: &[u8], start: u16, total: u32) -> bool {
        let start = usize::from(start);
        match self {
            Self::Tcp => true,
            Self::Udp => {
                headers.len() >= start + 8
                    && start as u32 + u32::from(word(headers, start + 4)) == total
            }
        }
    }
}

impl SuperPacket {
    /// Writes the headers of packets `first..first + count`, with this traffic class, or with their
    /// own if it is `None`.
    pub(crate) fn write_headers(
        &self,
        ip: &[u8],
        first: u16,
        count: u16,
        class: Option<u8>,
        headers: &mut Vec<u8>,
    ) {
        headers.clear();
        headers.extend_from_slice(&ip[..self.header_len.into()]);
        if count != self.packets {
            self.shorten(headers, first, count);
        }
        if let Some(class) = class {
            set_traffic_class(headers, class);
        }
    }

    /// Changes the headers of the whole to those of packets `first..first + count`.
    fn shorten(&self, headers: &mut [u8], first: u16, count: u16) {
        let (Some(segmentation), Some(checksum)) =
            (self.offload.segmentation, self.offload.checksum)
        else {
            return;
        };
        let start = usize::from(checksum.start);
        let (from, to) = self.payload(first, count);
        let total = u32::from(self.header_len) + (to - from) as u32;
        let transport_len = total - start as u32;
        set_ip_len(headers, total, first);
        let sum_at = start + usize::from(checksum.offset);
        replace_len(headers, sum_at, self.total - start as u32, transport_len);
        match Transport::of(segmentation) {
            Transport::Udp => set_word(headers, start + 4, transport_len as u16),
            Transport::Tcp => {
                let skipped = u32::from(first).wrapping_mul(self.segment);
                let has_cwr = first == 0 || !segmentation.cwr_first;
                let is_last = first + count == self.packets;
                set_tcp(&mut headers[start..], skipped, has_cwr, is_last);
            }
        }
    }
}

/// Sets the length of a packet, and its identification from its index. The length fits, since that
/// of the whole does.
fn set_ip_len(headers: &mut [u8], total: u32, index: u16) {
    match headers[0] >> 4 {
        4 => {
            let id = word(headers, v4::IDENTIFICATION).wrapping_add(index);
            replace(headers, v4::TOTAL_LENGTH, total as u16, v4::CHECKSUM);
            // RFC 6864 section 4: only fragments need the identification, but Linux increments it
            // for all packets.
            replace(headers, v4::IDENTIFICATION, id, v4::CHECKSUM);
        }
        _ => set_word(headers, v6::PAYLOAD_LENGTH, (total - 40) as u16),
    }
}

/// Sets the fields that differ between the segments of a TCP super-packet.
fn set_tcp(header: &mut [u8], skipped: u32, has_cwr: bool, is_last: bool) {
    const FIN: u8 = 0x01;
    const PSH: u8 = 0x08;
    const CWR: u8 = 0x80;
    let sequence = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    header[4..8].copy_from_slice(&sequence.wrapping_add(skipped).to_be_bytes());
    if !is_last {
        header[13] &= !(FIN | PSH);
    }
    if !has_cwr {
        header[13] &= !CWR;
    }
}

/// The byte of DSCP and ECN field (RFC 791 section 3.1, RFC 8200 section 3), in a header whose fixed
/// part is there.
pub(super) fn traffic_class(headers: &[u8]) -> u8 {
    match headers[0] >> 4 {
        4 => headers[1],
        _ => headers[0] << 4 | headers[1] >> 4,
    }
}

/// Sets the byte of DSCP and ECN field.
fn set_traffic_class(headers: &mut [u8], class: u8) {
    match headers[0] >> 4 {
        4 => {
            let first = u16::from_be_bytes([headers[0], class]);
            replace(headers, 0, first, v4::CHECKSUM);
        }
        _ => {
            headers[0] = headers[0] & 0xf0 | class >> 4;
            headers[1] = headers[1] & 0x0f | class << 4;
        }
    }
}
