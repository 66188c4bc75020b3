//! A packet from a stack, or a super-packet that stands for several packets.
//!
//! A super-packet has one header and the payload of many packets. It is cut where it must become
//! shorter: each piece gets the header, corrected for its place, and a part of the payload. A piece
//! of several packets is a super-packet again, which the next kernel cuts if it needs to.
//!
//! Specification: RFC 791, RFC 8200 (headers), RFC 9293 section 3.1 (TCP), RFC 768 (UDP), RFC 3168
//! sections 5 and 6.1.2 (ECN, CWR); how Linux cuts (net/ipv4/tcp_offload.c, udp_offload.c).
//!
//! Deviations: a super-packet whose length does not fit its header (Linux's BIG TCP, RFC 2675) is
//! not carried. Linux builds none unless a device is configured to allow them.

mod checksum;
mod headers;
mod packet_slices;
#[cfg(test)]
mod tests;

use wire::PacketView;

use checksum::complete;
use headers::{Ip, Transport, traffic_class};
pub use packet_slices::PacketSlices;

use crate::{Offload, PartialChecksum, Segmentation};

/// The end of a packet's headers, and the bounds of its segments, without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperPacket {
    /// The bytes of IP and transport header, with which each cut packet begins.
    pub header_len: u16,
    /// The payload of each packet but the last, in bytes; the whole payload of a single packet.
    pub segment: u32,
    /// The bytes from the IP header to the end.
    pub total: u32,
    /// The number of packets that this one stands for; at least 1.
    pub packets: u16,
    /// The work that the kernel left to be done.
    pub offload: Offload,
}

/// The error that bytes from a port are not a packet that can be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("headers and lengths of the packet contradict each other")]
pub struct Malformed;

impl SuperPacket {
    /// Parses a packet: `ip` are its bytes from the IP header on, `view` is the result of
    /// `wire::dissect` for them. None of them is trusted.
    ///
    /// # Errors
    /// If headers are cut off, if lengths contradict each other, or if the work that the kernel
    /// left cannot be done.
    pub fn parse(ip: &[u8], view: &PacketView, offload: Offload) -> Result<Self, Malformed> {
        Self::of_headers(ip, ip.len(), view, offload)
    }

    /// Parses a packet of `len` bytes that begins with `headers`, as [`parse`](Self::parse) does.
    /// `headers` must hold at least its headers.
    pub(crate) fn of_headers(
        headers: &[u8],
        len: usize,
        view: &PacketView,
        offload: Offload,
    ) -> Result<Self, Malformed> {
        let ip = Ip::of(headers)?;
        let total = ip.total_len(headers, len, offload.segmentation.is_some())?;
        let header_len = u16::try_from(view.header_len).map_err(|_| Malformed)?;
        let payload = total.checked_sub(header_len.into()).ok_or(Malformed)?;
        let is_whole = (ip.fixed_len()..=headers.len()).contains(&header_len.into());
        if view.ip_len != u64::from(total) || !is_whole {
            return Err(Malformed);
        }
        if let Some(PartialChecksum { start, offset }) = offload.checksum {
            let end = u32::from(start) + u32::from(offset) + 2;
            if usize::from(start) < ip.fixed_len() || end > total {
                return Err(Malformed);
            }
        }
        let single = Self { header_len, segment: payload, total, packets: 1, offload };
        match offload.segmentation {
            None => Ok(single),
            Some(segmentation) => single.segmented(ip, headers, view, segmentation),
        }
    }

    /// The number of pieces of at most `most_packets` packets each.
    pub fn pieces(&self, most_packets: u16) -> u16 {
        self.packets.div_ceil(most_packets.max(1))
    }

    /// The sum of the IP lengths of packets `first..first + count`.
    pub fn ip_len(&self, first: u16, count: u16) -> u64 {
        let (from, to) = self.payload(first, count);
        u64::from(self.header_len) * u64::from(count) + to as u64 - from as u64
    }

    /// Packets `first..first + count` as one packet or super-packet. Its headers are built in
    /// `scratch`, and its payload is not copied. It has the traffic class `class`; `None` keeps the
    /// packet's own. `ip` are the bytes from which `self` was parsed.
    pub fn cut<'a>(
        &self,
        ip: &'a [u8],
        first: u16,
        count: u16,
        class: Option<u8>,
        scratch: &'a mut Vec<u8>,
    ) -> PacketSlices<'a> {
        let class = class.filter(|class| *class != traffic_class(ip));
        if count == self.packets && class.is_none() {
            let headers = &ip[..self.total as usize];
            return PacketSlices::whole(headers, self.offload);
        }
        self.write_headers(ip, first, count, class, scratch);
        let (from, to) = self.payload(first, count);
        PacketSlices {
            link_header: &[],
            headers: scratch,
            payload: &ip[from..to],
            offload: self.offload_of(first, count),
        }
    }

    /// The begin and the end of the payload of packets `first..first + count` in the packet's
    /// bytes.
    pub(crate) fn payload(&self, first: u16, count: u16) -> (usize, usize) {
        let at = |packet: u32| {
            let start = u64::from(packet) * u64::from(self.segment) + u64::from(self.header_len);
            start.min(self.total.into()) as usize
        };
        let first = u32::from(first);
        (at(first), at(first + u32::from(count)))
    }

    /// A packet as the super-packet that is to be cut with this segmentation.
    fn segmented(
        self,
        ip: Ip,
        headers: &[u8],
        view: &PacketView,
        segmentation: Segmentation,
    ) -> Result<Self, Malformed> {
        let segment = u32::from(segmentation.size);
        let payload = self.segment;
        let checksum = self.offload.checksum.ok_or(Malformed)?;
        let transport = Transport::of(segmentation);
        let header_len = transport.header_len(headers, checksum.start)?;
        let fits = view.protocol == transport.protocol()
            && !view.is_fragment
            && ip.carries(headers, self.total, transport, checksum.start)
            && checksum.offset == transport.checksum_at()
            && u32::from(checksum.start) + header_len == u32::from(self.header_len)
            && transport.agrees_on_len(headers, checksum.start, self.total);
        let can_be_cut = (1..=payload).contains(&segment);
        if !fits || !can_be_cut {
            return Err(Malformed);
        }
        let packets = u16::try_from(payload.div_ceil(segment)).map_err(|_| Malformed)?;
        let segmentation = (packets > 1).then_some(segmentation);
        let offload = Offload { segmentation, ..self.offload };
        Ok(Self { segment, packets, offload, ..self })
    }

    /// The work that is left for packets `first..first + count` once they are cut out.
    fn offload_of(&self, first: u16, count: u16) -> Offload {
        let of_piece = |all: Segmentation| Segmentation {
            // A sender sets CWR once (RFC 3168 section 6.1.2).
            cwr_first: all.cwr_first && first == 0,
            ..all
        };
        let segmentation = self.offload.segmentation.filter(|_| count > 1).map(of_piece);
        Offload { segmentation, ..self.offload }
    }
}
