//! `pie` in the words of tc, and its statistics.

use alloc::string::String;
use core::fmt;

use units::{Rng, Span, Time};

use super::{Pie, PieDelay, PieParameters, PieVariant};
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words, name_of};
use crate::stats::DisciplineStats;
use crate::{Fifo, Headers, Limit};

const VARIANTS: [(&str, PieVariant); 2] =
    [("rfc8033", PieVariant::Rfc8033), ("linux", PieVariant::Linux)];

/// The settings of `pie`: `pie [limit PACKETS] [target TIME] [tupdate TIME] [alpha N] [beta N]
/// [ecn|noecn] [bytemode|nobytemode] [dq_rate_estimator|no_dq_rate_estimator] [variant
/// rfc8033|linux]`
///
/// As in tc, `alpha` and `beta` are sixteenths.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PieSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The target delay; 15 ms.
    pub target: Span,
    /// The time between updates of the probability; 15 ms. (Linux rounds it up to its tick, so that
    /// `tc` shows 16 ms where a tick is 4 ms.)
    pub update_interval: Span,
    /// Weight of the distance from `target`, in sixteenths per second; 2.
    pub alpha: u32,
    /// Weight of the change since the last update, in sixteenths per second; 20.
    pub beta: u32,
    /// True to mark in place of dropping; off.
    pub ecn: bool,
    /// True to drop short packets less often; off.
    pub byte_mode: bool,
    /// The source of the delay, timestamps or a measured dequeue rate; timestamps.
    pub delay: PieDelay,
    /// The variant of PIE; RFC 8033's.
    pub variant: PieVariant,
}

impl Default for PieSpec {
    fn default() -> Self {
        let PieParameters { target, update_interval, ecn, byte_mode, delay, variant, .. } =
            PieParameters::default();
        let (limit, alpha, beta) = (1000, 2, 20);
        Self { limit, target, update_interval, alpha, beta, ecn, byte_mode, delay, variant }
    }
}

impl Discipline for PieSpec {
    const KIND: &'static str = "pie";
    const EXAMPLES: &'static [&'static str] = &[
        "pie limit 60 target 1ms tupdate 1ms alpha 32 beta 32",
        "pie limit 60 target 1ms tupdate 1ms alpha 32 beta 32 ecn bytemode dq_rate_estimator",
        "pie limit 60 target 1ms tupdate 1ms alpha 32 beta 32 ecn variant linux",
        "pie variant linux dq_rate_estimator",
    ];
    type Queue<P: Headers> = Fifo<P, Pie>;
    type Stats = PieStats;

    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> Fifo<P, Pie> {
        let Self { target, update_interval, ecn, byte_mode, delay, variant, .. } = *self;
        let parameters = PieParameters {
            target,
            update_interval,
            alpha: f64::from(self.alpha) / 16.0,
            beta: f64::from(self.beta) / 16.0,
            mean_packet: link.mtu,
            ecn,
            byte_mode,
            delay,
            variant,
            ..PieParameters::default()
        };
        Fifo::new(Limit::packets(self.limit), Pie::new(parameters, rng))
    }

    fn stats<P: Headers>(queue: &Fifo<P, Pie>, _now: Time) -> PieStats {
        let state = queue.state();
        PieStats {
            prob: state.probability(),
            delay: state.delay(),
            avg_dq_rate: queue.aqm().measures_rate().then(|| state.dequeue_rate()),
            maxq: state.most_packets(),
        }
    }
}

impl Syntax for PieSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, target, tupdate, alpha, beta, ecn, noecn, bytemode, \
                                   nobytemode, dq_rate_estimator, no_dq_rate_estimator, variant";

    fn draft(&self) -> Self {
        self.clone()
    }

    fn option(
        draft: &mut Self,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        match option.text {
            "limit" => draft.limit = words.packets(option)?,
            "target" => draft.target = words.positive_span(option)?,
            "tupdate" => draft.update_interval = words.positive_span(option)?,
            // tc-pie(8): the kernel's arithmetic allows 0 to 32.
            "alpha" => draft.alpha = words.count(option, 0..=32)?,
            "beta" => draft.beta = words.count(option, 0..=32)?,
            "ecn" => draft.ecn = true,
            "noecn" => draft.ecn = false,
            "bytemode" => draft.byte_mode = true,
            "nobytemode" => draft.byte_mode = false,
            "dq_rate_estimator" => draft.delay = PieDelay::DequeueRate,
            "no_dq_rate_estimator" => draft.delay = PieDelay::Timestamps,
            "variant" => draft.variant = words.choice(option, &VARIANTS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for PieSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, target, update_interval, alpha, beta, .. } = self;
        write!(f, "pie limit {limit}p target {target} tupdate {update_interval}")?;
        write!(f, " alpha {alpha} beta {beta}")?;
        f.write_str(if self.ecn { " ecn" } else { " noecn" })?;
        f.write_str(if self.byte_mode { " bytemode" } else { " nobytemode" })?;
        f.write_str(match self.delay {
            PieDelay::Timestamps => " no_dq_rate_estimator",
            PieDelay::DequeueRate => " dq_rate_estimator",
        })?;
        write!(f, " variant {}", name_of(&VARIANTS, &self.variant))
    }
}

/// The statistics of PIE.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PieStats {
    /// The drop probability, from 0 to 1.
    pub prob: f64,
    /// The queue's delay as last estimated.
    pub delay: Span,
    /// The dequeue rate in bytes per second; `None` if it is not measured.
    pub avg_dq_rate: Option<u64>,
    /// The most packets that one has found waiting that joined them.
    pub maxq: u64,
}

impl DisciplineStats for PieStats {}
