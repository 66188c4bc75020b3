//! Super-packets. A capture on a host sees packets before the network card cuts them, or after the
//! card has merged them: up to 64 KiB and more at once, where the wire carries packets of one MTU
//! each.

use wire::PacketView;

/// The lengths of the packets that one captured packet stands for on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// Bytes of headers, which each piece repeats.
    header: u32,
    /// Bytes of payload in a full piece.
    segment: u32,
    /// Bytes of payload that are left.
    payload: u32,
    /// Pieces that are left.
    left: u32,
}

impl Pieces {
    /// The pieces of the packet, of at most `mtu` bytes each; one piece if the packet is not
    /// longer, or if its headers leave no room.
    #[inline]
    pub(crate) fn of(view: &PacketView, mtu: u32) -> Self {
        // LARGEST_PACKET is 1 MiB.
        let ip_len = u32::try_from(view.ip_len).unwrap_or(u32::MAX).max(1);
        let header = view.header_len.min(ip_len);
        if ip_len <= mtu || header >= mtu {
            return Self { header: 0, segment: ip_len, payload: ip_len, left: 1 };
        }
        let (segment, payload) = (mtu - header, ip_len - header);
        Self { header, segment, payload, left: payload.div_ceil(segment) }
    }

    /// The number of pieces that are left.
    pub(crate) fn count(self) -> u64 {
        u64::from(self.left)
    }

    /// The length of the next piece; `None` if none is left.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let payload = self.payload.min(self.segment);
        self.payload -= payload;
        Some(self.header + payload)
    }
}
