//! `sfb`.

use alloc::string::String;
use core::fmt;

use units::{Prob, Rng, Span};

use super::SpecError;
use super::words::{Word, Words};
use crate::{Flow, Sfb, SfbParameters};

/// `sfb [limit PACKETS] [max PACKETS] [target PACKETS] [increment P] [decrement P] [rehash TIME]
/// [db TIME] [penalty_rate N] [penalty_burst N] [ecn|noecn]`
///
/// As in tc, `max` is by default a quarter more than `target`, and `target` four fifths of `max`.
/// Unlike in tc, times need a unit, and marking can be switched off.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SfbSpec {
    /// The parameters of the discipline.
    pub parameters: SfbParameters,
}

impl SfbSpec {
    pub(super) fn build<P: Flow>(&self, rng: Rng) -> Sfb<P> {
        Sfb::new(self.parameters, rng)
    }
}

/// `sfb` while it is being read.
#[derive(Default)]
pub(super) struct Draft {
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

impl super::draft::Draft for Draft {
    type Spec = SfbSpec;
    const OPTIONS: &'static str = "limit, max, target, increment, decrement, rehash, db, \
                                   penalty_rate, penalty_burst, ecn, noecn";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = Some(words.packets(option)?),
            "max" => self.max = Some(words.packets(option)?),
            "target" => self.target = Some(words.packets(option)?),
            "increment" => self.increment = Some(words.tc_probability(option)?),
            "decrement" => self.decrement = Some(words.tc_probability(option)?),
            "rehash" => self.rehash = Some(words.span(option)?),
            "db" => self.warm_up = Some(words.span(option)?),
            "penalty_rate" => {
                self.penalty_rate = Some(words.count_in(option, "pps", 0..=u32::MAX)?);
            }
            "penalty_burst" => {
                self.penalty_burst = Some(words.count_in(option, "p", 0..=u32::MAX)?);
            }
            "ecn" => self.noecn = false,
            "noecn" => self.noecn = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<SfbSpec, String> {
        let tc = SfbParameters::default();
        // q_sfb.c, sfb_parse_opt.
        let max = self.max.or(self.target.map(|target| (target * 5 + 1) / 4));
        let max = max.unwrap_or(tc.max);
        let target = self.target.unwrap_or((max * 4 + 3) / 5);
        if target > max {
            return Err(
                "`sfb` needs target <= max, or no probability would ever rise; by default \
                        max is a quarter more than target"
                    .into(),
            );
        }
        Ok(SfbSpec {
            parameters: SfbParameters {
                limit: self.limit.unwrap_or(tc.limit),
                max,
                target,
                increment: self.increment.unwrap_or(tc.increment),
                decrement: self.decrement.unwrap_or(tc.decrement),
                rehash: self.rehash.unwrap_or(tc.rehash),
                warm_up: self.warm_up.unwrap_or(tc.warm_up),
                penalty_rate: self.penalty_rate.unwrap_or(tc.penalty_rate),
                penalty_burst: self.penalty_burst.unwrap_or(tc.penalty_burst),
                ecn: !self.noecn,
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
