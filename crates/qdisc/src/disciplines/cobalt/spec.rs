//! `cobalt`, which tc has only inside of CAKE, the options that `fq_cobalt` shares with it, and its
//! statistics.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Rng, Span, Time};

use super::{Cobalt, CobaltParameters};
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words};
use crate::stats::{DisciplineStats, DueIn};
use crate::{Fifo, Headers, Limit};

/// The settings of `cobalt`: `cobalt [limit PACKETS] [target TIME] [interval TIME] [mtu BYTES]
/// [ecn|noecn]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CobaltSpec {
    /// The limit in packets; 1000.
    pub limit: u64,
    /// The sojourn that is acceptable for ever; 5 ms.
    pub target: Span,
    /// About the longest round trip; 100 ms.
    pub interval: Span,
    /// The length of a packet, of which four take on the link as long as a sojourn may always last;
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

impl Discipline for CobaltSpec {
    const KIND: &'static str = "cobalt";
    const EXAMPLES: &'static [&'static str] = &[
        "cobalt limit 40 target 100us interval 2ms",
        "cobalt limit 20 target 100us interval 2ms ecn",
    ];
    type Queue<P: Headers> = Fifo<P, Cobalt>;
    type Stats = CobaltStats;

    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> Fifo<P, Cobalt> {
        Fifo::new(Limit::packets(self.limit), self.controller(link, rng))
    }

    fn stats<P: Headers>(queue: &Fifo<P, Cobalt>, now: Time) -> CobaltStats {
        let state = queue.state();
        CobaltStats {
            count: state.count(),
            p_drop: state.p_drop(),
            ldelay: state.last_sojourn(),
            drop_next: state.is_dropping().then(|| DueIn::seen_from(now, state.drop_next())),
        }
    }
}

impl CobaltSpec {
    /// The controller on this link.
    pub(crate) fn controller(&self, link: LinkInfo, rng: Rng) -> Cobalt {
        let Self { target, interval, ecn, .. } = *self;
        let mtu_time = self.mtu.unwrap_or(link.mtu) / link.rate;
        Cobalt::new(CobaltParameters { target, interval, mtu_time, ecn }, rng)
    }

    /// Writes the options that `fq_cobalt` shares.
    pub(crate) fn write_options(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " target {} interval {}", self.target, self.interval)?;
        if let Some(mtu) = self.mtu {
            write!(f, " mtu {}", mtu.0)?;
        }
        f.write_str(if self.ecn { " ecn" } else { " noecn" })
    }
}

impl Syntax for CobaltSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, target, interval, mtu, ecn, noecn";

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
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for CobaltSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cobalt limit {}p", self.limit)?;
        self.write_options(f)
    }
}

/// The statistics of COBALT.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CobaltStats {
    /// Signals in this drop state, minus those that were taken back since.
    pub count: u32,
    /// The drop probability of BLUE, from 0 to 1.
    pub p_drop: f64,
    /// The sojourn of the last packet that left.
    pub ldelay: Span,
    /// The time of the next signal, relative to now; `None` outside the drop state.
    pub drop_next: Option<DueIn>,
}

impl DisciplineStats for CobaltStats {}
