//! The length of the pieces of super-packets.

use units::{Bytes, Rate, Span};

/// The time that the wire takes for the most that may pass the queue in one piece. None of the
/// kernel's shapers is finer, and no packet behind a piece waits noticeably longer.
const SLICE: Span = Span::from_micros(120);

/// The most packets of a super-packet that may pass a queue in one piece: as many frames of this length
/// as a wire of this rate sends in 120 us, and at least one.
pub fn packets_of_a_slice(rate: Rate, frame: Bytes) -> u16 {
    u16::try_from((rate * SLICE).0 / frame.0).unwrap_or(u16::MAX).max(1)
}
