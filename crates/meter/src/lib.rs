//! What is counted at links and flows, whichever clock drives them.
//!
//! Whoever owns a clock tells a [`Meter`] of each direction what happens there, and, if they are
//! wanted, a [`FateRecorder`], a [`SeriesRecorder`] and a [`Timekeeper`]. What they make of it is in
//! the words of [`results`]. So a simulated run and one by the clock of the machine count the same
//! things in the same way, and can be compared. What their flows have in common is here too: [`Life`]
//! and [`REQUEST`].
//!
//! Directions are numbered as the links are written: `2 n` is link `n` forward, `2 n + 1` its way
//! back. Flows are numbered as [`Scenario::flow_names`](scenario::Scenario::flow_names) names them.

mod calls;
mod counters;
mod fates;
mod gauges;
mod life;
mod meter;
mod others;
mod outcome;
mod request;
mod series;
mod timeline;
mod toll;

pub use calls::judge_calls;
pub use counters::Counters;
pub use fates::{FateRecorder, Passage, fate_of_departed, fate_of_dropped};
pub use gauges::Gauges;
pub use life::Life;
pub use meter::Meter;
pub use others::{Others, Sample};
pub use outcome::{carried, distributions};
pub use request::REQUEST;
pub use series::{SeriesOptions, SeriesRecorder};
pub use timeline::{Timekeeper, kept_flows, timeline_step};
pub use toll::{Shares, Toll, charge, fairness};
