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
const GROUP: usize = 1 << MEMBER_BITS;
const MEMBER_BITS: u32 = 3;

/// The deadlines of a fixed number of slots.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// The slots themselves, then the winners of their groups, and so on; the last has one group.
    rounds: Vec<Vec<Group>>,
}

/// Deadlines in nanoseconds, each with the member's number in its low bits, so that the smallest
/// is at once the earliest and the first of the earliest. Room is left for 73 years.
#[derive(Clone, Copy, Debug)]
struct Group([u64; GROUP]);

impl Agenda {
    /// An agenda of `slots` slots, none of them due.
    pub(crate) fn new(slots: usize) -> Self {
        let mut groups = slots.div_ceil(GROUP).max(1);
        let mut rounds = vec![vec![Group::NEVER; groups]];
        while groups > 1 {
            groups = groups.div_ceil(GROUP);
            rounds.push(vec![Group::NEVER; groups]);
        }
        Self { rounds }
    }

    /// The earliest deadline and its slot; `Time::MAX` if none is due.
    #[inline]
    pub(crate) fn next(&self) -> (Time, usize) {
        let mut slot = 0;
        let mut due = Time::MAX;
        for round in self.rounds.iter().rev() {
            let (time, member) = round[slot].winner();
            due = time;
            slot = slot * GROUP + member;
        }
        (due, slot)
    }

    /// Sets when `slot` is due; `None` is never.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, due: Option<Time>) {
        let mut contestant = slot;
        let mut due = due.unwrap_or(Time::MAX);
        for round in &mut self.rounds {
            let group = &mut round[contestant / GROUP];
            if !group.set(contestant % GROUP, due) {
                return;
            }
            due = group.winner().0;
            contestant /= GROUP;
        }
    }
}

impl Group {
    const NEVER: Self = {
        let mut keys = [0; GROUP];
        let mut member = 0;
        while member < GROUP {
            keys[member] = Self::key(member, Time::MAX);
            member += 1;
        }
        Self(keys)
    };

    const fn key(member: usize, due: Time) -> u64 {
        const LATEST: u64 = u64::MAX >> MEMBER_BITS;
        let nanos = if due.as_nanos() < LATEST { due.as_nanos() } else { LATEST };
        nanos << MEMBER_BITS | member as u64
    }

    /// Sets a member's deadline; says whether that changed it.
    #[inline]
    fn set(&mut self, member: usize, due: Time) -> bool {
        let key = Self::key(member, due);
        std::mem::replace(&mut self.0[member], key) != key
    }

    /// The earliest deadline and the first member that has it.
    #[inline]
    fn winner(&self) -> (Time, usize) {
        let [a, b, c, d, e, f, g, h] = self.0;
        let key = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
        let nanos = key >> MEMBER_BITS;
        let due =
            if nanos == u64::MAX >> MEMBER_BITS { Time::MAX } else { Time::from_nanos(nanos) };
        (due, key as usize % GROUP)
    }
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
