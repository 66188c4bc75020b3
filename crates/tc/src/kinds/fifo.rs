//! `pfifo`, `pfifo_head_drop` and `bfifo` (iproute2, tc/q_fifo.c), which have no statistics of
//! their own.

use crate::layout::Form::{Count, Size};
use crate::layout::{Layout, field};

pub(super) const OF_PACKETS: Layout =
    Layout { options: &[field("limit", "limit ", Count, "p")], stats: &[], table: None };

pub(super) const OF_BYTES: Layout =
    Layout { options: &[field("limit", "limit ", Size, "")], stats: &[], table: None };
