//! What a system puts before a packet that it hands out.

use super::super::NonIp;
use crate::LinkType;

/// The offset of the packet in a message of Linux's netfilter log: attributes, each with its length and its kind,
/// in the byte order of the machine (<https://www.tcpdump.org/linktypes/LINKTYPE_NFLOG.html>).
pub(super) fn netfilter_log(data: &[u8]) -> Result<usize, NonIp> {
    const PAYLOAD: u16 = 9;
    let mut at = 4;
    loop {
        let header: [u8; 4] =
            data.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(NonIp::CutOff)?;
        let [a, b, c, d] = header;
        // The payload's kind is the same number in both orders only if it is 0.
        let (length, kind) = match [c, d] {
            [0, kind] => (u16::from_be_bytes([a, b]), kind.into()),
            _ => (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]) & 0x3fff),
        };
        if kind == PAYLOAD {
            return Ok(at + 4);
        }
        if length < 4 {
            return Err(NonIp::Malformed);
        }
        at += usize::from(length).next_multiple_of(4);
    }
}

/// The offset and the link type of the packet behind Apple's metadata: the length of the header, a number, and the
/// link type, each of four bytes (`struct pktap_header` of XNU's `bsd/net/pktap.h`).
pub(super) fn apple(data: &[u8]) -> Result<(usize, LinkType), NonIp> {
    let word = |at: usize| {
        let bytes = data.get(at..).and_then(|rest| rest.first_chunk()).copied();
        bytes.map(u32::from_le_bytes).ok_or(NonIp::CutOff)
    };
    let (length, link_type) = (word(0)?, word(8)?);
    match u16::try_from(link_type) {
        // Metadata of metadata would have no end.
        Ok(number) if !matches!(number, 149 | 258) && length >= 12 => {
            Ok((length as usize, LinkType(number)))
        }
        _ => Err(NonIp::Malformed),
    }
}
