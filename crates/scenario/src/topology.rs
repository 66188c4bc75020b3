//! Links, which join the nodes.

use link::{Capacity, Cells, Framing, GilbertElliott, Loss, Schedule, Trace, Wire};
use qdisc::{AnyQdisc, LinkInfo, QdiscSpec};
use units::{Bytes, DirectionId, PerWay, Prob, Rate, Rng, Span, Way};

/// The longest IP packet on every path in bytes: Ethernet's MTU.
pub const MTU: Bytes = Bytes(1500);

/// A wire between two nodes, with a queue in front of each end.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name of the link, unique among the links.
    pub name: String,
    /// The node at one end.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// Both directions of the link: forward is from `from` to `to`.
    pub directions: PerWay<Direction>,
    /// The way of the packets whose sources are translated: the node where this direction begins
    /// puts its own address in place of those behind it. `None` if neither node translates.
    pub nat: Option<Way>,
}

/// One direction of a link: a queue, then a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// The rate of the wire; `None` if packets take no time at all.
    pub rate: Option<RatePlan>,
    /// The propagation delay, one way.
    pub delay: Span,
    /// The queue in front of the wire.
    pub queue: QdiscSpec,
    /// The number of bytes that this wire adds to each IP packet.
    pub overhead: Bytes,
    /// The cells in which this wire carries packets.
    pub cells: Cells,
    /// The burst of the shaper that keeps the rate: the number of bytes that it saves up while
    /// idle. `None` if a wire keeps the rate.
    pub shaper: Option<Bytes>,
    /// The losses of the wire.
    pub loss: LossPlan,
}

impl Direction {
    /// An empty queue. All its randomness comes from `rng`.
    pub fn build_queue<P: qdisc::Headers>(&self, rng: Rng) -> AnyQdisc<P> {
        self.queue.build(self.link_info(), rng)
    }

    /// An empty queue with other settings, for [`qdisc::Qdisc::change`].
    pub fn changed_queue<P: qdisc::Headers>(&self, settings: &QdiscSpec) -> AnyQdisc<P> {
        // The queue that changes keeps its own random numbers.
        settings.build(self.link_info(), Rng::new(0))
    }

    /// The link, as a queue is told of it.
    pub fn link_info(&self) -> LinkInfo {
        LinkInfo::new(self.nominal_rate(), self.framing().frame(MTU))
    }

    /// The bytes that the wire adds to a packet.
    pub fn framing(&self) -> Framing {
        Framing { overhead: self.overhead, cells: self.cells }
    }

    /// The wire behind the queue.
    ///
    /// # Panics
    /// If the loss is one that a checked scenario cannot have.
    pub fn wire(&self) -> Wire {
        Wire {
            capacity: self.capacity(),
            shaper: self.shaper,
            delay: self.delay,
            loss: self.loss.model(),
        }
    }

    /// The rate for which a queue is set up that has no rate of its own: the rate at the beginning,
    /// a trace's mean, or 1 Tbit/s if there is no limit.
    pub fn nominal_rate(&self) -> Rate {
        match &self.rate {
            None => Rate::from_mbit(1_000_000),
            Some(RatePlan::Constant(rate)) => *rate,
            Some(RatePlan::Schedule(schedule)) => schedule.steps()[0].1,
            Some(RatePlan::Trace { trace, .. }) => trace.average_rate(),
        }
    }

    fn capacity(&self) -> Capacity {
        match &self.rate {
            None => Capacity::Unlimited,
            Some(RatePlan::Constant(rate)) => Capacity::Constant(*rate),
            Some(RatePlan::Schedule(schedule)) => Capacity::Scheduled(schedule.clone()),
            Some(RatePlan::Trace { trace, .. }) => Capacity::Traced(trace.clone()),
        }
    }
}

/// A change of one direction of a link while the run lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The time of the change; it does not happen if the run ends before.
    pub at: Span,
    /// The direction that changes.
    pub direction: DirectionId,
    /// All settings of the queue from then on; `None` if the queue does not change.
    pub queue: Option<QdiscSpec>,
    /// The rate from then on; `None` if the rate does not change.
    pub rate: Option<Rate>,
}

/// The random streams of the two random parts of a direction.
#[derive(Clone, Debug)]
pub struct Randomness {
    /// The random stream for [`Direction::build_queue`].
    pub queue: Rng,
    /// The random stream for the losses of the wire.
    pub loss: Rng,
}

/// The rate of a wire over time.
#[derive(Clone, Debug, PartialEq)]
pub enum RatePlan {
    /// One constant rate.
    Constant(Rate),
    /// The rates of a schedule, each from its time on.
    Schedule(Schedule),
    /// The rate recorded in a mahimahi trace.
    Trace {
        /// The path of the trace as the scenario names it (relative to the scenario file).
        path: String,
        /// The delivery opportunities.
        trace: Trace,
    },
}

/// Packets that a wire loses after they have left the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossPlan {
    /// No losses.
    None,
    /// Independent losses with this probability.
    Random(Prob),
    /// Losses in bursts: after a lost packet the next is more likely to be lost too (Gilbert's
    /// model).
    Bursty {
        /// The share of packets lost in the long run, less than 1.
        rate: Prob,
        /// Mean length of a burst in packets, at least 1. A burst ends after each packet with
        /// probability 1/`burst`, and one begins with probability `rate` / (`burst` (1 - `rate`)),
        /// which is at most 1.
        burst: f64,
    },
}

impl LossPlan {
    fn model(self) -> Loss {
        match self {
            Self::None => Loss::None,
            Self::Random(probability) => Loss::Random(probability),
            Self::Bursty { rate, burst } => {
                let bursts = GilbertElliott::bursts(rate, burst);
                Loss::Bursty(bursts.expect("a checked scenario has a sound loss model"))
            }
        }
    }
}
