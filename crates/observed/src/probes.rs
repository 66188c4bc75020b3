//! Probes and new connections, as both ends observe them.

use observation::{ForeignProbe, Heading, HostSample, Probe, ProbeStream};
use units::{Bytes, Rng, Span};

use crate::fates::Packet;
use crate::path::{Path, stamp};

/// The bytes of a SYN and of its answer, with their options.
const SYN: f64 = 60.0;

/// The bytes of a bare acknowledgement.
const ACKNOWLEDGEMENT: f64 = 52.0;

/// The seconds from the answer to one new connection to the beginning of the next.
pub(crate) const PAUSE: f64 = 0.25;

impl Path {
    pub(crate) fn probes(
        &self,
        packets: &[Packet],
        host: &[HostSample],
        random: &mut Rng,
    ) -> ProbeStream {
        let of = |heading| {
            packets.iter().filter(move |one| one.heading == heading && &*one.flow == "probe")
        };
        let mut replies = of(Heading::Down);
        let mut late = || {
            let scale = if random.next_f64() < 0.003 { 20.0 } else { 1.0 };
            scale * self.noise * random.next_f64()
        };
        // A machine that is late receives packets when it wakes.
        let awake = |at: f64| {
            let next = host.partition_point(|sample| sample.at.as_secs_f64() < at);
            let sample = host.get(next).filter(|_| self.starved.is_some());
            sample.map_or(0.0, |sample| sample.lateness.as_secs_f64())
        };
        let probe = |packet: &Packet| {
            let reply = packet.delivered.and_then(|_| replies.next());
            // Receive timestamps are late, and send timestamps are early.
            let reached = reply.map(|reply| self.theirs(reply.enqueued + late()));
            let answered = reply.map(|reply| self.theirs(reply.enqueued - late()));
            let back = self.flight(Heading::Down, self.on_link(84.0));
            let returned = reply.and_then(|reply| {
                let at = reply.delivered? + back + late();
                Some(stamp(at + awake(at)))
            });
            let sent = stamp(packet.enqueued);
            Probe { sent, departed: None, reached, answered, returned }
        };
        let probes = of(Heading::Up).map(probe).collect();
        ProbeStream { dscp: 0, bytes: Bytes(84), probes }
    }

    /// The new connections, one after the other: a handshake, and a small request.
    pub(crate) fn foreign(&self, packets: &[Packet]) -> Vec<ForeignProbe> {
        let own = packets.iter().filter(|packet| &*packet.flow == "foreign");
        let (mut begun, mut connected) = (None, None);
        let mut quiet = f64::NEG_INFINITY;
        // In cells a SYN may be as long as an acknowledgement: then it is the first packet of its length
        // after a pause.
        let hides_syn = self.on_link(SYN) == self.on_link(ACKNOWLEDGEMENT);
        let mut found = Vec::new();
        for packet in own {
            let is_syn = packet.bytes == self.on_link(SYN);
            let is_open = begun.is_some() && connected.is_some() || packet.enqueued < quiet;
            let flight = self.flight(packet.heading, packet.bytes);
            let delivered = packet.delivered.map(|left| left + flight);
            match (packet.heading, is_syn) {
                (Heading::Up, true) if is_open && hides_syn => {}
                (Heading::Up, true) if connected.is_some() => {
                    (begun, connected) = (Some(packet.enqueued), None);
                }
                (Heading::Up, true) => begun = begun.or(Some(packet.enqueued)),
                (Heading::Down, true) => connected = connected.or(delivered),
                (Heading::Down, false) if packet.bytes > self.on_link(100.0) => {
                    if let (Some(at), Some(connect), Some(answered)) = (begun, connected, delivered)
                    {
                        found.push(ForeignProbe {
                            at: stamp(at),
                            connect: Span::from_secs_f64(connect - at),
                            exchange: Span::from_secs_f64(answered - connect),
                        });
                        (begun, connected) = (None, None);
                        quiet = answered + PAUSE / 2.0;
                    }
                }
                _ => {}
            }
        }
        found
    }
}
