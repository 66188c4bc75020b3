//! What strangers can make a server do, at most.

use std::time::Duration;

use units::Rate;

/// Bounds of a server. Whoever comes upon one is told so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Tests at once. One address (of IPv6: one /64) takes no more than half of them, rounded up; if
    /// all are taken, networks (of IPv4: /24, of IPv6: /48) share them fairly.
    pub tests: u32,
    /// From the beginning of a test to its end.
    pub time: Duration,
    /// Flows of a test at once; in all it has sixteen times as many.
    pub flows: u32,
    /// Of a test in each direction, all its flows together: what the server sends, and what it
    /// takes. No limit if nothing.
    pub rate: Option<Rate>,
    /// Connections that have not yet said what they want, or not yet proved that they may. When
    /// there are more, the oldest of them is closed, so that those who sit and wait keep nobody out.
    pub waiting: u32,
    /// Connections of one address (of IPv6: one /64), those of its tests among them.
    pub per_address: u32,
    /// Until a connection must have said what it wants: its request may wait in a queue of some seconds, and be lost there
    /// at first.
    pub patience: Duration,
    /// How long a test lasts in which nothing moves: no flow, no probe.
    pub idle: Duration,
}

/// Enough for a small server that everybody may use.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            tests: 8,
            time: Duration::from_secs(300),
            flows: 32,
            rate: None,
            waiting: 256,
            per_address: 128,
            patience: Duration::from_secs(15),
            idle: Duration::from_secs(10),
        }
    }
}
