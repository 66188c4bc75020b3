//! The Internet checksum: updates for changed fields, and completion of those that the kernel left.
//!
//! Specification: RFC 1071, RFC 1624 (updates). Deviations: none.

use wire::Checksum;
use wire::protocol::{ICMP, ICMPV6, TCP, UDP};

use crate::PartialChecksum;

/// Writes `new` into the two bytes at `at`, and corrects the checksum at `sum_at`.
pub(super) fn replace(bytes: &mut [u8], at: usize, new: u16, sum_at: usize) {
    let old = word(bytes, at);
    // RFC 1624 section 3, equation 3: HC' = ~(~HC + ~m + m').
    let sum = fold(u64::from(!word(bytes, sum_at)) + u64::from(!old) + u64::from(new));
    set_word(bytes, at, new);
    set_word(bytes, sum_at, !sum);
}

/// Corrects the sum of a pseudo-header, at `at`, for a new length of the data after it.
pub(super) fn replace_len(bytes: &mut [u8], at: usize, old: u32, new: u32) {
    let gone = u64::from(!fold(old.into()));
    set_word(bytes, at, fold(u64::from(word(bytes, at)) + gone + u64::from(new)));
}

/// Completes a checksum that holds the sum of the pseudo-header, in a packet of `protocol`. A
/// checksum of another kind, such as SCTP's (RFC 9260 section 6.8), stays as it is.
pub(crate) fn complete(packet: &mut [u8], protocol: u8, partial: PartialChecksum) {
    if !matches!(protocol, ICMP | TCP | UDP | ICMPV6) {
        return;
    }
    let (start, offset) = (usize::from(partial.start), usize::from(partial.offset));
    let Some(summed) = packet.get_mut(start..).filter(|summed| offset + 2 <= summed.len()) else {
        return;
    };
    let sum = match Checksum::default().with(summed).finish() {
        // RFC 768: 0 means that there is no checksum, so a sum of 0 is written as all ones.
        0 if protocol == UDP => u16::MAX,
        sum => sum,
    };
    set_word(summed, offset, sum);
}

fn fold(mut sum: u64) -> u16 {
    while sum > u64::from(u16::MAX) {
        sum = (sum & u64::from(u16::MAX)) + (sum >> 16);
    }
    sum as u16
}

/// The number in network byte order at `at`.
pub(super) fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Writes a number in network byte order.
pub(super) fn set_word(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
}
