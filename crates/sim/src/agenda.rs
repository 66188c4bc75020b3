//! What happens next: one deadline a component, and the earliest of them all.
//!
//! A simulation has few things that can happen next: each wire delivers its head-of-line packet or
//! becomes free, each flow's earliest timer runs out. So there is one *slot* for each, fixed when
//! the world is built, and the earliest is found by a tournament: slots meet in groups of eight (a
//! cache line of deadlines), the winners of eight groups meet again, and so on up to one champion.
//! Moving a deadline replays only the groups whose winner it changes; nothing is allocated,
//! cancelled or left behind stale.
//!
//! Ties go to the lower slot, which makes the order a function of the scenario alone. The world
//! numbers its slots so that arrivals come before departures.

use units::Time;

/// How many meet in a group.
const GROUP: usize = 8;

/// The deadlines of a fixed number of slots.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// The slots themselves, then the winners of their groups, and so on; the last has one group.
    rounds: Vec<Vec<[Time; GROUP]>>,
    /// For each round but the first: which member of the group below each contestant is.
    winners: Vec<Vec<[u8; GROUP]>>,
    champion: (Time, usize),
}

impl Agenda {
    /// An agenda of `slots` slots, none of them due.
    pub(crate) fn new(slots: usize) -> Self {
        let mut groups = slots.div_ceil(GROUP).max(1);
        let mut rounds = vec![vec![[Time::MAX; GROUP]; groups]];
        let mut winners = Vec::new();
        while groups > 1 {
            groups = groups.div_ceil(GROUP);
            rounds.push(vec![[Time::MAX; GROUP]; groups]);
            winners.push(vec![[0; GROUP]; groups]);
        }
        Self { rounds, winners, champion: (Time::MAX, 0) }
    }

    /// The earliest deadline and its slot.
    #[inline]
    pub(crate) fn next(&self) -> (Time, usize) {
        self.champion
    }

    /// Sets when `slot` is due; `None` is never.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, due: Option<Time>) {
        let due = due.unwrap_or(Time::MAX);
        if self.rounds[0][slot / GROUP][slot % GROUP] != due {
            self.replay(slot, due);
        }
    }

    /// Follows a changed deadline up, round by round, as long as it changes who wins.
    fn replay(&mut self, slot: usize, due: Time) {
        let (mut contestant, mut due) = (slot, due);
        for round in 0..self.rounds.len() {
            let (group, member) = (contestant / GROUP, contestant % GROUP);
            self.rounds[round][group][member] = due;
            let Some(winners) = self.winners.get_mut(round) else { break };
            let winner = &mut winners[group / GROUP][group % GROUP];
            let (champion, standing) =
                (usize::from(*winner), self.rounds[round + 1][group / GROUP][group % GROUP]);
            let (best, time) = if member == champion && due > standing {
                first(&self.rounds[round][group])
            } else if member == champion || (due, member) < (standing, champion) {
                (member, due)
            } else {
                return;
            };
            *winner = best as u8;
            (contestant, due) = (group, time);
        }
        self.champion = self.find_champion();
    }

    /// Walks down from the last round to the slot that won it.
    fn find_champion(&self) -> (Time, usize) {
        let last = self.rounds.len() - 1;
        let (mut contestant, due) = first(&self.rounds[last][0]);
        for winners in self.winners.iter().rev() {
            let member = winners[contestant / GROUP][contestant % GROUP];
            contestant = contestant * GROUP + usize::from(member);
        }
        (due, contestant)
    }
}

/// The first of the earliest.
#[inline]
fn first(group: &[Time; GROUP]) -> (usize, Time) {
    let mut best = (0, group[0]);
    for (member, due) in group.iter().enumerate().skip(1) {
        if *due < best.1 {
            best = (member, *due);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use units::{Rng, Span};

    use super::*;

    /// Against a plain scan, for ten thousand random moves of deadlines.
    #[test]
    fn agrees_with_a_scan() {
        for slots in [1, 2, 7, 8, 9, 64, 65, 100, 600] {
            let mut rng = Rng::new(slots as u64);
            let mut agenda = Agenda::new(slots);
            let mut deadlines = vec![Time::MAX; slots];
            for _ in 0..10_000 {
                let slot = rng.below(slots as u64) as usize;
                let due = (rng.below(4) > 0).then(|| Time::ZERO + Span::from_nanos(rng.below(50)));
                agenda.set(slot, due);
                deadlines[slot] = due.unwrap_or(Time::MAX);
                let earliest = *deadlines.iter().min().unwrap();
                let (time, winner) = agenda.next();
                assert_eq!(time, earliest);
                assert_eq!(deadlines.iter().position(|&d| d == earliest), Some(winner));
            }
        }
    }
}
