//! A whole CAKE, but for framing, `wash` and `autorate-ingress`: `cake_enqueue`, `cake_dequeue`,
//! `cake_drop`, `cake_advance_shaper`.

use alloc::vec;
use alloc::vec::Vec;

use units::{Rng, Span, Time};

use super::super::flow_table::Set;
use super::super::isolation::{Hashes, Isolation};
use super::super::{AckFilter, Cake, CakeSpec, TIN_NAMES};
use super::ack_filter;
use super::parcel::Parcel;
use super::turns::{Queue, Tin};
use crate::aqm::{Aqm, Verdict};
use crate::disciplines::cobalt::CobaltParameters;
use crate::{Cause, Ecn, Flow, Packet};

/// A queue as Linux has it.
pub(super) struct Literal {
    spec: CakeSpec,
    salt: u64,
    tins: Vec<Tin>,
    current: usize,
    next_packet: u64,
    failsafe: u64,
    memory: u64,
    memory_limit: u64,
    pub(super) overlimits: u64,
}

/// What a call of `dequeue` came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent { id: u32, ecn: Ecn },
    NotBefore(u64),
    Empty,
}

/// How the turn of a flow goes on.
enum Turn {
    Ends(Outcome),
    /// The flow had no packets.
    Empty,
    /// A packet was dropped, and was charged as if it had been sent.
    Retry,
}

/// The packets that were dropped, and why.
pub(super) type Drops = Vec<(u32, Cause)>;

impl Literal {
    pub(super) fn new(ours: &Cake<Parcel>, mut rng: Rng) -> Self {
        let salt = rng.next_u64();
        let tin = |name: &&str| Tin::new(ours.spec.isolation, &rng.fork(name));
        let mut this = Self {
            salt,
            tins: TIN_NAMES[..ours.spec.diffserv.tins()].iter().map(tin).collect(),
            current: 0,
            next_packet: 0,
            failsafe: 0,
            memory: 0,
            memory_limit: 0,
            overlimits: 0,
            spec: ours.spec.clone(),
        };
        this.configure(ours);
        this
    }

    /// Takes over the settings of our queue, which has as many tins: `cake_reconfigure`,
    /// `cake_set_rate`.
    pub(super) fn configure(&mut self, ours: &Cake<Parcel>) {
        self.spec = ours.spec.clone();
        self.memory_limit = ours.memory.limit.0;
        let rates = self.spec.diffserv.shares(self.rate());
        let weights = self.spec.diffserv.shares(self.spec.diffserv.whole_quantum());
        let (target, interval) = (self.spec.target().as_nanos(), self.spec.rtt.as_nanos());
        for (tin, (rate, weight)) in self.tins.iter_mut().zip(rates.into_iter().zip(weights)) {
            tin.table.isolation = self.spec.isolation;
            (tin.rate, tin.weight) = (rate, weight.max(1) as i64);
            let mtu_time = time_of(1514, rate);
            let tin_target = (mtu_time * 3 / 2).max(target);
            tin.cobalt.set_parameters(CobaltParameters {
                target: Span::from_nanos(tin_target),
                interval: Span::from_nanos((interval + tin_target - target).max(2 * tin_target)),
                mtu_time: Span::from_nanos(mtu_time),
                ecn: true,
            });
        }
        self.forget_headers();
    }

    /// Without a filter of acknowledgements our queue keeps no headers, the one deviation.
    fn forget_headers(&mut self) {
        if self.spec.ack_filter == AckFilter::Off {
            let flows = self.tins.iter_mut().flat_map(|tin| &mut tin.flows);
            flows.flat_map(|flow| &mut flow.queue).for_each(|(packet, _)| packet.ack = None);
        }
    }

    /// Bytes per second; 0 without a limit.
    fn rate(&self) -> u64 {
        self.spec.bandwidth.map_or(0, |rate| rate.bits_per_sec() / 8)
    }

    pub(super) fn tin_in_order(&self, place: usize) -> &Tin {
        &self.tins[self.spec.diffserv.tin_in_order(place)]
    }

    fn packets(&self) -> usize {
        self.tins.iter().map(Tin::packets).sum()
    }

    /// The flow part of the choice of a queue, as `CAKE_FLOW_*` names it.
    fn hashes(&self, packet: &Parcel) -> Hashes {
        let host = |host: u64, salt: u64| (units::mix(host ^ salt) >> 32) as u32;
        let source = host(packet.source(), self.salt);
        let destination = host(packet.destination(), self.salt.rotate_left(32));
        let flow = match self.spec.isolation {
            Isolation::FlowBlind => return Hashes::default(),
            Isolation::SrcHost => source,
            Isolation::DstHost => destination,
            Isolation::Hosts => source ^ destination,
            _ => packet.flow_hash(self.salt),
        };
        Hashes { flow, source, destination }
    }

    /// `cake_enqueue`. The `victims` are the packets that our queue dropped since memory ran out:
    /// each must be the oldest of a flow that has as many bytes as any, and among such flows Linux
    /// chooses by the history of its heap.
    pub(super) fn enqueue(&mut self, packet: Parcel, now: Time, victims: &[u32]) -> Drops {
        let number = self.spec.diffserv.tin(packet.dscp);
        let hashes = self.hashes(&packet);
        let idle = self.packets() == 0;
        let tin = &mut self.tins[number];
        let flow = tin.table.find(hashes);
        if tin.packets() == 0 {
            tin.next_packet = tin.next_packet.max(now.as_nanos());
            if idle {
                self.end_idleness(now.as_nanos());
            }
        }
        let tin = &mut self.tins[number];
        tin.flows[flow].queue.push((packet, now));
        self.forget_headers();
        self.memory += memory_of(&packet);
        let mut drops = self.filter(number, flow, now);
        self.tins[number].join(flow);
        let mut victims = victims.iter();
        while self.memory > self.memory_limit {
            let victim = victims.next().expect("memory is used up, and nothing was dropped");
            self.drop_oldest(*victim, now);
            drops.push((*victim, Cause::Overflow));
        }
        drops
    }

    fn end_idleness(&mut self, now: u64) {
        if self.next_packet < now {
            (self.next_packet, self.failsafe) = (now, now);
        } else if self.next_packet > now && self.failsafe > now {
            self.overlimits += 1;
        }
    }

    fn filter(&mut self, number: usize, flow: usize, now: Time) -> Drops {
        let aggressive = match self.spec.ack_filter {
            AckFilter::Off => return vec![],
            filter => filter == AckFilter::Aggressive,
        };
        let tin = &mut self.tins[number];
        let queue = &mut tin.flows[flow].queue;
        let headers: Vec<_> =
            queue.iter().map(|(packet, _)| packet.queued(packet.flow_hash(self.salt))).collect();
        let Some(place) = ack_filter::dropped(&headers, aggressive) else { return vec![] };
        let (gone, _) = queue.remove(place);
        tin.ack_drops += 1;
        self.memory -= memory_of(&gone);
        if self.spec.ingress {
            self.advance(number, &gone, false, now);
        }
        vec![(gone.id, Cause::Superseded)]
    }

    /// `cake_drop`.
    fn drop_oldest(&mut self, victim: u32, now: Time) {
        let most = self.tins.iter().flat_map(|tin| &tin.flows).map(Queue::bytes).max();
        let begins_with = |flow: &Queue| flow.queue.first().is_some_and(|it| it.0.id == victim);
        let (number, tin) = (self.tins.iter_mut().enumerate())
            .find(|(_, tin)| tin.flows.iter().any(begins_with))
            .expect("the oldest packet of a flow was dropped");
        let flow = tin.flows.iter_mut().find(|flow| begins_with(flow)).expect("it was found");
        assert_eq!(Some(flow.bytes()), most, "a flow had more bytes");
        let (gone, _) = flow.queue.remove(0);
        tin.cobalt.on_overflow(&mut flow.state, 1, now);
        tin.drops += 1;
        self.memory -= memory_of(&gone);
        if self.spec.ingress {
            self.advance(number, &gone, false, now);
        }
    }

    /// `cake_advance_shaper`.
    fn advance(&mut self, number: usize, packet: &Parcel, sent: bool, now: Time) {
        let rate = self.rate();
        if rate == 0 {
            return;
        }
        let (tin, now) = (&mut self.tins[number], now.as_nanos());
        let (in_tin, in_all) = (time_of(packet.len, tin.rate), time_of(packet.len, rate));
        if tin.next_packet < now {
            tin.next_packet += in_tin;
        } else if tin.next_packet < now + in_tin {
            tin.next_packet = now + in_tin;
        }
        self.next_packet += in_all;
        if sent {
            self.failsafe += in_all + in_all / 2;
        }
    }

    /// The choice of a tin in `cake_dequeue`; packets wait.
    fn choose_tin(&mut self, now: Time) -> usize {
        if self.rate() == 0 {
            while self.tins[self.current].deficit < 0 || !self.tins[self.current].is_active() {
                let tin = &mut self.tins[self.current];
                if tin.deficit <= 0 {
                    tin.deficit += tin.weight;
                }
                self.current = (self.current + 1) % self.tins.len();
            }
            return self.current;
        }
        let mut best = i128::MAX;
        for (number, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active()) {
            let ahead = i128::from(tin.next_packet) - i128::from(now.as_nanos());
            if ahead <= 0 || ahead <= best {
                (best, self.current) = (ahead, number);
            }
        }
        self.current
    }

    /// `cake_dequeue`.
    pub(super) fn dequeue(&mut self, now: Time) -> (Outcome, Drops) {
        let (mut drops, mut first_flow) = (vec![], true);
        'begin: loop {
            if self.packets() == 0 {
                return (Outcome::Empty, drops);
            }
            if self.next_packet > now.as_nanos() && self.failsafe > now.as_nanos() {
                self.overlimits += 1;
                return (Outcome::NotBefore(self.next_packet.min(self.failsafe)), drops);
            }
            let number = self.choose_tin(now);
            loop {
                let tin = &mut self.tins[number];
                let Some(flow) = tin.first(first_flow) else { continue 'begin };
                first_flow = false;
                if tin.flows[flow].deficit <= 0 {
                    tin.end_turn(flow);
                    continue;
                }
                match self.take_turn(number, flow, now, &mut drops) {
                    Turn::Ends(outcome) => return (outcome, drops),
                    Turn::Empty => continue 'begin,
                    Turn::Retry => {}
                }
            }
        }
    }

    /// The loop headed "Retrieve a packet via the AQM" in `cake_dequeue`.
    fn take_turn(&mut self, number: usize, flow: usize, now: Time, drops: &mut Drops) -> Turn {
        loop {
            let tin = &mut self.tins[number];
            if tin.flows[flow].queue.is_empty() {
                tin.come_to_rest(flow, now);
                return Turn::Empty;
            }
            let (mut packet, arrived) = tin.flows[flow].queue.remove(0);
            self.memory -= memory_of(&packet);
            let guarded = if self.spec.ingress { tin.count(&[Set::Bulk]) } else { 0 };
            let verdict = tin.judge(flow, &packet, arrived, guarded, now);
            let drops_it = verdict.drops(packet.ecn.is_capable());
            if !drops_it || self.spec.ingress {
                tin.flows[flow].deficit -= i64::from(packet.len);
                tin.deficit -= i64::from(packet.len);
                self.advance(number, &packet, !drops_it, now);
            }
            let tin = &mut self.tins[number];
            if drops_it {
                tin.drops += 1;
                drops.push((packet.id, Cause::Congestion));
                if self.spec.ingress {
                    return Turn::Retry;
                }
                continue;
            }
            if verdict == Verdict::Signal {
                packet.set_ce();
                tin.marks += 1;
            }
            return Turn::Ends(Outcome::Sent { id: packet.id, ecn: packet.ecn });
        }
    }
}

/// The nanoseconds that these bytes take at this number of bytes per second (`cake_set_rate`).
pub(super) fn time_of(bytes: u32, rate: u64) -> u64 {
    if rate == 0 {
        return 0;
    }
    let (mut factor, mut shift) = ((1_000_000_000_u64 << 34) / rate.max(64), 34);
    while factor >= 1 << 34 {
        (factor, shift) = (factor / 2, shift - 1);
    }
    (u64::from(bytes) * factor) >> shift
}

/// The `truesize` of a packet in one piece.
fn memory_of(packet: &Parcel) -> u64 {
    256 + u64::from((packet.len + 384).next_power_of_two().max(512))
}
