//! Experiments 1 to 3: a bulk flow for 1000 s, alone, beside a ping, and beside a light flow.

use results::{ReproductionRow, Spread};
use units::Rate;

use super::Table;
use super::judge::{Figure, Reason, agrees, differs, impossible};
use super::paper::{Bulk, EXPERIMENT_2, Pair, TABLE_1, TABLE_2, TABLE_3};
use super::run::{EXPERIMENT_1, EXPERIMENT_2 as WITH_PING, EXPERIMENT_3, Measured, Run};
use super::wire::{MSS, Wire};

/// The paper says too little about these experiments for more than their shape.
const SHAPE: f64 = 0.1;
/// The share of variance that a straight line explains in what we call linear.
const LINEAR: f64 = 0.98;

/// Half a megabit a second.
pub(super) fn table_1() -> Table {
    let run = |row: &Bulk| Run::of(EXPERIMENT_1).buffer(row.buffer);
    let judge: fn(&[Measured]) -> _ = |ours| bulk_rows("Table 1", 500_000, &TABLE_1, ours);
    Table { runs: TABLE_1.iter().map(run).collect(), judge }
}

/// A tenth of a megabit a second.
pub(super) fn table_2() -> Table {
    let run = |row: &Bulk| Run::of(EXPERIMENT_1).rate(rate(100_000)).buffer(row.buffer);
    let judge: fn(&[Measured]) -> _ = |ours| bulk_rows("Table 2", 100_000, &TABLE_2, ours);
    Table { runs: TABLE_2.iter().map(run).collect(), judge }
}

/// A ping beside the bulk flow.
pub(super) fn experiment_2() -> Table {
    let run = |buffer: &u32| Run::of(WITH_PING).buffer(*buffer);
    Table { runs: EXPERIMENT_2.iter().map(run).collect(), judge: ping_rows }
}

/// A light flow beside the bulk flow.
pub(super) fn table_3() -> Table {
    let run = |row: &Pair| Run::of(EXPERIMENT_3).buffer(row.buffer);
    Table { runs: TABLE_3.iter().map(run).collect(), judge: pair_rows }
}

fn rate(bits: u64) -> Rate {
    Rate::from_bits_per_sec(bits).unwrap_or(Rate::from_mbit(1))
}
