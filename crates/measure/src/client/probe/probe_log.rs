//! The probes of one stream, and their answers.

use observation::Probe;
use units::Time;

use crate::datagram::{BYTES, Datagram, DatagramKind, VOICE_BYTES};

/// A stream's probes, with what is known of their answers.
pub(super) struct ProbeLog {
    test: u64,
    stream: u8,
    dscp: u8,
    /// The cookie, which proves the client's address to the server; `None` until the server has
    /// sent it.
    cookie: Option<u64>,
    /// The probes by sequence number, from 0.
    probes: Vec<Probe>,
    rebinds: Vec<Time>,
}

/// A probe that came back. Its delays are differences of two clocks, in nanoseconds: only their
/// changes mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) struct Seen {
    /// The time of the answer, by the client's clock.
    pub(in crate::client) returned: Time,
    /// The delay from the client to the server.
    pub(in crate::client) up: i64,
    /// The delay from the server to the client.
    pub(in crate::client) down: i64,
}

impl ProbeLog {
    pub(super) fn new(test: u64, stream: u8, dscp: u8) -> Self {
        Self { test, stream, dscp, cookie: None, probes: Vec::new(), rebinds: Vec::new() }
    }

    /// The next probe, to be sent at `now`.
    pub(super) fn next(&mut self, now: Time) -> Datagram {
        let seq = self.probes.len() as u32;
        self.probes.push(Probe { sent: now, ..Probe::default() });
        Datagram {
            kind: DatagramKind::Probe,
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

    /// Removes the last probe, which could not be sent.
    pub(super) fn take_back(&mut self) {
        self.probes.pop();
    }

    /// Notes that a packet left this machine. Packets that are no probe of this stream are ignored.
    pub(super) fn note_departure(&mut self, packet: &[u8], at: Time) {
        let probe = packet.last_chunk::<BYTES>().and_then(|it| Datagram::decode(it));
        let frame = || packet.last_chunk::<VOICE_BYTES>().and_then(|it| Datagram::decode(it));
        let Some(left) = probe.or_else(frame) else { return };
        let ours =
            (left.test, left.stream, left.kind) == (self.test, self.stream, DatagramKind::Probe);
        let probe = self.probes.get_mut(left.seq as usize);
        if let Some(probe) = probe.filter(|it| ours && it.sent.as_nanos() == left.sent) {
            // Where one device is stacked on another, the last stamp is that of the real one.
            probe.departed = Some(at.max(probe.sent));
        }
    }

    /// Takes a datagram. Datagrams of other streams and repeated answers are ignored, and give
    /// `None`.
    ///
    /// A challenge is also an answer to its probe: it is sent at once, and says when the probe
    /// was delivered.
    pub(super) fn take(&mut self, bytes: &[u8], at: Time) -> Option<Seen> {
        let answer = Datagram::decode(bytes)?;
        let ours = (answer.test, answer.stream) == (self.test, self.stream);
        if !ours || answer.kind == DatagramKind::Probe {
            return None;
        }
        let probe = self.probes.get_mut(answer.seq as usize)?;
        if probe.sent.as_nanos() != answer.sent || probe.returned.is_some() {
            return None;
        }
        // The system clock, which makes the stamps, may have been set meanwhile.
        let at = at.max(probe.sent);
        probe.returned = Some(at);
        if answer.kind == DatagramKind::Challenge {
            // The first challenge gives the cookie; a different one later says that the server sees
            // a new address.
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

    /// The probes, and the times at which the server saw a new address.
    pub(super) fn close(self) -> (Vec<Probe>, Vec<Time>) {
        (self.probes, self.rebinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(probe: &Datagram, change: impl Fn(&mut Datagram)) -> [u8; BYTES] {
        let mut answer = *probe;
        (answer.kind, answer.reached, answer.answered) = (DatagramKind::Answer, 1_000, 1_010);
        change(&mut answer);
        answer.encode()
    }

    #[test]
    fn an_answer_is_that_of_its_probe() {
        let mut log = ProbeLog::new(7, 0, 0);
        let first = log.next(Time::from_nanos(10));
        let second = log.next(Time::from_nanos(20));
        let at = Time::from_nanos(60);
        let seen = log.take(&answer(&second, |_| {}), at).unwrap();
        assert_eq!((seen.up, seen.down), (980, 60 - 1_010));
        // Repeated, of another test, of another stream, or never sent.
        for (bytes, change) in [
            (second, (|_| {}) as fn(&mut Datagram)),
            (first, |answer| answer.test = 8),
            (first, |answer| answer.stream = 1),
            (first, |answer| answer.sent = 11),
            (first, |answer| answer.seq = 2),
            (first, |answer| answer.kind = DatagramKind::Probe),
        ] {
            assert_eq!(log.take(&answer(&bytes, change), at), None);
        }
        let (probes, rebinds) = log.close();
        assert_eq!((probes[0].returned, probes[1].returned), (None, Some(at)));
        assert!(rebinds.is_empty());
    }

    #[test]
    fn a_probe_leaves_behind_its_headers() {
        let mut log = ProbeLog::new(7, 0, 0);
        let first = log.next(Time::from_nanos(10));
        let probe = first.encode();
        let at = Time::from_nanos(60);
        let packet = |bytes: &[u8]| [&[9; 42], bytes].concat();
        // Cut off, of another test, or an answer.
        log.note_departure(&packet(&probe[1..]), at);
        log.note_departure(&packet(&answer(&first, |it| it.kind = DatagramKind::Answer)), at);
        log.note_departure(
            &packet(&ProbeLog::new(8, 0, 0).next(Time::from_nanos(10)).encode()),
            at,
        );
        assert_eq!(log.probes[0].departed, None);
        log.note_departure(&packet(&probe), at);
        assert_eq!(log.probes[0].departed, Some(at));
        log.note_departure(&probe, Time::from_nanos(3));
        assert_eq!(log.probes[0].departed, Some(Time::from_nanos(10)), "no clock goes back");
        log.note_departure(&packet(&first.encode_voice()), at);
        assert_eq!(log.probes[0].departed, Some(at));
    }

    #[test]
    fn a_challenge_proves_us_and_a_second_one_is_another_address() {
        let mut log = ProbeLog::new(7, 0, 0);
        let mut challenged = |now, cookie| {
            let probe = log.next(Time::from_nanos(now));
            let sent = probe.cookie;
            let challenge = answer(&probe, |answer| {
                (answer.kind, answer.cookie) = (DatagramKind::Challenge, cookie);
            });
            assert!(log.take(&challenge, Time::from_nanos(now + 1)).is_some());
            sent
        };
        assert_eq!([challenged(1, 5), challenged(2, 5), challenged(3, 6)], [0, 5, 5]);
        assert_eq!(challenged(4, 6), 6);
        assert_eq!(log.close().1, [Time::from_nanos(4)]);
    }
}
