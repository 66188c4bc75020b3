//! Limits on what clients can make a server do.

use std::time::Duration;

use units::Rate;

/// Bounds of a server. A client that reaches one is told so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The most tests at once. One address (of IPv6: one /64) takes no more than half of them,
    /// rounded up; if all are taken, networks (of IPv4: /24, of IPv6: /48) share them fairly.
    pub tests: u32,
    /// The longest time from the beginning of a test to its end.
    pub time: Duration,
    /// The most flows of a test at once; in total it may have sixteen times as many.
    pub flows: u32,
    /// The highest rate of a test in each direction, all its flows together: what the server sends,
    /// and what it receives. `None` means no limit.
    pub rate: Option<Rate>,
    /// The most connections that have not yet sent a request, or not yet proved that they know the
    /// token. When there are more, the oldest of them is closed, so that idle connections do not
    /// exclude other clients.
    pub waiting: u32,
    /// The most connections of one address (of IPv6: one /64), the connections of tests included.
    pub per_address: u32,
    /// The time within which a connection must send a request. The request may wait some seconds in
    /// a queue, and be lost there at first.
    pub patience: Duration,
    /// The time after which a test ends if no flow and no probe moves.
    pub idle: Duration,
}

/// Bounds for a small server that everybody may use.
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
