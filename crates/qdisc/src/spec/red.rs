//! `red`.

use alloc::format;
use alloc::string::String;
use core::fmt;

use units::{Bytes, Prob, Rate, Rng, Span};

use super::size::TcSize;
use super::words::{Word, Words, name_of};
use super::{Environment, SpecError};
use crate::aqm::{Red, RedParameters, RedSpread, weight_for_burst};
use crate::{Fifo, Limit, Packet};

/// `red [limit SIZE] [min SIZE] [max SIZE] [avpkt SIZE] [burst PACKETS|ewma N] [bandwidth RATE]
/// [probability P] [adaptive] [ecn] [harddrop] [variant 1993|gentle|linux]`, or
/// `red auto [limit SIZE] ...` without thresholds. One of `limit`, `min` and `max` must be there.
///
/// As in tc `max` is by default three times `min` or a quarter of `limit`, `min` a third of `max`,
/// and `burst` (2 min + max) / (3 avpkt). Unlike in tc `limit` is by default eight times `max`
/// (tc-red(8) advises "a few times"), `avpkt` 1000 bytes, and `bandwidth` the rate of the link.
#[derive(Clone, Debug, PartialEq)]
pub struct RedSpec {
    /// Bytes. `auto`: 1.5 MB.
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
    /// As ns-2 chooses them for the link.
    Automatic,
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
            RedThresholds::Automatic => RedParameters::automatic(link.rate, Span::ZERO),
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

/// `red` while it is being read.
#[derive(Default)]
pub(super) struct Draft {
    auto: bool,
    limit: Option<Bytes>,
    min: Option<Bytes>,
    max: Option<Bytes>,
    average_packet: Option<Bytes>,
    weight: Option<RedWeight>,
    bandwidth: Option<Rate>,
    probability: Option<Prob>,
    variant: Option<RedVariant>,
    adaptive: bool,
    ecn: bool,
    hard_drop: bool,
}

impl super::draft::Draft for Draft {
    type Spec = RedSpec;
    const OPTIONS: &'static str = "limit, min, max, avpkt, burst, ewma, bandwidth, probability, \
                                   adaptive, ecn, noecn, harddrop, auto, variant";
    const UNMODELLED: &'static [&'static str] = &["nodrop", "qevent", "Plog"];

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "auto" => self.auto = true,
            "limit" => self.limit = Some(words.size(option)?),
            "min" => self.min = Some(words.size(option)?),
            "max" => self.max = Some(words.size(option)?),
            "avpkt" => self.average_packet = Some(words.size(option)?),
            "burst" => {
                self.weight = Some(RedWeight::Burst(words.count(option, 1..=u32::MAX)?));
            }
            "ewma" => self.weight = Some(RedWeight::Log(words.count(option, 1..=31)?)),
            "bandwidth" => self.bandwidth = Some(words.rate(option)?),
            "probability" => self.probability = Some(words.probability(option)?),
            "variant" => self.variant = Some(words.choice(option, &VARIANTS)?),
            "adaptive" | "adaptative" => self.adaptive = true,
            "ecn" => self.ecn = true,
            "noecn" => self.ecn = false,
            "harddrop" => self.hard_drop = true,
            // tc -d prints how finely the kernel tabulates idle time; ours is exact.
            "Scell_log" => drop(words.count(option, 0..=31)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<RedSpec, String> {
        let (thresholds, limit) = if self.auto { self.automatic() } else { self.fixed() }?;
        let (variant, probability) =
            if self.auto { (RedVariant::Gentle, 0.1) } else { (RedVariant::Floyd1993, 0.02) };
        Ok(RedSpec {
            limit,
            thresholds,
            probability: self.probability.unwrap_or(Prob::clamped(probability)),
            variant: self.variant.unwrap_or(variant),
            adaptive: self.adaptive,
            ecn: self.ecn,
            hard_drop: self.hard_drop,
        })
    }
}

impl Draft {
    fn automatic(&self) -> Result<(RedThresholds, Bytes), String> {
        let told = self.min.or(self.max).or(self.average_packet).is_some();
        if told || self.weight.is_some() || self.bandwidth.is_some() {
            return Err("`red auto` sets min, max, avpkt, burst and bandwidth itself; \
                        leave them out, or leave out `auto`"
                .into());
        }
        if self.variant == Some(RedVariant::Linux) {
            return Err(
                "`red auto` is ns-2's; it goes with `variant 1993` or `variant gentle`".into()
            );
        }
        Ok((RedThresholds::Automatic, self.limit.unwrap_or(Bytes(1_500_000))))
    }

    fn fixed(&self) -> Result<(RedThresholds, Bytes), String> {
        let max = self.max.or(self.min.map(|min| min * 3)).or(self.limit.map(|limit| limit / 4));
        let max = max.ok_or(
            "`red` needs a limit or thresholds in bytes, like `red limit 400000` or \
             `red min 25kB max 75kB`; or `red auto`",
        )?;
        let limit = self.limit.unwrap_or(max * LIMIT);
        let min = self.min.unwrap_or(max / 3);
        let average_packet = self.average_packet.unwrap_or(Bytes(1000));
        if min == Bytes::ZERO || min >= max || max > limit {
            return Err(
                "`red` needs 0 < min < max <= limit; by default max is three times min or \
                        a quarter of limit, and min a third of max"
                    .into(),
            );
        }
        let weight = self.weight.unwrap_or_else(|| {
            let burst = (min * 2 + max).0 / (average_packet * 3).0;
            RedWeight::Burst(u32::try_from(burst).unwrap_or(u32::MAX))
        });
        if weight.log(min, average_packet).is_none() {
            return Err(match self.weight {
                Some(_) => "the burst of `red` is too small; it must be at least min / avpkt \
                            packets, and is by default (2 min + max) / (3 avpkt)"
                    .into(),
                None => format!(
                    "min {} and max {} are too small, or too close to each other, for packets of \
                     {} (avpkt); limit, min and max of `red` are bytes, like `red limit 400000`",
                    min.0,
                    max.0,
                    TcSize(average_packet)
                ),
            });
        }
        let bandwidth = self.bandwidth;
        Ok((RedThresholds::Fixed { min, max, average_packet, weight, bandwidth }, limit))
    }
}

impl fmt::Display for RedSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("red")?;
        match self.thresholds {
            RedThresholds::Automatic => write!(f, " auto limit {}", TcSize(self.limit))?,
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
