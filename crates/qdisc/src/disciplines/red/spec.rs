//! `red` in the words of tc, and its statistics.

use core::fmt;

use units::{Bytes, Prob, Rate, Rng, Time};

use super::{Red, RedParameters, RedSpread, weight_for_burst};
use crate::spec::{Discipline, LinkInfo, TcSize, name_of};
use crate::stats::{DisciplineStats, Tally};
use crate::{Fifo, Headers, Limit};

mod automatic;
mod draft;

pub use automatic::RedAutomatic;

/// The settings of `red`: `red [limit SIZE] [min SIZE] [max SIZE] [avpkt SIZE] [burst PACKETS|ewma
/// N] [bandwidth RATE] [probability P] [adaptive] [ecn] [harddrop] [variant 1993|gentle|linux]`, or
/// `red auto [bandwidth RATE] [delay TIME] [avpkt SIZE] [min SIZE] [max SIZE] [weight W] [bottom P]
/// ...`, where settings that are not given are derived as in ns-2. Without `auto` one of `limit`,
/// `min` and `max` is required.
///
/// As in tc, `max` is by default three times `min` or a quarter of `limit`, `min` a third of `max`,
/// and `burst` (2 min + max) / (3 avpkt). Unlike in tc, `limit` is by default eight times `max`
/// (tc-red(8) advises "a few times"), `avpkt` 1000 bytes, and `bandwidth` the rate of the link.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RedSpec {
    /// The limit in bytes; eight times `max`. With `auto`: 1.5 MB, or eight times `max` if that is
    /// more and `bandwidth` or `max` is given.
    pub limit: Bytes,
    /// The thresholds of the average queue length.
    pub thresholds: RedThresholds,
    /// The probability at the upper threshold; 0.02, and 0.1 for `auto`.
    pub probability: Prob,
    /// The variant of RED; 1993, and gentle for `auto`.
    pub variant: RedVariant,
    /// True to adapt the probability; off.
    pub adaptive: bool,
    /// True to mark in place of dropping; off.
    pub ecn: bool,
    /// True to drop, above the upper threshold, packets that could be marked; off.
    pub hard_drop: bool,
}

/// The variant of RED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedVariant {
    /// RED of Floyd and Jacobson, 1993.
    Floyd1993,
    /// RED of Floyd, 2000: from the upper threshold to its double the probability rises to 1.
    Gentle,
    /// RED of Linux: as of 1993, but a random number is drawn once for each drop and not once for
    /// each packet.
    Linux,
}

const VARIANTS: [(&str, RedVariant); 3] =
    [("1993", RedVariant::Floyd1993), ("gentle", RedVariant::Gentle), ("linux", RedVariant::Linux)];

/// The default limit as a multiple of `max`. According to tc-red(8) the limit should be more than
/// max and burst together, "a few times higher than max"; the average reaches neither.
const LIMIT: u64 = 8;
/// The least default limit of `red auto`.
const AUTOMATIC_LIMIT: Bytes = Bytes(1_500_000);

/// The thresholds between which RED drops.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RedThresholds {
    /// Thresholds as ns-2 derives them for a link.
    Automatic(RedAutomatic),
    /// Thresholds as tc takes them.
    Fixed {
        /// The average below which nothing is dropped.
        min: Bytes,
        /// The average above which everything is dropped.
        max: Bytes,
        /// The length of a typical packet.
        average_packet: Bytes,
        /// The weight of the average.
        weight: RedWeight,
        /// The rate at which an idle link would send; `None` for the link's own rate.
        bandwidth: Option<Rate>,
    },
}

/// The weight of the newest sample in RED's average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedWeight {
    /// The weight that lets a burst of this many typical packets pass (tc's `burst`).
    Burst(u32),
    /// The weight 2^-N (tc's `ewma`, as `tc -d qdisc show` prints it).
    Log(u32),
}

impl RedWeight {
    fn log(self, min: Bytes, average_packet: Bytes) -> Option<u32> {
        match self {
            Self::Burst(burst) => weight_for_burst(min, burst, average_packet),
            Self::Log(log) => Some(log),
        }
    }
}

/// The settings of `red auto`. tc has no default: without `auto` it requires a limit.
impl Default for RedSpec {
    fn default() -> Self {
        Self {
            limit: AUTOMATIC_LIMIT,
            thresholds: RedThresholds::Automatic(RedAutomatic::default()),
            probability: Prob::clamped(0.1),
            variant: RedVariant::Gentle,
            adaptive: false,
            ecn: false,
            hard_drop: false,
        }
    }
}

impl Discipline for RedSpec {
    const KIND: &'static str = "red";
    const SHORTEST: &'static str = "red auto";
    const EXAMPLES: &'static [&'static str] = &[
        "red limit 40000 min 3000 max 9000 avpkt 700 burst 5",
        "red limit 40000 min 3000 max 9000 avpkt 700 burst 5 variant gentle adaptive ecn",
        "red limit 40000 min 3000 max 9000 avpkt 700 burst 5 ecn harddrop",
        "red limit 40000 min 3000 max 9000 avpkt 700 burst 5 ecn variant linux",
        "red auto limit 20000 ecn",
        "red auto bandwidth 1mbit avpkt 300 limit 20000 adaptive ecn",
    ];
    type Queue<P: Headers> = Fifo<P, Red>;
    type Stats = RedStats;

    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> Fifo<P, Red> {
        let derived = match self.thresholds {
            RedThresholds::Automatic(automatic) => automatic.parameters(link.rate),
            RedThresholds::Fixed { min, max, average_packet, weight, bandwidth } => {
                // A value that was not parsed may hold a burst that no weight lets pass.
                let log = weight.log(min, average_packet).unwrap_or(1);
                let rate = bandwidth.unwrap_or(link.rate);
                RedParameters::linux(min, max, log, average_packet, rate)
            }
        };
        let parameters = RedParameters {
            max_probability: self.probability,
            gentle: self.variant == RedVariant::Gentle,
            spread: match self.variant {
                RedVariant::Linux => RedSpread::OneThrow,
                RedVariant::Floyd1993 | RedVariant::Gentle => derived.spread,
            },
            adaptive: self.adaptive,
            ecn: self.ecn,
            hard_drop: self.hard_drop,
            ..derived
        };
        Fifo::new(Limit::bytes(self.limit), Red::new(parameters, rng))
    }

    fn stats<P: Headers>(queue: &Fifo<P, Red>, _now: Time) -> RedStats {
        RedStats {
            average: queue.state().average(),
            max_probability: queue.aqm().max_probability(queue.state()),
        }
    }
}

impl fmt::Display for RedSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("red")?;
        match self.thresholds {
            RedThresholds::Automatic(automatic) => {
                write!(f, " auto limit {}", TcSize(self.limit))?;
                automatic.write_options(f)?;
            }
            RedThresholds::Fixed { min, max, average_packet, weight, bandwidth } => {
                let [limit, min, max, average_packet] =
                    [self.limit, min, max, average_packet].map(TcSize);
                write!(f, " limit {limit} min {min} max {max} avpkt {average_packet}")?;
                match weight {
                    RedWeight::Burst(burst) => write!(f, " burst {burst}")?,
                    RedWeight::Log(log) => write!(f, " ewma {log}")?,
                }
                if let Some(rate) = bandwidth {
                    write!(f, " bandwidth {rate}")?;
                }
            }
        }
        write!(f, " probability {}", self.probability)?;
        f.write_str(if self.adaptive { " adaptive" } else { "" })?;
        f.write_str(if self.ecn { " ecn" } else { " noecn" })?;
        f.write_str(if self.hard_drop { " harddrop" } else { "" })?;
        write!(f, " variant {}", name_of(&VARIANTS, &self.variant))
    }
}

/// The statistics of RED.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RedStats {
    /// The average length of the queue, in bytes or packets as configured.
    pub average: f64,
    /// The drop probability at the upper threshold.
    pub max_probability: Prob,
}

impl DisciplineStats for RedStats {
    /// The number of signals, which sch_red.c counts here.
    fn overlimits(&self, tally: &Tally) -> u64 {
        tally.dropped_early + tally.marked
    }
}
