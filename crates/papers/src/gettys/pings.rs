//! The pings of a run: when each was sent, and when its answer was back.

use tables::PacketFate;
use units::{Time, Way};

/// A ping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ping {
    /// The sending time in seconds.
    pub(super) sent: f64,
    /// The round trip in seconds. `None` if the ping was lost.
    pub(super) rtt: Option<f64>,
}

/// The pairing of requests with answers: no queue lets one ping overtake another.
#[derive(Default)]
pub(super) struct Pings {
    /// The pings offered at the router, which forwards them without delay if it does not shape.
    sent: Vec<Offered>,
    /// The pings offered at the modem.
    passed: Vec<Offered>,
    /// The times at which answers were back at the router, and so at home.
    back: Vec<Time>,
}

/// A ping offered to a queue: when, and whether the queue took it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Offered {
    at: Time,
    taken: bool,
}

impl Pings {
    /// Takes the fate of a ping at a queue.
    pub(super) fn see(&mut self, packet: &PacketFate<'_>) {
        let left = packet.fate.departed();
        let offered = Offered { at: packet.enqueued, taken: left.is_some() };
        match (packet.link, packet.direction) {
            ("router", Way::Forward) => self.sent.push(offered),
            ("uplink", Way::Forward) => self.passed.push(offered),
            ("router", Way::Reverse) => self.back.extend(left),
            _ => {}
        }
    }

    /// All pings in the order of sending, except those still on their way when the run ended.
    pub(super) fn all(mut self) -> Vec<Ping> {
        // A drop is written at once, a departure later.
        self.sent.sort_unstable();
        self.passed.sort_unstable();
        let mut back = self.back.into_iter();
        let mut passed = self.passed.into_iter();
        let ping = |sent: Offered| {
            let lost = Ping { sent: sent.at.as_secs_f64(), rtt: None };
            if !sent.taken || !passed.next()?.taken {
                return Some(lost);
            }
            let rtt = back.next()?.since(sent.at).as_secs_f64();
            Some(Ping { rtt: Some(rtt), ..lost })
        };
        self.sent.into_iter().map_while(ping).collect()
    }
}

#[cfg(test)]
mod tests {
    use Way::{Forward, Reverse};
    use tables::Fate;
    use units::Bytes;

    use super::*;

    #[test]
    fn answers_find_their_requests() {
        let mut pings = Pings::default();
        let mut see = |link, direction, at, left: Option<u64>| {
            let departed = left.map(Time::from_millis);
            pings.see(&PacketFate {
                index: 0,
                link,
                direction,
                flow: "ping",
                bytes: Bytes(84),
                enqueued: Time::from_millis(at),
                fate: departed.map_or(Fate::DroppedFull, |departed| Fate::Delivered { departed }),
            });
        };
        // The second is lost at the modem, and that row comes before the first has left it; the
        // third is still on its way at the end.
        see("router", Forward, 1000, Some(1000));
        see("router", Forward, 2000, Some(2100));
        see("uplink", Forward, 2100, None);
        see("uplink", Forward, 1000, Some(3000));
        see("uplink", Reverse, 3004, Some(3004));
        see("router", Reverse, 3010, Some(3010));
        see("router", Forward, 3000, Some(3000));
        see("uplink", Forward, 3000, Some(3100));
        let all = pings.all();
        let expected = [(1.0, Some(2.01)), (2.0, None)];
        assert_eq!(all.len(), expected.len());
        for (ping, (sent, rtt)) in all.iter().zip(expected) {
            assert_eq!(ping.sent, sent);
            let near = ping.rtt.zip(rtt).map(|(one, other): (f64, f64)| (one - other).abs() < 1e-9);
            assert_eq!(near, rtt.map(|_| true), "{ping:?}");
        }
    }
}
