//! BLUE keeps one probability and no average: a packet lost because the queue was full raises it,
//! an idle link lowers it. So it settles where the queue neither overflows nor runs dry, whatever
//! the number of flows, if the traffic is steady for long enough.
//!
//! Specification: Feng, Shin, Kandlur and Saha, "The BLUE Active Queue Management Algorithms",
//! IEEE/ACM Transactions on Networking 10(4), 2002.
//! Deviations: while the link stays idle one step per `freeze_time` is taken, all at once when the
//! next packet arrives; the paper does not say how idle time is sampled.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Prob, Rng, Span, Time};

use crate::aqm::{Aqm, Arrival, Verdict};
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, TcSize, Word, Words};
use crate::stats::DisciplineStats;
use crate::{ChangeError, Fifo, Headers, Limit};

#[cfg(test)]
mod tests;

/// The parameters that all queues of one BLUE share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlueParameters {
    /// The step up when a packet is lost; 0.02. A link overflows sooner than it runs dry, so this
    /// is the larger step by far.
    pub increment: Prob,
    /// The step down when the link is idle; 0.002.
    pub decrement: Prob,
    /// The least time between two steps; 100 ms, about the time in which senders answer.
    pub freeze_time: Span,
    /// The backlog above which an arrival counts as a loss; `None` for off. A threshold below the
    /// limit leaves room for bursts, and BLUE learns from it where all packets are marked.
    pub threshold: Option<Bytes>,
    /// True to mark ECN-capable packets in place of dropping them; off.
    pub ecn: bool,
}

impl Default for BlueParameters {
    fn default() -> Self {
        Self {
            increment: Prob::clamped(0.02),
            decrement: Prob::clamped(0.002),
            freeze_time: Span::from_millis(100),
            threshold: None,
            ecn: false,
        }
    }
}

/// The controller of BLUE.
#[derive(Clone, Debug)]
pub struct Blue {
    parameters: BlueParameters,
    rng: Rng,
}

/// The state of one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlueState {
    probability: Prob,
    last_update: Option<Time>,
    idle: bool,
}

impl Blue {
    /// A controller with these parameters and this random source.
    pub const fn new(parameters: BlueParameters, rng: Rng) -> Self {
        Self { parameters, rng }
    }

    /// The number of whole freeze times since the last step; 1 before the first.
    fn thawed(&self, q: &BlueState, now: Time) -> u64 {
        q.last_update.map_or(1, |last| {
            now.since(last).as_nanos() / self.parameters.freeze_time.as_nanos().max(1)
        })
    }

    fn raise(&self, q: &mut BlueState, now: Time) {
        if self.thawed(q, now) > 0 {
            let raised = q.probability.get() + self.parameters.increment.get();
            q.probability = Prob::clamped(raised);
            q.last_update = Some(now);
        }
    }

    fn lower(&self, q: &mut BlueState, now: Time) {
        let steps = self.thawed(q, now);
        if steps > 0 {
            let lowered = q.probability.get() - self.parameters.decrement.get() * steps as f64;
            q.probability = Prob::clamped(lowered);
            q.last_update = Some(now);
        }
    }
}

impl Aqm for Blue {
    type State = BlueState;

    fn change(&mut self, like: Self) -> Result<bool, ChangeError> {
        let before = core::mem::replace(&mut self.parameters, like.parameters);
        Ok(before != self.parameters)
    }

    fn ecn(&self) -> bool {
        self.parameters.ecn
    }

    fn on_enqueue(&mut self, q: &mut BlueState, arrival: &Arrival) -> Verdict {
        if core::mem::take(&mut q.idle) {
            self.lower(q, arrival.now);
        }
        if self.parameters.threshold.is_some_and(|most| arrival.backlog.bytes > most) {
            self.raise(q, arrival.now);
        }
        if self.rng.chance(q.probability) { Verdict::Signal } else { Verdict::Pass }
    }

    fn on_overflow(&mut self, q: &mut BlueState, _packets: u64, now: Time) {
        self.raise(q, now);
    }

    fn on_empty(&mut self, q: &mut BlueState, now: Time) {
        if !q.idle {
            // The end of a busy period is one idle event, however long that period was.
            q.last_update = q.last_update.map(|last| last.max(now - self.parameters.freeze_time));
            self.lower(q, now);
            q.idle = true;
        }
    }
}

impl BlueState {
    /// The probability with which a packet is dropped or marked.
    pub const fn probability(&self) -> Prob {
        self.probability
    }
}

/// The settings of `blue`, which tc does not have: `blue [limit PACKETS] [increment PROBABILITY]
/// [decrement PROBABILITY] [freeze_time TIME] [threshold SIZE] [ecn|noecn]`
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlueSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The parameters of the controller.
    pub parameters: BlueParameters,
}

impl Default for BlueSpec {
    fn default() -> Self {
        Self { limit: 1000, parameters: BlueParameters::default() }
    }
}

impl Discipline for BlueSpec {
    const KIND: &'static str = "blue";
    const EXAMPLES: &'static [&'static str] = &[
        "blue limit 10 freeze_time 1ms increment 0.1 decrement 0.01",
        "blue limit 20 freeze_time 1ms increment 0.1 decrement 0.01 threshold 5000b ecn",
    ];
    type Queue<P: Headers> = Fifo<P, Blue>;
    type Stats = BlueStats;

    fn build<P: Headers>(&self, _link: LinkInfo, rng: Rng) -> Fifo<P, Blue> {
        Fifo::new(Limit::packets(self.limit), Blue::new(self.parameters, rng))
    }

    fn stats<P: Headers>(queue: &Fifo<P, Blue>, _now: Time) -> BlueStats {
        BlueStats { probability: queue.state().probability }
    }
}

impl Syntax for BlueSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, increment, decrement, freeze_time, threshold, ecn, noecn";

    fn draft(&self) -> Self {
        self.clone()
    }

    fn option(
        draft: &mut Self,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        let parameters = &mut draft.parameters;
        match option.text {
            "limit" => draft.limit = words.packets(option)?,
            "increment" => parameters.increment = words.probability(option)?,
            "decrement" => parameters.decrement = words.probability(option)?,
            "freeze_time" => parameters.freeze_time = words.positive_span(option)?,
            "threshold" => parameters.threshold = Some(words.size(option)?),
            "ecn" => parameters.ecn = true,
            "noecn" => parameters.ecn = false,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for BlueSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlueParameters { increment, decrement, freeze_time, threshold, ecn } = self.parameters;
        write!(f, "blue limit {}p increment {increment} decrement {decrement}", self.limit)?;
        write!(f, " freeze_time {freeze_time}")?;
        if let Some(threshold) = threshold {
            write!(f, " threshold {}", TcSize(threshold))?;
        }
        f.write_str(if ecn { " ecn" } else { " noecn" })
    }
}

/// The statistics of BLUE.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BlueStats {
    /// The drop probability.
    pub probability: Prob,
}

impl DisciplineStats for BlueStats {}
