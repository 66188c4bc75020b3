//! The headers of IEEE 802.11, and what a capture puts before them.
//!
//! Specification: IEEE 802.11-2020 section 9.2.4 (frame control, addresses, QoS control), <https://www.radiotap.org>
//! (the header before it).

use super::super::{NonIp, u16_at};
use crate::LinkType;

/// The offset of the LLC header behind a radiotap header.
pub(super) fn radiotap(data: &[u8]) -> Result<usize, NonIp> {
    let length = data.get(2..4).ok_or(NonIp::CutOff)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    let frame = data.get(length..).ok_or(NonIp::CutOff)?;
    Ok(length + ieee80211(frame, is_padded(&data[..length]))?)
}

/// True if the header of the frame is filled up to a multiple of four bytes: the flag `0x20` of the field that
/// comes first, or behind the time.
fn is_padded(radiotap: &[u8]) -> bool {
    const TIME: u32 = 1;
    const FLAGS: u32 = 2;
    const MORE: u32 = 1 << 31;
    let (words, _) = radiotap.get(4..).unwrap_or_default().as_chunks::<4>();
    let mut present = words.iter().map(|word| u32::from_le_bytes(*word));
    let Some(first) = present.next() else { return false };
    if first & FLAGS == 0 {
        return false;
    }
    let mut at = 8_usize;
    let mut word = first;
    while word & MORE != 0 {
        at += 4;
        word = present.next().unwrap_or(0);
    }
    if first & TIME != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    radiotap.get(at).is_some_and(|flags| flags & 0x20 != 0)
}

/// The offset of the LLC header in a frame with data that can be read.
pub(super) fn ieee80211(frame: &[u8], is_padded: bool) -> Result<usize, NonIp> {
    let [first, second, ..] = *frame else { return Err(NonIp::CutOff) };
    let (kind, subtype) = (first >> 2 & 0b11, first >> 4);
    let (is_qos, is_empty, is_encrypted) = (subtype & 8 != 0, subtype & 4 != 0, second & 0x40 != 0);
    if kind != 0b10 || is_empty || is_encrypted {
        return Err(NonIp::LinkType(LinkType(105)));
    }
    let mut length = 24;
    if second & 0b11 == 0b11 {
        length += 6;
    }
    if is_qos {
        /// Several packets in one frame.
        const AGGREGATE: u16 = 0x8000;
        if u16_at(frame, length).ok_or(NonIp::CutOff)? & AGGREGATE != 0 {
            return Err(NonIp::LinkType(LinkType(105)));
        }
        length += 2;
        // The HT control field.
        length += if second & 0x80 != 0 { 4 } else { 0 };
    }
    Ok(if is_padded { length.next_multiple_of(4) } else { length })
}
