//! Round trips of QUIC: of the handshake, and by the spin bit.
//!
//! The client turns the spin bit over with each round trip, and the server repeats it: so each end's bit changes once a
//! round trip (RFC 9000 section 17.4). The time between two changes is the round trip between both ends, with what they
//! wait themselves. An end that does not take part may set the bit as it likes, for each packet anew or for all: see
//! [`is_used`].

use std::collections::HashMap;

use results::CapturedQuic;
use units::{Span, Time};
use wire::{QuicPacket, QuicType};

use crate::endpoint::Endpoint;
use crate::waits::Waits;

/// The longest time in which a client sends the first packets of one message: what comes later, it sends again. The first
/// timer of a client runs for a second (RFC 9002 section 6.2.2).
const AT_ONCE: Span = Span::from_millis(200);

/// The fewest changes by which the spin bit is believed.
const FEWEST: u64 = 4;

/// The QUIC connections.
#[derive(Debug, Default)]
pub(super) struct Quic {
    all: Vec<Connection>,
    /// The index of the latest connection between two ends, the lesser first.
    latest: HashMap<[Endpoint; 2], usize>,
}

#[derive(Debug)]
struct Connection {
    client: Endpoint,
    server: Endpoint,
    first: Time,
    last: Time,
    /// The packets of the client, and of the server.
    packets: [u64; 2],
    /// True if the client has sent its first message again before the server answered.
    is_again: bool,
    handshake: Option<Span>,
    spins: [Spin; 2],
}

/// The spin bit of one end.
#[derive(Debug, Default)]
struct Spin {
    packets: u64,
    /// The bit of the latest packet, and how often it was not that of the packet before.
    latest: Option<bool>,
    flips: u64,
    /// The bit as far as two packets in a row have told it, and the time of a first one that has another.
    value: Option<bool>,
    other_since: Option<Time>,
    changes: u64,
    changed: Option<Time>,
    round_trips: Waits,
}

impl Quic {
    /// Takes a packet. Returns false if it belongs to no connection that began as those of QUIC do.
    pub(super) fn take(&mut self, from: Endpoint, to: Endpoint, data: &[u8], now: Time) -> bool {
        let Some(packet) = QuicPacket::of(data) else { return false };
        let key = if from <= to { [from, to] } else { [to, from] };
        let known = self.latest.get(&key).copied();
        let number = match (known, packet) {
            (Some(number), _) => number,
            (None, QuicPacket::Long(QuicType::Initial)) => {
                self.latest.insert(key, self.all.len());
                self.all.push(Connection::new(from, to, now));
                self.all.len() - 1
            }
            (None, _) => return false,
        };
        let connection = &mut self.all[number];
        connection.take(usize::from(connection.client != from), packet, now);
        true
    }

    /// What was found, in the order of the first packets.
    pub(super) fn found(&self) -> Vec<CapturedQuic> {
        self.all.iter().map(Connection::document).collect()
    }
}

impl Connection {
    fn new(client: Endpoint, server: Endpoint, now: Time) -> Self {
        Self {
            client,
            server,
            first: now,
            last: now,
            packets: [0; 2],
            is_again: false,
            handshake: None,
            spins: Default::default(),
        }
    }

    /// Takes a packet of the client (0) or of the server (1).
    fn take(&mut self, index: usize, packet: QuicPacket, now: Time) {
        self.last = self.last.max(now);
        self.packets[index] += 1;
        match packet {
            QuicPacket::Short { spin } => self.spins[index].take(spin, now),
            QuicPacket::Long(QuicType::Initial) if index == 0 && self.packets[1] == 0 => {
                self.is_again |= now.since(self.first) > AT_ONCE;
            }
            QuicPacket::Long(_) if index == 1 && self.packets[1] == 1 => {
                self.handshake = Some(now.since(self.first)).filter(|_| !self.is_again);
            }
            QuicPacket::Long(_) => {}
        }
    }

    fn document(&self) -> CapturedQuic {
        let [client, server] = &self.spins;
        let most = if client.packets > server.packets { client } else { server };
        CapturedQuic {
            client: self.client.to_string(),
            server: self.server.to_string(),
            first_s: self.first.as_secs_f64(),
            elapsed_s: self.last.since(self.first).as_secs_f64(),
            client_packets: self.packets[0],
            server_packets: self.packets[1],
            handshake_ms: self.handshake.map(Span::as_millis_f64),
            spin: is_used(client, server).then(|| most.round_trips.document()),
        }
    }
}

/// True if the spin bit tells round trips: it changes at both ends, equally often, and not from packet to packet. A bit that
/// is drawn anew for each packet is another one than that before in half of the packets.
fn is_used(client: &Spin, server: &Spin) -> bool {
    let changes = [client.changes, server.changes];
    let are_alike = changes[0].abs_diff(changes[1]) <= 2 + changes[0] / 10;
    let is_steady = |spin: &Spin| spin.flips * 4 <= spin.packets;
    changes.iter().all(|count| *count >= FEWEST)
        && are_alike
        && is_steady(client)
        && is_steady(server)
}

impl Spin {
    /// Takes a bit. It has changed once two packets in a row say so: one alone may have come out of order.
    fn take(&mut self, bit: bool, now: Time) {
        self.packets += 1;
        self.flips += u64::from(self.latest.replace(bit).is_some_and(|latest| latest != bit));
        if *self.value.get_or_insert(bit) == bit {
            self.other_since = None;
            return;
        }
        let Some(since) = self.other_since.take() else {
            self.other_since = Some(now);
            return;
        };
        self.value = Some(bit);
        self.changes += 1;
        if let Some(before) = self.changed.replace(since) {
            self.round_trips.record(since, since.since(before));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const INITIAL: &[u8] = b"\xc3\0\0\0\x01\x04abcd\0";

    fn ends() -> [Endpoint; 2] {
        [(1, 5000), (2, 443)]
            .map(|(number, port)| Endpoint { address: IpAddr::from([10, 0, 0, number]), port })
    }

    const fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    /// A connection whose bits are those, each millisecond.
    fn spun(bit: impl Fn(u64, u64) -> bool) -> CapturedQuic {
        let [client, server] = ends();
        let mut quic = Quic::default();
        assert!(!quic.take(client, server, &[0x40], at(0)));
        quic.take(client, server, INITIAL, at(0));
        quic.take(client, server, INITIAL, at(1));
        quic.take(server, client, INITIAL, at(30));
        for step in 40..1000 {
            for (from, to, index) in [(client, server, 0), (server, client, 1)] {
                let byte = 0x40 | u8::from(bit(step, index)) << 5;
                assert!(quic.take(from, to, &[byte, 7], at(step)));
            }
        }
        quic.found().remove(0)
    }

    #[test]
    fn a_bit_that_spins_tells_the_round_trip() {
        let found = spun(|step, index| (step + 20 * index) / 40 % 2 == 0);
        assert_eq!(found.handshake_ms, Some(30.0));
        let spin = found.spin.unwrap();
        assert_eq!(spin.least_ms, Some(40.0));
        assert!((spin.p95_ms.unwrap() - 40.0).abs() < 1.0, "{spin:?}");
        // One packet of twenty comes late, and has the bit of before.
        let late =
            spun(|step, index| (step + 20 * index - u64::from(step % 20 == 1) * 2) / 40 % 2 == 0);
        assert!((late.spin.unwrap().p50_ms.unwrap() - 40.0).abs() < 2.0);
    }

    #[test]
    fn a_bit_that_does_not_spin_tells_nothing() {
        assert_eq!(spun(|_, _| true).spin, None);
        // Drawn anew for each packet, at both ends or at one.
        let drawn = |step: u64, index: u64| {
            (step * 7 + index * 5).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 0
        };
        assert_eq!(spun(drawn).spin, None);
        assert_eq!(
            spun(|step, index| if index == 0 { drawn(step, 0) } else { step / 40 % 2 == 0 }).spin,
            None
        );
        // One end takes part alone.
        assert_eq!(spun(|step, index| index == 1 && step / 40 % 2 == 0).spin, None);
    }

    #[test]
    fn a_first_message_that_is_sent_again_tells_no_round_trip() {
        let [client, server] = ends();
        let mut quic = Quic::default();
        quic.take(client, server, INITIAL, at(0));
        quic.take(client, server, INITIAL, at(1000));
        quic.take(server, client, INITIAL, at(1030));
        assert_eq!(quic.found()[0].handshake_ms, None);
    }
}
