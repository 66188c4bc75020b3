//! A segment without unusual options, in half a cache line.
//!
//! A simulation holds as many segments as fit into the network. Few of them are SYNs or carry
//! selective acknowledgements; the others take less than half the memory of a [`Segment`].

use crate::segment::{Flags, Segment, SynOptions, Timestamps};

/// A segment without selective acknowledgements and without the options of a SYN.
///
/// The order of the fields keeps apart what lies side by side in a [`Segment`]. Otherwise both are copied
/// with one wide read, which has to wait until the narrow writes before it are in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PlainSegment {
    seq: u64,
    timestamps: Timestamps,
    ack: u64,
    len: u32,
    window: u16,
    flags: Flags,
    kind: Kind,
}

/// The options of a segment, as bits.
///
/// No `enum`: an `Option` around a packet would mark `None` with the spare values. It would read this one byte
/// of a packet, and have the rest copied in odd parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind(u8);

impl Kind {
    const ECT: u8 = 1;
    const STAMPED: u8 = 1 << 1;
    const STAND_IN: Self = Self(1 << 2);

    #[inline]
    const fn of(ect: bool, is_stamped: bool) -> Self {
        Self((Self::ECT * ect as u8) | (Self::STAMPED * is_stamped as u8))
    }

    #[inline]
    const fn ect(self) -> bool {
        self.0 & Self::ECT != 0
    }

    #[inline]
    const fn is_stamped(self) -> bool {
        self.0 & Self::STAMPED != 0
    }
}

impl PlainSegment {
    /// Two numbers of the caller in place of a segment: of a packet that carries no segment, or not here.
    #[inline]
    pub const fn stand_in(number: u64, tag: u32) -> Self {
        Self {
            seq: number,
            timestamps: Timestamps { value: 0, echo: 0 },
            ack: 0,
            len: tag,
            window: 0,
            flags: Flags::NONE,
            kind: Kind::STAND_IN,
        }
    }

    /// The two numbers of a [stand-in](Self::stand_in); `None` for a segment.
    #[inline]
    pub const fn as_stand_in(&self) -> Option<(u64, u32)> {
        if self.kind.0 == Kind::STAND_IN.0 { Some((self.seq, self.len)) } else { None }
    }

    /// The plain form of `segment`; `None` if it has selective acknowledgements or options of a
    /// SYN.
    #[inline]
    pub fn of(segment: &Segment) -> Option<Self> {
        let Segment { seq, ack, len, window, flags, ect, timestamps, sack, syn } = segment;
        if !sack.is_empty() || *syn != SynOptions::NONE {
            return None;
        }
        Some(Self {
            seq: *seq,
            ack: *ack,
            timestamps: timestamps.unwrap_or(Timestamps { value: 0, echo: 0 }),
            len: *len,
            window: *window,
            flags: *flags,
            kind: Kind::of(*ect, timestamps.is_some()),
        })
    }

    /// The segment in its full form.
    #[inline]
    pub fn segment(&self) -> Segment {
        let Self { seq, ack, timestamps, len, window, flags, kind } = *self;
        Segment {
            seq,
            ack,
            len,
            window,
            flags,
            ect: kind.ect(),
            timestamps: kind.is_stamped().then_some(timestamps),
            ..Segment::EMPTY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::SackBlocks;

    #[test]
    fn is_half_a_cache_line() {
        assert!(size_of::<PlainSegment>() <= 32, "{}", size_of::<PlainSegment>());
    }

    #[test]
    fn stands_for_the_very_segment() {
        for ect in [false, true] {
            for timestamps in [None, Some(Timestamps { value: 7, echo: 0 })] {
                let numbers = Segment {
                    seq: 1 << 40,
                    ack: 1 << 50,
                    len: 1448,
                    window: 502,
                    ..Segment::EMPTY
                };
                let segment =
                    Segment { flags: Flags::ACK | Flags::CWR, ect, timestamps, ..numbers };
                let plain = PlainSegment::of(&segment).unwrap();
                assert_eq!((plain.segment(), plain.as_stand_in()), (segment, None));
            }
        }
    }

    #[test]
    fn a_stand_in_keeps_its_numbers_and_no_enclosing_option_uses_its_bytes() {
        for (number, tag) in [(0, 0), (u64::MAX, 1), (7, u32::MAX)] {
            assert_eq!(PlainSegment::stand_in(number, tag).as_stand_in(), Some((number, tag)));
        }
        assert!(size_of::<Option<PlainSegment>>() > size_of::<PlainSegment>());
    }

    #[test]
    fn what_has_options_of_its_own_is_not_plain() {
        let mut sack = SackBlocks::EMPTY;
        sack.push(1, 2);
        assert_eq!(PlainSegment::of(&Segment { sack, ..Segment::EMPTY }), None);
        let syn = SynOptions { mss: 1460, ..SynOptions::NONE };
        assert_eq!(PlainSegment::of(&Segment { syn, ..Segment::EMPTY }), None);
    }
}
