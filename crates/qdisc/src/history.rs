//! Random histories of a queue, and the laws that every discipline must keep under any of them.
//! For property tests and fuzzers; behind the feature `history`.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use units::{Bytes, Span, Time};

use crate::{
    Backlog, Cause, Dequeued, Dscp, Ecn, Flow, Headers, Hosts, IpLens, Packet, Qdisc, SackBlocks,
    Signals, TcpHeader, Timestamps,
};

/// An event of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// This much time passes.
    Pass(Span),
    /// A packet arrives.
    Arrive {
        /// The length of the packet.
        len: Bytes,
        /// The flow of the packet.
        flow: u8,
        /// The ECN field of the packet.
        ecn: Ecn,
        /// The number of packets on the wire that the packet stands for.
        packets: u64,
    },
    /// The link asks for a packet.
    Depart,
}

impl Operation {
    /// The history that a fuzzer's bytes encode, three bytes for each operation.
    pub fn history(bytes: &[u8]) -> Vec<Self> {
        bytes
            .chunks_exact(3)
            .map(|three| Self::from_bytes([three[0], three[1], three[2]]))
            .collect()
    }

    /// The operation that three bytes encode: two bits of kind, the rest quantity. All bytes are
    /// valid.
    pub fn from_bytes([kind, high, low]: [u8; 3]) -> Self {
        let quantity = u64::from(u16::from_be_bytes([high, low]));
        match kind & 3 {
            // Mostly microseconds; sometimes milliseconds, up to a minute.
            0 if kind >> 2 == 0 => Self::Pass(Span::from_millis(quantity)),
            0 => Self::Pass(Span::from_micros(quantity)),
            1 | 2 => Self::Arrive {
                len: Bytes(1 + quantity % 1514),
                flow: kind >> 5,
                ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][usize::from(kind >> 3 & 3)],
                packets: if kind & 4 == 0 { 1 } else { 1 + quantity % 8 },
            },
            _ => Self::Depart,
        }
    }
}

/// A packet that can be told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The number of the packet in the order of arrivals.
    pub id: u64,
    /// The flow of the packet.
    pub flow: u8,
    /// The length of the packet.
    pub len: Bytes,
    /// The ECN field of the packet.
    pub ecn: Ecn,
    /// The number of packets on the wire that the packet stands for.
    pub packets: u64,
    /// True if the packet was marked although its ECN field said that the transport does not
    /// understand ECN.
    pub wrongly_marked: bool,
}

impl Packet for Probe {
    type Store = ();

    fn len(&self) -> Bytes {
        self.len
    }

    fn packets(&self) -> u64 {
        self.packets
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ce(&mut self) {
        self.wrongly_marked |= !self.ecn.is_capable();
        self.ecn = Ecn::Ce;
    }
}

impl Flow for Probe {
    fn flow_hash(&self, salt: u64) -> u32 {
        // Fibonacci hashing: the high half of a product with 2^64 / phi.
        ((salt ^ u64::from(self.flow)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }
}

/// The headers follow from flow and number: flows of several hosts and code points, some of which
/// are acknowledgements.
impl Headers for Probe {
    fn dscp(&self) -> Dscp {
        const OF_FLOWS: [u8; 8] = [0, 8, 46, 0, 34, 1, 56, 18];
        Dscp::from_bits(OF_FLOWS[usize::from(self.flow % 8)])
    }

    fn hosts(&self, _store: &()) -> Hosts {
        Hosts { source: u64::from(self.flow / 2), destination: 100 + u64::from(self.flow % 2) }
    }

    fn ip_lens(&self, _store: &()) -> IpLens {
        IpLens::of_one(Bytes(self.len.0 / self.packets))
    }

    fn mark(&self, _store: &()) -> u32 {
        u32::from(self.flow % 3) << 4
    }

    /// Flows 2 and 3, modulo 4, acknowledge in their turn; 3 has what ECN, SACK and timestamps add.
    fn tcp(&self, _store: &()) -> Option<TcpHeader> {
        let number = self.id as u32 / 4 * 1000;
        let plain = TcpHeader { flags: 0x10, ack: number, ..TcpHeader::default() };
        match self.flow % 4 {
            2 => Some(plain),
            3 => {
                let mut sack = SackBlocks::default();
                (1..=self.id as u32 % 4).for_each(|gap| {
                    sack.push(
                        number.wrapping_add(2000 * gap),
                        number.wrapping_add(2000 * gap + 1000),
                    );
                });
                let flags = plain.flags | if self.id & 64 == 0 { 0 } else { 0x40 };
                let timestamps = Some(Timestamps { value: self.id as u32 / 8, echo: 1 });
                Some(TcpHeader { flags, sack, timestamps, ..plain })
            }
            _ => None,
        }
    }
}

/// The fates of the packets of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    /// Packets that were sent, in order, each with the time.
    pub sent: Vec<(Time, Probe)>,
    /// Packets that were dropped, each with time and cause.
    pub dropped: Vec<(Time, Probe, Cause)>,
    /// Packets that were marked, each with time and cause.
    pub marked: Vec<(Time, Probe, Cause)>,
}

impl Signals<Probe> for Fates {
    fn dropped(&mut self, packet: Probe, cause: Cause, now: Time) {
        self.dropped.push((now, packet, cause));
    }

    fn marked(&mut self, packet: &Probe, cause: Cause, now: Time) {
        self.marked.push((now, *packet, cause));
    }

    fn store(&self) -> &() {
        &()
    }
}

/// Runs the history, empties the queue, and checks the laws:
///
/// - packets and bytes are conserved: each packet that came in has gone out, was dropped, or waits,
///   exactly once;
/// - the packets of a flow keep their order;
/// - a packet that is not ECN-capable is never marked;
/// - the queue is work conserving: while a packet waits, a packet comes out or all are dropped;
/// - `NotBefore` lies in the future, and comes only while a packet waits;
/// - a sojourn is the time between arrival and departure.
///
/// # Errors
/// If a law is broken: the first one, in words.
pub fn run<Q: Qdisc<Probe>>(queue: &mut Q, history: &[Operation]) -> Result<Fates, String> {
    let mut runner = Runner::new(queue);
    runner.operate(history)?;
    runner.finish()?;
    runner.keep_order()?;
    Ok(runner.outcome)
}

/// Runs the parts of a history, before each of which but the first the queue changes its settings
/// to those of another. Checks the laws as [`run`] does, but for the order of a flow's packets,
/// which a change may divide among queues.
///
/// # Errors
/// If a law is broken: the first one, in words.
pub fn run_changing<'a, Q: Qdisc<Probe>>(
    queue: &mut Q,
    first: &[Operation],
    rest: impl IntoIterator<Item = (Q, &'a [Operation])>,
) -> Result<Fates, String> {
    let mut runner = Runner::new(queue);
    runner.operate(first)?;
    for (like, operations) in rest {
        // A queue that refuses to change goes on as it is.
        let _refused = runner.queue.change(like, runner.now, &mut runner.outcome);
        runner.conserve()?;
        runner.operate(operations)?;
    }
    runner.finish()?;
    Ok(runner.outcome)
}

struct Runner<'a, Q> {
    queue: &'a mut Q,
    now: Time,
    arrived: Vec<(Time, Probe)>,
    outcome: Fates,
    came: Backlog,
    gone: Backlog,
    /// The numbers of sent and of dropped packets that are included in `gone`.
    counted: (usize, usize),
}

impl<'a, Q: Qdisc<Probe>> Runner<'a, Q> {
    fn new(queue: &'a mut Q) -> Self {
        Self {
            queue,
            now: Time::ZERO,
            arrived: vec![],
            outcome: Fates::default(),
            came: Backlog::default(),
            gone: Backlog::default(),
            counted: (0, 0),
        }
    }

    fn operate(&mut self, operations: &[Operation]) -> Result<(), String> {
        for operation in operations {
            match *operation {
                Operation::Pass(span) => self.now += span,
                Operation::Arrive { len, flow, ecn, packets } => {
                    let id = self.arrived.len() as u64;
                    self.arrive(Probe { id, flow, len, ecn, packets, wrongly_marked: false })?;
                }
                Operation::Depart => drop(self.depart()?),
            }
        }
        Ok(())
    }

    /// Empties the queue, and checks that each packet met one fate.
    fn finish(&mut self) -> Result<(), String> {
        while self.depart()? {
            self.now += Span::from_micros(100);
        }
        self.settle()
    }

    fn arrive(&mut self, packet: Probe) -> Result<(), String> {
        self.arrived.push((self.now, packet));
        self.came += Backlog::of(&packet);
        self.queue.enqueue(packet, self.now, &mut self.outcome);
        self.conserve()
    }

    /// Takes the next packet out of the queue; returns false if the queue is empty.
    fn depart(&mut self) -> Result<bool, String> {
        let before = self.queue.backlog();
        let drops = self.outcome.dropped.len();
        match self.queue.dequeue(self.now, &mut self.outcome) {
            Dequeued::Packet { packet, sojourn } => {
                let waited = self.now.since(self.arrived[packet.id as usize].0);
                if sojourn != waited {
                    return Err(format!("{packet:?} waited {waited}, not {sojourn}"));
                }
                self.outcome.sent.push((self.now, packet));
                self.conserve()?;
                Ok(true)
            }
            Dequeued::NotBefore(time) => {
                if time <= self.now || before.packets == 0 {
                    return Err(format!("NotBefore({time:?}) at {:?} with {before:?}", self.now));
                }
                self.now = time;
                Ok(true)
            }
            Dequeued::Empty => {
                let dropped = self.outcome.dropped[drops..].iter().map(|(_, p, _)| p.packets);
                let dropped = dropped.sum::<u64>();
                if dropped != before.packets {
                    return Err(format!("{before:?} waited, yet nothing came out"));
                }
                self.conserve()?;
                Ok(false)
            }
        }
    }

    /// Checks that each packet that came in went out, was dropped, or waits.
    fn conserve(&mut self) -> Result<(), String> {
        let Fates { sent, dropped, .. } = &self.outcome;
        let (sent_before, dropped_before) = self.counted;
        sent[sent_before..].iter().for_each(|(_, packet)| self.gone += Backlog::of(packet));
        dropped[dropped_before..].iter().for_each(|(_, p, _)| self.gone += Backlog::of(p));
        self.counted = (sent.len(), dropped.len());
        let (came, gone, waits) = (self.came, self.gone, self.queue.backlog());
        let mut all = gone;
        all += waits;
        if came == all { Ok(()) } else { Err(format!("{came:?} = {gone:?} + {waits:?} is wrong")) }
    }

    fn settle(&self) -> Result<(), String> {
        if self.queue.backlog() != Backlog::default() {
            return Err(format!("empty, and yet {:?}", self.queue.backlog()));
        }
        let Fates { sent, dropped, .. } = &self.outcome;
        let mut fates = vec![0_u32; self.arrived.len()];
        for packet in sent.iter().map(|(_, p)| p).chain(dropped.iter().map(|(_, p, _)| p)) {
            fates[packet.id as usize] += 1;
            let (_, original) = self.arrived[packet.id as usize];
            let same = |packet: &Probe| (packet.len, packet.packets, packet.flow);
            if packet.wrongly_marked || same(packet) != same(&original) {
                return Err(format!("{original:?} came out as {packet:?}"));
            }
        }
        if let Some(id) = fates.iter().position(|fates| *fates != 1) {
            return Err(format!("packet {id} met {} fates", fates[id]));
        }
        Ok(())
    }

    /// Checks that the packets of a flow were sent in their order.
    fn keep_order(&self) -> Result<(), String> {
        let mut last = BTreeMap::new();
        for (_, packet) in &self.outcome.sent {
            if last.insert(packet.flow, packet.id).is_some_and(|earlier| earlier >= packet.id) {
                return Err(format!("{packet:?} overtook its flow"));
            }
        }
        Ok(())
    }
}
