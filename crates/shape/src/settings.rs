//! The settings of a shaper.

use autorate::{Both, Limits};
use follow::Source;
use link::{Capacity, Framing, Wire};
use live::{LinkLayer, packets_of_a_slice};
use qdisc::{LinkInfo, QdiscSpec};
use units::{Bytes, PerWay, Rate, Rng};

use crate::factory::{self, Factory};

/// The length of the usual frame.
const FRAME: Bytes = Bytes(1514);

/// The settings of a shaper.
#[derive(Clone, Debug)]
pub struct Settings<F = QdiscSpec> {
    /// The name of the interface.
    pub interface: String,
    /// The queues: forward is upload, out of the interface; `None` for a direction that is left as
    /// it is.
    pub queues: PerWay<Option<QueueSettings<F>>>,
    /// The choice for when the shaper cannot keep up.
    pub unable: Unable,
    /// The rules by which the rates of both directions follow the line; `None` for fixed rates.
    pub follow: Option<FollowSettings>,
}

/// The settings of rates that follow the line.
#[derive(Clone, Debug)]
pub struct FollowSettings {
    /// The rates between which the rules choose.
    pub limits: Both<Limits>,
    /// The source of delays.
    pub source: Source,
}

/// The settings of one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSettings<F = QdiscSpec> {
    pub(crate) queue: F,
    /// The rate at which packets leave the queue; `None` if the queue's own shaper sets the pace, or
    /// nothing does.
    pub(crate) rate: Option<Rate>,
}

/// The choices of a shaper that cannot keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unable {
    /// To let packets pass for a while.
    Pass,
    /// To go on as well as it can.
    Shape,
}

impl QueueSettings {
    /// A listed queue, and the rate at which packets leave it; `None` if the queue has a rate of its own, or
    /// holds nothing back.
    ///
    /// # Errors
    /// If the queue has a rate already, or needs what is not known of packets here.
    pub fn new(queue: QdiscSpec, rate: Option<Rate>) -> Result<Self, String> {
        factory::check(&queue)?;
        Self::of(queue, rate)
    }
}

impl<F: Factory> QueueSettings<F> {
    /// A queue of any kind, and the rate at which packets leave it; `None` if the queue has a rate of
    /// its own, or holds nothing back.
    ///
    /// # Errors
    /// If the queue has a rate already.
    pub fn of(queue: F, rate: Option<Rate>) -> Result<Self, String> {
        if queue.rate().is_some() && rate.is_some() {
            return Err("the queue has a rate of its own already; leave the other one out".into());
        }
        Ok(Self { queue, rate })
    }

    /// The rate at which packets leave; `None` without a limit.
    pub fn limit(&self) -> Option<Rate> {
        self.queue.rate().or(self.rate)
    }

    /// The settings after a change in the words of `tc qdisc change`: `cake bandwidth 20mbit`.
    ///
    /// # Errors
    /// If the text is not of the same kind of queue, or changes what cannot change. A queue with a rate
    /// stays one with a rate: without, a loop with real-time priority could keep all others waiting.
    pub(crate) fn changed(&self, text: &str) -> Result<Self, String> {
        let changed = Self::of(self.queue.changed(text)?, self.rate)?;
        if self.limit().is_some() && changed.limit().is_none() {
            return Err("it has no rate, and the queue at work keeps one: add a rate (`bandwidth 18mbit`), \
                        or end the shaper and begin without one"
                .into());
        }
        Ok(changed)
    }

    /// The same queue with another rate behind it. `option` is that of the queue, for people.
    ///
    /// # Errors
    /// If the queue has a rate of its own, or held nothing back until now.
    pub(crate) fn with_rate(&self, rate: Rate, option: &str) -> Result<Self, String> {
        if self.queue.rate().is_some() {
            return Err(format!(
                "the queue has a rate of its own: type {option} \"cake bandwidth {rate}\""
            ));
        }
        if self.rate.is_none() {
            return Err(format!(
                "`{}` has no rate at work; end the shaper and begin with one",
                self.queue
            ));
        }
        Self::of(self.queue.clone(), Some(rate))
    }

    /// The same queue with another limit: that of its own shaper if it has one, else the rate behind it.
    pub(crate) fn with_limit(&self, limit: Rate) -> Self {
        match self.queue.with_rate(limit) {
            Some(queue) => Self { queue, rate: self.rate },
            None => Self { queue: self.queue.clone(), rate: Some(limit) },
        }
    }

    /// An empty queue with these settings.
    pub(crate) fn build(&self, rng: Rng) -> F::Queue {
        let rate = self.limit().unwrap_or(Rate::from_mbit(1000));
        self.queue.build(LinkInfo::new(rate, FRAME), rng)
    }

    /// The wire behind the queue.
    pub(crate) fn wire(&self) -> Wire {
        match self.rate {
            None => Wire::default(),
            Some(rate) => Wire {
                capacity: Capacity::Constant(rate),
                shaper: Some(Bytes::ZERO),
                ..Wire::default()
            },
        }
    }

    /// The most packets of a super-packet that may pass the queue in one piece.
    pub(crate) fn most_packets(&self) -> u16 {
        self.limit().map_or(u16::MAX, |rate| packets_of_a_slice(rate, FRAME))
    }
}

/// The bytes that the kernel counts of a packet beside those from the IP header on.
pub(crate) fn framing(link_layer: LinkLayer) -> Framing {
    let overhead = match link_layer {
        LinkLayer::Ethernet => Bytes(14),
        LinkLayer::None => Bytes::ZERO,
    };
    Framing { overhead, ..Framing::default() }
}
