//! `pfifo`: first in, first out, with a limit in packets, and no controller.
//!
//! Specification: Linux, net/sched/sch_fifo.c; tc-pfifo(8).
//! Deviations: none.

use alloc::string::String;
use core::fmt;

use units::{Rng, Time};

use crate::aqm::TailDrop;
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words};
use crate::{DropFrom, Fifo, Headers, Limit};

/// The settings of `pfifo`: `pfifo [limit PACKETS] [headdrop]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PfifoSpec {
    /// The limit in packets; 1000, the usual txqueuelen.
    pub limit: u64,
    /// True to drop from the head (tc: `pfifo_head_drop`); off.
    pub head_drop: bool,
}

impl Default for PfifoSpec {
    fn default() -> Self {
        Self { limit: 1000, head_drop: false }
    }
}

impl Discipline for PfifoSpec {
    const KIND: &'static str = "pfifo";
    const EXAMPLES: &'static [&'static str] = &["pfifo limit 10", "pfifo limit 7 headdrop"];
    type Queue<P: Headers> = Fifo<P, TailDrop>;
    type Stats = ();

    fn build<P: Headers>(&self, _link: LinkInfo, _rng: Rng) -> Fifo<P, TailDrop> {
        let drop_from = if self.head_drop { DropFrom::Head } else { DropFrom::Tail };
        Fifo::new(Limit::packets(self.limit), TailDrop).drop_from(drop_from)
    }

    fn stats<P: Headers>(_queue: &Fifo<P, TailDrop>, _now: Time) {}
}

impl Syntax for PfifoSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, headdrop";

    /// An empty draft: tc has the variant that drops from the head as a kind of its own.
    fn named(name: &str) -> Option<Self> {
        match name {
            "pfifo" => Some(Self::default()),
            "pfifo_head_drop" => Some(Self { head_drop: true, ..Self::default() }),
            _ => None,
        }
    }

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
            "headdrop" => draft.head_drop = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for PfifoSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pfifo limit {}p", self.limit)?;
        f.write_str(if self.head_drop { " headdrop" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::tests::every_option_has_an_effect;

    #[test]
    fn options() {
        every_option_has_an_effect::<PfifoSpec>(&[("pfifo limit 20", &["limit 30", "headdrop"])]);
    }
}
