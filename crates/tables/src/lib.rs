//! The tables beside a result document: series and the fates of packets, in memory or as CSV or
//! Parquet.

mod csv;
mod fates;
mod series;
mod sinks;

pub use fates::{Fate, FateWriter, PacketFate};
pub use series::{Series, SeriesFormat, SeriesWriter};
pub use sinks::{FateSink, SeriesSink};
