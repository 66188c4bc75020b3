//! The server's handling of probes: which are answered, and what is noted of them.

use std::net::{IpAddr, SocketAddr};

use admission::ClientPrefix;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use units::Time;

use super::challenges::Sources;
use super::lock;
use super::probe_log::ProbeNote;
use super::test::Tests;
use crate::datagram::{Datagram, DatagramKind};

/// Cookies, which prove that a client can receive at its address: a keyed hash of the test and the
/// client's address, which nobody else can compute.
pub(super) struct Cookies {
    key: Hmac<Sha256>,
    sources: Sources,
}

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

    /// The answer to a datagram that was received; `None` if the datagram gets no answer.
    pub(super) fn answer(
        &self,
        tests: &Tests,
        bytes: &[u8],
        from: SocketAddr,
        reached: Time,
        now: impl Fn() -> Time,
    ) -> Option<Datagram> {
        let probe =
            Datagram::decode(bytes).filter(|datagram| datagram.kind == DatagramKind::Probe)?;
        let test = tests.find_key(probe.test)?;
        let cookie = self.cookie(probe.test, from);
        let mut log = lock(&test.probes);
        if probe.cookie != cookie {
            // The client of the test has proved over TCP that it can receive at its address.
            let is_own = ClientPrefix::from(from.ip()) == ClientPrefix::from(test.client.ip());
            let may =
                log.challenges.admits(reached) && (is_own || self.sources.admit(from, reached));
            // A challenge repeats only those values of the sender that it needs to prove its
            // address.
            return may.then_some(Datagram {
                kind: DatagramKind::Challenge,
                cookie,
                dscp: 0,
                ..probe
            });
        }
        if !log.may_answer(reached) {
            return None;
        }
        test.note_movement(reached);
        let seen = log.count(probe.stream);
        let answered = now();
        log.note(ProbeNote { stream: probe.stream, seq: probe.seq, reached, answered });
        let (reached, answered) = (reached.as_nanos(), answered.as_nanos());
        Some(Datagram { kind: DatagramKind::Answer, seen, reached, answered, ..probe })
    }
}
