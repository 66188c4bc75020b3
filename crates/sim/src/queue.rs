//! The queues of a run: those that the scenario names, and those of the caller.

mod discipline;

use qdisc::aqm::{Aqm, Arrival, Departure, Verdict};
use qdisc::{
    AnyQdisc, Backlog, ChangeError, Dequeued, Fifo, Limit, Qdisc, QdiscSpec, Shaping, Signals,
};
use scenario::Scenario;
use units::{Bytes, DirectionId, Rate, Span, Time};

use self::discipline::Scheduled;
pub use self::discipline::{Action, Choice, ForeignDiscipline, QueuedPacket};
use crate::packet::SimPacket;

/// An algorithm of the caller for one queue: it judges packets, and the simulator carries out the
/// verdicts.
pub trait ForeignAqm {
    /// Judges a packet that arrives.
    fn on_enqueue(&mut self, _arrival: &Arrival) -> Verdict {
        Verdict::Pass
    }

    /// Judges a packet that leaves. After a drop the next packet is judged in the same way.
    fn on_dequeue(&mut self, _departure: &Departure) -> Verdict {
        Verdict::Pass
    }
}

/// A queue of the caller, in place of a queue of the scenario.
pub struct ForeignQueue {
    /// The direction whose queue is replaced.
    pub direction: DirectionId,
    /// The name of the queue in the result.
    pub name: String,
    /// The part that is the caller's.
    pub kind: ForeignKind,
}

/// The part of a queue that is the caller's.
pub enum ForeignKind {
    /// An algorithm over a FIFO.
    Aqm {
        /// The limits of the FIFO. It drops arrivals beyond them.
        limit: Limit,
        /// The algorithm.
        aqm: Box<dyn ForeignAqm + Send>,
    },
    /// A whole queue discipline.
    Discipline(Box<dyn ForeignDiscipline + Send>),
}

impl ForeignQueue {
    /// Checks that the scenario has the direction, and does not change the settings of its queue: a
    /// foreign queue has none.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub(crate) fn check(&self, scenario: &Scenario) -> Result<(), String> {
        if self.direction.link() >= scenario.links.len() {
            return Err(format!("the queue {} has no link in the scenario", self.name));
        }
        let changes = scenario.changes.iter().filter(|change| change.queue.is_some());
        let mut changes = changes.filter(|change| change.direction == self.direction);
        changes.next().map_or(Ok(()), |change| {
            Err(format!(
                "the scenario changes the queue of {} at {}, but the queue {} replaces it and has \
                 no settings to change; remove the change",
                scenario.direction_name(self.direction),
                change.at,
                self.name
            ))
        })
    }
}

/// The queue of a direction. The packet path of a listed queue is that of [`AnyQdisc`]; only that of a
/// foreign one goes through pointers.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a listed queue is read without a pointer")]
pub(crate) enum Queue {
    Listed(AnyQdisc<SimPacket>),
    Foreign(Box<Foreign>),
}

/// The queue of a [`ForeignQueue`].
#[derive(Debug)]
pub(crate) struct Foreign {
    name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Judged(Fifo<SimPacket, Controller>),
    Scheduled(Scheduled),
}

impl Queue {
    /// The empty queue of the caller.
    pub(crate) fn foreign(queue: ForeignQueue) -> Self {
        let ForeignQueue { name, kind, .. } = queue;
        let kind = match kind {
            ForeignKind::Aqm { limit, aqm } => Kind::Judged(Fifo::new(limit, Controller(aqm))),
            ForeignKind::Discipline(discipline) => Kind::Scheduled(Scheduled::new(discipline)),
        };
        Self::Foreign(Box::new(Foreign { name, kind }))
    }

    /// The name in the result: that of the caller, or the initial settings of a listed queue.
    pub(crate) fn name(&self, spec: &QdiscSpec) -> String {
        match self {
            Self::Listed(_) => spec.to_string(),
            Self::Foreign(foreign) => foreign.name.clone(),
        }
    }

    /// True if the queue is a discipline of the caller, which alone knows whom it would send next. How
    /// long a packet of another flow would wait in it is not known.
    pub(crate) const fn hides_waits(&self) -> bool {
        matches!(self, Self::Foreign(foreign) if matches!(foreign.kind, Kind::Scheduled(_)))
    }

    /// The queue, if it is one that the scenario names.
    pub(crate) fn listed(&self) -> Option<&AnyQdisc<SimPacket>> {
        match self {
            Self::Listed(queue) => Some(queue),
            Self::Foreign(_) => None,
        }
    }
}

impl Qdisc<SimPacket> for Queue {
    #[inline]
    fn enqueue(&mut self, packet: SimPacket, now: Time, out: &mut dyn Signals<SimPacket>) {
        match self {
            Self::Listed(queue) => queue.enqueue(packet, now, out),
            Self::Foreign(foreign) => foreign.kind.enqueue(packet, now, out),
        }
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<SimPacket>) -> Dequeued<SimPacket> {
        match self {
            Self::Listed(queue) => queue.dequeue(now, out),
            Self::Foreign(foreign) => foreign.kind.dequeue(now, out),
        }
    }

    #[inline]
    fn bypass(&self) -> Limit {
        match self {
            Self::Listed(queue) => queue.bypass(),
            Self::Foreign(_) => Limit::NONE,
        }
    }

    fn is_tail_drop_fifo(&self) -> bool {
        self.listed().is_some_and(Qdisc::is_tail_drop_fifo)
    }

    fn change(
        &mut self,
        like: Self,
        now: Time,
        out: &mut dyn Signals<SimPacket>,
    ) -> Result<(), ChangeError> {
        match (self, like) {
            (Self::Listed(queue), Self::Listed(like)) => queue.change(like, now, out),
            _ => Err(ChangeError::Fixed),
        }
    }

    fn change_rate(&mut self, rate: Rate) -> bool {
        match self {
            Self::Listed(queue) => queue.change_rate(rate),
            Self::Foreign(_) => false,
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        match self {
            Self::Listed(queue) => queue.backlog(),
            Self::Foreign(foreign) => foreign.kind.backlog(),
        }
    }

    fn ahead_of_new_flow(&self) -> Bytes {
        match self {
            Self::Listed(queue) => queue.ahead_of_new_flow(),
            Self::Foreign(foreign) => foreign.kind.backlog().bytes,
        }
    }

    fn shaping(&self) -> Option<Shaping> {
        self.listed().and_then(AnyQdisc::shaping)
    }

    fn hold_of_new_flow(&self, now: Time) -> Span {
        self.listed().map_or(Span::ZERO, |queue| queue.hold_of_new_flow(now))
    }

    fn observes_idle(&self) -> bool {
        match self {
            Self::Listed(queue) => queue.observes_idle(),
            // A discipline of the caller may take notice, as fair queueing does.
            Self::Foreign(foreign) => matches!(foreign.kind, Kind::Scheduled(_)),
        }
    }
}

impl Kind {
    #[cold]
    fn enqueue(&mut self, packet: SimPacket, now: Time, out: &mut dyn Signals<SimPacket>) {
        match self {
            Self::Judged(fifo) => fifo.enqueue(packet, now, out),
            Self::Scheduled(scheduled) => scheduled.enqueue(packet, now, out),
        }
    }

    #[cold]
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<SimPacket>) -> Dequeued<SimPacket> {
        match self {
            Self::Judged(fifo) => fifo.dequeue(now, out),
            Self::Scheduled(scheduled) => scheduled.dequeue(now, out),
        }
    }

    #[cold]
    fn backlog(&self) -> Backlog {
        match self {
            Self::Judged(fifo) => fifo.backlog(),
            Self::Scheduled(scheduled) => scheduled.backlog(),
        }
    }
}

/// The caller's algorithm as a controller of a queue.
struct Controller(Box<dyn ForeignAqm + Send>);

impl std::fmt::Debug for Controller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Controller")
    }
}

impl Aqm for Controller {
    type State = ();

    /// True: whether to mark is the caller's choice of a verdict.
    fn ecn(&self) -> bool {
        true
    }

    fn on_enqueue(&mut self, (): &mut (), arrival: &Arrival) -> Verdict {
        self.0.on_enqueue(arrival)
    }

    fn on_dequeue(&mut self, (): &mut (), departure: &Departure) -> Verdict {
        self.0.on_dequeue(departure)
    }
}
