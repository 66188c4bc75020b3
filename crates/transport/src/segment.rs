//! A TCP segment as the peers see it: header fields and options, no payload bytes.

use units::Bytes;

/// The length in bytes of an IPv4 header without options.
pub const IP_HEADER: u32 = 20;

/// A set of header flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// The set without flags.
    pub const NONE: Self = Self(0);
    /// FIN: no more data from the sender.
    pub const FIN: Self = Self(0x01);
    /// SYN: synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// RST: reset the connection.
    pub const RST: Self = Self(0x04);
    /// PSH: hand the data to the application.
    pub const PSH: Self = Self(0x08);
    /// ACK: the acknowledgement field counts.
    pub const ACK: Self = Self(0x10);
    /// ECE: ECN echo (RFC 3168 section 6.1).
    pub const ECE: Self = Self(0x40);
    /// CWR: congestion window reduced (RFC 3168 section 6.1).
    pub const CWR: Self = Self(0x80);

    /// True if all flags of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set if `is_set`, else the set without flags.
    #[inline]
    pub const fn when(self, is_set: bool) -> Self {
        if is_set { self } else { Self::NONE }
    }

    /// The flags as the byte of the header.
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl core::ops::BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl core::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// The timestamps option (RFC 7323 section 3), in milliseconds as Linux counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the peer's clock, echoed.
    pub echo: u32,
}

/// The SACK option (RFC 2018): at most four blocks, the most recent first.
///
/// Edges are kept as the 32 bits that go on the wire, relative to the low half of the 64-bit
/// sequence space, so that a segment stays small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    edges: [(u32, u32); 4],
    count: u8,
}

impl SackBlocks {
    /// The option without blocks.
    pub const EMPTY: Self = Self { edges: [(0, 0); 4], count: 0 };

    /// Appends the block `start..end`; a fifth block is ignored.
    pub fn push(&mut self, start: u64, end: u64) {
        if let Some(edge) = self.edges.get_mut(usize::from(self.count)) {
            *edge = (start as u32, end as u32);
            self.count += 1;
        }
    }

    /// The number of blocks.
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// True if there is no block.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The blocks as `(start, end)` in the 64-bit sequence space near `ack`, the segment's own
    /// acknowledgement number. A block below `ack` is a duplicate report (RFC 2883).
    pub fn near(&self, ack: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let widen = move |edge: u32| {
            ack.wrapping_add_signed(i64::from(edge.wrapping_sub(ack as u32) as i32))
        };
        self.edges[..self.len()].iter().map(move |&(start, end)| (widen(start), widen(end)))
    }
}

/// Options that only a SYN carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynOptions {
    /// The maximum segment size that the sender of this SYN can receive, counted without any
    /// options (RFC 9293 section 3.7.1).
    pub mss: u16,
    /// The window scale shift (RFC 7323 section 2); `None` if the SYN has no such option.
    pub window_scale: Option<u8>,
    /// True if the SYN permits SACK (RFC 2018 section 2).
    pub sack_permitted: bool,
}

impl SynOptions {
    /// The options of a segment that is no SYN.
    pub const NONE: Self = Self { mss: 0, window_scale: None, sack_permitted: false };
}

/// A TCP segment.
///
/// Sequence numbers are 64-bit offsets that never wrap: the SYN is number 0, the first byte of data
/// number 1, and the FIN follows the last byte. The number on the wire is the initial sequence
/// number plus the low 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first sequence number.
    pub seq: u64,
    /// The next sequence number that the sender of this segment expects.
    pub ack: u64,
    /// The length of the payload in bytes.
    pub len: u32,
    /// The window field, still to be shifted by the negotiated scale.
    pub window: u16,
    /// The flags of the header.
    pub flags: Flags,
    /// True if the IP packet is sent as ECN-capable, ECT(0).
    pub ect: bool,
    /// The timestamps option; `None` if there is none.
    pub timestamps: Option<Timestamps>,
    /// The SACK option.
    pub sack: SackBlocks,
    /// The options that only a SYN carries.
    pub syn: SynOptions,
}

impl Segment {
    /// A segment without data, flags or options.
    pub const EMPTY: Self = Self {
        seq: 0,
        ack: 0,
        len: 0,
        window: 0,
        flags: Flags::NONE,
        ect: false,
        timestamps: None,
        sack: SackBlocks::EMPTY,
        syn: SynOptions::NONE,
    };

    /// The count of sequence numbers that the segment occupies: payload, SYN and FIN.
    pub const fn seq_len(&self) -> u64 {
        self.len as u64 + self.flags.has(Flags::SYN) as u64 + self.flags.has(Flags::FIN) as u64
    }

    /// The sequence number after the segment's last one.
    pub const fn end(&self) -> u64 {
        self.seq + self.seq_len()
    }

    /// The length in bytes of the TCP header with options, padded as in Linux.
    pub const fn header_len(&self) -> u32 {
        let mut len = 20;
        if self.flags.has(Flags::SYN) {
            len += 4; // maximum segment size
            if self.syn.window_scale.is_some() {
                len += 4; // with one NOP
            }
            if self.syn.sack_permitted && self.timestamps.is_none() {
                len += 4; // shares the padding of the timestamps otherwise
            }
        }
        if self.timestamps.is_some() {
            len += 12;
        }
        if !self.sack.is_empty() {
            len += 4 + 8 * self.sack.len() as u32;
        }
        len
    }

    /// The length of the IP packet.
    pub const fn ip_len(&self) -> Bytes {
        Bytes((IP_HEADER + self.header_len() + self.len) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(flags: Flags, len: u32) -> Segment {
        Segment { flags, len, ..Segment::EMPTY }
    }

    /// RFC 9293 section 3.1, and RFC 3168 section 6.1 for the first two.
    #[test]
    fn flags_have_the_bits_of_the_header() {
        let all =
            [Flags::CWR, Flags::ECE, Flags::ACK, Flags::PSH, Flags::RST, Flags::SYN, Flags::FIN];
        assert_eq!(all.map(Flags::bits), [0x80, 0x40, 0x10, 0x08, 0x04, 0x02, 0x01]);
        assert_eq!((Flags::SYN | Flags::ACK).bits(), 0x12);
    }

    /// The simulator copies segments, and larger ones slow it down.
    #[test]
    fn is_small() {
        assert!(size_of::<Segment>() <= 80, "{}", size_of::<Segment>());
    }

    /// As Linux sends them: 60, 52 and 1500 bytes.
    #[test]
    fn lengths_of_packets() {
        let timestamps = Some(Timestamps { value: 1, echo: 0 });
        let syn = SynOptions { mss: 1460, window_scale: Some(7), sack_permitted: true };
        let syn = Segment { timestamps, syn, ..segment(Flags::SYN, 0) };
        assert_eq!(syn.ip_len(), Bytes(60));
        assert_eq!(Segment { timestamps, ..segment(Flags::ACK, 0) }.ip_len(), Bytes(52));
        assert_eq!(Segment { timestamps, ..segment(Flags::ACK, 1448) }.ip_len(), Bytes(1500));
        assert_eq!(segment(Flags::ACK, 536).ip_len(), Bytes(576));
        let mut sack = SackBlocks::EMPTY;
        sack.push(1, 2);
        assert_eq!(Segment { timestamps, sack, ..segment(Flags::ACK, 0) }.ip_len(), Bytes(64));
    }

    #[test]
    fn syn_and_fin_take_a_number_each() {
        assert_eq!(segment(Flags::SYN, 0).end(), 1);
        assert_eq!(segment(Flags::FIN | Flags::ACK, 10).seq_len(), 11);
        assert_eq!(segment(Flags::ACK, 0).seq_len(), 0);
    }

    #[test]
    fn blocks_survive_32_bits() {
        let (ack, mut sack) = ((7 << 32) - 100, SackBlocks::EMPTY);
        let told =
            [(ack + 1000, ack + 2000), (ack - 50, ack), (ack + 5, ack + 6), (ack + 9, ack + 99)];
        for (start, end) in told.into_iter().chain([(1, 2)]) {
            sack.push(start, end);
        }
        assert_eq!(sack.near(ack).collect::<Vec<_>>(), told);
    }
}
