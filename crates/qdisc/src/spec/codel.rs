//! `codel`, and the options that `fq_codel` shares with it.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Span};

use super::draft::Draft;
use super::words::{Word, Words, name_of};
use super::{LinkInfo, SpecError};
use crate::aqm::{CoDel, CoDelParameters, CoDelVariant};
use crate::{Fifo, Limit, Packet};

const VARIANTS: [(&str, CoDelVariant); 4] = [
    ("rfc8289", CoDelVariant::Rfc8289),
    ("linux", CoDelVariant::Linux),
    ("paper2012", CoDelVariant::Paper2012),
    ("draft01", CoDelVariant::Draft01),
];

/// `codel [limit PACKETS] [target TIME] [interval TIME] [mtu BYTES] [ecn|noecn] [ce_threshold TIME]
/// [variant rfc8289|linux|paper2012|draft01]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodelSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The sojourn that is acceptable for ever; 5 ms.
    pub target: Span,
    /// About the longest round trip; 100 ms.
    pub interval: Span,
    /// No packet is dropped while the link has no more than this left to send (RFC 8289 section
    /// 4.4); `None` for the link's MTU.
    pub mtu: Option<Bytes>,
    /// True to mark in place of dropping; off.
    pub ecn: bool,
    /// The sojourn above which packets are marked; `None` for off, the default.
    pub ce_threshold: Option<Span>,
    /// The variant of CoDel; RFC 8289's.
    pub variant: CoDelVariant,
}

impl Default for CodelSpec {
    fn default() -> Self {
        let CoDelParameters { target, interval, ecn, ce_threshold, variant, .. } =
            CoDelParameters::default();
        Self { limit: 1000, target, interval, mtu: None, ecn, ce_threshold, variant }
    }
}

impl CodelSpec {
    pub(super) fn build<P: Packet>(&self, link: LinkInfo) -> Fifo<P, CoDel> {
        Fifo::new(Limit::packets(self.limit), CoDel::new(self.parameters(link)))
    }

    /// The parameters of the controller on this link.
    pub(super) fn parameters(&self, link: LinkInfo) -> CoDelParameters {
        let Self { target, interval, ecn, ce_threshold, variant, .. } = *self;
        CoDelParameters {
            target,
            interval,
            mtu: self.mtu.unwrap_or(link.mtu),
            variant,
            ecn,
            ce_threshold,
            ..CoDelParameters::default()
        }
    }

    /// Writes the options that `fq_codel` shares.
    pub(super) fn write_options(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " target {} interval {}", self.target, self.interval)?;
        if let Some(mtu) = self.mtu {
            write!(f, " mtu {}", mtu.0)?;
        }
        if let Some(threshold) = self.ce_threshold {
            write!(f, " ce_threshold {threshold}")?;
        }
        f.write_str(if self.ecn { " ecn" } else { " noecn" })?;
        write!(f, " variant {}", name_of(&VARIANTS, &self.variant))
    }
}

impl Draft for CodelSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, target, interval, mtu, ecn, noecn, ce_threshold, \
                                   variant";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = words.packets(option)?,
            "target" => self.target = words.some_span(option)?,
            "interval" => self.interval = words.some_span(option)?,
            "mtu" => self.mtu = Some(words.mtu(option)?),
            "ecn" => self.ecn = true,
            "noecn" => self.ecn = false,
            "ce_threshold" => self.ce_threshold = Some(words.span(option)?),
            "variant" => self.variant = words.choice(option, &VARIANTS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for CodelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "codel limit {}p", self.limit)?;
        self.write_options(f)
    }
}
