//! The numbers of the article and the talk.

/// The paper's title, as the document names it.
pub(super) const TITLE: &str =
    "Gettys and Nichols, Bufferbloat: Dark Buffers in the Internet (2011)";

/// The longest round trip before the load, in seconds.
pub(super) const IDLE_RTT: f64 = 0.010;
/// The bound that the round trip exceeds under load, in seconds.
pub(super) const LOADED_RTT: f64 = 1.0;
/// The longest round trip under load, in seconds.
pub(super) const LONGEST_RTT: f64 = 1.2;
/// The data in flight, in kB.
pub(super) const IN_FLIGHT: f64 = 500.0;
/// The uplink's rate at first and later, in Mbit/s.
pub(super) const RATES: [f64; 2] = [10.0, 2.0];
/// The time from one loss to the next, in seconds.
pub(super) const CYCLE: f64 = 10.0;
/// The spikes of the round trip, in seconds.
pub(super) const SPIKE: f64 = 3.0;

/// The largest variation of the round trip with a shaper, in seconds; the article has 10 to 15 ms.
pub(super) const SHAPED_VARIATION: f64 = 0.015;
/// The round trip with a shaper, in seconds.
pub(super) const SHAPED_RTT: f64 = 0.020;
/// The improvement by the shaper, in orders of magnitude.
pub(super) const ORDERS: f64 = 2.0;

/// The delay that a page adds on 50 Mbit/s, in seconds.
pub(super) const PAGE_BURST: f64 = 0.150;

/// The delay of 256 packets, in seconds, on lines of these rates in Mbit/s.
pub(super) const DYNAMIC_RANGE: [(u32, f64); 3] = [(100, 0.0307), (10, 0.307), (1, 3.07)];
/// A buffer that Netalyzr found.
#[derive(Clone, Copy)]
pub(super) struct FoundBuffer {
    pub(super) kilobytes: u32,
    pub(super) mbit: u32,
    /// The delay of the full buffer, in seconds.
    pub(super) delay: f64,
}

/// The buffers that Netalyzr found.
pub(super) const NETALYZR: [FoundBuffer; 2] = [
    FoundBuffer { kilobytes: 128, mbit: 3, delay: 0.340 },
    FoundBuffer { kilobytes: 128, mbit: 1, delay: 1.0 },
];
/// Fibre: data in flight in kB, and the round trip in seconds.
pub(super) const FIBRE: (f64, f64) = (250.0, 0.200);

/// The power of the overbuffering with which the time to react grows.
pub(super) const EXPONENT: f64 = 2.0;
/// The factor in time for ten times the buffer.
pub(super) const TEN_TIMES: f64 = 100.0;
