//! Files of [Flent](https://flent.org), version 4: `.flent.gz`.
//!
//! JSON, packed by gzip. `results` has a list of numbers for each series, all at the times
//! `x_values`; `raw_values` has what these were interpolated from, one object a value, with Unix
//! times `t`; `metadata` says what was run. Flent draws a file as its own test of the name
//! `metadata.NAME` would be drawn, by the names of the series: so tests and series are named here as
//! they are there. Source: files that Flent 2.3.0 wrote, and the tests that come with it.

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

/// How far apart the values of `results` are, if nothing else is said: what Flent takes, in seconds.
const STEP_S: f64 = 0.2;
