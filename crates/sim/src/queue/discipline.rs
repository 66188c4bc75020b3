//! Whole queue disciplines of the caller.

use std::collections::BTreeMap;
use std::fmt;

use qdisc::{Backlog, Cause, Dequeued, Dscp, Headers, Packet, Signals};
use units::{Bytes, Time};

use crate::packet::SimPacket;

/// A queue discipline of the caller. The simulator keeps the packets, and the discipline decides
/// about them by their numbers.
pub trait ForeignDiscipline {
    /// Takes notice of a packet that arrives. The packet waits from now on, unless an action drops
    /// it.
    fn enqueue(&mut self, packet: QueuedPacket, now: Time, actions: &mut Vec<Action>);

    /// Chooses what happens next, when the link is free; also if no packet waits. Actions come
    /// first.
    fn dequeue(&mut self, now: Time, actions: &mut Vec<Action>) -> Choice;
}

/// A packet, as a discipline sees it when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedPacket {
    /// The number of the packet in this queue, which no other has.
    pub number: u64,
    /// The length as the queue counts it: with the link's overhead.
    pub len: Bytes,
    /// The number of its flow, in the order of [`flow_names`](scenario::Scenario::flow_names).
    pub flow: u32,
    /// The number of its connection within the flow.
    pub connection: u16,
    /// Its code point.
    pub dscp: Dscp,
    /// True if the packet can be marked.
    pub ecn_capable: bool,
}

/// The action of a discipline on a waiting packet, which it names by its number. A number that no
/// waiting packet has changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Drops the packet, for this reason.
    Drop(u64, Cause),
    /// Marks the packet if it is ECN-capable.
    Mark(u64),
}

/// The answer of a discipline that is asked for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The waiting packet with this number.
    Packet(u64),
    /// No packet before this time, which lies in the future.
    NotBefore(Time),
    /// No packet until the next one arrives.
    Nothing,
}

/// The queue of a [`ForeignDiscipline`].
pub(super) struct Scheduled {
    discipline: Box<dyn ForeignDiscipline + Send>,
    waiting: BTreeMap<u64, Waiting>,
    backlog: Backlog,
    /// The number of the next packet.
    next: u64,
    /// The actions of one call.
    actions: Vec<Action>,
}

struct Waiting {
    packet: SimPacket,
    since: Time,
}

impl fmt::Debug for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduled").field("backlog", &self.backlog).finish_non_exhaustive()
    }
}

impl Scheduled {
    /// The empty queue of this discipline.
    pub(super) fn new(discipline: Box<dyn ForeignDiscipline + Send>) -> Self {
        let (waiting, backlog, next, actions) = Default::default();
        Self { discipline, waiting, backlog, next, actions }
    }

    pub(super) fn enqueue(
        &mut self,
        packet: SimPacket,
        now: Time,
        out: &mut dyn Signals<SimPacket>,
    ) {
        let number = self.next;
        self.next += 1;
        self.backlog += Backlog::of(&packet);
        self.waiting.insert(number, Waiting { packet, since: now });
        let seen = QueuedPacket {
            number,
            len: packet.len(),
            flow: packet.flow,
            connection: packet.channel,
            dscp: packet.dscp(),
            ecn_capable: packet.ecn().is_capable(),
        };
        self.discipline.enqueue(seen, now, &mut self.actions);
        self.act(now, out);
    }

    pub(super) fn dequeue(
        &mut self,
        now: Time,
        out: &mut dyn Signals<SimPacket>,
    ) -> Dequeued<SimPacket> {
        let choice = self.discipline.dequeue(now, &mut self.actions);
        self.act(now, out);
        match choice {
            Choice::Packet(number) => self.take(number).map_or(Dequeued::Empty, |waiting| {
                let Waiting { packet, since } = waiting;
                Dequeued::Packet { packet, sojourn: now.since(since) }
            }),
            Choice::NotBefore(_) if self.waiting.is_empty() => Dequeued::Empty,
            Choice::NotBefore(time) => Dequeued::NotBefore(time),
            Choice::Nothing => Dequeued::Empty,
        }
    }

    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn take(&mut self, number: u64) -> Option<Waiting> {
        let waiting = self.waiting.remove(&number)?;
        self.backlog -= Backlog::of(&waiting.packet);
        Some(waiting)
    }

    /// Carries out the actions of a call.
    fn act(&mut self, now: Time, out: &mut dyn Signals<SimPacket>) {
        let mut actions = std::mem::take(&mut self.actions);
        for action in actions.drain(..) {
            match action {
                Action::Drop(number, cause) => {
                    if let Some(waiting) = self.take(number) {
                        out.dropped(waiting.packet, cause, now);
                    }
                }
                Action::Mark(number) => self.mark(number, now, out),
            }
        }
        self.actions = actions;
    }

    fn mark(&mut self, number: u64, now: Time, out: &mut dyn Signals<SimPacket>) {
        let waiting = self.waiting.get_mut(&number);
        if let Some(Waiting { packet, .. }) = waiting.filter(|it| it.packet.ecn().is_capable()) {
            packet.set_ce();
            out.marked(packet, Cause::Congestion, now);
        }
    }
}
