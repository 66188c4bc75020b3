//! Attributes of netlink: numbers and texts, each with its kind (Linux,
//! `Documentation/userspace-api/netlink/intro.rst`).

/// Attributes one after the other. One that is cut off ends the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a>(pub(super) &'a [u8]);

/// The bytes of an attribute before its value: length and kind.
const HEADER: usize = 4;

/// The bits of a kind that are its number (`NLA_TYPE_MASK`).
const NUMBER: u16 = 0x3fff;

impl<'a> Attributes<'a> {
    /// The value of the first attribute of this kind; `None` if there is none.
    pub(super) fn get(self, kind: u16) -> Option<&'a [u8]> {
        self.find(|(found, _)| *found == kind).map(|(_, value)| value)
    }

    pub(super) fn u8(self, kind: u16) -> Option<u8> {
        self.get(kind)?.first().copied()
    }

    pub(super) fn u32(self, kind: u16) -> Option<u32> {
        word(self.get(kind)?, 0)
    }

    pub(super) fn u64(self, kind: u16) -> Option<u64> {
        self.get(kind)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
    }

    /// The text of an attribute, which ends at a zero.
    pub(super) fn text(self, kind: u16) -> Option<&'a str> {
        let bytes = self.get(kind)?;
        std::str::from_utf8(bytes.split(|byte| *byte == 0).next()?).ok()
    }

    /// True for a flag: a number that is there and not 0.
    pub(super) fn is_set(self, kind: u16) -> bool {
        self.u32(kind).is_some_and(|number| number > 0)
    }

    fn find(mut self, is_wanted: impl FnMut(&(u16, &'a [u8])) -> bool) -> Option<(u16, &'a [u8])> {
        std::iter::from_fn(|| self.take()).find(is_wanted)
    }

    /// Takes the first attribute off.
    fn take(&mut self) -> Option<(u16, &'a [u8])> {
        let half = |at: usize| Some(u16::from_ne_bytes(*self.0.get(at..)?.first_chunk()?));
        let (len, kind) = (usize::from(half(0)?), half(2)?);
        let value = self.0.get(HEADER..len)?;
        // Attributes are aligned to 4 bytes (`NLA_ALIGNTO`).
        self.0 = self.0.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some((kind & NUMBER, value))
    }
}

/// The 32-bit number at this place of an array; `None` behind its end.
pub(super) fn word(bytes: &[u8], index: usize) -> Option<u32> {
    bytes.get(4 * index..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}
