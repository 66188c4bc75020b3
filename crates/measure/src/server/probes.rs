//! The server's handling of probes: which are answered, and what is noted of them.

use std::net::{IpAddr, SocketAddr};

use admission::Party;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use units::Time;

use super::challenges::{Meter, Sources};
use super::lock;
use super::test::Tests;
use crate::datagram::{Datagram, Kind};

/// Cookies, which prove that a client can receive at its address: a keyed hash of the test and the
/// client's address, which nobody else can compute.
pub(super) struct Cookies {
    key: Hmac<Sha256>,
    sources: Sources,
}

/// The probes of a test.
pub(super) struct ProbeLog {
    /// The number of probes received in each stream.
    seen: [u32; 256],
    /// Stream, sequence number, time of arrival and time of the answer in ns.
    notes: Vec<(u8, u32, u64, u64)>,
    challenges: Meter,
    /// The current second, and the number of probes answered in it.
    second: u64,
    answered: u32,
    /// The number of probes answered in all.
    pub(super) total: u64,
}

/// The most notes that wait to be collected: 3 MB. The first are kept, because a gap in the middle
/// would look like loss.
const MOST: usize = 1 << 17;

/// The most probes of a test that are answered in a second: three streams at one a millisecond, and
/// as many again. Further probes get no answer.
const PER_SECOND: u32 = 6_000;

impl Cookies {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let key = Hmac::new_from_slice(key).expect("a key may have any length");
        Self { key, sources: Sources::new() }
    }

    /// The cookie of an address for a test.
    fn cookie(&self, test: u64, address: SocketAddr) -> u64 {
        let ip = match address.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let mac = self.key.clone().chain_update(test.to_be_bytes()).chain_update(ip.octets());
        let mac = mac.chain_update(address.port().to_be_bytes()).finalize().into_bytes();
        mac.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
    }

    /// The answer to a datagram that arrived; `None` if it gets none.
    pub(super) fn answer(
        &self,
        tests: &Tests,
        bytes: &[u8],
        from: SocketAddr,
        reached: Time,
        now: impl Fn() -> Time,
    ) -> Option<Datagram> {
        let probe = Datagram::decode(bytes).filter(|datagram| datagram.kind == Kind::Probe)?;
        let test = tests.find_key(probe.test)?;
        let cookie = self.cookie(probe.test, from);
        let mut log = lock(&test.probes);
        if probe.cookie != cookie {
            // The test's own client has proved over TCP that it can receive at its address.
            let is_own = Party::from(from.ip()) == Party::from(test.client.ip());
            let may =
                log.challenges.admits(reached) && (is_own || self.sources.admit(from, reached));
            // A challenge has none of the stranger's values but those that it needs to prove
            // itself.
            return may.then_some(Datagram { kind: Kind::Challenge, cookie, dscp: 0, ..probe });
        }
        if !log.may_answer(reached) {
            return None;
        }
        test.note_movement(reached);
        let seen = log.count(probe.stream);
        let (reached, answered) = (reached.as_nanos(), now().as_nanos());
        log.note((probe.stream, probe.seq, reached, answered));
        Some(Datagram { kind: Kind::Answer, seen, reached, answered, ..probe })
    }
}

impl Default for ProbeLog {
    fn default() -> Self {
        Self {
            seen: [0; 256],
            notes: Vec::new(),
            challenges: Meter::default(),
            second: 0,
            answered: 0,
            total: 0,
        }
    }
}

impl ProbeLog {
    /// Takes all notes.
    pub(super) fn take(&mut self) -> Vec<(u8, u32, u64, u64)> {
        std::mem::take(&mut self.notes)
    }

    fn may_answer(&mut self, now: Time) -> bool {
        let second = now.as_nanos() / 1_000_000_000;
        if self.second != second {
            (self.second, self.answered) = (second, 0);
        }
        self.answered += 1;
        self.answered <= PER_SECOND
    }

    /// Counts a probe. Returns the number received in its stream.
    fn count(&mut self, stream: u8) -> u32 {
        self.total += 1;
        let seen = &mut self.seen[usize::from(stream)];
        *seen = seen.wrapping_add(1);
        *seen
    }

    fn note(&mut self, note: (u8, u32, u64, u64)) {
        if self.notes.len() < MOST {
            self.notes.push(note);
        }
    }
}
