//! A limit on challenges. A sender that forges the source address of its datagrams makes the server
//! send to that address, one challenge for each datagram; the limit bounds this.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::Mutex;

use admission::ClientPrefix;
use units::{Span, Time};

use super::lock;

/// The most challenges at once: a few for each of a client's sockets, over the longest round trip.
const AT_ONCE: u64 = 64;

/// The time between two further challenges, for a client whose address changes during the test.
const APART: Span = Span::from_secs(1);

/// A meter of challenges: the Generic Cell Rate Algorithm (ITU-T I.371 annex A), in the form of
/// virtual scheduling.
#[derive(Clone, Copy, Default)]
pub(super) struct Meter {
    /// The arrival time of the next challenge, if they came evenly.
    expected: Time,
}

impl Meter {
    /// True if a challenge may be sent now; such a challenge is counted.
    pub(super) fn admits(&mut self, now: Time) -> bool {
        let expected = self.expected.max(now);
        let admits = expected.since(now) <= APART * (AT_ONCE - 1);
        if admits {
            self.expected = expected + APART;
        }
        admits
    }
}

/// Meters of the addresses that challenges are sent to, over all tests.
pub(super) struct Sources {
    /// Chooses an address's meter. The keys of the hash are random in each server, so that no
    /// sender can choose to share a meter.
    hasher: RandomState,
    meters: Mutex<Vec<Meter>>,
}

/// The number of meters: 32 KiB of memory.
const METERS: usize = 4096;

impl Sources {
    pub(super) fn new() -> Self {
        Self { hasher: RandomState::new(), meters: Mutex::new(vec![Meter::default(); METERS]) }
    }

    /// True if a challenge may be sent to this address now; such a challenge is counted.
    pub(super) fn admit(&self, to: SocketAddr, now: Time) -> bool {
        let which = self.hasher.hash_one(ClientPrefix::from(to.ip())) as usize % METERS;
        lock(&self.meters)[which].admits(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_end_and_come_back_slowly() {
        let mut meter = Meter::default();
        let mut sent = |from: u64, to: u64| {
            let times = (from..to).map(Time::from_millis);
            times.filter(|time| meter.admits(*time)).count()
        };
        assert_eq!(sent(0, 1_000), 64);
        assert_eq!(sent(1_000, 11_000), 10);
        assert_eq!(sent(100_000, 101_000), 64, "a pause fills it again");
    }

    #[test]
    fn each_source_has_its_own() {
        let sources = Sources::new();
        let from = |client| SocketAddr::from(([192, 0, 2, client], 53));
        let sent = |to| (0..1_000).filter(|_| sources.admit(to, Time::ZERO)).count();
        assert_eq!(sent(from(1)), 64);
        assert_eq!(sent(SocketAddr::from(([192, 0, 2, 1], 54))), 0, "ports of one address share");
        // Of 200 other addresses hardly any can share its meter.
        assert!((2..=201).map(|client| sent(from(client))).sum::<usize>() > 150 * 64);
    }
}
