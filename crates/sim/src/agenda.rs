//! What happens next: one deadline a component, and the earliest of them all.
//!
//! A simulation has few things that can happen next: each wire delivers its head-of-line packet or
//! becomes free, each flow's earliest timer runs out. So there is one *slot* for each, fixed when
//! the world is built, and the earliest is found by a tournament: slots meet in groups of eight (a
//! cache line of deadlines), the winners of eight groups meet again, and so on up to one champion.
//! Moving a deadline replays only the groups that it led, and beyond a group whose winner stays
//! nothing is looked at; nothing is allocated, cancelled or left behind stale.
//!
//! Ties go to the lower slot, which makes the order a function of the scenario alone. The world
//! numbers its slots so that arrivals come before departures.

use units::Time;

/// How many meet in a group.
const GROUP: usize = 8;

/// The deadlines of a fixed number of slots.
///
/// A deadline is held in nanoseconds with its slot in the low bits, so that the smallest key is at
/// once the earliest and the first of the earliest. That leaves room for 200 days of a thousand
/// slots and four hours of a million; what is later never comes.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// The tournament as a heap: group 0 is the final, and the winner of group n is contestant
    /// n - 1, where contestants are numbered through all groups. The slots come last.
    groups: Vec<[u64; GROUP]>,
    /// The contestant that is slot 0.
    first: usize,
    champion: u64,
    slot_bits: u32,
    /// Nanoseconds that stand for never.
    never: u64,
}

impl Agenda {
    /// An agenda of `slots` slots, none of them due.
    pub(crate) fn new(slots: usize) -> Self {
        // The rounds above that of the slots are full: 1 group, 8, 64, ...
        let (mut above, mut round) = (0, 1);
        while round * GROUP < slots {
            above += round;
            round *= GROUP;
        }
        let slot_bits = usize::BITS - slots.leading_zeros();
        let mut agenda = Self {
            groups: vec![[u64::MAX; GROUP]; above + slots.div_ceil(GROUP).max(1)],
            first: above * GROUP,
            champion: u64::MAX,
            slot_bits,
            never: u64::MAX >> slot_bits,
        };
        (0..slots).for_each(|slot| agenda.set(slot, None));
        agenda
    }

    /// The earliest deadline and its slot; `Time::MAX` if none is due.
    #[inline]
    pub(crate) fn next(&self) -> (Time, usize) {
        let nanos = self.champion >> self.slot_bits;
        let slot = self.champion & ((1 << self.slot_bits) - 1);
        (if nanos == self.never { Time::MAX } else { Time::from_nanos(nanos) }, slot as usize)
    }

    /// Sets when `slot` is due; `None` is never.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, due: Option<Time>) {
        let nanos = due.map_or(u64::MAX, Time::as_nanos).min(self.never);
        let mut key = nanos << self.slot_bits | slot as u64;
        let mut contestant = self.first + slot;
        loop {
            let index = contestant / GROUP;
            let was = std::mem::replace(&mut self.groups[index][contestant % GROUP], key);
            let leader = self.leader(index);
            if was == leader {
                key = winner(&self.groups[index]);
            } else if key > leader {
                return;
            }
            if index == 0 {
                self.champion = key;
                return;
            }
            contestant = index - 1;
        }
    }

    /// Who won this group when it was last replayed. It stands one round above.
    #[inline]
    fn leader(&self, index: usize) -> u64 {
        match index.checked_sub(1) {
            None => self.champion,
            Some(contestant) => self.groups[contestant / GROUP][contestant % GROUP],
        }
    }
}

#[inline]
fn winner(&[a, b, c, d, e, f, g, h]: &[u64; GROUP]) -> u64 {
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
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
