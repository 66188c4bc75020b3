//! Files of [Flent](https://flent.org), version 4: `.flent.gz`.
//!
//! The format is JSON, compressed by gzip. `results` has a list of numbers for each series, all at
//! the times `x_values`. `raw_values` has the measured values from which these were interpolated,
//! one object a value, with Unix times `t`. `metadata` describes the test. Flent draws a file as it
//! draws its own test `metadata.NAME`, and finds the series by their names, so tests and series
//! have Flent's names here. Source: files that Flent 2.3.0 wrote, and the tests that come with it.

mod beside;
mod coarse;
mod file;
mod names;
mod probe;
mod read;
mod table;
mod words;
mod write;

pub use read::read;
pub use write::write;

/// Default interval between the values of `results`, in seconds: the same as Flent's.
const STEP_S: f64 = 0.2;
