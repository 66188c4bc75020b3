//! `sfb` in the words of tc, and its statistics.

use alloc::string::String;
use core::fmt;

use units::{Prob, Rng, Span, Time};

use super::{Sfb, SfbParameters};
use crate::Headers;
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words};
use crate::stats::{DisciplineStats, Tally};

/// The settings of `sfb`: `sfb [limit PACKETS] [max PACKETS] [target PACKETS] [increment P]
/// [decrement P] [rehash TIME] [db TIME] [penalty_rate N] [penalty_burst N] [ecn|noecn]`
///
/// As in tc, `max` is by default a quarter more than `target`, and `target` four fifths of `max`.
/// Unlike in tc, times need a unit, and marking can be switched off.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SfbSpec {
    /// The parameters of the discipline.
    pub parameters: SfbParameters,
}

impl Discipline for SfbSpec {
    const KIND: &'static str = "sfb";
    const EXAMPLES: &'static [&'static str] = &[
        "sfb limit 40 target 4 increment 0.05 decrement 0.01 rehash 20ms db 10ms ecn",
        "sfb target 2 increment 0.2 penalty_rate 500 rehash 5ms db 5ms noecn",
    ];
    type Queue<P: Headers> = Sfb<P>;
    type Stats = SfbStats;

    fn build<P: Headers>(&self, _link: LinkInfo, rng: Rng) -> Sfb<P> {
        Sfb::new(self.parameters, rng)
    }

    fn stats<P: Headers>(queue: &Sfb<P>, _now: Time) -> SfbStats {
        let (maxqlen, maxprob, avgprob) = queue.occupancy();
        SfbStats {
            penalty_drops: queue.penalty_drops(),
            bucket_drops: queue.bin_drops(),
            maxqlen,
            maxprob,
            avgprob,
        }
    }
}

/// The options of `sfb` read so far.
#[derive(Default)]
pub(crate) struct Draft {
    limit: Option<u64>,
    max: Option<u64>,
    target: Option<u64>,
    increment: Option<Prob>,
    decrement: Option<Prob>,
    rehash: Option<Span>,
    warm_up: Option<Span>,
    penalty_rate: Option<u32>,
    penalty_burst: Option<u32>,
    noecn: bool,
}

impl Syntax for SfbSpec {
    type Draft = Draft;
    const OPTIONS: &'static str = "limit, max, target, increment, decrement, rehash, db, \
                                   penalty_rate, penalty_burst, ecn, noecn";

    /// An empty draft: tc fills in defaults, and `sfb_change` of Linux (net/sched/sch_sfb.c) takes
    /// all settings from tc.
    fn draft(&self) -> Draft {
        Draft::default()
    }

    fn option(
        draft: &mut Draft,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        match option.text {
            "limit" => draft.limit = Some(words.packets(option)?),
            "max" => draft.max = Some(words.packets(option)?),
            "target" => draft.target = Some(words.packets(option)?),
            "increment" => draft.increment = Some(words.tc_probability(option)?),
            "decrement" => draft.decrement = Some(words.tc_probability(option)?),
            "rehash" => draft.rehash = Some(words.span(option)?),
            "db" => draft.warm_up = Some(words.span(option)?),
            "penalty_rate" => {
                draft.penalty_rate = Some(words.count_in(option, "pps", 0..=u32::MAX)?);
            }
            "penalty_burst" => {
                draft.penalty_burst = Some(words.count_in(option, "p", 0..=u32::MAX)?);
            }
            "ecn" => draft.noecn = false,
            "noecn" => draft.noecn = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Draft) -> Result<Self, String> {
        let tc = SfbParameters::default();
        // q_sfb.c, sfb_parse_opt.
        let max = draft.max.or(draft.target.map(|target| (target * 5 + 1) / 4));
        let max = max.unwrap_or(tc.max);
        let target = draft.target.unwrap_or((max * 4 + 3) / 5);
        if target > max {
            return Err(
                "`sfb` needs target <= max, or no probability would ever rise; by default \
                        max is a quarter more than target"
                    .into(),
            );
        }
        Ok(Self {
            parameters: SfbParameters {
                limit: draft.limit.unwrap_or(tc.limit),
                max,
                target,
                increment: draft.increment.unwrap_or(tc.increment),
                decrement: draft.decrement.unwrap_or(tc.decrement),
                rehash: draft.rehash.unwrap_or(tc.rehash),
                warm_up: draft.warm_up.unwrap_or(tc.warm_up),
                penalty_rate: draft.penalty_rate.unwrap_or(tc.penalty_rate),
                penalty_burst: draft.penalty_burst.unwrap_or(tc.penalty_burst),
                ecn: !draft.noecn,
            },
        })
    }
}

impl fmt::Display for SfbSpec {
    /// Writes the options in tc's order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SfbParameters { limit, max, target, increment, decrement, .. } = self.parameters;
        let SfbParameters { rehash, warm_up, penalty_rate, penalty_burst, ecn, .. } =
            self.parameters;
        write!(f, "sfb rehash {rehash} db {warm_up} limit {limit}p max {max}p target {target}p")?;
        write!(f, " increment {increment} decrement {decrement}")?;
        write!(f, " penalty_rate {penalty_rate}pps penalty_burst {penalty_burst}p")?;
        f.write_str(if ecn { " ecn" } else { " noecn" })
    }
}

/// The statistics of SFB.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SfbStats {
    /// The number of packets dropped because the rate for unresponsive flows was spent.
    pub penalty_drops: u64,
    /// The number of packets dropped because all the bins of a flow were full.
    pub bucket_drops: u64,
    /// The number of packets in the fullest bin.
    pub maxqlen: u64,
    /// The greatest probability of a bin.
    pub maxprob: Prob,
    /// The mean probability of all bins.
    pub avgprob: Prob,
}

impl DisciplineStats for SfbStats {
    /// The number of packets that did not fit, or exceeded the penalty rate (sch_sfb.c).
    fn overlimits(&self, tally: &Tally) -> u64 {
        tally.overflowed + self.penalty_drops
    }
}
