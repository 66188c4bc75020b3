//! SFB against a slow and literal reading of its description, without counters: it looks through
//! the queue and counts the packets of each bin anew each time.

mod support;

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use proptest::prelude::*;
use qdisc::disciplines::sfb::{Sfb, SfbParameters};
use qdisc::history::{Fates, Operation, Probe, run};
use qdisc::{Cause, Flow, Packet};
use support::{Literal, phases};
use units::{Prob, Rng, Span, Time};

const CERTAIN: u64 = 65_535;

/// A level and a number on it.
type Place = (u32, u32);

struct Oracle {
    parameters: SfbParameters,
    rng: Rng,
    salts: [u64; 2],
    /// The probabilities that are not zero, in 65535ths.
    probabilities: [BTreeMap<Place, u64>; 2],
    in_use: usize,
    rehashed: Option<Time>,
    /// The credit of the penalty box in nanoseconds, and since when.
    credit: u64,
    credited: Option<Time>,
    /// Waiting packets, each with its hash in the sets that count it.
    packets: VecDeque<(Probe, [Option<u32>; 2])>,
    /// Packets refused in the penalty box, and the number of changes of the hash.
    corners: Rc<Cell<[u64; 2]>>,
    outcome: Fates,
}

fn places(hash: u32) -> impl Iterator<Item = Place> {
    (0..8).map(move |level| (level, hash / 16_u32.pow(level) % 16))
}

impl Oracle {
    fn new(parameters: SfbParameters, mut rng: Rng) -> Self {
        Self {
            parameters,
            salts: [rng.next_u64(), rng.next_u64()],
            rng,
            probabilities: [BTreeMap::new(), BTreeMap::new()],
            in_use: 0,
            rehashed: None,
            credit: u64::MAX,
            credited: None,
            packets: VecDeque::new(),
            corners: Rc::default(),
            outcome: Fates::default(),
        }
    }

    fn waiting(&self, set: usize, place: Place) -> u64 {
        let there = |filed: &[Option<u32>; 2]| {
            filed[set].is_some_and(|hash| places(hash).any(|other| other == place))
        };
        self.packets.iter().filter(|(_, filed)| there(filed)).count() as u64
    }

    /// The least occupancy, and the least probability after all have moved.
    fn look(&mut self, set: usize, hash: u32) -> (u64, u64) {
        let step = |step: Prob| (step.get() * CERTAIN as f64 + 0.5).floor() as u64;
        let (up, down) = (step(self.parameters.increment), step(self.parameters.decrement));
        let (mut least, mut p_min) = (u64::MAX, CERTAIN);
        for place in places(hash) {
            let waiting = self.waiting(set, place);
            let p = self.probabilities[set].entry(place).or_insert(0);
            if waiting == 0 {
                *p = p.saturating_sub(down);
            } else if waiting >= self.parameters.target {
                *p = (*p + up).min(CERTAIN);
            }
            least = least.min(waiting);
            p_min = p_min.min(*p);
        }
        (least, p_min)
    }

    /// True if the next set is to be warmed up.
    fn double_buffering(&mut self, now: Time) -> bool {
        let SfbParameters { rehash, warm_up, .. } = self.parameters;
        let rehashed = *self.rehashed.get_or_insert(now);
        if rehash.is_zero() {
            return false;
        }
        if now > rehashed + rehash {
            self.salts[self.in_use] = self.rng.next_u64();
            self.probabilities[self.in_use].clear();
            self.in_use = 1 - self.in_use;
            self.rehashed = Some(now);
            self.saw(1);
            return false;
        }
        now.as_nanos() + warm_up.as_nanos() > (rehashed + rehash).as_nanos()
    }

    fn within_penalty_rate(&mut self, now: Time) -> bool {
        let SfbParameters { penalty_rate, penalty_burst, .. } = self.parameters;
        if penalty_rate == 0 || penalty_burst == 0 {
            return false;
        }
        let token = 1_000_000_000 / u64::from(penalty_rate);
        let passed = self.credited.map_or(0, |then| now.since(then).as_nanos());
        self.credited = Some(now);
        self.credit = self.credit.saturating_add(passed).min(token * u64::from(penalty_burst));
        let enough = self.credit >= token;
        self.credit -= if enough { token } else { 0 };
        enough
    }

    fn saw(&self, corner: usize) {
        let mut corners = self.corners.get();
        corners[corner] += 1;
        self.corners.set(corners);
    }

    fn hash(&self, set: usize, packet: &Probe) -> u32 {
        packet.flow_hash(self.salts[set]).max(1)
    }

    fn dropped(&mut self, packet: Probe, cause: Cause, now: Time) {
        self.outcome.dropped.push((now, packet, cause));
    }

    fn arrives(&mut self, mut packet: Probe, now: Time) {
        if self.packets.len() as u64 >= self.parameters.limit {
            return self.dropped(packet, Cause::Overflow, now);
        }
        let double_buffering = self.double_buffering(now);
        let mut filed = [None; 2];
        let hash = self.hash(self.in_use, &packet);
        filed[self.in_use] = Some(hash);
        let (least, p_min) = self.look(self.in_use, hash);
        if least >= self.parameters.max {
            return self.dropped(packet, Cause::Overflow, now);
        }
        if p_min == CERTAIN {
            if double_buffering {
                let other = 1 - self.in_use;
                let hash = self.hash(other, &packet);
                filed[other] = Some(hash);
                self.look(other, hash);
            }
            if !self.within_penalty_rate(now) {
                self.saw(0);
                return self.dropped(packet, Cause::Congestion, now);
            }
            return self.packets.push_back((packet, filed));
        }
        let r = self.rng.next_u64() >> 48;
        if r < p_min {
            let half = CERTAIN / 2;
            let unresponsive = p_min > half && r < (p_min - half) * 2;
            if unresponsive || !self.parameters.ecn || !packet.ecn().is_capable() {
                return self.dropped(packet, Cause::Congestion, now);
            }
            packet.set_ce();
            self.outcome.marked.push((now, packet, Cause::Congestion));
        }
        self.packets.push_back((packet, filed));
    }
}

impl Literal for Oracle {
    fn arrive(&mut self, packet: Probe, now: Time) {
        self.arrives(Probe { flow: flow_of(packet.id), ..packet }, now);
    }

    fn depart(&mut self, now: Time) -> bool {
        let packet = self.packets.pop_front().map(|(packet, _)| packet);
        self.outcome.sent.extend(packet.map(|packet| (now, packet)));
        packet.is_some()
    }

    fn outcome(self) -> Fates {
        self.outcome
    }
}

/// Two flows with most of the packets, twenty with a few.
fn flow_of(id: u64) -> u8 {
    let dice = Rng::new(id).below(60);
    if dice < 40 { (dice % 2) as u8 } else { dice as u8 }
}

fn with_flows(history: &[Operation]) -> Vec<Operation> {
    let mut id = 0;
    let mut assign = |operation: &Operation| match *operation {
        Operation::Arrive { len, ecn, packets, .. } => {
            id += 1;
            Operation::Arrive { len, ecn, packets, flow: flow_of(id - 1) }
        }
        other => other,
    };
    history.iter().map(&mut assign).collect()
}

prop_compose! {
    fn parameters()(
        limit in 5_u64..80,
        target in 1_u64..8,
        room in 0_u64..4,
        (increment, decrement) in (0.0_f64..0.3, 0.0_f64..0.05),
        (rehash, warm_up) in (0_u64..60, 0_u64..60),
        (penalty_rate, penalty_burst) in (0_u32..2000, 0_u32..5),
        ecn in any::<bool>(),
    ) -> SfbParameters {
        let [increment, decrement] = [increment, decrement].map(Prob::clamped);
        let [rehash, warm_up] = [rehash, warm_up].map(Span::from_millis);
        let max = target + room;
        let mut parameters = SfbParameters::default();
        parameters.limit = limit;
        parameters.max = max;
        parameters.target = target;
        parameters.increment = increment;
        parameters.decrement = decrement;
        parameters.rehash = rehash;
        parameters.warm_up = warm_up;
        parameters.penalty_rate = penalty_rate;
        parameters.penalty_burst = penalty_burst;
        parameters.ecn = ecn;
        parameters
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sfb_is_its_description(seed in 0_u64..1_000_000, parameters in parameters()) {
        let history = &with_flows(&phases(seed))[..];
        let history = &history[..history.len().min(3_000)];
        let rng = Rng::new(seed).fork("sfb");
        let literal = Oracle::new(parameters, rng.clone()).run(history);
        let ours = run(&mut Sfb::new(parameters, rng), history).unwrap();
        prop_assert!(ours == literal, "{parameters:?} differs under seed {seed}");
    }
}

/// The comparison above is meaningful: every fate of a packet occurs, and the hash moves.
#[test]
fn the_histories_reach_every_corner() {
    let mut parameters = SfbParameters::default();
    parameters.limit = 60;
    parameters.max = 30;
    parameters.target = 2;
    parameters.increment = Prob::clamped(0.1);
    parameters.rehash = Span::from_millis(100);
    parameters.warm_up = Span::from_millis(20);
    parameters.penalty_rate = 500;
    let mut counts = [0; 5];
    for seed in 0..20 {
        let oracle = Oracle::new(parameters, Rng::new(seed));
        let corners = Rc::clone(&oracle.corners);
        let outcome = oracle.run(&phases(seed)[..]);
        let congestion = |(.., cause): &&(Time, Probe, Cause)| *cause == Cause::Congestion;
        let dropped = outcome.dropped.iter().filter(congestion).count();
        let [penalties, moves] = corners.get();
        let early = dropped as u64 - penalties;
        let full = (outcome.dropped.len() - dropped) as u64;
        let seen = [early, full, outcome.marked.len() as u64, penalties, moves];
        counts.iter_mut().zip(seen).for_each(|(count, seen)| *count += seen);
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}
