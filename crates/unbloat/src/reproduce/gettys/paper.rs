//! What the article and the talk say, in numbers.

/// The paper's title, as the document names it.
pub(super) const TITLE: &str =
    "Gettys and Nichols, Bufferbloat: Dark Buffers in the Internet (2011)";

/// Before the load, the longest round trip, seconds.
pub(super) const IDLE_RTT: f64 = 0.010;
/// Under load, more than a second ...
pub(super) const LOADED_RTT: f64 = 1.0;
/// ... and at the longest so many.
pub(super) const LONGEST_RTT: f64 = 1.2;
/// In flight, kB.
pub(super) const IN_FLIGHT: f64 = 500.0;
/// The uplink at first and later, Mbit/s.
pub(super) const RATES: [f64; 2] = [10.0, 2.0];
/// From one loss to the next, seconds.
pub(super) const CYCLE: f64 = 10.0;
/// Spikes of the round trip, seconds.
pub(super) const SPIKE: f64 = 3.0;

/// With a shaper, by how much the round trip varies at most, seconds; he has 10 to 15 ms.
pub(super) const SHAPED_VARIATION: f64 = 0.015;
/// With a shaper, the round trip, seconds.
pub(super) const SHAPED_RTT: f64 = 0.020;
/// How many orders of magnitude that is better.
pub(super) const ORDERS: f64 = 2.0;

/// What a page adds to the delay on 50 Mbit/s, seconds.
pub(super) const PAGE_BURST: f64 = 0.150;

/// What 256 packets are on lines of so many Mbit/s, seconds.
pub(super) const DYNAMIC_RANGE: [(u32, f64); 3] = [(100, 0.0307), (10, 0.307), (1, 3.07)];
/// What the buffers that Netalyzr found are: kB, Mbit/s, seconds.
pub(super) const NETALYZR: [(u32, u32, f64); 2] = [(128, 3, 0.340), (128, 1, 1.0)];
/// Fibre: in flight, kB, and the round trip, seconds.
pub(super) const FIBRE: (f64, f64) = (250.0, 0.200);

/// The time to react grows with this power of the overbuffering, ...
pub(super) const EXPONENT: f64 = 2.0;
/// ... so that ten times the buffer takes so many times as long.
pub(super) const TEN_TIMES: f64 = 100.0;
