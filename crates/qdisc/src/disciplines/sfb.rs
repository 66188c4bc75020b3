//! Stochastic Fair BLUE protects responsive flows from unresponsive ones. Every flow falls into one
//! bin on each of several levels. Each bin keeps a probability as BLUE does, raised while too many
//! of its packets wait, lowered when none does. A flow is judged by the least probability of its
//! bins. A responsive flow shares a bin with an unresponsive one on some levels, but hardly on all
//! of them; an unresponsive flow drives all of its bins to certainty, and from then on gets a small
//! fixed rate.
//!
//! Specification: Feng, Kandlur, Saha and Shin, "Blue: A New Class of Active Queue Management
//! Algorithms", U. Michigan CSE-TR-387-99, 1999, section 4; and "Stochastic Fair Blue: A Queue
//! Management Algorithm for Enforcing Fairness", 2001; numbers and order of tests: Linux,
//! net/sched/sch_sfb.c.
//!
//! Deviations:
//! - sch_sfb.c serves nothing to a flow in the penalty box that sends faster than `penalty_rate`,
//!   because it discards the fractions of a token; here the rate is held.
//! - sch_sfb.c keeps the probabilities of the bins that retire, so that flows hashed there later
//!   inherit them; here they begin at zero, and are learned during the warm-up.

use alloc::boxed::Box;

use units::{Prob, Rng, Span, Time};

use crate::aqm::Verdict;
use crate::{
    Backlog, Cause, ChangeError, Dequeued, Ecn, Flow, Lane, Limit, Packet, Qdisc, Signals,
};

mod bins;
mod penalty;
mod spec;
#[cfg(test)]
mod tests;

pub use spec::{SfbSpec, SfbStats};

use bins::{Bins, CERTAIN, Hash, Judgement, Steps};
use penalty::PenaltyBox;

/// The parameters of SFB, under the names of tc-sfb(8).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SfbParameters {
    /// The most packets that may wait; 1000, the usual txqueuelen.
    pub limit: u64,
    /// The most packets of a flow that may wait: a packet is dropped if the emptiest bin of its
    /// flow holds this many; 25.
    pub max: u64,
    /// The number of packets in a bin from which the bin's probability rises; 20.
    pub target: u64,
    /// The rise of the probability with each packet that arrives; 0.0005 (tc; the kernel alone:
    /// 0.001).
    pub increment: Prob,
    /// The fall of the probability with each packet that finds the bin empty; 0.00005 (tc; the
    /// kernel alone: 1/6000).
    pub decrement: Prob,
    /// The time between changes of the hash, so that two flows which share all their bins do not
    /// share them for ever; 600 s. Zero: the hash never changes.
    pub rehash: Span,
    /// The time before a change of the hash in which the next set of bins learns which flows are
    /// unresponsive ("double buffering"); 60 s.
    pub warm_up: Span,
    /// The number of packets per second that all flows in the penalty box may send together; 10.
    pub penalty_rate: u32,
    /// The number of packets that all flows in the penalty box may send at once; 20.
    pub penalty_burst: u32,
    /// True to mark ECN-capable packets in place of dropping them; on, as always in Linux.
    pub ecn: bool,
}

impl Default for SfbParameters {
    fn default() -> Self {
        Self {
            limit: 1000,
            max: 25,
            target: 20,
            increment: Prob::clamped(0.0005),
            decrement: Prob::clamped(0.00005),
            rehash: Span::from_secs(600),
            warm_up: Span::from_secs(60),
            penalty_rate: 10,
            penalty_burst: 20,
            ecn: true,
        }
    }
}

/// A waiting packet, with its hash in each set of bins that counts it.
#[derive(Clone, Copy, Debug)]
struct Filed<P> {
    packet: P,
    hashes: [Option<Hash>; 2],
}

impl<P: Packet> Packet for Filed<P> {
    type Store = P::Store;

    fn len(&self) -> units::Bytes {
        self.packet.len()
    }

    fn packets(&self) -> u64 {
        self.packet.packets()
    }

    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }

    fn set_ce(&mut self) {
        self.packet.set_ce();
    }
}

/// Stochastic Fair BLUE over one FIFO.
#[derive(Clone, Debug)]
pub struct Sfb<P> {
    parameters: SfbParameters,
    steps: Steps,
    lane: Lane<Filed<P>>,
    /// The set of bins in use and the next one, in turns.
    sets: Box<[Bins; 2]>,
    in_use: usize,
    /// The time of the last change of the hash; `None` before the first packet.
    rehashed: Option<Time>,
    penalty: PenaltyBox,
    rng: Rng,
    penalty_drops: u64,
    bin_drops: u64,
}

impl<P: Flow> Sfb<P> {
    /// Creates an empty queue. `rng` keys the hashes and draws the random numbers.
    pub fn new(parameters: SfbParameters, mut rng: Rng) -> Self {
        let SfbParameters { target, penalty_rate, penalty_burst, .. } = parameters;
        let sets = [(); 2].map(|()| Bins::new(rng.next_u64()));
        Self {
            parameters,
            steps: Steps::new(target, parameters.increment, parameters.decrement),
            lane: Lane::default(),
            sets: Box::new(sets),
            in_use: 0,
            rehashed: None,
            penalty: PenaltyBox::new(penalty_rate, penalty_burst),
            rng,
            penalty_drops: 0,
            bin_drops: 0,
        }
    }

    /// The number of packets in the fullest bin, the greatest probability of a bin, and the mean
    /// probability of all bins.
    pub fn occupancy(&self) -> (u64, Prob, Prob) {
        self.sets[self.in_use].occupancy()
    }

    /// The number of packets dropped because the flows in the penalty box had spent their rate.
    pub const fn penalty_drops(&self) -> u64 {
        self.penalty_drops
    }

    /// The number of packets dropped because all the bins of a flow were full.
    pub const fn bin_drops(&self) -> u64 {
        self.bin_drops
    }

    /// Switches to the other set of bins when it is time; returns true while the next set is to be
    /// warmed up (CSE-TR-387-99 section 4.4, moving hash functions).
    fn turn(&mut self, now: Time) -> bool {
        let SfbParameters { rehash, warm_up, .. } = self.parameters;
        let age = now.since(*self.rehashed.get_or_insert(now));
        if rehash.is_zero() {
            return false;
        }
        if age > rehash {
            let salt = self.rng.next_u64();
            self.sets[self.in_use].retire(salt);
            self.in_use ^= 1;
            self.rehashed = Some(now);
            return false;
        }
        warm_up > rehash.saturating_sub(age)
    }

    /// Updates the probabilities of all bins of the packet, and returns its fate. `filed` gets the
    /// hashes by which the packet is to be counted.
    fn judge(&mut self, filed: &mut Filed<P>, now: Time) -> Fate {
        let warms_up = self.turn(now);
        let set = &mut self.sets[self.in_use];
        let hash = set.hash(&filed.packet);
        filed.hashes[self.in_use] = Some(hash);
        let Judgement { least_waiting, probability } = set.update(hash, &self.steps);
        if least_waiting >= self.parameters.max {
            return Fate::BinFull;
        }
        if probability < CERTAIN {
            return Fate::Judged(self.lottery(probability));
        }
        // Only unresponsive flows train the next set: it must know them when it comes into use.
        if warms_up {
            let next = self.in_use ^ 1;
            let hash = self.sets[next].hash(&filed.packet);
            filed.hashes[next] = Some(hash);
            self.sets[next].update(hash, &self.steps);
        }
        let served = self.penalty.serves(filed.packets(), now);
        if served { Fate::Judged(Verdict::Pass) } else { Fate::Penalty }
    }

    /// The verdict of the lottery at this probability. Above one half, marks turn into drops, until
    /// at certainty all are drops (sch_sfb.c).
    fn lottery(&mut self, probability: u16) -> Verdict {
        const HALF: u16 = CERTAIN / 2;
        let throw = (self.rng.next_u64() >> 48) as u16;
        let drops = u32::from(probability.saturating_sub(HALF)) * 2;
        if throw >= probability {
            Verdict::Pass
        } else if u32::from(throw) < drops {
            Verdict::Drop
        } else {
            Verdict::Signal
        }
    }
}

/// The reason why an arriving packet is dropped, or the lottery's verdict.
enum Fate {
    Judged(Verdict),
    /// The flow of the packet is unresponsive, and the penalty rate is spent.
    Penalty,
    /// All bins of the packet's flow are full.
    BinFull,
}

impl<P: Flow> Qdisc<P> for Sfb<P> {
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
        let more = Backlog::of(&packet);
        if !Limit::packets(self.parameters.limit).admits(self.lane.backlog(), more) {
            return out.dropped(packet, Cause::Overflow, now);
        }
        let mut filed = Filed { packet, hashes: [None; 2] };
        let verdict = match self.judge(&mut filed, now) {
            Fate::Judged(verdict) => verdict,
            Fate::Penalty => {
                self.penalty_drops += more.packets;
                return out.dropped(filed.packet, Cause::Congestion, now);
            }
            Fate::BinFull => {
                self.bin_drops += more.packets;
                return out.dropped(filed.packet, Cause::Overflow, now);
            }
        };
        let Filed { packet, hashes } = filed;
        let Some(packet) = verdict.apply(packet, self.parameters.ecn, now, out) else { return };
        for (set, hash) in self.sets.iter_mut().zip(hashes) {
            if let Some(hash) = hash {
                set.add(hash, more.packets);
            }
        }
        self.lane.push(Filed { packet, hashes }, now);
    }

    fn dequeue(&mut self, now: Time, _out: &mut dyn Signals<P>) -> Dequeued<P> {
        let Some((arrived, Filed { packet, hashes })) = self.lane.pop() else {
            return Dequeued::Empty;
        };
        for (set, hash) in self.sets.iter_mut().zip(hashes) {
            if let Some(hash) = hash {
                set.take(hash, packet.packets());
            }
        }
        Dequeued::Packet { packet, sojourn: now.since(arrived) }
    }

    /// Replaces the queue by an empty one, and clears all bins, as `sfb_change` of Linux does
    /// (net/sched/sch_sfb.c). Deviation: not so if nothing changes.
    fn change(
        &mut self,
        like: Self,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Result<(), ChangeError> {
        if like.parameters == self.parameters {
            return Ok(());
        }
        while let Some((_, Filed { packet, .. })) = self.lane.pop() {
            out.dropped(packet, Cause::Discarded, now);
        }
        let sets = [(); 2].map(|()| Bins::new(self.rng.next_u64()));
        let Self { parameters, steps, penalty, .. } = like;
        (self.parameters, self.steps, self.penalty) = (parameters, steps, penalty);
        (*self.sets, self.in_use, self.rehashed) = (sets, 0, Some(now));
        Ok(())
    }

    fn backlog(&self) -> Backlog {
        self.lane.backlog()
    }

    fn observes_idle(&self) -> bool {
        false
    }
}
