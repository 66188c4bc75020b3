//! When which hop is probed.
//!
//! In rounds: each probes every hop once, the nearest first. The first rounds follow each other
//! quickly, so that two idle seconds see each hop a few times and know where the server is; then
//! there is one in each second, spread evenly over it.
//!
//! Routers bound how many errors they send. A Linux router sends one a second to each address, and
//! up to six at once after a pause (`icmp_ratelimit`, icmp(7)): the first rounds take three.

use units::{Span, Time};

/// Farther hops are not looked for. Paths of today are half as long.
pub(super) const FARTHEST: u8 = 32;

/// So many hops behind the last one that has answered are still probed, as long as the server has
/// not answered: routers that never answer seldom stand in longer rows.
const SILENT_ROW: u8 = 5;

/// Rounds that follow each other quickly.
const QUICK_ROUNDS: u32 = 3;

/// How far apart they begin.
const QUICK: Span = Span::from_millis(350);

/// How far apart the others begin: the rate that Linux routers keep up.
const STEADY: Span = Span::from_secs(1);

/// Between two probes of a quick round. Each finds another router, none of them gets two.
const QUICK_GAP: Span = Span::from_millis(10);

/// When which hop is probed next.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The round's beginning, and which it is.
    start: Time,
    round: u32,
    next: u8,
    /// The server's hop, or as far as one looks.
    last: u8,
    /// The farthest hop that has answered.
    answered: u8,
    is_found: bool,
}

impl Schedule {
    pub(super) fn new(start: Time) -> Self {
        Self { start, round: 0, next: 1, last: FARTHEST, answered: 0, is_found: false }
    }

    /// When the next probe is to be sent.
    pub(super) fn due(&self) -> Time {
        self.start + self.gap() * u64::from(self.next - 1)
    }

    /// Which hop the next probe is for, which is sent now.
    pub(super) fn take(&mut self, now: Time) -> u8 {
        let hop = self.next;
        self.next += 1;
        if self.next > self.last {
            self.begin_round(now);
        }
        hop
    }

    /// A hop has answered; the farthest that matters is the server.
    pub(super) fn note_answer(&mut self, hop: u8, is_server: bool) {
        if is_server && hop <= self.last {
            (self.last, self.is_found) = (hop, true);
        } else if !is_server {
            self.answered = self.answered.max(hop);
            // The way has become longer: a router stands where the server was.
            self.last = self.last.max((hop + 1).min(FARTHEST));
        }
    }

    /// The server's hop, if it has answered, or else as far as one looks.
    pub(super) fn last(&self) -> u8 {
        self.last
    }

    fn gap(&self) -> Span {
        if self.is_quick() { QUICK_GAP } else { STEADY / u64::from(self.last) }
    }

    fn is_quick(&self) -> bool {
        self.round < QUICK_ROUNDS
    }

    /// What is late begins late: nothing is made up for, so that no router gets two at once.
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

    /// Lets time pass: when which hop was probed, if the server stands at the `server`th.
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
            // A token bucket as Linux routers have it: six, and one more each second.
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
