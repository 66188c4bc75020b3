//! The article's numbers.

/// The paper's title, as the document names it.
pub(super) const TITLE: &str = "Nichols and Jacobson, Controlling Queue Delay (2012)";

/// Figures 1 to 3: the packets that the pipe holds, and the window in packets.
pub(super) const PIPE: f64 = 20.0;
pub(super) const WINDOW: f64 = 25.0;
/// The standing queue in packets, give or take one.
pub(super) const STANDING: f64 = WINDOW - PIPE;

/// Figure 7, CoDel: the median delay, the upper quartile, and the bound that the delay stays below
/// ...
pub(super) const DYNAMIC_MEDIAN_MS: f64 = 2.7;
pub(super) const DYNAMIC_QUARTILE_MS: f64 = 5.0;
pub(super) const DYNAMIC_BELOW_MS: f64 = 90.0;
/// ... except for this share of the time.
pub(super) const DYNAMIC_ABOVE: f64 = 0.05;
/// Figure 7: the longest wait in a tail-drop buffer of 830 packets, in seconds.
pub(super) const TAIL_DROP_S: f64 = 10.0;
/// Figure 7: the longest wait in a buffer of ten packets, in milliseconds.
pub(super) const TEN_PACKETS_MS: f64 = 120.0;
/// The share of the throughput that remains with a buffer of ten packets.
pub(super) const TEN_PACKETS_SHARE: f64 = 0.25;
/// The ratio for "almost the same", "very close" and "similar".
pub(super) const ALIKE: f64 = 1.0;
/// The time until the queue is under control again, in milliseconds.
pub(super) const CONTROL_MS: f64 = 100.0;

/// CoDel's target, milliseconds.
pub(super) const TARGET_MS: f64 = 5.0;
/// Figure 6: RED's medians at low rates, milliseconds.
pub(super) const RED_LOW_MS: [f64; 2] = [100.0, 200.0];
/// The web alone uses at most this share of a link ...
pub(super) const WEB_UTILISATION: f64 = 0.6;
/// ... unless more than this share of packets is dropped.
pub(super) const WEB_DROPS: f64 = 0.1;

/// One direction of a link at the consumer's edge, in the article's table.
pub(super) struct Edge {
    /// The share of packets dropped, per cent.
    pub(super) drops: f64,
    /// The median delay in milliseconds.
    pub(super) median: f64,
    /// The megabytes sent in 300 s.
    pub(super) megabytes: f64,
    /// Jain's index of drops.
    pub(super) fairness: f64,
}

/// "Consumer edge example", the table beside figure 10 in print (CACM 55(7), July 2012), whose columns
/// are: 512 kbit/s down and up, 1.5 Mbit/s down and up; CoDel and tail drop.
pub(super) const EDGE: [[Edge; 2]; 4] = [
    [edge(8.0, 18.0, 17.0, 0.87), edge(8.0, 73.0, 18.0, 0.9)],
    [edge(1.5, 9.0, 13.0, 0.9), edge(5.8, 37.0, 14.0, 0.9)],
    [edge(3.5, 8.0, 37.0, 0.8), edge(4.7, 49.0, 40.0, 1.0)],
    [edge(1.4, 0.0, 22.0, 0.6), edge(2.5, 0.0, 21.0, 0.7)],
];

const fn edge(drops: f64, median: f64, megabytes: f64, fairness: f64) -> Edge {
    Edge { drops, median, megabytes, fairness }
}
