//! The disciplines. Each is one file with its algorithm, its settings in the words of tc and its
//! statistics, and one line in the list below; [`QdiscSpec`], [`AnyQdisc`] and [`Stats`] follow from
//! the list.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use units::{Bytes, Rng, Time};

use crate::any::disciplines;
use crate::spec::{self, Discipline, Kind, LinkInfo, SpecError, Syntax, Visitor};
use crate::stats::{DisciplineStats, Tally};
use crate::{Backlog, ChangeError, Dequeued, Flow, Qdisc, Signals};

pub mod bfifo;
pub mod blue;
pub mod cobalt;
pub mod codel;
pub mod fq_cobalt;
pub mod fq_codel;
pub mod pfifo;
pub mod pie;
pub mod red;
#[cfg(feature = "serde")]
mod serialized;
pub mod sfb;
#[cfg(test)]
mod tests;

disciplines! {
    Pfifo(pfifo::PfifoSpec),
    Bfifo(bfifo::BfifoSpec),
    Red(red::RedSpec),
    Blue(blue::BlueSpec),
    CoDel(codel::CoDelSpec),
    FqCoDel(fq_codel::FqCoDelSpec),
    Cobalt(cobalt::CobaltSpec),
    FqCobalt(fq_cobalt::FqCobaltSpec),
    Pie(pie::PieSpec),
    Sfb(sfb::SfbSpec),
}

impl QdiscSpec {
    /// The queue that this text describes, with room for this many packets of this length: its
    /// `limit`, whatever the text says, is in packets or in bytes, whichever the discipline counts.
    ///
    /// # Errors
    /// The text describes no queue.
    pub fn with_room(text: &str, packets: u32, len: Bytes) -> Result<Self, SpecError> {
        format!("{text} limit {packets}p")
            .parse()
            .or_else(|_| format!("{text} limit {}b", (len * u64::from(packets)).0).parse())
    }
}
