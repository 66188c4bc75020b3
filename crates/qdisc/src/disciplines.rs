//! The disciplines. Each is one file with its algorithm, its settings in the words of tc and its
//! statistics, and one line in the list below. [`QdiscSpec`], [`AnyQdisc`] and [`AnyStats`] are
//! made from the list.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use units::{Bytes, Rate, Rng, Span, Time};

use crate::any::disciplines;
use crate::no_packet::NoPacket;
use crate::spec::{self, Discipline, DisciplineKind, LinkInfo, SpecError, Syntax, Visitor};
use crate::stats::{DisciplineStats, Tally};
use crate::{Backlog, ChangeError, Dequeued, Headers, Limit, Qdisc, Shaping, Signals};

pub mod bfifo;
pub mod blue;
pub mod cake;
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
    Cake(cake::CakeSpec),
}

impl QdiscSpec {
    /// Checks that a running queue with these settings can take over others: tries it with queues
    /// that never hold a packet.
    ///
    /// # Errors
    /// If a setting differs that cannot change; the error names it.
    fn check_change(&self, to: &Self) -> Result<(), ChangeError> {
        let link = LinkInfo { rate: Rate::from_mbit(1), mtu: Bytes(1514) };
        let build = |spec: &Self| spec.build::<NoPacket>(link, Rng::new(0));
        build(self).change(build(to), Time::ZERO, &mut ())
    }

    /// The queue that this text describes, with room for this many packets of this length. The
    /// `limit` in the text is replaced: by packets or by bytes, whichever the discipline counts.
    ///
    /// # Errors
    /// If the text describes no queue.
    pub fn with_room(text: &str, packets: u32, len: Bytes) -> Result<Self, SpecError> {
        let Bytes(bytes) = len * u64::from(packets);
        format!("{text} limit {packets}p")
            .parse()
            .or_else(|_| format!("{text} limit {bytes}b").parse())
            .or_else(|_| format!("{text} memlimit {bytes}b").parse())
    }
}
