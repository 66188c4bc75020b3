//! CoDel's control law: the gap to the next drop is interval/sqrt(count).

use units::{Span, Time};

/// The time of the next drop, to the nearest nanosecond (RFC 8289 section 5.6, `control_law`).
pub(super) fn exact(from: Time, interval: Span, count: u32) -> Time {
    let gap = interval.as_nanos() as f64 / libm::sqrt(f64::from(count));
    from + Span::from_nanos((gap + 0.5) as u64)
}

/// The time of the next drop in Linux: interval x `rec_inv_sqrt` / 2^16, in whole ticks of 1024 ns.
pub(super) fn fixed_point(from: Time, interval: Span, rec_inv_sqrt: u16) -> Time {
    let ticks = (u128::from(interval.as_nanos() >> 10) * u128::from(rec_inv_sqrt)) >> 16;
    from + Span::from_nanos((ticks as u64).saturating_mul(1 << 10))
}

/// One step of Newton's method for 1/sqrt(count) in Linux: x' = x (3 - count x^2) / 2, with x a
/// fraction of 2^16.
pub(super) fn newton_step(rec_inv_sqrt: u16, count: u32) -> u16 {
    let x = u64::from(rec_inv_sqrt) << 16;
    let x_squared = (x * x) >> 32;
    // Where the guess is far too large the kernel's unsigned arithmetic wraps; so does this.
    let rest = (3_u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(x_squared)) >> 2;
    let next = rest.wrapping_mul(x) >> (32 - 2 + 1);
    (next as u32 >> 16) as u16
}
