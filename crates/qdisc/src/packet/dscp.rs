//! The differentiated services code point, and its names.

/// The differentiated services code point: the upper six bits of the traffic class, by which a
/// packet asks for its treatment (RFC 2474 section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

impl Dscp {
    /// The code points that have a name, in ascending order: class selectors (RFC 2474 section
    /// 4.2.2), default forwarding (RFC 4594 section 1.5.1), lower effort (RFC 8622), assured
    /// forwarding (RFC 2597 section 6), voice admit (RFC 5865) and expedited forwarding (RFC 3246).
    pub const NAMED: [(&'static str, Self); 24] = [
        ("CS0", Self(0)),
        ("DF", Self(0)),
        ("LE", Self(1)),
        ("CS1", Self(8)),
        ("AF11", Self(10)),
        ("AF12", Self(12)),
        ("AF13", Self(14)),
        ("CS2", Self(16)),
        ("AF21", Self(18)),
        ("AF22", Self(20)),
        ("AF23", Self(22)),
        ("CS3", Self(24)),
        ("AF31", Self(26)),
        ("AF32", Self(28)),
        ("AF33", Self(30)),
        ("CS4", Self(32)),
        ("AF41", Self(34)),
        ("AF42", Self(36)),
        ("AF43", Self(38)),
        ("CS5", Self(40)),
        ("VA", Self(44)),
        ("EF", Self(46)),
        ("CS6", Self(48)),
        ("CS7", Self(56)),
    ];

    /// The code point in the six low bits of `bits`.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 0x3f)
    }

    /// The number of the code point, 0 to 63; 0 is best effort.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The code point of this name; `None` if none of [`NAMED`](Self::NAMED) has it.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, dscp)| *dscp)
    }

    /// The first name of the code point; `None` if it has none.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMED.iter().find(|(_, known)| *known == self).map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn names_have_the_numbers_of_their_rfcs() {
        let number = |name: &str| Dscp::named(name).map(Dscp::bits);
        // RFC 2474 section 4.2.2: xxx000.
        for class in 0..8 {
            assert_eq!(number(&format!("CS{class}")), Some(class << 3));
        }
        // RFC 2597 section 6: the class in three bits, the drop precedence in two, and a zero.
        for (class, precedence) in (1..=4).flat_map(|class| [(class, 1), (class, 2), (class, 3)]) {
            let bits = class << 3 | precedence << 1;
            assert_eq!(number(&format!("AF{class}{precedence}")), Some(bits));
        }
        let others = ["EF", "VA", "LE", "DF"].map(number);
        assert_eq!(others, [0b10_1110, 0b10_1100, 0b00_0001, 0].map(Some));
        assert_eq!([number("ef"), number("46"), number("")], [None; 3]);
    }

    #[test]
    fn a_name_reads_back_as_its_code_point() {
        let named = (0..64).map(Dscp::from_bits).filter(|dscp| dscp.name().is_some());
        // CS0 and DF are one code point.
        assert_eq!(named.clone().count(), Dscp::NAMED.len() - 1);
        for dscp in named {
            assert_eq!(dscp.name().and_then(Dscp::named), Some(dscp));
        }
        assert_eq!((Dscp::default().name(), Dscp::from_bits(5).name()), (Some("CS0"), None));
    }
}
