//! The throughput as the paper counts it: with headers.

use units::Bytes;

use super::run::Measured;
use super::wire::{HEADERS, MSS};

/// The goodput as packets of this size, as IP counts them, in kbit/s; `None` if it was not
/// measured.
pub(super) fn kbit(ours: &Measured, packet: Bytes) -> Option<f64> {
    let payload = packet - HEADERS;
    Some(ours.bulk? * packet.0 as f64 / payload.0 as f64 * 8e-3)
}

/// The throughput with a window of this many bytes, as IP counts it, in kbit/s; `None` if it was
/// not measured.
pub(super) fn throughput(ours: &Measured, window: u32) -> Option<f64> {
    kbit(ours, Bytes(u64::from(window)).min(MSS) + HEADERS)
}
