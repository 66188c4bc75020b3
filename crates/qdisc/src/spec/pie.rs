//! `pie`.

use alloc::string::String;
use core::fmt;

use units::{Rng, Span};

use super::draft::Draft;
use super::words::{Word, Words, name_of};
use super::{LinkInfo, SpecError};
use crate::aqm::{Pie, PieDelay, PieParameters, PieVariant};
use crate::{Fifo, Limit, Packet};

const VARIANTS: [(&str, PieVariant); 2] =
    [("rfc8033", PieVariant::Rfc8033), ("linux", PieVariant::Linux)];

/// `pie [limit PACKETS] [target TIME] [tupdate TIME] [alpha N] [beta N] [ecn|noecn]
/// [bytemode|nobytemode] [dq_rate_estimator|no_dq_rate_estimator] [variant rfc8033|linux]`
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Weight of the change, in sixteenths per second; 20.
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

impl PieSpec {
    pub(super) fn build<P: Packet>(&self, link: LinkInfo, rng: Rng) -> Fifo<P, Pie> {
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
}

impl Draft for PieSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, target, tupdate, alpha, beta, ecn, noecn, bytemode, \
                                   nobytemode, dq_rate_estimator, no_dq_rate_estimator, variant";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = words.packets(option)?,
            "target" => self.target = words.some_span(option)?,
            "tupdate" => self.update_interval = words.some_span(option)?,
            // tc-pie(8): the kernel's arithmetic allows 0 to 32.
            "alpha" => self.alpha = words.count(option, 0..=32)?,
            "beta" => self.beta = words.count(option, 0..=32)?,
            "ecn" => self.ecn = true,
            "noecn" => self.ecn = false,
            "bytemode" => self.byte_mode = true,
            "nobytemode" => self.byte_mode = false,
            "dq_rate_estimator" => self.delay = PieDelay::DequeueRate,
            "no_dq_rate_estimator" => self.delay = PieDelay::Timestamps,
            "variant" => self.variant = words.choice(option, &VARIANTS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
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
