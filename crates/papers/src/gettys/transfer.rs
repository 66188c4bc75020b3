//! The data of an upload that was sent, and that was delivered, as a reader of a capture sees it.
//!
//! A capture shows the data that was sent and is not yet acknowledged, which tools call the data in
//! flight. It exceeds the window when a segment is missing: the receiver holds the data after the
//! hole, but acknowledges none of it until the hole is filled, a round trip later.

use tables::PacketFate;
use units::{Bytes, Time};

/// The packets of an upload, by time.
#[derive(Clone, Debug, Default)]
pub(super) struct Sending {
    /// The sending times of the packets with payload.
    sent: Vec<Time>,
    /// The times of drops.
    dropped: Vec<Time>,
}

/// The outstanding packets at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outstanding {
    /// The time in seconds.
    pub(super) at: f64,
    /// The packets sent and not yet acknowledged.
    pub(super) packets: f64,
    /// The time since the oldest of these was sent, in seconds.
    pub(super) age: f64,
}

/// The longest packet without payload.
const LONGEST_BARE: Bytes = Bytes(100);

impl Sending {
    /// Takes the fate of a packet of the upload at a queue.
    pub(super) fn see(&mut self, packet: &PacketFate<'_>) {
        let PacketFate { link, bytes, enqueued, fate, .. } = *packet;
        if bytes > LONGEST_BARE {
            match link {
                "router" => self.sent.push(enqueued),
                "uplink" if fate.departed().is_none() => self.dropped.push(enqueued),
                _ => {}
            }
        }
    }

    /// The outstanding packets at the end of each step, from the bytes that were delivered in order
    /// in each.
    ///
    /// The table of packets does not tell which were retransmissions. Each drop causes one, so up
    /// to any time there were at most as many as drops. Both values are therefore lower bounds, low
    /// by at most the drops of the last round trip.
    pub(super) fn outstanding(
        &self,
        step: f64,
        delivered: &[u64],
        segment: f64,
    ) -> Vec<Outstanding> {
        let mut total = 0;
        let mut now = 0.0;
        let mut found = Vec::with_capacity(delivered.len());
        for bytes in delivered {
            now += step;
            total += bytes;
            let before = |times: &[Time]| times.partition_point(|time| time.as_secs_f64() <= now);
            let (sent, again) = (before(&self.sent), before(&self.dropped));
            let acknowledged = (total as f64 / segment) as usize + again;
            let oldest = self.sent[..sent].get(acknowledged).map_or(now, |sent| sent.as_secs_f64());
            let packets = sent.saturating_sub(acknowledged) as f64;
            found.push(Outstanding { at: now, packets, age: now - oldest });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use tables::Fate;
    use units::Way;

    use super::*;

    #[test]
    fn a_hole_keeps_what_follows_outstanding() {
        let mut sending = Sending::default();
        let dropped = |bytes, millis| PacketFate {
            index: 0,
            link: "uplink",
            direction: Way::Forward,
            flow: "upload",
            bytes: Bytes(bytes),
            enqueued: Time::from_millis(millis),
            fate: Fate::DroppedFull,
        };
        for tenth in 0..10 {
            let departed = Time::from_millis(100 * tenth);
            let fate = Fate::Delivered { departed };
            sending.see(&PacketFate { link: "router", fate, ..dropped(1500, 100 * tenth) });
        }
        sending.see(&dropped(1500, 300));
        sending.see(&dropped(52, 400));
        // Three are delivered, then nothing until the fourth, which was dropped, has been sent
        // again.
        let found = sending.outstanding(0.5, &[3000, 0, 5000], 1000.0);
        // The drop counts as a retransmission at once.
        let packets: Vec<f64> = found.iter().map(|one| one.packets).collect();
        assert_eq!(packets, [2.0, 6.0, 1.0]);
        assert!((found[1].age - 0.6).abs() < 1e-9, "{}", found[1].age);
    }
}
