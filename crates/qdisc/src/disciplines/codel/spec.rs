//! `codel` in the words of tc, the options that `fq_codel` shares with it, and its statistics.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Rng, Span, Time};

use super::{CoDel, CoDelParameters, CoDelVariant};
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words, name_of};
use crate::stats::{DisciplineStats, DueIn};
use crate::{Fifo, Headers, Limit};

const VARIANTS: [(&str, CoDelVariant); 4] = [
    ("rfc8289", CoDelVariant::Rfc8289),
    ("linux", CoDelVariant::Linux),
    ("paper2012", CoDelVariant::Paper2012),
    ("draft01", CoDelVariant::Draft01),
];

/// The settings of `codel`: `codel [limit PACKETS] [target TIME] [interval TIME] [mtu BYTES]
/// [ecn|noecn] [ce_threshold TIME] [variant rfc8289|linux|paper2012|draft01]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoDelSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The sojourn that is acceptable for ever; 5 ms.
    pub target: Span,
    /// About the longest round trip; 100 ms.
    pub interval: Span,
    /// The backlog of the link up to which no packet is dropped (RFC 8289 section 4.4); `None` for
    /// the link's MTU.
    pub mtu: Option<Bytes>,
    /// True to mark in place of dropping; off.
    pub ecn: bool,
    /// The sojourn above which packets are marked; `None` for off, the default.
    pub ce_threshold: Option<Span>,
    /// The variant of CoDel; RFC 8289's.
    pub variant: CoDelVariant,
}

impl Default for CoDelSpec {
    fn default() -> Self {
        let CoDelParameters { target, interval, ecn, ce_threshold, variant, .. } =
            CoDelParameters::default();
        Self { limit: 1000, target, interval, mtu: None, ecn, ce_threshold, variant }
    }
}

impl Discipline for CoDelSpec {
    const KIND: &'static str = "codel";
    const EXAMPLES: &'static [&'static str] = &[
        "codel limit 40 target 100us interval 2ms",
        "codel limit 40 target 100us interval 2ms ecn ce_threshold 5ms",
        "codel target 100us interval 2ms variant linux",
        "codel target 100us interval 2ms variant linux ecn",
        "codel target 100us interval 2ms variant paper2012",
        "codel target 100us interval 2ms variant draft01 ecn",
    ];
    type Queue<P: Headers> = Fifo<P, CoDel>;
    type Stats = CoDelStats;

    fn build<P: Headers>(&self, link: LinkInfo, _rng: Rng) -> Fifo<P, CoDel> {
        Fifo::new(Limit::packets(self.limit), CoDel::new(self.parameters(link)))
    }

    fn stats<P: Headers>(queue: &Fifo<P, CoDel>, now: Time) -> CoDelStats {
        let state = queue.state();
        CoDelStats {
            count: state.count(),
            lastcount: state.lastcount(),
            ldelay: state.last_sojourn(),
            drop_next: state.is_dropping().then(|| DueIn::seen_from(now, state.drop_next())),
            maxpacket: queue.aqm().largest_packet(),
        }
    }
}

impl CoDelSpec {
    /// The parameters of the controller on this link.
    pub(crate) fn parameters(&self, link: LinkInfo) -> CoDelParameters {
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
    pub(crate) fn write_options(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

impl Syntax for CoDelSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, target, interval, mtu, ecn, noecn, ce_threshold, \
                                   variant";

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
            "interval" => draft.interval = words.positive_span(option)?,
            "mtu" => draft.mtu = Some(words.mtu(option)?),
            "ecn" => draft.ecn = true,
            "noecn" => draft.ecn = false,
            "ce_threshold" => draft.ce_threshold = Some(words.span(option)?),
            "variant" => draft.variant = words.choice(option, &VARIANTS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for CoDelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "codel limit {}p", self.limit)?;
        self.write_options(f)
    }
}

/// The statistics of CoDel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CoDelStats {
    /// The number of drops and marks in this drop state.
    pub count: u32,
    /// The value of `count` when the drop state was last entered.
    pub lastcount: u32,
    /// The sojourn of the last packet that left.
    pub ldelay: Span,
    /// The time of the next drop, relative to now; `None` outside the drop state.
    pub drop_next: Option<DueIn>,
    /// The length of the longest packet that left.
    pub maxpacket: Bytes,
}

impl DisciplineStats for CoDelStats {}
