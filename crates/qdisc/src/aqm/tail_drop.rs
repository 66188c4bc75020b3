//! No controller at all: packets are dropped only when there is no room, as in most of the world's
//! equipment. The queue stands as long as senders keep it full, which is bufferbloat.
//!
//! Specification: RFC 7567 section 2 describes the practice and what is wrong with it.
//! Deviations: none.

use super::{Aqm, Kept};
use crate::ChangeError;

/// The controller that lets every packet pass; the limit of the queue does the dropping.
#[derive(Clone, Copy, Debug, Default)]
pub struct TailDrop;

impl Aqm for TailDrop {
    type State = ();
    const IS_ACTIVE: bool = false;
    /// All packets: a change of a FIFO sets the limit alone, and the packets that wait are sent
    /// (Linux, net/sched/sch_fifo.c, `__fifo_init`).
    const KEPT: Kept = Kept::All;

    fn change(&mut self, _like: Self) -> Result<bool, ChangeError> {
        Ok(false)
    }
}
