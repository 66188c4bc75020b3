//! The Internet checksum: the ones' complement of the ones' complement sum of all 16-bit words.
//!
//! Specification: RFC 1071. Deviations: none.

/// An Internet checksum that is being computed (RFC 1071).
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum(u64);

impl Checksum {
    /// Adds bytes that begin at an even offset. An odd byte at the end counts as if a zero
    /// followed.
    pub fn with(self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<2>();
        let words = words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        let rest = rest.first().map_or(0, |byte| u64::from(*byte) << 8);
        // RFC 1071 section 2(C): the carries can wait until the end.
        Self(self.0 + words + rest)
    }

    /// The value for the checksum field of the header.
    pub fn finish(self) -> u16 {
        let mut sum = self.0;
        while sum > u64::from(u16::MAX) {
            sum = (sum & u64::from(u16::MAX)) + (sum >> 16);
        }
        !(sum as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1071 section 3: 00 01 f2 03 f4 f5 f6 f7 add up to dd f2.
    #[test]
    fn the_example_of_the_rfc() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(Checksum::default().with(&bytes).finish(), !0xddf2);
        let in_parts = Checksum::default().with(&bytes[..2]).with(&bytes[2..6]).with(&bytes[6..]);
        assert_eq!(in_parts.finish(), !0xddf2);
    }

    /// A header that includes its own checksum adds up to all ones.
    #[test]
    fn a_checked_sum_leaves_nothing() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0x22, 0x0d];
        assert_eq!(Checksum::default().with(&bytes).finish(), 0);
    }

    #[test]
    fn an_odd_byte_and_many_carries() {
        assert_eq!(Checksum::default().with(&[0x12]).finish(), !0x1200);
        // Ones' complement has two zeros: 0xffff added to itself stays.
        assert_eq!(Checksum::default().with(&[0xff; 131_072]).finish(), 0);
    }
}
