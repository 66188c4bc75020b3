//! Interface descriptions: the sources of packets, and the meaning of their time stamps.
//!
//! Specification: draft-ietf-opsawg-pcapng sections 3.5 and 4.2.

use super::super::clock::Clock;
use super::super::endian::Endian;
use crate::LinkType;

/// An interface that was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interface {
    pub(super) link_type: LinkType,
    /// The most bytes captured of a packet; 0 for all.
    pub(super) snap_len: u32,
    pub(super) clock: Clock,
}

impl Interface {
    /// Reads an interface from a whole block.
    pub(super) fn read(endian: Endian, block: &[u8]) -> Result<Self, String> {
        const OPTIONS: usize = 16;
        let end = block.len().saturating_sub(4);
        let options =
            block.get(OPTIONS..end).ok_or("a description of an interface is too short")?;
        let (resolution, offset) = clock(endian, options)?;
        Ok(Self {
            link_type: LinkType(endian.u16(block, 8)),
            snap_len: endian.u32(block, 12),
            clock: Clock::new(resolution, offset),
        })
    }
}

/// The options `if_tsresol` and `if_tsoffset`: by default microseconds, and no offset.
fn clock(endian: Endian, mut options: &[u8]) -> Result<(u8, i64), String> {
    const END: u16 = 0;
    const RESOLUTION: u16 = 9;
    const OFFSET: u16 = 14;
    let (mut resolution, mut offset) = (6, 0);
    while options.len() >= 4 {
        let (code, length) = (endian.u16(options, 0), usize::from(endian.u16(options, 2)));
        let value = options.get(4..4 + length).ok_or_else(|| {
            format!("option {code} of an interface, {length} bytes, ends beyond its block")
        })?;
        match code {
            END => break,
            RESOLUTION => resolution = *value.first().ok_or("an empty time resolution")?,
            OFFSET if length >= 8 => offset = endian.i64(value, 0),
            _ => {}
        }
        // Values are padded to four bytes.
        options = options.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok((resolution, offset))
}
