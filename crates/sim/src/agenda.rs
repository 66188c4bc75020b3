//! What happens next: one deadline a component, and the earliest of them all.
//!
//! A simulation has few things that can happen next: each wire delivers its head-of-line packet or
//! becomes free, each flow's earliest timer runs out. So there is one *slot* for each, fixed when
//! the world is built, and the earliest is found by a tournament: a binary tree whose inner nodes
//! hold the winner of their two children. Moving a deadline replays one path to the root; nothing
//! is allocated, cancelled or left behind stale.
//!
//! Ties go to the lower slot, which makes the order a function of the scenario alone. The world
//! numbers its slots so that arrivals come before departures.

use units::Time;

/// The deadlines of a fixed number of slots.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// A complete binary tree: node 1 is the root, the leaves are its last half.
    nodes: Vec<Entry>,
    leaves: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    due: Time,
    slot: u32,
}

impl Agenda {
    /// An agenda of `slots` slots, none of them due.
    pub(crate) fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two();
        let mut nodes = vec![Entry { due: Time::MAX, slot: 0 }; 2 * leaves];
        for (slot, node) in nodes[leaves..].iter_mut().enumerate() {
            node.slot = slot as u32;
        }
        for index in (1..leaves).rev() {
            nodes[index] = nodes[2 * index];
        }
        Self { nodes, leaves }
    }

    /// The earliest deadline and its slot.
    #[inline]
    pub(crate) fn next(&self) -> (Time, usize) {
        let Entry { due, slot } = self.nodes[1];
        (due, slot as usize)
    }

    /// Sets when `slot` is due; `None` is never.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, due: Option<Time>) {
        let mut index = self.leaves + slot;
        let entry = Entry { due: due.unwrap_or(Time::MAX), slot: slot as u32 };
        if self.nodes[index] == entry {
            return;
        }
        self.nodes[index] = entry;
        while index > 1 {
            index /= 2;
            let (left, right) = (self.nodes[2 * index], self.nodes[2 * index + 1]);
            let winner = if left.due <= right.due { left } else { right };
            if self.nodes[index] == winner {
                return;
            }
            self.nodes[index] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use units::{Rng, Span};

    use super::*;

    /// Against a plain scan, for ten thousand random moves of deadlines.
    #[test]
    fn agrees_with_a_scan() {
        for slots in [1, 2, 3, 7, 64, 100] {
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
