//! The article's numbers.

/// The paper's title, as the document names it.
pub(super) const TITLE: &str = "APNIC, a home line with CAKE";

/// A number for each way of the line.
pub(super) struct BothWays {
    pub(super) download: f64,
    pub(super) upload: f64,
}

/// The goodput without CAKE, in Mbit/s.
pub(super) const LINE: BothWays = BothWays { download: 305.0, upload: 48.0 };
/// The goodput of each of the four downloads without CAKE, in Mbit/s.
pub(super) const DOWNLOAD: f64 = 75.0;
/// The least and the largest goodput of an upload without CAKE, in Mbit/s.
pub(super) const UPLOAD: [f64; 2] = [5.0, 10.0];
/// The round trip of a ping under load without CAKE, in milliseconds.
pub(super) const LOADED_MS: f64 = 300.0;

/// The goodput with CAKE, in Mbit/s.
pub(super) const CAKE: BothWays = BothWays { download: 263.0, upload: 41.0 };
/// The change of the goodput by CAKE, in per cent, from the article's rates.
pub(super) const CHANGE: BothWays = BothWays { download: -14.0, upload: -15.0 };
/// The change of the goodput by CAKE, in per cent, from the article's text.
pub(super) const CHANGE_IN_TEXT: f64 = -10.0;

/// The round trip to the near server, in milliseconds.
pub(super) const NEAR_MS: u32 = 30;
/// The round trip to a server in Africa, in milliseconds.
pub(super) const FAR_MS: u32 = 200;
/// The longest round trip for which CAKE's default `rtt` is good, in milliseconds.
pub(super) const DEFAULT_GOOD_TO_MS: u32 = 280;
/// CAKE's default `rtt`, in milliseconds.
pub(super) const DEFAULT_RTT_MS: u32 = 100;
