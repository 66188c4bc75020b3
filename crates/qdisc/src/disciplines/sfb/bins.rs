//! The bins: levels of counters and probabilities, and a hash that picks one on each level.

use core::num::NonZeroU32;

use units::Prob;

use crate::Flow;

/// The number of levels: a hash of 32 bits is cut into eight numbers of four bits (sch_sfb.c).
const LEVELS: usize = 8;
const BINS: usize = 16;
/// The probability 1. Probabilities are in 65535ths, as in tc's messages to the kernel.
pub(super) const CERTAIN: u16 = u16::MAX;

/// A flow's bins on all levels, as one number; never zero, so that `None` takes no extra room.
pub(super) type Hash = NonZeroU32;

/// The steps by which a bin's probability moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// The number of packets in a bin from which the bin's probability rises.
    target: u64,
    increment: u16,
    decrement: u16,
}

impl Steps {
    pub(super) fn new(target: u64, increment: Prob, decrement: Prob) -> Self {
        // q_sfb.c, get_prob: to the nearest 65535th.
        let nearest = |step: Prob| (step.get() * f64::from(CERTAIN) + 0.5) as u16;
        Self { target, increment: nearest(increment), decrement: nearest(decrement) }
    }
}

/// A bin: one "virtual queue" of the paper.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    waiting: u32,
    probability: u16,
}

/// The judgement of a flow by its bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The number of packets in the emptiest bin.
    pub(super) least_waiting: u64,
    /// The least probability of a bin, in 65535ths.
    pub(super) probability: u16,
}

/// One set of bins with a hash of its own.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    salt: u64,
    levels: [[Bin; BINS]; LEVELS],
}

impl Bins {
    pub(super) fn new(salt: u64) -> Self {
        Self { salt, levels: [[Bin::default(); BINS]; LEVELS] }
    }

    /// Forgets all probabilities and changes the hash. Waiting packets stay counted in their old
    /// bins.
    pub(super) fn retire(&mut self, salt: u64) {
        self.salt = salt;
        self.levels.as_flattened_mut().iter_mut().for_each(|bin| bin.probability = 0);
    }

    pub(super) fn hash<P: Flow>(&self, packet: &P) -> Hash {
        Hash::new(packet.flow_hash(self.salt)).unwrap_or(Hash::MIN)
    }

    /// The flow's bin on each level.
    fn bins_of(&mut self, hash: Hash) -> impl Iterator<Item = &mut Bin> {
        let nibble = move |level: usize| (hash.get() >> (4 * level)) as usize % BINS;
        self.levels.iter_mut().enumerate().map(move |(level, bins)| &mut bins[nibble(level)])
    }

    /// Moves the probability of each bin of a flow, and returns the least (sch_sfb.c,
    /// `sfb_enqueue`).
    pub(super) fn update(&mut self, hash: Hash, steps: &Steps) -> Judgement {
        let mut judgement = Judgement { least_waiting: u64::MAX, probability: CERTAIN };
        for bin in self.bins_of(hash) {
            let waiting = u64::from(bin.waiting);
            if waiting == 0 {
                bin.probability = bin.probability.saturating_sub(steps.decrement);
            } else if waiting >= steps.target {
                bin.probability = bin.probability.saturating_add(steps.increment);
            }
            judgement.least_waiting = judgement.least_waiting.min(waiting);
            judgement.probability = judgement.probability.min(bin.probability);
        }
        judgement
    }

    /// Counts packets that begin to wait.
    pub(super) fn add(&mut self, hash: Hash, packets: u64) {
        let packets = u32::try_from(packets).unwrap_or(u32::MAX);
        self.bins_of(hash).for_each(|bin| bin.waiting = bin.waiting.saturating_add(packets));
    }

    /// Counts packets that no longer wait.
    pub(super) fn take(&mut self, hash: Hash, packets: u64) {
        let packets = u32::try_from(packets).unwrap_or(u32::MAX);
        self.bins_of(hash).for_each(|bin| bin.waiting = bin.waiting.saturating_sub(packets));
    }

    /// The number of packets in the fullest bin, the greatest probability of a bin, and the mean
    /// probability of all bins.
    pub(super) fn occupancy(&self) -> (u64, Prob, Prob) {
        let bins = self.levels.as_flattened();
        let of_certainty = |sum: f64| Prob::clamped(sum / f64::from(CERTAIN));
        let waiting = bins.iter().map(|bin| bin.waiting).max().unwrap_or(0);
        let greatest = bins.iter().map(|bin| bin.probability).max().unwrap_or(0);
        let sum: u32 = bins.iter().map(|bin| u32::from(bin.probability)).sum();
        let mean = f64::from(sum) / bins.len() as f64;
        (waiting.into(), of_certainty(greatest.into()), of_certainty(mean))
    }
}
