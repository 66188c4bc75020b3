//! Numbers in the byte order of the machine that wrote a capture.

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Endian {
    /// The number of two bytes at `at`, which must lie within `bytes`.
    #[inline]
    pub(super) fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let [one, two] = array(bytes, at);
        match self {
            Self::Little => u16::from_le_bytes([one, two]),
            Self::Big => u16::from_be_bytes([one, two]),
        }
    }

    /// The number of four bytes at `at`, which must lie within `bytes`.
    #[inline]
    pub(super) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(array(bytes, at)),
            Self::Big => u32::from_be_bytes(array(bytes, at)),
        }
    }

    /// The number with a sign of eight bytes at `at`, which must lie within `bytes`.
    pub(super) fn i64(self, bytes: &[u8], at: usize) -> i64 {
        match self {
            Self::Little => i64::from_le_bytes(array(bytes, at)),
            Self::Big => i64::from_be_bytes(array(bytes, at)),
        }
    }
}

#[inline]
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a slice of this length")
}
