//! The tables that are written beside a result document: series and the fates of packets, as CSV or
//! Parquet.

mod csv;
mod fates;
mod series;

pub use fates::{Fate, FateWriter, PacketFate};
pub use series::{Series, SeriesFormat, SeriesWriter};
