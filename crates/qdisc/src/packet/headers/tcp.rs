//! The TCP header, as far as a filter of acknowledgements reads it.
//!
//! Specification: RFC 9293 sections 3.1 and 3.2, RFC 7323 section 3.2 (timestamps), RFC 2018
//! section 3 (SACK).

use units::Bytes;

/// The TCP header of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpHeader {
    /// The flags in the low eight bits (FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR
    /// 128), above them the four reserved bits.
    pub flags: u16,
    /// The next sequence number that the sender expects.
    pub ack: u32,
    /// The timestamps option; `None` if there is none.
    pub timestamps: Option<Timestamps>,
    /// The SACK option; without blocks if there is none.
    pub sack: SackBlocks,
    /// True if there is an option besides padding, MD5 signature, and well-formed SACK and
    /// timestamps. Then a later segment need not repeat all the information of this one.
    pub has_other_options: bool,
    /// The payload behind the header; of a super-packet, that of all its packets.
    pub payload: Bytes,
}

/// The timestamps option (RFC 7323 section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval, the sender's clock.
    pub value: u32,
    /// TSecr, the receiver's clock as the sender last saw it.
    pub echo: u32,
}

/// The blocks of the SACK option, at most four. A block is its first sequence number and the one
/// after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); 4],
    count: u8,
}

impl SackBlocks {
    /// Appends a block; a fifth one is ignored.
    pub fn push(&mut self, start: u32, end: u32) {
        if let Some(block) = self.blocks.get_mut(usize::from(self.count)) {
            *block = (start, end);
            self.count += 1;
        }
    }

    /// The blocks, in the order of the option.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count)]
    }
}

const FIXED: usize = 20;

/// Kinds of options (IANA, "TCP Option Kind Numbers").
mod kind {
    pub(super) const END: u8 = 0;
    pub(super) const NOP: u8 = 1;
    pub(super) const SACK: u8 = 5;
    pub(super) const TIMESTAMPS: u8 = 8;
    pub(super) const MD5: u8 = 19;
}

impl TcpHeader {
    /// Reads the header at the beginning of `bytes`, which may be longer, of a segment with this
    /// payload. `None` if the header is cut off or its length is impossible.
    pub fn parse(bytes: &[u8], payload: Bytes) -> Option<Self> {
        let fixed = bytes.first_chunk::<FIXED>()?;
        let [.., a0, a1, a2, a3, offset, flags, _, _, _, _, _, _] = *fixed;
        let len = usize::from(offset >> 4) * 4;
        let mut header = Self {
            flags: u16::from(offset & 0xf) << 8 | u16::from(flags),
            ack: u32::from_be_bytes([a0, a1, a2, a3]),
            payload,
            ..Self::default()
        };
        header.read_options(bytes.get(FIXED..len)?);
        Some(header)
    }

    fn read_options(&mut self, mut rest: &[u8]) {
        loop {
            rest = match *rest {
                [kind::NOP, ref rest @ ..] => rest,
                [kind::END, ..] | [] => return,
                [kind, len, ..] if (2..=rest.len()).contains(&len.into()) => {
                    let (option, rest) = rest.split_at(len.into());
                    self.read_option(kind, &option[2..]);
                    rest
                }
                _ => return,
            }
        }
    }

    fn read_option(&mut self, kind: u8, content: &[u8]) {
        let word = |at: usize| {
            content[at..].first_chunk().map_or(0, |bytes: &[u8; 4]| u32::from_be_bytes(*bytes))
        };
        match (kind, content.len()) {
            (kind::TIMESTAMPS, 8) => {
                self.timestamps = Some(Timestamps { value: word(0), echo: word(4) });
            }
            (kind::SACK, len) => {
                let blocks = (0..len / 8).map(|block| 8 * block);
                blocks.for_each(|at| self.sack.push(word(at), word(at + 4)));
                self.has_other_options |= len % 8 != 0;
            }
            (kind::MD5, _) => {}
            _ => self.has_other_options = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// A header with these bytes of options, which fill whole words, and something behind it.
    fn header(flags: u16, options: &[u8]) -> Vec<u8> {
        let mut bytes = [0_u8; FIXED].to_vec();
        bytes[8..12].copy_from_slice(&0xdead_beef_u32.to_be_bytes());
        let words = ((FIXED + options.len()) / 4) as u16;
        bytes[12..14].copy_from_slice(&(words << 12 | flags).to_be_bytes());
        bytes.extend_from_slice(options);
        bytes.extend_from_slice(&[0xee; 9]);
        bytes
    }

    fn parse(flags: u16, options: &[u8]) -> TcpHeader {
        TcpHeader::parse(&header(flags, options), Bytes(7)).unwrap()
    }

    #[test]
    fn a_plain_acknowledgement() {
        let expected =
            TcpHeader { flags: 0x010, ack: 0xdead_beef, payload: Bytes(7), ..TcpHeader::default() };
        assert_eq!(parse(0x010, &[]), expected);
        assert_eq!(parse(0xf52, &[]).flags, 0xf52, "the reserved bits too");
    }

    #[test]
    fn timestamps_and_sack_as_linux_writes_them() {
        let mut options = [1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 9, 1, 1, 5, 18].to_vec();
        options.extend([1_u32, 2, 3, 0xffff_ffff].map(u32::to_be_bytes).as_flattened());
        let header = parse(0x010, &options);
        assert_eq!(header.timestamps, Some(Timestamps { value: 5, echo: 9 }));
        assert_eq!(header.sack.as_slice(), [(1, 2), (3, u32::MAX)]);
        assert!(!header.has_other_options);
    }

    #[test]
    fn options_that_say_more_are_told() {
        for (options, more) in [
            (&[2, 4, 5, 180][..], true),
            (&[1, 3, 3, 7], true),
            (&[4, 2, 1, 1], true),
            (&[254, 4, 0, 0], true),
            // Timestamps and SACK of a wrong length.
            (&[8, 4, 0, 0], true),
            (&[5, 4, 0, 0], true),
            (&[1, 1, 1, 1], false),
            // What follows the end of the options is padding.
            (&[0, 2, 4, 5], false),
            (&[19, 4, 7, 7], false),
            // An option longer than the header ends the list, as in Linux.
            (&[1, 1, 2, 4], false),
        ] {
            assert_eq!(parse(0x010, options).has_other_options, more, "{options:?}");
        }
    }

    #[test]
    fn a_header_that_is_cut_off_is_none() {
        let whole = header(0x010, &[1; 12]);
        for len in 0..whole.len() {
            let parsed = TcpHeader::parse(&whole[..len], Bytes(7));
            assert_eq!(parsed.is_some(), len >= 32, "{len}");
        }
        let mut short = header(0x010, &[]);
        short[12] = 0x40;
        assert_eq!(TcpHeader::parse(&short, Bytes(7)), None, "shorter than its fixed part");
    }
}
