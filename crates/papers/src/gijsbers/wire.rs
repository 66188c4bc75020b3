//! Limits of the paper's wires: the closed forms that hold for any TCP.
//!
//! The chain is client - router1 - router2 - server; the outer wires carry 2 Mbit/s over 1 ms, the
//! inner one is the bottleneck, over 10 ms. Every IP packet gets 7 bytes of PPP.

use units::{Bytes, Rate, Span};

/// The payload of a full segment.
pub(super) const MSS: Bytes = Bytes(536);
/// The size of IP and TCP headers without options.
pub(super) const HEADERS: Bytes = Bytes(40);
/// The bytes that PPP adds to an IP packet.
pub(super) const FRAMING: Bytes = Bytes(7);
/// The rate of the outer wires.
pub(super) const EDGE: Rate = Rate::from_mbit(2);
/// The one-way delay of an outer wire.
pub(super) const EDGE_DELAY: Span = Span::from_millis(1);
/// The one-way delay of the inner wire.
const CORE_DELAY: Span = Span::from_millis(10);

/// The chain with this bottleneck.
#[derive(Clone, Copy)]
pub(super) struct Wire {
    pub(super) bottleneck: Rate,
}

/// The state of the chain under a constant window.
pub(super) struct Steady {
    /// The segments in flight.
    pub(super) segments: u64,
    /// The size of one segment as an IP packet.
    pub(super) packet: Bytes,
    /// The round trip in seconds.
    pub(super) rtt: f64,
    /// The throughput in IP packets, kbit/s.
    pub(super) kbit: f64,
    /// The mean over time of the frames that wait.
    pub(super) queue: f64,
}

impl Wire {
    /// The chain with a bottleneck of this rate, which must not be zero.
    pub(super) const fn of(bottleneck: Option<Rate>) -> Self {
        Self { bottleneck: bottleneck.expect("a rate is not zero") }
    }

    /// The transmission time on the bottleneck of a segment with this payload, in seconds.
    pub(super) fn frame_time(self, payload: Bytes) -> f64 {
        (payload + HEADERS + FRAMING).0 as f64 * 8.0 / self.bottleneck.bits_per_sec() as f64
    }

    /// The round trip, on idle wires, of a segment with this payload and its acknowledgement, in
    /// seconds.
    pub(super) fn base_rtt(self, payload: Bytes) -> f64 {
        let propagation = 2 * (EDGE_DELAY + EDGE_DELAY + CORE_DELAY).as_nanos();
        let sent = |payload: Bytes| {
            let bits = (payload + HEADERS + FRAMING).0 as f64 * 8.0;
            bits * 2.0 / EDGE.bits_per_sec() as f64 + self.frame_time(payload)
        };
        propagation as f64 / 1e9 + sent(payload) + sent(Bytes::ZERO)
    }

    /// The most payload that full segments can carry, in bytes a second.
    pub(super) fn largest_goodput(self) -> f64 {
        MSS.0 as f64 / self.frame_time(MSS)
    }

    /// The state under a window of this many bytes, in whole segments or in one that is not full.
    ///
    /// The sender always uses the whole window, so that one packet leaves for each that is
    /// delivered. The throughput is the segments of a window per round trip, or the bottleneck's
    /// rate, whichever is less.
    pub(super) fn steady(self, window: Bytes) -> Steady {
        let payload = window.min(MSS);
        let segments = window.0 / payload.0;
        let (base, frame) = (self.base_rtt(payload), self.frame_time(payload));
        let rtt = base.max(segments as f64 * frame);
        let packet = payload + HEADERS;
        Steady {
            segments,
            packet,
            rtt,
            kbit: segments as f64 * packet.0 as f64 * 8e-3 / rtt,
            // Little's law: the arrival rate times the wait, which is the round trip above the
            // base.
            queue: segments as f64 / rtt * (rtt - base),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values computed apart from this code, from the headers and rates of the paper.
    #[test]
    fn reference_values() {
        let near = |value: f64, expected: f64| {
            assert!((value / expected - 1.0).abs() < 5e-4, "{value} for {expected}");
        };
        for (bits, frame, base, goodput) in [
            (500_000, 9.328e-3, 39.12e-3, 57461.0),
            (100_000, 46.64e-3, 79.44e-3, 11492.0),
            (1_000_000, 4.664e-3, 34.08e-3, 114_923.0),
        ] {
            let wire = Wire::of(Rate::from_bits_per_sec(bits));
            near(wire.frame_time(MSS), frame);
            near(wire.base_rtt(MSS), base);
            near(wire.largest_goodput(), goodput);
        }
        let wire = Wire { bottleneck: Rate::from_mbit(1) };
        for (window, kbit, rtt, queue) in [
            (300, 89.8, 30.3e-3, 0.0),
            (1000, 135.2, 34.08e-3, 0.0),
            (3000, 676.1, 34.08e-3, 0.0),
            (4000, 946.5, 34.08e-3, 0.0),
            (5000, 988.0, 42.0e-3, 1.693),
            (7000, 988.0, 60.6e-3, 5.693),
            (10000, 988.0, 84.0e-3, 10.693),
            (30000, 988.0, 256.5e-3, 47.693),
        ] {
            let steady = wire.steady(Bytes(window));
            near(steady.kbit, kbit);
            assert!((steady.rtt / rtt - 1.0).abs() < 2e-3, "{} for {rtt}", steady.rtt);
            assert!((steady.queue - queue).abs() < 2e-3, "{} for {queue}", steady.queue);
        }
    }
}
