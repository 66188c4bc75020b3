//! What was sent in one stream of probes, and what came of it.

use results::observation::Probe;
use units::Time;

use crate::datagram::{BYTES, Datagram, Kind, VOICE_BYTES};

/// One stream.
pub(super) struct Book {
    test: u64,
    stream: u8,
    dscp: u8,
    /// What proves our address to the server; nothing before it has told us.
    cookie: Option<u64>,
    /// One for each sequence number, from 0.
    probes: Vec<Probe>,
    rebinds: Vec<Time>,
}

/// A probe that came back, while the test runs. Delays are between two clocks, in nanoseconds: only
/// their changes mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) struct Seen {
    /// By our clock.
    pub(in crate::client) returned: Time,
    /// From us to the server.
    pub(in crate::client) up: i64,
    /// From the server to us.
    pub(in crate::client) down: i64,
}

impl Book {
    pub(super) fn new(test: u64, stream: u8, dscp: u8) -> Self {
        Self { test, stream, dscp, cookie: None, probes: Vec::new(), rebinds: Vec::new() }
    }

    /// The next probe, which is sent now.
    pub(super) fn next(&mut self, now: Time) -> Datagram {
        let seq = self.probes.len() as u32;
        self.probes.push(Probe { sent: now, ..Probe::default() });
        Datagram {
            kind: Kind::Probe,
            stream: self.stream,
            dscp: self.dscp,
            test: self.test,
            cookie: self.cookie.unwrap_or(0),
            seq,
            seen: 0,
            sent: now.as_nanos(),
            reached: 0,
            answered: 0,
        }
    }

    /// The last one did not leave our machine.
    pub(super) fn take_back(&mut self) {
        self.probes.pop();
    }

    /// A packet left our machine. What is none of ours is passed over.
    pub(super) fn note_departure(&mut self, packet: &[u8], at: Time) {
        let probe = packet.last_chunk::<BYTES>().and_then(|it| Datagram::decode(it));
        let frame = || packet.last_chunk::<VOICE_BYTES>().and_then(|it| Datagram::decode(it));
        let Some(left) = probe.or_else(frame) else { return };
        let ours = (left.test, left.stream, left.kind) == (self.test, self.stream, Kind::Probe);
        let probe = self.probes.get_mut(left.seq as usize);
        if let Some(probe) = probe.filter(|it| ours && it.sent.as_nanos() == left.sent) {
            // Where a device stands upon another, the last one is the way out.
            probe.departed = Some(at.max(probe.sent));
        }
    }

    /// A datagram came. What is none of ours, or came before, is passed over.
    ///
    /// A challenge answers its probe too: it is sent at once, and says when the probe arrived.
    pub(super) fn take(&mut self, bytes: &[u8], at: Time) -> Option<Seen> {
        let answer = Datagram::decode(bytes)?;
        let ours = (answer.test, answer.stream) == (self.test, self.stream);
        if !ours || answer.kind == Kind::Probe {
            return None;
        }
        let probe = self.probes.get_mut(answer.seq as usize)?;
        if probe.sent.as_nanos() != answer.sent || probe.returned.is_some() {
            return None;
        }
        // The clock of the stamps may have been set meanwhile.
        let at = at.max(probe.sent);
        probe.returned = Some(at);
        if answer.kind == Kind::Challenge {
            // The first one proves us; any later one says that the server sees another address now.
            if self.cookie.is_some_and(|cookie| cookie != answer.cookie) {
                self.rebinds.push(at);
            }
            self.cookie = Some(answer.cookie);
        }
        if answer.reached == 0 || answer.answered < answer.reached {
            return None;
        }
        probe.reached = Some(Time::from_nanos(answer.reached));
        probe.answered = Some(Time::from_nanos(answer.answered));
        let up = answer.reached.wrapping_sub(answer.sent) as i64;
        let down = at.as_nanos().wrapping_sub(answer.answered) as i64;
        Some(Seen { returned: at, up, down })
    }

    /// The probes, and when our address changed.
    pub(super) fn close(self) -> (Vec<Probe>, Vec<Time>) {
        (self.probes, self.rebinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(probe: &Datagram, change: impl Fn(&mut Datagram)) -> [u8; BYTES] {
        let mut answer = *probe;
        (answer.kind, answer.reached, answer.answered) = (Kind::Answer, 1_000, 1_010);
        change(&mut answer);
        answer.encode()
    }

    #[test]
    fn an_answer_is_that_of_its_probe() {
        let mut book = Book::new(7, 0, 0);
        let first = book.next(Time::from_nanos(10));
        let second = book.next(Time::from_nanos(20));
        let at = Time::from_nanos(60);
        let seen = book.take(&answer(&second, |_| {}), at).unwrap();
        assert_eq!((seen.up, seen.down), (980, 60 - 1_010));
        // Twice, of another test, of another stream, or never sent.
        for (bytes, change) in [
            (second, (|_| {}) as fn(&mut Datagram)),
            (first, |answer| answer.test = 8),
            (first, |answer| answer.stream = 1),
            (first, |answer| answer.sent = 11),
            (first, |answer| answer.seq = 2),
            (first, |answer| answer.kind = Kind::Probe),
        ] {
            assert_eq!(book.take(&answer(&bytes, change), at), None);
        }
        let (probes, rebinds) = book.close();
        assert_eq!((probes[0].returned, probes[1].returned), (None, Some(at)));
        assert!(rebinds.is_empty());
    }

    #[test]
    fn a_probe_leaves_behind_its_headers() {
        let mut book = Book::new(7, 0, 0);
        let first = book.next(Time::from_nanos(10));
        let probe = first.encode();
        let at = Time::from_nanos(60);
        let packet = |bytes: &[u8]| [&[9; 42], bytes].concat();
        // Cut off, of another test, or an answer.
        book.note_departure(&packet(&probe[1..]), at);
        book.note_departure(&packet(&answer(&first, |it| it.kind = Kind::Answer)), at);
        book.note_departure(&packet(&Book::new(8, 0, 0).next(Time::from_nanos(10)).encode()), at);
        assert_eq!(book.probes[0].departed, None);
        book.note_departure(&packet(&probe), at);
        assert_eq!(book.probes[0].departed, Some(at));
        book.note_departure(&probe, Time::from_nanos(3));
        assert_eq!(book.probes[0].departed, Some(Time::from_nanos(10)), "no clock goes back");
        book.note_departure(&packet(&first.encode_voice()), at);
        assert_eq!(book.probes[0].departed, Some(at));
    }

    #[test]
    fn a_challenge_proves_us_and_a_second_one_is_another_address() {
        let mut book = Book::new(7, 0, 0);
        let mut challenged = |now, cookie| {
            let probe = book.next(Time::from_nanos(now));
            let sent = probe.cookie;
            let challenge = answer(&probe, |answer| {
                (answer.kind, answer.cookie) = (Kind::Challenge, cookie);
            });
            assert!(book.take(&challenge, Time::from_nanos(now + 1)).is_some());
            sent
        };
        assert_eq!([challenged(1, 5), challenged(2, 5), challenged(3, 6)], [0, 5, 5]);
        assert_eq!(challenged(4, 6), 6);
        assert_eq!(book.close().1, [Time::from_nanos(4)]);
    }
}
