//! The flow queue against a slow and literal reading of RFC 8290 sections 4.1 and 4.2, without a
//! controller, under both overflow rules.

mod support;

use std::collections::VecDeque;

use proptest::prelude::*;
use qdisc::aqm::TailDrop;
use qdisc::history::{Fates, Operation, Probe, run};
use qdisc::{Cause, Flow, FlowQueue, FlowQueueParameters, Overflow, Packet};
use support::{Literal, phases};
use units::{Bytes, Rng, Time};

struct Oracle {
    parameters: FlowQueueParameters,
    salt: u64,
    queues: Vec<VecDeque<Probe>>,
    credits: Vec<i64>,
    new: Vec<usize>,
    old: Vec<usize>,
    outcome: Fates,
}

fn bytes(queue: &VecDeque<Probe>) -> u64 {
    queue.iter().map(|packet| packet.len.0).sum()
}

impl Oracle {
    fn new(parameters: FlowQueueParameters, mut rng: Rng) -> Self {
        let flows = parameters.flows as usize;
        Self {
            parameters,
            salt: rng.next_u64(),
            queues: vec![VecDeque::new(); flows],
            credits: vec![0; flows],
            new: vec![],
            old: vec![],
            outcome: Fates::default(),
        }
    }

    fn enqueue(&mut self, packet: Probe, now: Time) {
        let hash = u64::from(packet.flow_hash(self.salt));
        let index = ((hash * u64::from(self.parameters.flows)) >> 32) as usize;
        self.queues[index].push_back(packet);
        if !self.new.contains(&index) && !self.old.contains(&index) {
            self.new.push(index);
            self.credits[index] = self.parameters.quantum.0 as i64;
        }
        loop {
            let packets: usize = self.queues.iter().map(VecDeque::len).sum();
            let total: u64 = self.queues.iter().map(bytes).sum();
            let FlowQueueParameters { limit, memory_limit, .. } = self.parameters;
            if packets as u64 <= limit && total <= memory_limit.0 {
                break;
            }
            self.drop_from_the_fattest(now);
        }
    }

    fn drop_from_the_fattest(&mut self, now: Time) {
        let most = self.queues.iter().map(bytes).max().unwrap();
        let fattest = self.queues.iter_mut().find(|queue| bytes(queue) == most).unwrap();
        let half_the_packets = (fattest.len() / 2).max(1);
        let mut dropped = vec![];
        while dropped.len() < self.parameters.drop_batch as usize {
            let gone: u64 = dropped.iter().map(|packet: &Probe| packet.len.0).sum();
            let enough = match self.parameters.overflow {
                Overflow::Rfc8290 => dropped.len() == half_the_packets,
                Overflow::Linux => !dropped.is_empty() && gone >= most / 2,
                other => panic!("{other:?} is not transcribed"),
            };
            if enough {
                break;
            }
            dropped.push(fattest.pop_front().unwrap());
        }
        let drops = dropped.into_iter().map(|packet| (now, packet, Cause::Overflow));
        self.outcome.dropped.extend(drops);
    }

    fn dequeue(&mut self, now: Time) -> bool {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            if list.is_empty() {
                return false;
            }
            let index = list[0];
            if self.credits[index] <= 0 {
                self.credits[index] += self.parameters.quantum.0 as i64;
                list.remove(0);
                self.old.push(index);
                continue;
            }
            if let Some(packet) = self.queues[index].pop_front() {
                self.credits[index] -= packet.len().0 as i64;
                self.outcome.sent.push((now, packet));
                return true;
            }
            list.remove(0);
            if from_new && !self.old.is_empty() {
                self.old.push(index);
            }
        }
    }
}

impl Literal for Oracle {
    fn arrive(&mut self, packet: Probe, now: Time) {
        let flow = flow_of(packet.id);
        self.enqueue(Probe { flow, ..packet }, now);
    }

    fn depart(&mut self, now: Time) -> bool {
        self.dequeue(now)
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
        limit in 5_u64..200,
        memory_limit in 3_000_u64..200_000,
        flows in prop_oneof![Just(1024_u32), 1_u32..64],
        quantum in 256_u64..3_000,
        drop_batch in prop_oneof![Just(64_u64), 1_u64..8],
        overflow in prop_oneof![Just(Overflow::Rfc8290), Just(Overflow::Linux)],
    ) -> FlowQueueParameters {
        let (memory_limit, quantum) = (Bytes(memory_limit), Bytes(quantum));
        let mut parameters = FlowQueueParameters::default();
        parameters.limit = limit;
        parameters.memory_limit = memory_limit;
        parameters.flows = flows;
        parameters.quantum = quantum;
        parameters.drop_batch = drop_batch;
        parameters.overflow = overflow;
        parameters
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn flow_queue_is_rfc_8290(seed in 0_u64..1_000_000, parameters in parameters()) {
        let history = &with_flows(&phases(seed))[..];
        let history = &history[..history.len().min(3_000)];
        let rng = Rng::new(seed).fork("fair");
        let literal = Oracle::new(parameters, rng.clone()).run(history);
        let ours = run(&mut FlowQueue::new(parameters, TailDrop, rng), history).unwrap();
        prop_assert!(ours == literal, "{parameters:?} differs under seed {seed}");
    }
}

/// The comparison above is meaningful: queues overflow and flows interleave.
#[test]
fn the_histories_overflow_and_interleave() {
    let mut parameters = FlowQueueParameters::default();
    parameters.limit = 50;
    let history = with_flows(&phases(7));
    let outcome = Oracle::new(parameters, Rng::new(7)).run(&history);
    let order: Vec<u64> = outcome.sent.iter().map(|(_, packet)| packet.id).collect();
    let overtaken = order.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert!(outcome.dropped.len() > 100 && overtaken > 100, "{overtaken}");
}
