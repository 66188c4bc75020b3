//! The formats of other programs and cards than those that write pcap and pcapng.

use std::io::Read;

use super::BufferedRecord;
use super::erf::Erf;
use super::etherpeek::EtherPeek;
use super::netmetrix::NetMetrix;
use super::snoop::Snoop;
use super::tsh::Tsh;
use super::unknown_format::{is_text, unknown_format};
use super::window::{Stop, Window};

/// The number of bytes at the beginning of a file by which each format can be recognised: two
/// records of the longest packets that are usual.
pub const CAPTURE_START: usize = 32 << 10;

/// A format whose header has not been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Snoop,
    NetMetrix,
    EtherPeek,
    Erf,
    Tsh,
}

/// A reader of one of the formats.
#[derive(Debug)]
pub(super) enum Foreign {
    Snoop(Snoop),
    NetMetrix(NetMetrix),
    EtherPeek(EtherPeek),
    Erf(Erf),
    Tsh(Tsh),
}

impl Kind {
    /// The format of a file with this beginning, which is a whole file if it is shorter than
    /// [`CAPTURE_START`]. A format without a magic number is not that of a text, or of a file with another
    /// one.
    pub(super) fn recognise(start: &[u8]) -> Option<Self> {
        let start = &start[..start.len().min(CAPTURE_START)];
        Some(match () {
            () if Snoop::recognise(start) => Self::Snoop,
            () if NetMetrix::recognise(start) => Self::NetMetrix,
            () if unknown_format(start).is_some() || is_text(start) => return None,
            () if EtherPeek::recognise(start) => Self::EtherPeek,
            () if Erf::recognise(start, start.len() < CAPTURE_START) => Self::Erf,
            () if Tsh::recognise(start) => Self::Tsh,
            () => return None,
        })
    }

    /// Reads the header of the file, if the format has one.
    pub(super) fn begin<R: Read>(self, window: &mut Window<R>) -> Result<Foreign, Stop> {
        match self {
            Self::Snoop => Snoop::begin(window).map(Foreign::Snoop),
            Self::NetMetrix => NetMetrix::begin(window).map(Foreign::NetMetrix),
            Self::EtherPeek => EtherPeek::begin(window).map(Foreign::EtherPeek),
            Self::Erf => Ok(Foreign::Erf(Erf::begin())),
            Self::Tsh => Ok(Foreign::Tsh(Tsh)),
        }
    }
}

impl Foreign {
    /// The next packet. Not inlined, so that the loop over a pcap stays small.
    #[inline(never)]
    pub(super) fn next<R: Read>(&self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        match self {
            Self::Snoop(snoop) => snoop.next(window),
            Self::NetMetrix(netmetrix) => netmetrix.next(window),
            Self::EtherPeek(etherpeek) => etherpeek.next(window),
            Self::Erf(erf) => erf.next(window),
            Self::Tsh(tsh) => tsh.next(window),
        }
    }
}
