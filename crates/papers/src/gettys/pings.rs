//! The pings of a run: when each was sent, and when its answer was back.

use std::io;

use units::Way;

use crate::packets::{number, number_or_none};

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
    /// The times, in nanoseconds, at which answers were back at the router, and so at home.
    back: Vec<u64>,
}

/// A ping offered to a queue: when, in nanoseconds, and whether the queue took it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Offered {
    at: u64,
    taken: bool,
}

impl Pings {
    /// Takes a row about a ping, with the times at which it was offered to a queue and left it.
    pub(super) fn see(&mut self, link: &[u8], way: Way, times: [&[u8]; 2]) -> io::Result<()> {
        let (at, left) = (number(times[0])?, number_or_none(times[1])?);
        let offered = Offered { at, taken: left.is_some() };
        match (link, way) {
            (b"router", Way::Forward) => self.sent.push(offered),
            (b"uplink", Way::Forward) => self.passed.push(offered),
            (b"router", Way::Reverse) => self.back.extend(left),
            _ => {}
        }
        Ok(())
    }

    /// All pings in the order of sending, except those still on their way when the run ended.
    pub(super) fn all(mut self) -> Vec<Ping> {
        // A drop is written at once, a departure later.
        self.sent.sort_unstable();
        self.passed.sort_unstable();
        let mut back = self.back.into_iter();
        let mut passed = self.passed.into_iter();
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        let ping = |sent: Offered| {
            let lost = Ping { sent: seconds(sent.at), rtt: None };
            if !sent.taken || !passed.next()?.taken {
                return Some(lost);
            }
            let rtt = seconds(back.next()?.saturating_sub(sent.at));
            Some(Ping { rtt: Some(rtt), ..lost })
        };
        self.sent.into_iter().map_while(ping).collect()
    }
}

#[cfg(test)]
mod tests {
    use Way::{Forward, Reverse};

    use super::*;

    #[test]
    fn answers_find_their_requests() {
        let mut pings = Pings::default();
        let mut see = |link: &str, way, at: &str, left: &str| {
            pings.see(link.as_bytes(), way, [at.as_bytes(), left.as_bytes()]).unwrap();
        };
        // The second is lost at the modem, and that row comes before the first has left it; the
        // third is still on its way at the end.
        see("router", Forward, "1.000000000", "1.000000000");
        see("router", Forward, "2.000000000", "2.100000000");
        see("uplink", Forward, "2.100000000", "");
        see("uplink", Forward, "1.000000000", "3.000000000");
        see("uplink", Reverse, "3.004000000", "3.004000000");
        see("router", Reverse, "3.010000000", "3.010000000");
        see("router", Forward, "3.000000000", "3.000000000");
        see("uplink", Forward, "3.000000000", "3.100000000");
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
