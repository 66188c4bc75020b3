//! The turns of a tin's flows: deficit round robin in which new flows go first (DRR++).
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_dequeue` and `cake_get_flow_quantum` of 6.18;
//! MacGregor and Shi, "Deficits for Bursty Latency-critical Flows: DRR++", 2000.
//!
//! The flows of a host share a quantum, so that a thousand of them get a byte or two in a turn, and a
//! flow that sent a packet of 1500 bytes is passed over a thousand times and more. Linux does each
//! of these turns by itself, however many. Here, once as many turns were fruitless as there are
//! queues, the rounds in which no flow can come to more than nothing are done at once; the bytes
//! that flows get in them are drawn from the same distribution.

use units::{Bytes, Rng};

use super::flow_table::{FLOWS, Loads, OfEach, of_each};
use super::rings::{List, Rings};

/// The fewest rounds that are done at once.
const FEWEST_ROUNDS: u64 = 8;
/// The most rounds that are done in one step: a bit of a random number for each.
const MOST_ROUNDS: u64 = 64;

/// The bytes that flows may send in a turn.
#[derive(Clone, Copy)]
pub(super) struct Shares<'a> {
    /// The bytes for a flow that shares its hosts with no other.
    pub(super) quantum: u64,
    /// How many flows share a quantum.
    pub(super) loads: Loads<'a>,
}

// In line, always: a walk over a thousand flows then keeps all of this in registers.
impl Shares<'_> {
    /// The mean share of a flow in 1/65536 of a byte: the flows of a host share one quantum.
    #[inline(always)]
    fn of(self, flow: usize) -> u64 {
        self.quantum * u64::from(PARTS[usize::from(self.loads.of(flow))])
    }

    /// The bytes that a flow may send in its next turn. The fraction is rounded at random, so that
    /// shares are exact in the mean.
    #[inline(always)]
    fn draw(self, flow: usize, rng: &mut Rng) -> i64 {
        let dither = rng.next_u64() >> 48;
        ((self.of(flow) + dither) >> 16) as i64
    }
}

/// The part of a quantum for each flow of a host, in 1/65536, by their number (`quantum_div`).
const PARTS: [u16; FLOWS + 1] = {
    let mut parts = [u16::MAX; FLOWS + 1];
    let mut flows = 1;
    while flows <= FLOWS {
        parts[flows] = u16::MAX / flows as u16;
        flows += 1;
    }
    parts
};

/// The turns of a tin's flows.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    lists: Rings,
    /// The bytes that each flow may still send in its turn.
    deficits: OfEach<i64>,
    rng: Rng,
}

impl Turns {
    /// Turns of no flows. Fractions of bytes are rounded with `rng`.
    pub(super) fn new(rng: Rng) -> Self {
        Self { lists: Rings::new(), deficits: of_each(), rng }
    }

    /// The first flow of a list; `None` if the list is empty.
    pub(super) fn first(&self, list: List) -> Option<usize> {
        self.lists.first(list)
    }

    /// The flows of a list in their order.
    pub(super) fn iter(&self, list: List) -> impl Iterator<Item = usize> {
        self.lists.iter(list)
    }

    /// The bytes that a flow may still send in its turn.
    pub(super) const fn deficit(&self, flow: usize) -> i64 {
        self.deficits[flow]
    }

    /// Takes bytes off what a flow may send.
    pub(super) const fn charge(&mut self, flow: usize, bytes: Bytes) {
        self.deficits[flow] -= bytes.0 as i64;
    }

    /// Lets a flow begin, as the last of the new ones.
    pub(super) fn begin(&mut self, flow: usize, shares: Shares<'_>) {
        self.deficits[flow] = shares.draw(flow, &mut self.rng);
        self.lists.move_to_end(flow, List::New);
    }

    /// Ends the turn of a flow, which becomes the last of the old ones.
    pub(super) fn end(&mut self, flow: usize, shares: Shares<'_>) {
        self.deficits[flow] += shares.draw(flow, &mut self.rng);
        self.lists.move_to_end(flow, List::Old);
    }

    /// Moves a flow without packets to the end of those that come to rest.
    pub(super) fn decay(&mut self, flow: usize) {
        self.lists.move_to_end(flow, List::Decaying);
    }

    /// Takes a flow off its list.
    pub(super) fn leave(&mut self, flow: usize) {
        self.lists.remove(flow);
    }

    /// The old flow whose turn it is; `None` if there is none. Ends the turns of the flows before it,
    /// whose deficits are used up.
    pub(super) fn next_old(&mut self, shares: Shares<'_>) -> Option<usize> {
        let first = self.lists.first(List::Old)?;
        if self.deficits[first] > 0 {
            return Some(first);
        }
        let mut flow = self.pass(first, shares);
        while self.deficits[flow] <= 0 {
            self.skip_rounds(shares);
            flow = self.pass(flow, shares);
        }
        self.lists.begin_with(flow, List::Old);
        Some(flow)
    }

    /// Ends the turns of flows from this one on whose deficits are used up, as many as there are
    /// queues. Returns the flow after them.
    fn pass(&mut self, mut flow: usize, shares: Shares<'_>) -> usize {
        // A copy, which stays in registers.
        let mut rng = self.rng.clone();
        for _ in 0..FLOWS {
            let deficit = &mut self.deficits[flow];
            if *deficit > 0 {
                break;
            }
            *deficit += shares.draw(flow, &mut rng);
            flow = self.lists.after(flow, List::Old);
        }
        self.rng = rng;
        flow
    }

    /// Gives all old flows their shares of the rounds in which none of them can have its turn.
    #[cold]
    fn skip_rounds(&mut self, shares: Shares<'_>) {
        while let Some(rounds) = self.fruitless_rounds(shares) {
            for flow in self.lists.iter(List::Old) {
                let share = shares.of(flow);
                let more = successes(&mut self.rng, rounds, share & 0xffff);
                self.deficits[flow] += (rounds * (share >> 16) + more) as i64;
            }
        }
    }

    /// The rounds in which no old flow can have its turn, whatever the random fractions, and at most
    /// [`MOST_ROUNDS`]; `None` if they are too few.
    fn fruitless_rounds(&self, shares: Shares<'_>) -> Option<u64> {
        self.lists.iter(List::Old).try_fold(MOST_ROUNDS, |fewest, flow| {
            let largest_share = shares.of(flow).div_ceil(1 << 16);
            let missing = self.deficits[flow].min(0).unsigned_abs();
            let is_far = missing >= FEWEST_ROUNDS * largest_share;
            is_far.then(|| fewest.min(missing / largest_share))
        })
    }
}

/// The number of successes in up to 64 trials, each with a chance of `chance`/65536. Each bit of a
/// random number belongs to one trial, which succeeds if its 16 bits, the highest first, are a
/// number below `chance`.
fn successes(rng: &mut Rng, trials: u64, chance: u64) -> u64 {
    let mut undecided = u64::MAX >> (64 - trials);
    let mut below = 0;
    for bit in (0..16).rev() {
        if undecided == 0 {
            break;
        }
        let random = rng.next_u64();
        if chance >> bit & 1 == 1 {
            below |= undecided & !random;
            undecided &= random;
        } else {
            undecided &= !random;
        }
    }
    u64::from(below.count_ones())
}

#[cfg(test)]
mod tests;
