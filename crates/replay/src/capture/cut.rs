//! Super-packets. A capture on a host sees what the host's stack hands to the network card, which
//! cuts it into packets, or what the card has glued together: up to 64 KiB and more at once, where
//! the wire sees packets of one MTU each.

use wire::PacketView;

/// The lengths of the packets that one captured packet is on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// Headers, which each piece repeats.
    header: u32,
    /// Payload of a full piece.
    segment: u32,
    /// Payload that is left.
    payload: u32,
    /// Pieces that are left.
    left: u32,
}

impl Pieces {
    /// The packet as pieces of at most `mtu` bytes; in one piece if it is not longer, or if its
    /// headers leave no room.
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

    /// How many are left.
    pub(crate) fn count(self) -> u64 {
        u64::from(self.left)
    }

    /// The length of the next one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let payload = self.payload.min(self.segment);
        self.payload -= payload;
        Some(self.header + payload)
    }
}
