//! Fair queueing in front of a controller: every flow has a queue, each queue in turn may send a
//! quantum of bytes, and a flow that had nothing waiting goes first. So a call next to an upload
//! waits for about one packet, however long the upload's own queue is; and the controller keeps
//! that queue short. When nothing more fits, packets are dropped from the queue with the most
//! bytes.
//!
//! Specification: RFC 8290 sections 3 and 4; the overflow rule of Linux (net/sched/sch_fq_codel.c).
//!
//! Deviations:
//! - RFC 8290 section 4.2 adds a quantum to credits below zero; here, as in Linux, to credits of
//!   zero or less.
//! - RFC 8290 section 4.2: a new queue found empty while there is no old one leaves the lists, as
//!   in Linux.
//! - Linux's memory limit counts kernel buffers; ours counts packet bytes, and packets are dropped
//!   until the limit holds.

use alloc::boxed::Box;

use units::{Bytes, Rng, Time};

use crate::aqm::{Aqm, Arrival};
use crate::{Backlog, Cause, ChangeError, Dequeued, Flow, Lane, Qdisc, Signals};

mod list;
mod options;
#[cfg(test)]
mod tests;

use list::{Links, List};

/// The overflow rule: the number of packets dropped from the head of the queue with the most bytes
/// when nothing more fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overflow {
    /// Half of the packets of that queue, at most [`FlowQueueParameters::drop_batch`] (RFC 8290
    /// section 4.1.3).
    #[default]
    Rfc8290,
    /// Packets until half of the bytes of that queue are gone, at most `drop_batch` (Linux).
    Linux,
}

/// The parameters of fair queueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowQueueParameters {
    /// The most packets in all queues together; 10240 (RFC 8290 section 5.2.3).
    pub limit: u64,
    /// The most bytes in all queues together; 32 MiB (Linux).
    pub memory_limit: Bytes,
    /// The number of queues that flows are hashed to, 1 to 65536; 1024 (RFC 8290 section 5.2.5).
    pub flows: u32,
    /// Bytes that a queue may send in its turn; 1514 (RFC 8290 section 5.2.4). Not zero.
    pub quantum: Bytes,
    /// The most packets dropped at once; 64 (RFC 8290 section 4.1.3). The last drop may exceed this
    /// number if it is a piece of a super-packet.
    pub drop_batch: u64,
    /// The overflow rule; RFC 8290's by default.
    pub overflow: Overflow,
}

impl Default for FlowQueueParameters {
    fn default() -> Self {
        Self {
            limit: 10_240,
            memory_limit: Bytes(32 << 20),
            flows: 1024,
            quantum: Bytes(1514),
            drop_batch: 64,
            overflow: Overflow::Rfc8290,
        }
    }
}

/// The queue of a flow, or of several flows whose hashes collide.
#[derive(Clone, Debug)]
struct Queue<P, S> {
    lane: Lane<P>,
    state: S,
    /// Bytes that the queue may still send in its turn: the RFC's credits.
    deficit: i64,
}

/// Fair queueing over the controller `A`.
#[derive(Clone, Debug)]
pub struct FlowQueue<P, A: Aqm> {
    parameters: FlowQueueParameters,
    aqm: A,
    salt: u64,
    queues: Box<[Queue<P, A::State>]>,
    links: Links,
    new: List,
    old: List,
    /// The bytes in each queue, side by side, so that the search for the fattest is fast.
    bytes: Box<[Bytes]>,
    backlog: Backlog,
    new_flow_count: u64,
}

impl<P: Flow, A: Aqm> FlowQueue<P, A> {
    /// Creates empty queues. `rng` keys the hash, so that an outsider cannot aim flows at one
    /// queue.
    pub fn new(parameters: FlowQueueParameters, aqm: A, mut rng: Rng) -> Self {
        let flows = parameters.flows.clamp(1, 1 << 16);
        let quantum = parameters.quantum.max(Bytes(1));
        let queue = |_| Queue { lane: Lane::default(), state: A::State::default(), deficit: 0 };
        Self {
            parameters: FlowQueueParameters { flows, quantum, ..parameters },
            aqm,
            salt: rng.next_u64(),
            queues: (0..flows).map(queue).collect(),
            links: Links::new(flows),
            new: List::default(),
            old: List::default(),
            bytes: (0..flows).map(|_| Bytes::ZERO).collect(),
            backlog: Backlog::default(),
            new_flow_count: 0,
        }
    }

    /// The controller of all queues.
    pub const fn aqm(&self) -> &A {
        &self.aqm
    }

    /// The number of times that a queue went from idle to the list of new ones.
    pub const fn new_flow_count(&self) -> u64 {
        self.new_flow_count
    }

    /// The numbers of queues on the list of new ones and on that of old ones.
    pub const fn listed(&self) -> (u32, u32) {
        (self.new.len(), self.old.len())
    }

    /// The queue of the packet's flow: the hash scaled to the number of queues (RFC 8290 section
    /// 4.1.1).
    fn classify(&self, packet: &P) -> u32 {
        let hash = u64::from(packet.flow_hash(self.salt));
        ((hash * u64::from(self.parameters.flows)) >> 32) as u32
    }

    #[inline]
    fn is_over_limit(&self) -> bool {
        self.backlog.packets > self.parameters.limit
            || self.backlog.bytes > self.parameters.memory_limit
    }

    /// The first of the queues with the most bytes. The search visits every queue; drops in batches
    /// make it rare.
    fn fattest(&self) -> usize {
        let mut fattest = 0;
        for (index, bytes) in self.bytes.iter().enumerate() {
            if *bytes > self.bytes[fattest] {
                fattest = index;
            }
        }
        fattest
    }

    /// Drops batches of packets until the rest fits.
    #[cold]
    #[inline(never)]
    fn drop_batches(&mut self, now: Time, out: &mut dyn Signals<P>) {
        while self.is_over_limit() && self.backlog.packets > 0 {
            self.drop_batch(now, out);
        }
    }

    /// Drops a batch of packets from the head of the fattest queue (RFC 8290 section 4.1.3).
    fn drop_batch(&mut self, now: Time, out: &mut dyn Signals<P>) {
        let FlowQueueParameters { drop_batch, overflow, .. } = self.parameters;
        let index = self.fattest();
        let queue = &mut self.queues[index];
        let before = queue.lane.backlog();
        let mut dropped = Backlog::default();
        while let Some((_, packet)) = queue.lane.pop() {
            dropped += Backlog::of(&packet);
            self.backlog -= Backlog::of(&packet);
            out.dropped(packet, Cause::Overflow, now);
            let enough = match overflow {
                Overflow::Rfc8290 => dropped.packets >= before.packets / 2,
                Overflow::Linux => dropped.bytes >= before.bytes / 2,
            };
            if enough || dropped.packets >= drop_batch {
                break;
            }
        }
        self.bytes[index] = queue.lane.backlog().bytes;
        self.aqm.on_overflow(&mut queue.state, dropped.packets, now);
    }

    /// The queue whose turn it is, and whether it is a new one; `None` if no queue is on a list
    /// (RFC 8290 section 4.2).
    fn next_turn(&mut self) -> Option<(u32, bool)> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = list.first()?;
            let queue = &mut self.queues[index as usize];
            if queue.deficit > 0 {
                return Some((index, is_new));
            }
            queue.deficit += self.parameters.quantum.0 as i64;
            list.pop(&mut self.links);
            self.old.push(index, &mut self.links);
        }
    }

    /// The bytes sent before a packet that joins a queue of mean length. The queues take turns, so
    /// each of them sends up to the mean length.
    fn ahead_in_a_mean_queue(&self, taken: u64) -> Bytes {
        let mean = Bytes(self.backlog.bytes.0 / taken.max(1));
        self.bytes.iter().fold(Bytes::ZERO, |sum, bytes| sum + (*bytes).min(mean))
    }

    /// Handles a queue whose turn it was and that had nothing to send (RFC 8290 section 4.2). A new
    /// queue becomes an old one, so that it does not come back as new after every packet; an old
    /// one leaves the lists.
    fn retire(&mut self, index: u32, was_new: bool) {
        let list = if was_new { &mut self.new } else { &mut self.old };
        list.pop(&mut self.links);
        if was_new && !self.old.is_empty() {
            self.old.push(index, &mut self.links);
        }
    }
}

impl<P: Flow, A: Aqm> Qdisc<P> for FlowQueue<P, A> {
    #[inline(always)]
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
        let index = self.classify(&packet);
        let queue = &mut self.queues[index as usize];
        let more = Backlog::of(&packet);
        let arrival = Arrival::of(&packet, queue.lane.backlog(), now);
        let verdict = self.aqm.on_enqueue(&mut queue.state, &arrival);
        let Some(packet) = verdict.apply(packet, self.aqm.ecn(), now, out) else { return };
        queue.lane.push(packet, now);
        self.bytes[index as usize] += more.bytes;
        self.backlog += more;
        if !self.links.contains(index) {
            queue.deficit = self.parameters.quantum.0 as i64;
            self.new.push(index, &mut self.links);
            self.new_flow_count += 1;
        }
        if self.is_over_limit() {
            self.drop_batches(now, out);
        }
    }

    #[inline(always)]
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P> {
        while let Some((index, is_new)) = self.next_turn() {
            let queue = &mut self.queues[index as usize];
            let popped =
                queue.lane.pop_under(&mut self.aqm, &mut queue.state, &mut self.backlog, now, out);
            self.bytes[index as usize] = queue.lane.backlog().bytes;
            if let Some((packet, sojourn)) = popped {
                queue.deficit -= packet.len().0 as i64;
                return Dequeued::Packet { packet, sojourn };
            }
            self.retire(index, is_new);
        }
        Dequeued::Empty
    }

    /// Drops, while there are more packets than fit, the one that would be sent next, as
    /// `fq_codel_change` of Linux does (net/sched/sch_fq_codel.c). A packet that the controller
    /// drops on the way is reported as the controller's.
    #[cold]
    #[inline(never)]
    fn change(
        &mut self,
        like: Self,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Result<(), ChangeError> {
        if like.parameters.flows != self.parameters.flows {
            return Err(ChangeError::Flows);
        }
        self.aqm.change(like.aqm)?;
        self.parameters = like.parameters;
        while self.is_over_limit()
            && let Dequeued::Packet { packet, .. } = self.dequeue(now, out)
        {
            out.dropped(packet, Cause::Discarded, now);
        }
        Ok(())
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// A new flow joins the end of the list of new queues (RFC 8290 section 4.2). Each of the
    /// queues on that list first sends the rest of its quantum; the old queues wait. If more than
    /// half of the queues are taken, a new flow most likely shares one.
    fn ahead_of_new_flow(&self) -> Bytes {
        let taken = u64::from(self.new.len()) + u64::from(self.old.len());
        if 2 * taken > u64::from(self.parameters.flows) {
            return self.ahead_in_a_mean_queue(taken);
        }
        self.new.iter(&self.links).fold(Bytes::ZERO, |sum, index| {
            let queue = &self.queues[index as usize];
            sum + queue.lane.bytes_for(Bytes(queue.deficit.max(0) as u64))
        })
    }
}
