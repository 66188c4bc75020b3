//! The next events: one deadline for each component, and the earliest of them all.
//!
//! A simulation has few things that can happen next: each chain delivers its first packet, each flow's
//! earliest timer runs out, each wire whose departures are events becomes free. So there is one *slot* for
//! each, and the earliest is found by a tournament: slots meet in groups of sixteen (two cache lines of
//! deadlines), the winners of sixteen groups meet again, and so on up to one champion. A changed deadline
//! replays only its own group and those above, up to the first group whose winner stays the same. Nothing
//! is allocated or cancelled.
//!
//! A flow's timer that moves later is not set again: its slot keeps the earlier deadline, at which the world
//! looks at the timer and sets the actual one.
//!
//! Ties go to the lower slot, which makes the order a function of the scenario alone. The world
//! numbers its slots so that deliveries come before departures.

use units::Time;

/// The number of contestants in a group.
const GROUP: usize = 16;
/// The most contestants of a tournament that is one short comparison.
const SMALL: usize = 8;
const _: () = assert!(GROUP == 2 * SMALL, "a small tournament is half of a group");

/// The deadlines of a fixed number of slots.
///
/// A deadline is held in nanoseconds with its slot in the low bits, so that the smallest key is at
/// once the earliest and the first of the earliest. That leaves room for 200 days of a thousand
/// slots and four hours of a million; a later deadline counts as never.
///
/// The many slots in the middle have a tournament of their own. The few before and after them have
/// most of the events, and must not get more rounds because of the many.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    few: Tournament,
    many: Tournament,
    /// The first of the many slots, and their number.
    middle: (usize, usize),
    slot_bits: u32,
    /// Nanoseconds that stand for never.
    never: u64,
}

/// A tournament for the smallest of a fixed number of keys.
#[derive(Clone, Debug)]
struct Tournament {
    /// The tournament as a heap: group 0 is the final, and the winner of group n is contestant
    /// n - 1, where contestants are numbered through all groups. The slots come last.
    groups: Vec<[u64; GROUP]>,
    /// The contestant that is slot 0.
    first: usize,
    is_small: bool,
    champion: u64,
}

impl Agenda {
    /// An agenda of `slots` slots, none of them due.
    pub(crate) fn new(slots: usize) -> Self {
        Self::with_many(slots, 0, 0)
    }

    /// An agenda of `before`, then `many`, then `after` slots, none of them due.
    pub(crate) fn with_many(before: usize, many: usize, after: usize) -> Self {
        let slots = before + many + after;
        let slot_bits = usize::BITS - slots.leading_zeros();
        let mut agenda = Self {
            few: Tournament::new(before + after),
            many: Tournament::new(many),
            middle: (before, many),
            slot_bits,
            never: u64::MAX >> slot_bits,
        };
        (0..slots).for_each(|slot| agenda.set(slot, None));
        agenda
    }

    /// The earliest deadline and its slot; `Time::MAX` if none is due.
    #[inline]
    pub(crate) fn next(&self) -> (Time, usize) {
        self.meaning(self.few.champion.min(self.many.champion))
    }

    /// The earliest deadline of the many slots in the middle, and its slot; `Time::MAX` if none is
    /// due.
    pub(crate) fn next_of_many(&self) -> (Time, usize) {
        self.meaning(self.many.champion)
    }

    /// Sets the deadline of `slot`; `None` is never.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, due: Option<Time>) {
        let (key, (tournament, contestant)) = (self.key(slot, due), self.contestant(slot));
        tournament.set(contestant, key);
    }

    /// Makes the deadline of `slot` no later than this; `None` is never. A deadline that moves later
    /// again and again, as that of a retransmission timer does, costs no more than a look.
    #[inline]
    pub(crate) fn set_at_latest(&mut self, slot: usize, due: Option<Time>) {
        let (key, (tournament, contestant)) = (self.key(slot, due), self.contestant(slot));
        if key < tournament.key(contestant) {
            tournament.set(contestant, key);
        }
    }

    #[inline]
    fn meaning(&self, key: u64) -> (Time, usize) {
        let nanos = key >> self.slot_bits;
        let slot = key & ((1 << self.slot_bits) - 1);
        (if nanos == self.never { Time::MAX } else { Time::from_nanos(nanos) }, slot as usize)
    }

    #[inline]
    fn key(&self, slot: usize, due: Option<Time>) -> u64 {
        let nanos = due.map_or(u64::MAX, Time::as_nanos).min(self.never);
        nanos << self.slot_bits | slot as u64
    }

    /// The tournament that a slot takes part in, and the slot's number there.
    #[inline]
    fn contestant(&mut self, slot: usize) -> (&mut Tournament, usize) {
        let (before, many) = self.middle;
        if slot.wrapping_sub(before) < many {
            return (&mut self.many, slot - before);
        }
        (&mut self.few, if slot < before { slot } else { slot - many })
    }
}

impl Tournament {
    /// A tournament of `slots` keys, all of them the largest value.
    fn new(slots: usize) -> Self {
        // The rounds above that of the slots are full: 1 group, 16, 256, ...
        let (mut above, mut round) = (0, 1);
        while round * GROUP < slots {
            above += round;
            round *= GROUP;
        }
        Self {
            groups: vec![[u64::MAX; GROUP]; above + slots.div_ceil(GROUP).max(1)],
            first: above * GROUP,
            is_small: slots <= SMALL,
            champion: u64::MAX,
        }
    }

    /// The key of a slot.
    #[inline]
    fn key(&self, slot: usize) -> u64 {
        let contestant = self.first + slot;
        self.groups[contestant / GROUP][contestant % GROUP]
    }

    /// Sets the key of a slot.
    #[inline(always)]
    fn set(&mut self, slot: usize, mut key: u64) {
        if self.is_small {
            let [small, _] = self.groups[0].as_chunks_mut::<SMALL>().0 else { return };
            small[slot] = key;
            self.champion = winner(small);
            return;
        }
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

    /// The key that won this group when it was last replayed; it is stored one round above.
    #[inline]
    fn leader(&self, index: usize) -> u64 {
        match index.checked_sub(1) {
            None => self.champion,
            Some(contestant) => self.groups[contestant / GROUP][contestant % GROUP],
        }
    }
}

#[inline]
fn winner<const N: usize>(keys: &[u64; N]) -> u64 {
    let (mut even, mut odd) = (u64::MAX, u64::MAX);
    for [a, b] in keys.as_chunks().0 {
        (even, odd) = (even.min(*a), odd.min(*b));
    }
    even.min(odd)
}

#[cfg(test)]
mod tests {
    use units::{Rng, Span};

    use super::*;

    /// Against a plain scan, for ten thousand random moves of deadlines.
    #[test]
    fn agrees_with_a_scan() {
        for slots in [1, 2, 15, 16, 17, 100, 256, 257, 600, 5000] {
            let mut rng = Rng::new(slots as u64);
            // With and without many slots in the middle.
            let few = if rng.below(2) > 0 { slots } else { slots / 3 };
            let mut agenda = Agenda::with_many(few / 2, slots - few, few - few / 2);
            let mut deadlines = vec![Time::MAX; slots];
            for _ in 0..10_000 {
                let slot = rng.below(slots as u64) as usize;
                let due = (rng.below(4) > 0).then(|| Time::ZERO + Span::from_nanos(rng.below(50)));
                if rng.below(2) > 0 {
                    agenda.set(slot, due);
                    deadlines[slot] = due.unwrap_or(Time::MAX);
                } else {
                    agenda.set_at_latest(slot, due);
                    deadlines[slot] = deadlines[slot].min(due.unwrap_or(Time::MAX));
                }
                let earliest = *deadlines.iter().min().unwrap();
                let (time, winner) = agenda.next();
                assert_eq!(time, earliest);
                assert_eq!(deadlines.iter().position(|&d| d == earliest), Some(winner));
            }
        }
    }
}
