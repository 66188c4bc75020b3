//! The work that a kernel leaves to the network card, as a virtio-net header describes it.
//!
//! Specification: Virtual I/O Device (VIRTIO) 1.2 section 5.1.6 (the header); Linux
//! `include/uapi/linux/virtio_net.h`. Numbers are in the machine's byte order, which TUN and
//! AF_PACKET use by default.

/// The length of the header before each packet, without `num_buffers`.
pub(crate) const HEADER_LEN: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCP_4: u8 = 1;
const GSO_TCP_6: u8 = 4;
const GSO_UDP: u8 = 5;
const GSO_ECN: u8 = 0x80;

/// The work that is left to be done on a packet. All positions count from the IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    /// The checksum that is to be completed; `None` if it is complete.
    pub checksum: Option<PartialChecksum>,
    /// The way to cut a super-packet; `None` for a single packet.
    pub segmentation: Option<Segmentation>,
}

/// A checksum that holds only the sum of the pseudo-header, and is to be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartialChecksum {
    /// The position where the sum begins: at the transport header.
    pub start: u16,
    /// The position of the checksum itself, counted from `start`.
    pub offset: u16,
}

/// The way to cut a super-packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segmentation {
    /// True for TCP, false for UDP.
    pub tcp: bool,
    /// The payload of each packet but the last, in bytes.
    pub size: u16,
    /// `VIRTIO_NET_HDR_GSO_ECN`: only the first packet has CWR.
    pub cwr_first: bool,
}

impl Offload {
    /// Parses the header of the packet `ip`, before which a link header of `link_header` bytes
    /// lies, which the header's positions include. `None` if the header cannot belong to such a
    /// packet. [`SuperPacket`](crate::SuperPacket) checks that the work can be done.
    pub(crate) fn parse(header: &[u8], link_header: u16, ip: &[u8]) -> Option<Self> {
        let [flags, gso, rest @ ..]: &[u8; HEADER_LEN] = header.try_into().ok()?;
        let number = |at: usize| u16::from_ne_bytes([rest[at], rest[at + 1]]);
        let checksum = if flags & NEEDS_CHECKSUM == 0 {
            None
        } else {
            let start = number(4).checked_sub(link_header)?;
            let checksum = PartialChecksum { start, offset: number(6) };
            let end = usize::from(start) + usize::from(checksum.offset) + 2;
            // It must lie after the shortest IP header, and before the packet's end.
            if start < 20 || end > ip.len() {
                return None;
            }
            Some(checksum)
        };
        let segmentation = segmentation(*gso, number(2), ip)?;
        Some(Self { checksum, segmentation })
    }

    /// The virtio-net header of a packet that begins with `headers`, after a link header of
    /// `link_header` bytes.
    pub(crate) fn header(&self, link_header: u16, headers: &[u8]) -> [u8; HEADER_LEN] {
        let mut header = [0; HEADER_LEN];
        let mut put = |at: usize, number: u16| {
            header[at..at + 2].copy_from_slice(&number.to_ne_bytes());
        };
        if let Some(checksum) = self.checksum {
            put(6, checksum.start.saturating_add(link_header));
            put(8, checksum.offset);
        }
        if let Some(segmentation) = self.segmentation {
            put(2, self.header_len(headers).saturating_add(link_header));
            put(4, segmentation.size);
            header[1] = gso_type(segmentation, headers);
        }
        header[0] = if self.checksum.is_some() { NEEDS_CHECKSUM } else { 0 };
        header
    }

    /// The length of a super-packet's IP and transport headers.
    fn header_len(&self, headers: &[u8]) -> u16 {
        let start = self.checksum.map_or(0, |checksum| checksum.start);
        let transport = match self.segmentation {
            // RFC 9293 section 3.1: the data offset is in words of 32 bits.
            Some(Segmentation { tcp: true, .. }) => {
                headers.get(usize::from(start) + 12).map_or(20, |byte| u16::from(byte >> 4) * 4)
            }
            _ => 8,
        };
        // The kernel refuses a header length beyond the packet's end.
        start.saturating_add(transport).min(headers.len().try_into().unwrap_or(u16::MAX))
    }
}

/// The way to cut a packet: `Some(None)` for a single packet, `None` if the header is invalid.
fn segmentation(gso: u8, size: u16, ip: &[u8]) -> Option<Option<Segmentation>> {
    let version = ip.first()? >> 4;
    let tcp = match (gso & !GSO_ECN, version) {
        (GSO_NONE, _) if gso == GSO_NONE => return Some(None),
        (GSO_TCP_4, 4) | (GSO_TCP_6, 6) => true,
        (GSO_UDP, 4 | 6) if gso == GSO_UDP => false,
        _ => return None,
    };
    Some(Some(Segmentation { tcp, size, cwr_first: gso & GSO_ECN != 0 }))
}

fn gso_type(segmentation: Segmentation, headers: &[u8]) -> u8 {
    let is_ipv6 = headers.first().is_some_and(|byte| byte >> 4 == 6);
    let kind = match (segmentation.tcp, is_ipv6) {
        (true, false) => GSO_TCP_4,
        (true, true) => GSO_TCP_6,
        (false, _) => GSO_UDP,
    };
    kind | if segmentation.cwr_first { GSO_ECN } else { 0 }
}

#[cfg(test)]
mod tests;
