//! Framing: the bytes that a packet takes on the link behind the next modem, which is what the
//! shaper charges. A shaper that charges less than the link carries fills the modem's buffer again.
//!
//! Specification: tc-cake(8), "Manual overhead specification"; Linux, net/sched/sch_cake.c,
//! `cake_calc_overhead`. ATM: ITU-T I.432.1, cells of 48 bytes with a header of 5; PTM: IEEE 802.3
//! clause 61.3.3, 65 bytes for 64.

use units::Bytes;

use crate::IpLens;
use crate::spec::name_of;

/// The cells or code words in which a link carries packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cells {
    /// None: a packet takes the bytes that it has.
    #[default]
    None,
    /// ATM: each 48 bytes, or part of them, take 53 (ADSL).
    Atm,
    /// PTM: each 64 bytes, or part of them, take 65 (VDSL2).
    Ptm,
}

impl Cells {
    /// The words of tc.
    pub(super) const NAMES: [(&'static str, Self); 3] =
        [("noatm", Self::None), ("atm", Self::Atm), ("ptm", Self::Ptm)];

    /// The word of tc.
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }

    /// The bytes that a packet of this length takes in them.
    #[inline]
    pub const fn on_link(self, len: Bytes) -> Bytes {
        match self {
            Self::None => len,
            _ => self.in_cells(len),
        }
    }

    #[inline(never)]
    const fn in_cells(self, len: Bytes) -> Bytes {
        Bytes(match self {
            Self::None => len.0,
            Self::Atm => len.0.div_ceil(48) * 53,
            Self::Ptm => len.0 + len.0.div_ceil(64),
        })
    }
}

/// The framing of the link whose rate is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Framing {
    /// True to charge the length of the frame as the queue accounts for it; false to charge that of
    /// the IP packet. True by default.
    pub raw: bool,
    /// Bytes that the link adds to a packet: at least -64, and more than 256 only as the sum of
    /// several words.
    pub overhead: i16,
    /// The fewest bytes that the link takes for a packet, with its overhead; 0 to 256.
    pub mpu: u16,
    /// The cells of the link.
    pub cells: Cells,
}

impl Default for Framing {
    fn default() -> Self {
        Self { raw: true, overhead: 0, mpu: 0, cells: Cells::None }
    }
}

impl Framing {
    /// The bytes on the link of one packet, given the length that is charged without framing.
    pub fn on_link(&self, len: Bytes) -> Bytes {
        let framed =
            (len.0 as i64 + i64::from(self.overhead)).max(i64::from(self.mpu)).max(0) as u64;
        self.cells.on_link(Bytes(framed))
    }
}

/// The shortest and the longest packet that came, before and after framing, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SizesSeen {
    /// The shortest without framing; 65535 before the first packet.
    pub min_network: u16,
    /// The longest without framing; 0 before the first packet.
    pub max_network: u16,
    /// The shortest with framing; 65535 before the first packet.
    pub min_adjusted: u16,
    /// The longest with framing; 0 before the first packet.
    pub max_adjusted: u16,
}

impl Default for SizesSeen {
    fn default() -> Self {
        Self { min_network: u16::MAX, max_network: 0, min_adjusted: u16::MAX, max_adjusted: 0 }
    }
}

impl SizesSeen {
    fn note(&mut self, network: Bytes, adjusted: Bytes) {
        let narrow = |len: Bytes| u16::try_from(len.0).unwrap_or(u16::MAX);
        let (network, adjusted) = (narrow(network), narrow(adjusted));
        self.min_network = self.min_network.min(network);
        self.max_network = self.max_network.max(network);
        self.min_adjusted = self.min_adjusted.min(adjusted);
        self.max_adjusted = self.max_adjusted.max(adjusted);
    }
}

/// The lengths of an arrival: what the queue accounts for, and the IP packets in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) frame: Bytes,
    pub(super) packets: u64,
    pub(super) ip: IpLens,
}

impl Lengths {
    /// The length of the headers before the IP packet: of one of them, if there are several.
    pub(super) fn network_offset(&self) -> Bytes {
        // Most arrivals are one packet, which takes no division.
        if self.packets == 1 {
            return self.frame - self.ip.last;
        }
        let ip = self.ip.each * (self.packets - 1) + self.ip.last;
        (self.frame - ip) / self.packets
    }
}

/// Charges arrivals for what they take on the link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Framer {
    pub(super) framing: Framing,
    pub(super) seen: SizesSeen,
    /// Moving average of the network offset, times 65536.
    offset: u64,
}

impl Framer {
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, ..Self::default() }
    }

    /// The bytes on the link of an arrival: the sum over its packets.
    pub(super) fn charge(&mut self, lengths: &Lengths) -> Bytes {
        let offset = lengths.network_offset();
        self.offset = super::delays::moved(self.offset, offset.0 << 16, 8);
        let shown = if self.framing.raw { offset } else { Bytes::ZERO };
        let last = self.charge_one(lengths.ip.last + shown);
        if lengths.packets == 1 {
            return last;
        }
        self.charge_one(lengths.ip.each + shown) * (lengths.packets - 1) + last
    }

    /// The moving average of the length of the headers before the IP packet.
    pub(super) const fn mean_offset(&self) -> Bytes {
        Bytes((self.offset + 0x8000) >> 16)
    }

    fn charge_one(&mut self, len: Bytes) -> Bytes {
        let adjusted = self.framing.on_link(len);
        self.seen.note(len, adjusted);
        adjusted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(overhead: i16, mpu: u16, cells: Cells) -> Framing {
        Framing { raw: false, overhead, mpu, cells }
    }

    /// tc-cake(8) IP packets of 40, 52, 576 and 1500 bytes.
    #[test]
    fn bytes_on_the_link() {
        for (framing, expected) in [
            (framing(48, 0, Cells::Atm), [106, 159, 689, 1749]),
            (framing(40, 0, Cells::Atm), [106, 106, 689, 1749]),
            (framing(10, 0, Cells::Atm), [106, 106, 689, 1696]),
            (framing(30, 0, Cells::Ptm), [72, 84, 616, 1554]),
            (framing(22, 0, Cells::Ptm), [63, 76, 608, 1546]),
            (framing(18, 64, Cells::None), [64, 70, 594, 1518]),
            (framing(38, 84, Cells::None), [84, 90, 614, 1538]),
        ] {
            let bytes = [40, 52, 576, 1500].map(|len| framing.on_link(Bytes(len)).0);
            assert_eq!(bytes, expected, "{framing:?}");
        }
    }

    /// What a kernel charged for IP packets of 100 bytes (reference/cake).
    #[test]
    fn bytes_that_a_kernel_charged() {
        let of_100 = |framing: Framing| framing.on_link(Bytes(100)).0;
        assert_eq!(of_100(framing(44, 0, Cells::Atm)), 159);
        assert_eq!(of_100(framing(30, 0, Cells::Ptm)), 133);
        assert_eq!(of_100(framing(18, 64, Cells::None)), 118);
        assert_eq!(of_100(framing(-64, 0, Cells::None)), 36);
        assert_eq!(framing(-64, 0, Cells::None).on_link(Bytes(40)), Bytes(0));
    }

    #[test]
    fn each_packet_of_a_super_packet_has_its_own_framing() {
        let mut framer = Framer::new(framing(40, 0, Cells::Atm));
        let ip = IpLens { each: Bytes(1500), last: Bytes(576) };
        let lengths = Lengths { frame: Bytes(2 * 1514 + 590), packets: 3, ip };
        assert_eq!(lengths.network_offset(), Bytes(14));
        assert_eq!(framer.charge(&lengths), Bytes(2 * 1749 + 689));
        let seen = SizesSeen {
            min_network: 576,
            max_network: 1500,
            min_adjusted: 689,
            max_adjusted: 1749,
        };
        assert_eq!(framer.seen, seen);
        framer.framing = Framing::default();
        assert_eq!(framer.charge(&lengths), lengths.frame);
    }
}
