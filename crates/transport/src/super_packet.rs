//! The number of segments that leave together, as one super-packet (TSO, GSO).
//!
//! A sender gives its network card runs of segments: about a millisecond of its rate, and at
//! least two.
//!
//! Specification: Linux `tcp_tso_autosize`. Deviations: none.

use units::Span;

use crate::cc::Window;
use crate::pacing;

/// The least number of segments in a super-packet (Linux `tcp_min_tso_segs`).
pub(crate) const LEAST: u32 = 2;
/// The most bytes in a super-packet of Linux: 64 KiB less room for headers.
const MOST_BYTES: u64 = 65_215;
/// The binary logarithm of the number of super-packets in a second (Linux `sk_pacing_shift`).
const RATE_SHIFT: u32 = 10;
/// The shift of a round trip in microseconds over a short path, where super-packets are larger, by
/// 64 KiB halved for each 2^9 us (Linux `tcp_tso_rtt_log`).
const SHORT_PATH_SHIFT: u32 = 9;

/// The most segments in one super-packet.
pub(crate) fn longest(
    window: &Window,
    packets_out: u32,
    mss: u32,
    srtt: Span,
    min_rtt: Span,
) -> u32 {
    let rate = pacing::rate(window, packets_out, mss, srtt);
    let halvings = (min_rtt.as_nanos() / 1000) >> SHORT_PATH_SHIFT;
    let short_path = if halvings < 32 { MOST_BYTES >> halvings } else { 0 };
    let bytes = (rate >> RATE_SHIFT).saturating_add(short_path).min(MOST_BYTES);
    // At most 65215 and 2.
    ((bytes / u64::from(mss)) as u32).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cwnd: u32, rtt: Span) -> u32 {
        longest(&Window { cwnd, ssthresh: cwnd }, 0, 1448, rtt, rtt)
    }

    #[test]
    fn a_millisecond_of_the_rate_but_two_at_least() {
        let rtt = Span::from_millis(20);
        // 10 Mbit/s, and 200 Mbit/s: 1.2 x 345 / 0.02 s / 1024 = 20.2.
        assert_eq!((of(20, rtt), of(345, rtt)), (2, 20));
        assert_eq!(of(100_000, rtt), 45, "64 KiB at most");
    }

    /// 2^9 us is one halving, so that 3 ms are five: 65215 / 32 = 2037 bytes and the rate's 10181.
    #[test]
    fn more_over_a_short_path() {
        assert_eq!((of(18, Span::from_millis(3)), of(18, Span::from_micros(100))), (8, 45));
    }
}
