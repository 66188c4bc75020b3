//! The schedule of the hops' probes.
//!
//! Each round probes every hop once, the nearest first. The first rounds follow each other quickly,
//! so that two idle seconds probe each hop a few times and find the server's hop; then there is one
//! round in each second, spread evenly over it.
//!
//! Routers limit the errors that they send. A Linux router sends one a second to each address, and
//! up to six at once after a pause (`icmp_ratelimit`, icmp(7)): the first rounds take three.

use units::{Span, Time};

/// The farthest hop that is probed. Today's paths are half as long.
pub(super) const FARTHEST: u8 = 32;

/// The number of hops that are probed behind the last one that has answered, while the server has
/// not: longer rows of routers that never answer are rare.
const SILENT_ROW: u8 = 5;

/// The number of rounds that follow each other quickly.
const QUICK_ROUNDS: u32 = 3;

/// The time between the beginnings of two quick rounds.
const QUICK: Span = Span::from_millis(350);

/// The time between the beginnings of two other rounds: the rate that Linux routers sustain.
const STEADY: Span = Span::from_secs(1);

/// The time between two probes of a quick round. Each goes to a different router.
const QUICK_GAP: Span = Span::from_millis(10);

/// The schedule of the next probes.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The beginning of the round.
    start: Time,
    round: u32,
    next: u8,
    /// The server's hop, or the farthest hop to probe.
    last: u8,
    /// The farthest hop that has answered.
    answered: u8,
    is_found: bool,
}

impl Schedule {
    pub(super) fn new(start: Time) -> Self {
        Self { start, round: 0, next: 1, last: FARTHEST, answered: 0, is_found: false }
    }

    /// The time of the next probe.
    pub(super) fn due(&self) -> Time {
        self.start + self.gap() * u64::from(self.next - 1)
    }

    /// The hop of the next probe, which is sent now.
    pub(super) fn take(&mut self, now: Time) -> u8 {
        let hop = self.next;
        self.next += 1;
        if self.next > self.last {
            self.begin_round(now);
        }
        hop
    }

    /// Notes that a hop has answered. No hop beyond the server's is probed.
    pub(super) fn note_answer(&mut self, hop: u8, is_server: bool) {
        if is_server && hop <= self.last {
            (self.last, self.is_found) = (hop, true);
        } else if !is_server {
            self.answered = self.answered.max(hop);
            // The path has become longer: a router is now where the server was.
            self.last = self.last.max((hop + 1).min(FARTHEST));
        }
    }

    /// The server's hop, if it has answered, or else the farthest hop to probe.
    pub(super) fn last(&self) -> u8 {
        self.last
    }

    fn gap(&self) -> Span {
        if self.is_quick() { QUICK_GAP } else { STEADY / u64::from(self.last) }
    }

    fn is_quick(&self) -> bool {
        self.round < QUICK_ROUNDS
    }

    /// Begins a round. A late round is not made up for, so that no router gets two probes at once.
    fn begin_round(&mut self, now: Time) {
        let span = if self.is_quick() { QUICK } else { STEADY };
        self.start = (self.start + span).max(now);
        self.round += 1;
        self.next = 1;
        if !self.is_quick() && !self.is_found {
            self.last = self.last.min(self.answered + SILENT_ROW).min(FARTHEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times and hops of all probes until `until`, if the server is the `server`th hop.
    fn run(server: u8, silent: bool, until: Time) -> Vec<(Time, u8)> {
        let mut schedule = Schedule::new(Time::ZERO);
        let (mut sent, mut answers) = (Vec::<(Time, u8)>::new(), 0);
        while schedule.due() < until {
            let now = schedule.due();
            while let Some(&(at, hop)) = sent.get(answers).filter(|it| it.0 < now) {
                assert!(at < now);
                if hop < server || !silent {
                    schedule.note_answer(hop, hop >= server);
                }
                answers += 1;
            }
            sent.push((now, schedule.take(now)));
        }
        sent
    }

    #[test]
    fn each_hop_is_probed_a_few_times_soon_and_then_once_a_second() {
        let sent = run(7, false, Time::from_secs(20));
        for hop in 1..=7 {
            let times: Vec<Time> = sent.iter().filter(|it| it.1 == hop).map(|it| it.0).collect();
            assert_eq!(times.iter().filter(|at| **at < Time::from_secs(2)).count(), 4, "{hop}");
            // A token bucket as in Linux routers: six, and one more each second.
            for (index, at) in times.iter().enumerate() {
                assert!(index as f64 <= 6.0 + at.as_secs_f64(), "{hop} at {at:?}");
            }
            let steady = &times[times.len() - 10..];
            assert!(steady.windows(2).all(|two| two[1].since(two[0]) > Span::from_millis(999)));
        }
        assert!(sent[8..].iter().all(|it| it.1 <= 7), "nothing goes beyond the server for long");
    }

    #[test]
    fn a_silent_end_is_not_looked_for_for_ever() {
        let sent = run(4, true, Time::from_secs(10));
        let late = sent.iter().filter(|it| it.0 > Time::from_secs(3));
        assert_eq!(late.map(|it| it.1).max(), Some(3 + SILENT_ROW));
    }

    #[test]
    fn a_way_that_becomes_longer_is_followed() {
        let mut schedule = Schedule::new(Time::ZERO);
        schedule.note_answer(3, true);
        assert_eq!(schedule.last(), 3);
        schedule.note_answer(3, false);
        assert_eq!(schedule.last(), 4);
        schedule.note_answer(FARTHEST, false);
        assert_eq!(schedule.last(), FARTHEST);
    }

    #[test]
    fn what_is_late_is_not_made_up_for() {
        let mut schedule = Schedule::new(Time::ZERO);
        schedule.note_answer(1, true);
        for secs in [10, 20, 30] {
            assert!(schedule.due() <= Time::from_secs(secs));
            schedule.take(Time::from_secs(secs));
            assert!(schedule.due() >= Time::from_secs(secs));
        }
    }
}
