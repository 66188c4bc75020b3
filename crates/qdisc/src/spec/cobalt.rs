//! `cobalt`, which tc has only inside of CAKE, and the options that `fq_cobalt` shares with it.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Rng, Span};

use super::draft::Draft;
use super::words::{Word, Words};
use super::{LinkInfo, SpecError};
use crate::aqm::{Cobalt, CobaltParameters};
use crate::{Fifo, Limit, Packet};

/// `cobalt [limit PACKETS] [target TIME] [interval TIME] [mtu BYTES] [ecn|noecn]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CobaltSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The sojourn that is acceptable for ever; 5 ms.
    pub target: Span,
    /// About the longest round trip; 100 ms.
    pub interval: Span,
    /// A sojourn is acceptable up to the time that four packets of this length take on the link;
    /// `None` for the link's MTU.
    pub mtu: Option<Bytes>,
    /// True to mark in place of dropping; off.
    pub ecn: bool,
}

impl Default for CobaltSpec {
    fn default() -> Self {
        let CobaltParameters { target, interval, ecn, .. } = CobaltParameters::default();
        Self { limit: 1000, target, interval, mtu: None, ecn }
    }
}

impl CobaltSpec {
    pub(super) fn build<P: Packet>(&self, link: LinkInfo, rng: Rng) -> Fifo<P, Cobalt> {
        Fifo::new(Limit::packets(self.limit), self.controller(link, rng))
    }

    /// The controller on this link.
    pub(super) fn controller(&self, link: LinkInfo, rng: Rng) -> Cobalt {
        let Self { target, interval, ecn, .. } = *self;
        let mtu_time = self.mtu.unwrap_or(link.mtu) / link.rate;
        Cobalt::new(CobaltParameters { target, interval, mtu_time, ecn }, rng)
    }

    /// Writes the options that `fq_cobalt` shares.
    pub(super) fn write_options(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " target {} interval {}", self.target, self.interval)?;
        if let Some(mtu) = self.mtu {
            write!(f, " mtu {}", mtu.0)?;
        }
        f.write_str(if self.ecn { " ecn" } else { " noecn" })
    }
}

impl Draft for CobaltSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, target, interval, mtu, ecn, noecn";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = words.packets(option)?,
            "target" => self.target = words.some_span(option)?,
            "interval" => self.interval = words.some_span(option)?,
            "mtu" => self.mtu = Some(words.mtu(option)?),
            "ecn" => self.ecn = true,
            "noecn" => self.ecn = false,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for CobaltSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cobalt limit {}p", self.limit)?;
        self.write_options(f)
    }
}
