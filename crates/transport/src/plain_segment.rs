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

/// Whether a segment is sent as ECN-capable, and whether it has timestamps, in one byte: two would not fit
/// into half a cache line. An enum around a segment needs no byte of its own, since this one has values to
/// spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bare,
    Ect,
    Stamped,
    StampedEct,
}

impl Kind {
    #[inline]
    const fn of(ect: bool, is_stamped: bool) -> Self {
        match (ect, is_stamped) {
            (false, false) => Self::Bare,
            (true, false) => Self::Ect,
            (false, true) => Self::Stamped,
            (true, true) => Self::StampedEct,
        }
    }

    #[inline]
    const fn ect(self) -> bool {
        matches!(self, Self::Ect | Self::StampedEct)
    }

    #[inline]
    const fn is_stamped(self) -> bool {
        matches!(self, Self::Stamped | Self::StampedEct)
    }
}

impl PlainSegment {
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
                assert_eq!(PlainSegment::of(&segment).map(|plain| plain.segment()), Some(segment));
            }
        }
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
