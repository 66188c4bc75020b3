//! The queues that a shaper can hold: any of the listed disciplines, or one from outside.

use std::fmt;

use live::QueuedPacket;
use qdisc::{AnyQdisc, Backlog, LinkInfo, Qdisc, QdiscSpec, Statistics, Tally};
use tc::{ListedQdisc, Other, Own};
use units::{Rate, Rng, Time};

/// The settings of a queue, from which a shaper makes the queue and shows it. The text of it
/// ([`Display`](fmt::Display)) is what people read as the queue's name and settings.
pub trait Factory: Clone + fmt::Debug + fmt::Display + PartialEq {
    /// The queue itself.
    type Queue: Qdisc<QueuedPacket> + fmt::Debug;

    /// An empty queue with these settings. All its randomness comes from `rng`.
    fn build(&self, link: LinkInfo, rng: Rng) -> Self::Queue;

    /// The queue as tc would print it.
    fn listed(&self, shown: &Shown<'_, Self::Queue>) -> ListedQdisc;

    /// The rate of the queue's own shaper; `None` if it has none.
    fn rate(&self) -> Option<Rate> {
        None
    }

    /// The same settings with another rate of the queue's own shaper; `None` if it has none.
    fn with_rate(&self, _rate: Rate) -> Option<Self> {
        None
    }

    /// The settings after a change in the words of `tc qdisc change`.
    ///
    /// # Errors
    /// If the text is not of such a queue, or if the queue cannot change so while it works.
    fn changed(&self, _text: &str) -> Result<Self, String> {
        Err("this queue cannot change while it works".into())
    }

    /// True if the queue wants to know hosts behind a translation of addresses.
    fn asks_for_translation(&self) -> bool {
        false
    }
}

/// A queue at work, and its counts.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, Q> {
    /// The name of the interface.
    pub interface: &'a str,
    /// The place of the direction, from 0.
    pub index: usize,
    /// The queue.
    pub queue: &'a Q,
    /// The counts since the beginning.
    pub tally: Tally,
    /// The packets and bytes that wait.
    pub backlog: Backlog,
    /// The time.
    pub now: Time,
}

impl Factory for QdiscSpec {
    type Queue = AnyQdisc<QueuedPacket>;

    fn build(&self, link: LinkInfo, rng: Rng) -> Self::Queue {
        self.build(link, rng)
    }

    fn listed(&self, shown: &Shown<'_, Self::Queue>) -> ListedQdisc {
        let Shown { interface: dev, index, queue, tally, backlog, now } = *shown;
        let statistics = Statistics { tally, backlog, stats: queue.stats(now) };
        Own { dev, index, spec: self, statistics: &statistics }.listed()
    }

    fn rate(&self) -> Option<Rate> {
        match self {
            Self::Cake(cake) => cake.bandwidth,
            _ => None,
        }
    }

    fn with_rate(&self, rate: Rate) -> Option<Self> {
        match self {
            Self::Cake(cake) => {
                let mut cake = cake.clone();
                // As in tc, naming a rate ends `autorate-ingress`.
                cake.autorate_ingress = false;
                cake.bandwidth.replace(rate).map(|_| Self::Cake(cake))
            }
            _ => None,
        }
    }

    fn changed(&self, text: &str) -> Result<Self, String> {
        let changed = self.changed(text).map_err(|error| error.to_string())?;
        check(&changed).map(|()| changed)
    }

    fn asks_for_translation(&self) -> bool {
        matches!(self, Self::Cake(cake) if cake.nat)
    }
}

/// Checks that a listed queue needs nothing that is not known of packets here.
///
/// # Errors
/// The setting that needs it.
pub(crate) fn check(queue: &QdiscSpec) -> Result<(), String> {
    match queue {
        QdiscSpec::Cake(cake) if cake.fwmark != 0 => {
            Err("`fwmark` has no effect here: the marks of packets do not leave the kernel; leave \
                 it out"
                .into())
        }
        _ => Ok(()),
    }
}

/// A queue that is not in the list: a name, and the function that makes the queue.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<Q> {
    name: &'static str,
    build: fn(LinkInfo, Rng) -> Q,
}

impl<Q> Foreign<Q> {
    /// A queue that this function makes, under a name without white space.
    pub const fn new(name: &'static str, build: fn(LinkInfo, Rng) -> Q) -> Self {
        Self { name, build }
    }
}

impl<Q> PartialEq for Foreign<Q> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<Q> fmt::Display for Foreign<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<Q: Qdisc<QueuedPacket> + Clone + fmt::Debug> Factory for Foreign<Q> {
    type Queue = Q;

    fn build(&self, link: LinkInfo, rng: Rng) -> Q {
        (self.build)(link, rng)
    }

    fn listed(&self, shown: &Shown<'_, Q>) -> ListedQdisc {
        let Shown { interface: dev, index, tally, backlog, .. } = *shown;
        Other { kind: self.name, dev, index, tally: &tally, backlog }.listed()
    }
}
