//! What a kernel left to the network card, as a virtio-net header says it.
//!
//! Specification: Virtual I/O Device (VIRTIO) 1.2 section 5.1.6 (the header); Linux
//! `include/uapi/linux/virtio_net.h`. Numbers are in the machine's own order, as TUN and AF_PACKET
//! have them unless told otherwise.

/// Bytes of the header before each packet: without `num_buffers`.
pub(crate) const HEADER_LEN: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCP_4: u8 = 1;
const GSO_TCP_6: u8 = 4;
const GSO_UDP: u8 = 5;
const GSO_ECN: u8 = 0x80;

/// What is still to be done to a packet. All positions count from the IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    /// The checksum that is still to be completed.
    pub checksum: Option<PartialChecksum>,
    /// How the packet is to be cut, if it is a super-packet.
    pub segmentation: Option<Segmentation>,
}

/// A checksum of which only the pseudo-header's part has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartialChecksum {
    /// Where the sum begins: at the transport header.
    pub start: u16,
    /// Where it is written, counted from `start`.
    pub offset: u16,
}

/// How a super-packet is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segmentation {
    /// TCP, or else UDP.
    pub tcp: bool,
    /// The payload of each packet but the last.
    pub size: u16,
    /// `VIRTIO_NET_HDR_GSO_ECN`: the first packet alone has CWR.
    pub cwr_first: bool,
}

impl Offload {
    /// Understands the header of a packet: `ip` are its bytes, before which `link_header` bytes
    /// lie that the header counts. `None` if it says what cannot be said of such a packet; whether
    /// that can be done to it, [`SuperPacket`](crate::SuperPacket) knows.
    pub(crate) fn parse(header: &[u8], link_header: u16, ip: &[u8]) -> Option<Self> {
        let [flags, gso, rest @ ..]: &[u8; HEADER_LEN] = header.try_into().ok()?;
        let number = |at: usize| u16::from_ne_bytes([rest[at], rest[at + 1]]);
        let checksum = if flags & NEEDS_CHECKSUM == 0 {
            None
        } else {
            let start = number(4).checked_sub(link_header)?;
            let checksum = PartialChecksum { start, offset: number(6) };
            let end = usize::from(start) + usize::from(checksum.offset) + 2;
            // Behind the shortest IP header, before the packet's end.
            if start < 20 || end > ip.len() {
                return None;
            }
            Some(checksum)
        };
        let segmentation = segmentation(*gso, number(2), ip)?;
        Some(Self { checksum, segmentation })
    }

    /// The header for a packet that begins with `headers`, before which a link header of so many
    /// bytes will lie.
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

    /// IP and transport header of a super-packet.
    fn header_len(&self, headers: &[u8]) -> u16 {
        let start = self.checksum.map_or(0, |checksum| checksum.start);
        let transport = match self.segmentation {
            // RFC 9293 section 3.1: the data offset is in words of 32 bits.
            Some(Segmentation { tcp: true, .. }) => {
                headers.get(usize::from(start) + 12).map_or(20, |byte| u16::from(byte >> 4) * 4)
            }
            _ => 8,
        };
        // The kernel refuses headers that reach behind the packet.
        start.saturating_add(transport).min(headers.len().try_into().unwrap_or(u16::MAX))
    }
}

/// How a packet is to be cut: `Some(None)` not at all, `None` if that cannot be.
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
