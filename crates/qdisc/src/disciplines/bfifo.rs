//! `bfifo`: first in, first out, with a limit in bytes, and no controller.
//!
//! Specification: Linux, net/sched/sch_fifo.c; tc-bfifo(8).
//! Deviations: none.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Rng, Time};

use crate::aqm::TailDrop;
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, TcSize, Word, Words};
use crate::{Fifo, Headers, Limit};

/// The settings of `bfifo`: `bfifo [limit SIZE]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BfifoSpec {
    /// The limit in bytes; 1000 full Ethernet frames, as in Linux for a txqueuelen of 1000.
    pub limit: Bytes,
}

impl Default for BfifoSpec {
    fn default() -> Self {
        Self { limit: Bytes(1514) * 1000 }
    }
}

impl Discipline for BfifoSpec {
    const KIND: &'static str = "bfifo";
    const EXAMPLES: &'static [&'static str] = &["bfifo limit 9000b"];
    type Queue<P: Headers> = Fifo<P, TailDrop>;
    type Stats = ();

    fn build<P: Headers>(&self, _link: LinkInfo, _rng: Rng) -> Fifo<P, TailDrop> {
        Fifo::new(Limit::bytes(self.limit), TailDrop)
    }

    fn stats<P: Headers>(_queue: &Fifo<P, TailDrop>, _now: Time) {}
}

impl Syntax for BfifoSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit";

    fn draft(&self) -> Self {
        self.clone()
    }

    fn option(
        draft: &mut Self,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        match option.text {
            "limit" => draft.limit = words.size(option)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for BfifoSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bfifo limit {}", TcSize(self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::tests::every_option_has_an_effect;

    #[test]
    fn options() {
        every_option_has_an_effect::<BfifoSpec>(&[("bfifo limit 20000", &["limit 30000"])]);
    }
}
