//! Stochastic Fair BLUE protects those who answer from those who do not. Every flow falls into one
//! bin on each of several levels; each bin keeps a probability as BLUE does, raised while too many
//! of its packets wait, lowered when none does. A flow is judged by the least probability of its
//! bins. One that answers shares a bin with a bully on this level or that, hardly on all of them; a
//! bully drives all of its own to certainty, and from then on gets a small fixed rate.
//!
//! Specification: Feng, Kandlur, Saha and Shin, "Blue: A New Class of Active Queue Management
//! Algorithms", U. Michigan CSE-TR-387-99, 1999, section 4; and "Stochastic Fair Blue: A Queue
//! Management Algorithm for Enforcing Fairness", 2001; numbers and order of tests: Linux,
//! net/sched/sch_sfb.c.
//!
//! Deviations:
//! - sch_sfb.c lets a flow in the penalty box that sends faster than `penalty_rate` have nothing at
//!   all, because it forgets the fractions of a token; here the rate is held.
//! - sch_sfb.c keeps the probabilities of the bins that retire, so that the next to be hashed there
//!   inherit them; here they begin at zero, and learn while they are warmed up.

use alloc::boxed::Box;

use units::{Prob, Rng, Span, Time};

use crate::aqm::Verdict;
use crate::{Backlog, Cause, Dequeued, Ecn, Flow, Lane, Limit, Packet, Qdisc, Signals};

mod bins;
mod penalty;
#[cfg(test)]
mod tests;

use bins::{Bins, CERTAIN, Hash, Judgement, Steps};
use penalty::PenaltyBox;

/// What an SFB can be told, under the names of tc-sfb(8).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SfbParameters {
    /// At most this many packets wait; 1000, the usual txqueuelen.
    pub limit: u64,
    /// Beyond this many packets in the emptiest of its bins a flow's next one is dropped; 25.
    pub max: u64,
    /// From this many packets on a bin's probability rises; 20.
    pub target: u64,
    /// How much it rises with each packet that comes; 0.0005 (tc; the kernel alone: 0.001).
    pub increment: Prob,
    /// How much it falls with each packet that finds the bin empty; 0.00005 (tc; the kernel alone:
    /// 1/6000).
    pub decrement: Prob,
    /// How often flows are hashed anew, so that two which share all their bins do not for ever;
    /// 600 s, and never if zero.
    pub rehash: Span,
    /// How long before it the next bins learn who is a bully ("double buffering"); 60 s.
    pub warm_up: Span,
    /// Packets per second that all flows in the penalty box may send together; 10.
    pub penalty_rate: u32,
    /// And how many of them at once; 20.
    pub penalty_burst: u32,
    /// Mark ECN-capable packets in place of dropping them; on, as always in Linux.
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

/// A packet that waits, and where it is counted in each set of bins.
#[derive(Clone, Copy, Debug)]
struct Filed<P> {
    packet: P,
    hashes: [Option<Hash>; 2],
}

impl<P: Packet> Packet for Filed<P> {
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
    /// The set in use and the one that is next, in turns.
    sets: Box<[Bins; 2]>,
    in_use: usize,
    /// When flows were last hashed anew.
    rehashed: Option<Time>,
    penalty: PenaltyBox,
    rng: Rng,
    penalty_drops: u64,
    bin_drops: u64,
}

impl<P: Flow> Sfb<P> {
    /// An empty queue. `rng` keys the hashes and throws the dice.
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

    /// The packets in the fullest bin; the greatest probability of a bin, and the mean of all.
    pub fn occupancy(&self) -> (u64, Prob, Prob) {
        self.sets[self.in_use].occupancy()
    }

    /// Packets dropped because a flow in the penalty box had spent its rate.
    pub const fn penalty_drops(&self) -> u64 {
        self.penalty_drops
    }

    /// Packets dropped because all the bins of a flow were full.
    pub const fn bin_drops(&self) -> u64 {
        self.bin_drops
    }

    /// CSE-TR-387-99 section 4.4, moving hash functions: takes the other set of bins if it is time.
    /// Says whether it is time to warm up the next.
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

    /// Looks at all bins of the packet, moves their probabilities, and says what is to be done. The
    /// packet is filed as it is to be counted.
    fn judge(&mut self, filed: &mut Filed<P>, now: Time) -> Fate {
        let warms_up = self.turn(now);
        let set = &mut self.sets[self.in_use];
        let hash = set.hash(&filed.packet);
        filed.hashes[self.in_use] = Some(hash);
        let Judgement { least_waiting, probability } = set.judge(hash, &self.steps);
        if least_waiting >= self.parameters.max {
            return Fate::BinFull;
        }
        if probability < CERTAIN {
            return Fate::Judged(self.lottery(probability));
        }
        // Only those that do not answer are watched in the next set: it is for them that it must
        // know its way when it is taken.
        if warms_up {
            let next = self.in_use ^ 1;
            let hash = self.sets[next].hash(&filed.packet);
            filed.hashes[next] = Some(hash);
            self.sets[next].judge(hash, &self.steps);
        }
        let served = self.penalty.serves(filed.packets(), now);
        if served { Fate::Judged(Verdict::Pass) } else { Fate::Penalty }
    }

    /// sch_sfb.c: above one half marks turn into drops, until at certainty all are.
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

/// What becomes of a packet that comes.
enum Fate {
    Judged(Verdict),
    /// Its flow does not answer, and has had its share.
    Penalty,
    /// There are too many of its kind.
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

    fn backlog(&self) -> Backlog {
        self.lane.backlog()
    }

    fn heeds_idleness(&self) -> bool {
        false
    }
}
