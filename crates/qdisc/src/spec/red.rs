//! `red`.

use core::fmt;

use units::{Bytes, Prob, Rate, Rng};

use super::Environment;
use super::size::TcSize;
use super::words::name_of;
use crate::aqm::{Red, RedParameters, RedSpread, weight_for_burst};
use crate::{Fifo, Limit, Packet};

mod automatic;
mod draft;

pub use automatic::RedAutomatic;
pub(super) use draft::Draft;

/// `red [limit SIZE] [min SIZE] [max SIZE] [avpkt SIZE] [burst PACKETS|ewma N] [bandwidth RATE]
/// [probability P] [adaptive] [ecn] [harddrop] [variant 1993|gentle|linux]`, or
/// `red auto [bandwidth RATE] [delay TIME] [avpkt SIZE] [min SIZE] [max SIZE] [weight W]
/// [bottom P] ...`, where ns-2 derives what is not said. Without `auto` one of `limit`, `min` and
/// `max` must be there.
///
/// As in tc `max` is by default three times `min` or a quarter of `limit`, `min` a third of `max`,
/// and `burst` (2 min + max) / (3 avpkt). Unlike in tc `limit` is by default eight times `max`
/// (tc-red(8) advises "a few times"), `avpkt` 1000 bytes, and `bandwidth` the rate of the link.
#[derive(Clone, Debug, PartialEq)]
pub struct RedSpec {
    /// Bytes. `auto`: 1.5 MB, and eight times `max` if that is more and `bandwidth` is told.
    pub limit: Bytes,
    /// Where dropping begins and ends.
    pub thresholds: RedThresholds,
    /// The probability at the upper threshold; 0.02, and 0.1 for `auto`.
    pub probability: Prob,
    /// 1993, and gentle for `auto`.
    pub variant: RedVariant,
    /// Adapt the probability; off.
    pub adaptive: bool,
    /// Mark in place of dropping; off.
    pub ecn: bool,
    /// Above the upper threshold drop what could be marked; off.
    pub hard_drop: bool,
}

/// Whose RED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedVariant {
    /// Floyd and Jacobson's.
    Floyd1993,
    /// Floyd's of 2000: from the upper threshold to its double the probability rises to 1.
    Gentle,
    /// The kernel's: as of 1993, but the dice are thrown once per drop and not once per packet.
    Linux,
}

const VARIANTS: [(&str, RedVariant); 3] =
    [("1993", RedVariant::Floyd1993), ("gentle", RedVariant::Gentle), ("linux", RedVariant::Linux)];

/// The limit, if none is told, as a multiple of `max`. tc-red(8): it should be more than max and
/// burst together, "a few times higher than max"; the average reaches neither.
const LIMIT: u64 = 8;

/// Where RED begins and ends to drop.
#[derive(Clone, Debug, PartialEq)]
pub enum RedThresholds {
    /// As ns-2 chooses them for a link.
    Automatic(RedAutomatic),
    /// As tc has them.
    Fixed {
        /// Below this average nothing is dropped.
        min: Bytes,
        /// Above it everything.
        max: Bytes,
        /// The length of a typical packet.
        average_packet: Bytes,
        /// The weight of the average.
        weight: RedWeight,
        /// The rate at which an idle link would send, if it is not the link's.
        bandwidth: Option<Rate>,
    },
}

/// The weight of RED's average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedWeight {
    /// So that a burst of this many typical packets passes (tc's `burst`).
    Burst(u32),
    /// 2^-N (tc's `ewma`, as `tc -d qdisc show` prints it).
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

impl RedSpec {
    pub(super) fn build<P: Packet>(&self, link: Environment, rng: Rng) -> Fifo<P, Red> {
        let derived = match self.thresholds {
            RedThresholds::Automatic(automatic) => automatic.parameters(link.rate),
            RedThresholds::Fixed { min, max, average_packet, weight, bandwidth } => {
                // A value built by hand may hold a burst that no weight lets through.
                let log = weight.log(min, average_packet).unwrap_or(1);
                let rate = bandwidth.unwrap_or(link.rate);
                RedParameters::linux((min, max), log, average_packet, rate)
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
